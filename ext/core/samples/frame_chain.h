/* The Python frames of a thread, read while it may be in the middle of changing them. Everything is read by the kernel
 * (process_vm_readv), which answers where there is no memory, so nothing can fault, whatever a pointer says. No lock is taken
 * and no memory allocated: a signal handler may call all of this.
 *
 * A chain is read at an instruction, not at a safe point of the interpreter's. From 3.13 on, each frame is whole before it
 * is linked. Before, some 3 in 1,000 chains lead to what is no frame: then the chain is *broken*. */
#ifndef TRC_FRAME_CHAIN_H
#define TRC_FRAME_CHAIN_H

#include "core/samples/frame_layout.h"
#include "core/samples/support.h"

#include <sys/types.h>
#include <sys/uio.h>

#define TRC_CHAIN_PAGE 4096u
#define TRC_FRAME_MOST 96 /* bytes of a frame's head */
#define TRC_CODE_BATCH 16 /* code objects that are looked at together */
#define TRC_CODE_HEAD 256 /* bytes of each */

/* What is used while a chain is read. It is not on the stack: a handler may have an alternate one of 8 KiB, which the registers
 * of an interrupted thread take half of. */
typedef struct trc_chain_scratch {
    struct {
        uint64_t start;
        size_t size;
        uint8_t bytes[TRC_CHAIN_PAGE + TRC_FRAME_MOST];
    } window; /* what was read last: frames lie one behind the other, the caller's in front, so one read has many */
    uint8_t heads[TRC_CODE_BATCH][TRC_CODE_HEAD];
    uint64_t instructions[TRC_CODE_BATCH];
    struct iovec places[TRC_CODE_BATCH];
    struct iovec sources[TRC_CODE_BATCH];
} trc_chain_scratch;

/* A frame as it is found. stamp: tells one code object from a later one at the same address. offset: bytes from the first
 * instruction of the code to the one that runs, or whose call does. */
typedef struct trc_seen_frame {
    uint64_t code;
    uint32_t stamp;
    uint32_t offset;
} trc_seen_frame;

typedef enum trc_chain_end {
    TRC_CHAIN_WHOLE,
    TRC_CHAIN_CUT,    /* it has more frames than there was room for */
    TRC_CHAIN_BROKEN, /* it led to what is no frame */
} trc_chain_end;

typedef struct trc_frame_chain {
    trc_seen_frame *frames; /* borrowed; the innermost first */
    uint32_t count;
    bool is_in_event; /* a callback of an event runs */
    bool is_at_stop;  /* the innermost frame is at an instruction that stops for a line, and no callback runs; */
    bool is_stopping; /* and it is known that the stop is made */
    trc_chain_end end;
} trc_frame_chain;

/* Reads up to `room` frames of the thread whose state is at this address. process: of the calling thread, or another that
 * it may read. */
void trc_frame_chain_read(trc_frame_chain *chain, const trc_frame_layout *layout, trc_chain_scratch *scratch,
                          pid_t process, uint64_t state, uint32_t room);

/* A code object as it is written down: this, and behind it the characters of name, qualname and file, and the table of
 * locations, each padded to 4 bytes. kind: bytes of a character, 1, 2 or 4, as the interpreter stores them. */
typedef struct trc_text_size {
    uint32_t length; /* characters */
    uint32_t kind;
} trc_text_size;

typedef struct trc_code_description {
    uint32_t number; /* the caller's */
    int32_t first_line;
    uint32_t size; /* bytes, of all of it */
    trc_text_size name, qualname, file;
    uint32_t lines_size;
} trc_code_description;

/* Longer names and tables are cut. */
#define TRC_NAME_MOST 512    /* characters */
#define TRC_LINES_MOST 16384 /* bytes */

/* Describes a code object in up to `room` bytes, aligned to 4. Returns how many, or 0 where that is not possible. */
uint32_t trc_code_describe(const trc_frame_layout *layout, pid_t process, uint64_t code, void *to, uint32_t room);

#endif
