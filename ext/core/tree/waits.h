/* Which nodes of a thread's call tree waited, and how long: a part of their own time. off_cpu_meter.h says how this is found. */
#ifndef TRC_WAITS_H
#define TRC_WAITS_H

#include "core/base/off_cpu_meter.h"
#include "core/tree/calltree.h"

/* What one node waited, where it did. */
typedef struct trc_node_wait {
    const trc_node *node;
    trc_tick ticks;
    UT_hash_handle hh;
} trc_node_wait;

typedef struct trc_waits {
    const trc_allocator *allocator;
    trc_off_cpu_meter meter;
    trc_node_wait *nodes; /* uthash head */
} trc_waits;

/* The clock has CPU time, and is borrowed. Returns NULL when memory is out. */
trc_waits *trc_waits_new(const trc_allocator *allocator, const trc_clock *clock);
void trc_waits_free(trc_waits *waits);

/* Looks at a gap in which `top` was on top of the stack, and gives it what it waited. Returns that, with what was waited
 * before and goes there; 0 for the root. */
trc_tick trc_waits_look(trc_waits *waits, trc_node *top, trc_tick last, trc_tick now, int64_t cpu);

/* Returns what a node has waited. */
trc_tick trc_waits_of(const trc_waits *waits, const trc_node *node);

#endif
