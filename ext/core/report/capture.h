/* What one thread has recorded, as flat records. A profile file keeps them, and rollup.h adds them up. To capture a
 * thread does not change it. Time and activations that are still under way are included. */
#ifndef TRC_CAPTURE_H
#define TRC_CAPTURE_H

#include "core/tree/thread.h"

#define TRC_NO_FUNCTION UINT32_MAX /* the caller of the root's children */

/* A node of the tree. nodes[0] is the root, and every other node stands behind its parent. */
typedef struct trc_node_record {
    uint32_t parent; /* position in this array; of the root 0 */
    uint32_t func;   /* id of its function; of the root TRC_NO_FUNCTION */
    uint64_t calls;
    uint64_t resumes;
    trc_tick self;
    trc_tick overflowed; /* ticks in overflow nodes whose caller is this node */
} trc_node_record;

/* An overflow node: all calls of the edge caller -> callee whose calling context was not kept. */
typedef struct trc_overflow_record {
    uint32_t caller; /* id of a function, or TRC_NO_FUNCTION */
    uint32_t callee;
    trc_figures figures;
} trc_overflow_record;

/* A function's figures from overflowed calls that were outermost of it. */
typedef struct trc_outermost_record {
    uint32_t func;
    uint32_t reserved; /* 0 */
    uint64_t primitive_calls;
    uint64_t primitive_resumes;
    trc_tick cumulative;
} trc_outermost_record;

/* One of the extras of a function, where it is not 0. An extra that comes with the one before it has a record for each
 * of that one's, in the same order. */
typedef struct trc_extra_record {
    uint32_t func;
    uint32_t reserved; /* 0 */
    trc_tick ticks;
} trc_extra_record;

/* What a node waited, where it did: a part of its own time. */
typedef struct trc_wait_record {
    uint32_t node;     /* position in the array of nodes */
    uint32_t reserved; /* 0 */
    trc_tick ticks;
} trc_wait_record;

/* A function's calls of what has no row, such as a type, where there are any: they cost events, too. Their number is
 * estimated from a sample of the events. */
typedef struct trc_unseen_record {
    uint32_t func;
    uint32_t reserved; /* 0 */
    uint64_t calls;
} trc_unseen_record;

/* The garbage collections that began in a node, where any did: a part of its own time. */
typedef struct trc_collections_record {
    uint32_t node;        /* position in the array of nodes, or of overflows */
    uint32_t is_overflow; /* 0 or 1 */
    uint64_t count;
    trc_tick ticks;
    trc_tick longest; /* of the longest one */
} trc_collections_record;

typedef struct trc_capture {
    trc_tick pending_wait; /* what the top of the stack waits since the last event */
    trc_node_record *nodes;
    trc_overflow_record *overflows;
    trc_outermost_record *outermost;
    trc_extra_record *extras[TRC_EXTRA_COUNT];
    trc_unseen_record *unseen;
    trc_wait_record *waits;
    trc_collections_record *collections;
    uint32_t node_count;
    uint32_t overflow_count;
    uint32_t outermost_count;
    uint32_t extra_counts[TRC_EXTRA_COUNT];
    uint32_t unseen_count;
    uint32_t wait_count;
    uint32_t collection_count;
} trc_capture;

/* Copies the thread's records at time `now`. With `running`, the thread is being traced, and the time since its last
 * event counts; else time ends with that event. `cpu` is the thread's CPU time at `now`, in ns, or TRC_NO_CPU. Returns
 * false when memory is out. Either way the caller must free the capture, with the thread's allocator. */
bool trc_capture_thread(trc_capture *capture, const trc_thread *thread, trc_tick now, bool running, int64_t cpu);
void trc_capture_free(trc_capture *capture, const trc_allocator *allocator);

#endif
