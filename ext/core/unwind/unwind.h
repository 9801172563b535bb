/* Unwinds copies of stacks: from the registers of an interrupted thread, and a copy of its stack from the stack pointer
 * on, to the chain of its calls. No system call is made and no memory taken. Everything may be damaged: then the chain
 * ends early. */
#ifndef TRC_UNWIND_H
#define TRC_UNWIND_H

#include "core/unwind/arch.h"
#include "core/unwind/rowcache.h"
#include "core/unwind/symbols.h"

/* A file as it is loaded in the process. */
typedef struct trc_module {
    uint64_t start;
    uint64_t end;
    uint64_t bias;              /* what the process adds to the file's addresses: see trc_elf_bias() */
    const trc_elf *elf;         /* borrowed; NULL: its code has no rules */
    const trc_symbols *symbols; /* borrowed; NULL: hand-written code without rules has no known start */
} trc_module;

/* A piece of code: from `start` up to `end`. */
typedef struct trc_span_of_code {
    uint64_t start;
    uint64_t end;
} trc_span_of_code;

typedef struct trc_unwinder {
    const trc_arch *arch;
    const trc_module *modules; /* borrowed; in the order of their starts */
    size_t module_count;
    trc_rowcache *cache; /* borrowed; NULL: no cache, and the same frames */
    const trc_span_of_code *stops;
    size_t stop_count;
} trc_unwinder;

typedef struct trc_stack_copy {
    uint64_t registers[TRC_REGISTERS]; /* by DWARF's numbers; see registers.h. That of the pc may be unset. */
    uint64_t pc;
    trc_native_stack stack; /* its `sp` need not be the stack pointer */
    uint64_t boundary;      /* a frame whose CFA is this or higher is the last that is kept; UINT64_MAX: none is */
} trc_stack_copy;

typedef struct trc_native_frame {
    uint64_t pc;
    uint64_t cfa; /* 0 where it was not found */
    bool is_call; /* the pc is a return address: the code that runs is before it */
} trc_native_frame;

typedef enum trc_unwind_status {
    TRC_UNWIND_BOUNDARY,  /* the last frame is the first whose CFA is the boundary or higher */
    TRC_UNWIND_OUTERMOST, /* the last frame has no caller */
    TRC_UNWIND_COPY_END,  /* the copy does not hold where the last frame's caller is noted */
    TRC_UNWIND_NO_MODULE, /* the last frame's pc is in no module */
    TRC_UNWIND_NO_RULE,   /* the last frame's code has no call frame information, and its beginning tells nothing */
    TRC_UNWIND_FULL,      /* there are more frames than the limit */
    TRC_UNWIND_STOP,
    TRC_UNWIND_BAD, /* the last frame's rules are damaged, or lead down the stack */
} trc_unwind_status;

/* Writes the frames of a copy, the innermost first, at most `limit`. `count` is how many there are: 0 only where the limit
 * is. */
trc_unwind_status trc_unwind(const trc_unwinder *unwinder, const trc_stack_copy *copy, trc_native_frame *frames,
                             size_t limit, size_t *count);

/* The module of an address, or NULL. */
const trc_module *trc_module_of(const trc_unwinder *unwinder, uint64_t pc);

#endif
