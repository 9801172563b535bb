/* What becomes of samples: their stacks are unwound, cut where Python's own frames begin, and named; their Python frames are
 * added to a tree; and they are counted. */
#ifndef TRC_COUNTING_H
#define TRC_COUNTING_H

#include "core/samples/native_stacks.h"
#include "core/samples/eval_code.h"
#include "core/samples/frame_tree.h"
#include "core/samples/modules.h"
#include "core/samples/sample_counts.h"
#include "core/samples/sampled_thread.h"
#include "core/samples/slow_lines.h"

/* The kinds of owners of samples: those whose threads the caller knows, and the others. In a sample, the owner is its
 * number, times two, and its kind. */
enum { TRC_KNOWN, TRC_OTHER, TRC_OWNER_KINDS };

typedef struct trc_owned_sample_counts {
    trc_sample_counts *by_owner; /* owned; by owner */
    uint32_t count;
} trc_owned_sample_counts;

typedef struct trc_counting {
    int64_t period; /* ns of CPU time for which a weight of 1 stands */
    uint64_t own;   /* an address of tracer's code, or 0 */
    uint64_t eval;  /* where the function begins that runs Python code, or 0 */
    trc_modules modules;
    trc_span_of_code eval_parts[TRC_EVAL_PARTS];
    size_t eval_count;
    bool has_eval;
    trc_rowcache cache;
    trc_small_row *rows; /* owned */
    trc_native_stacks chains;
    trc_frame_tree frames;
    trc_owned_sample_counts sample_counts[TRC_OWNER_KINDS];
    uint64_t signals;           /* samples, whatever their weight */
    uint64_t cut;               /* those whose native stack could not be followed to its end */
    uint64_t broken;            /* weight of samples whose frames could not be read */
    _Atomic uint64_t in_events; /* weight of samples while a callback of an event ran */
    trc_slow_lines slow_lines;
    uint64_t lost;    /* weight of samples for which there was no room */
    int64_t handlers; /* ns of CPU of handlers that read frames */
} trc_counting;

/* Initializes a zeroed record. Returns false when memory is out; then nothing is to be freed. */
bool trc_counting_init(trc_counting *counts);
void trc_counting_free(trc_counting *counts);

/* Forgets the samples, not the code. */
void trc_counting_clear(trc_counting *counts);

/* Looks at what is loaded, and counts the samples in the ring of a thread. The first is to be called before the second,
 * and again before later samples. */
void trc_counting_look(trc_counting *counts);
void trc_count_samples(trc_counting *counts, trc_sampled_thread *sampled, trc_described *described);

/* Counts a look at a thread, whose code it may have described; waited: else that alone is made use of. Returns the node, or
 * TRC_NODE_NONE where nothing was counted. again: of one that still waits at that node. */
uint32_t trc_count_wait(trc_counting *counts, const trc_noted_sample *sample, trc_described *described, bool waited);
void trc_count_wait_again(trc_counting *counts, uint32_t owner, uint32_t node);

#endif
