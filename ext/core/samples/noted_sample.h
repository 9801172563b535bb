/* What is noted of a thread at one moment: its native stack, its Python frames, or both. */
#ifndef TRC_NOTED_SAMPLE_H
#define TRC_NOTED_SAMPLE_H

#include "core/base/cpu_split.h"
#include "core/samples/code_notes.h"
#include "core/unwind/arch.h"

/* Frames of a chain that are noted, the innermost, and bytes of descriptions of their code in one sample. */
#define TRC_FRAMES_MOST 1024u
#define TRC_DESCRIBED_MOST (32u << 10)

/* Bytes that a sample needs while its frames are noted, behind itself. */
#define TRC_FRAMES_ROOM (TRC_FRAMES_MOST * sizeof(trc_seen_frame) + TRC_DESCRIBED_MOST)

/* A frame in a sample: the number under which its code was described by whoever noted it, or 0 where that is not known; and
 * the offset of its instruction. */
typedef struct trc_noted_frame {
    uint32_t number;
    uint32_t offset;
} trc_noted_frame;

/* Behind it are its frames, the innermost first; descriptions of code, trc_code_description; and bytes of the stack, from
 * the stack pointer on. */
typedef struct trc_noted_sample {
    uint32_t owner;
    uint32_t node;
    uint32_t weight;
    bool is_in_event;      /* while a callback of an event ran */
    bool is_in_collection; /* of garbage */
    bool is_of_wait;       /* the thread did not run */
    bool has_stack;        /* what follows is noted */
    uint64_t line_code;    /* the address of the code that stops there to tell of a line, outside of a callback; or 0 */
    bool is_stopping;      /* it is known that it does */
    trc_cpu_split *line;   /* what the CPU time of the line is added to, or NULL */
    uint64_t registers[TRC_REGISTERS]; /* by DWARF's numbers */
    uint64_t pc;
    uint32_t frame_count;
    uint32_t described; /* bytes */
    uint32_t stack_size;
    _Alignas(8) uint8_t bytes[];
} trc_noted_sample;

/* The parts of a sample. */
static inline const trc_noted_frame *trc_sample_frames(const trc_noted_sample *sample)
{
    return (const trc_noted_frame *)(const void *)sample->bytes;
}

static inline const uint8_t *trc_sample_descriptions(const trc_noted_sample *sample)
{
    return sample->bytes + sample->frame_count * sizeof(trc_noted_frame);
}

static inline const uint8_t *trc_sample_stack(const trc_noted_sample *sample)
{
    return trc_sample_descriptions(sample) + sample->described;
}

/* What is used to note frames. It is one reader's alone. */
typedef struct trc_frame_reader {
    const trc_frame_layout *layout; /* borrowed; NULL: no frames are noted */
    trc_code_notes codes;
    trc_chain_scratch *scratch; /* borrowed */
} trc_frame_reader;

/* Notes the frames of the thread of this process whose state is at this address, which are none where it is NULL. There is TRC_FRAMES_ROOM
 * behind the sample. Returns false where they cannot be read; then nothing was described. A signal handler may call
 * it. */
bool trc_note_frames(trc_frame_reader *reader, pid_t process, const void *state, trc_noted_sample *sample);

#endif
