/* What one thread has recorded, as flat records: they are what a profile file keeps of a thread, and what rollup.h adds
 * up. Taking them leaves the thread as it is; time and activations that are still going on are included. */
#ifndef TRC_CAPTURE_H
#define TRC_CAPTURE_H

#include "core/tree/thread.h"

#define TRC_NO_FUNCTION UINT32_MAX /* what the root "calls" from */

/* A node of the tree; nodes[0] is the root, and `parent` is always smaller than a node's own position. */
typedef struct trc_node_record {
    uint32_t parent; /* position in this array; of the root 0 */
    uint32_t func;   /* id of its function; of the root TRC_NO_FUNCTION */
    uint64_t calls;
    uint64_t resumes;
    trc_tick self;
    trc_tick overflowed; /* spent in overflow records called from here */
} trc_node_record;

/* An overflow node: all calls caller -> callee whose path was not kept. */
typedef struct trc_overflow_record {
    uint32_t caller; /* id of a function, or TRC_NO_FUNCTION */
    uint32_t callee;
    trc_figures figures;
} trc_overflow_record;

/* What a function gained by overflowed calls that were outermost of it. */
typedef struct trc_outermost_record {
    uint32_t func;
    uint32_t reserved; /* 0 */
    uint64_t primitive_calls;
    uint64_t primitive_resumes;
    trc_tick cumulative;
} trc_outermost_record;

/* One of the extras of a function, where it is not 0. */
typedef struct trc_extra_record {
    uint32_t func;
    uint32_t reserved; /* 0 */
    trc_tick ticks;
} trc_extra_record;

typedef struct trc_capture {
    trc_node_record *nodes;
    trc_overflow_record *overflows;
    trc_outermost_record *outermost;
    trc_extra_record *extras[TRC_EXTRA_COUNT];
    uint32_t node_count;
    uint32_t overflow_count;
    uint32_t outermost_count;
    uint32_t extra_counts[TRC_EXTRA_COUNT];
} trc_capture;

/* Copies the thread's records at time `now`; `running` says that the thread is being traced, so that the time since its
 * last event counts: where it is not, time ends with that event. False when memory is out. Either way the capture must
 * be freed, with the thread's allocator. */
bool trc_capture_thread(trc_capture *capture, const trc_thread *thread, trc_tick now, bool running);
void trc_capture_free(trc_capture *capture, const trc_allocator *allocator);

#endif
