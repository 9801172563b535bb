/* How much of its time a traced thread did not run: the wall clock less the thread's CPU clock. That clock costs 200 to
 * 330 ns a read, so it is read seldom: at the first event that comes TRC_LOOK_EVERY ns or more after the last reading.
 * Where a read costs more, as in a sandbox, it is read less often: its cost is below one part in TRC_LOOK_COSTS.
 *
 *     readings    |. . . . . . .|                         . events
 *                 since         last            now       `top` ran from `last` to `now`, which is the gap
 *
 * What was waited since the last reading belongs to the gap where it cannot have been before it, or where the gap is
 * most of that time. A `sleep`, a lock or the GIL give such gaps. The rest is not known to belong to any function: it is
 * carried. Where much is carried, the thread waits in many short gaps, and the next readings come at every event, a
 * *burst*: they show who waits, and what was carried goes there. No node waits longer than its own time. */
#ifndef TRC_WAITS_H
#define TRC_WAITS_H

#include "core/tree/calltree.h"

#define TRC_LOOK_EVERY 100000 /* ns */
#define TRC_LOOK_COSTS 256
#define TRC_BURST 32 /* events */
#define TRC_NEVER INT64_MAX

/* What one node waited, where it did. */
typedef struct trc_node_wait {
    const trc_node *node;
    trc_tick ticks;
    UT_hash_handle hh;
} trc_node_wait;

typedef struct trc_waits {
    const trc_allocator *allocator;
    const trc_clock *clock; /* has CPU time; borrowed */
    trc_moment origin;      /* where the measure of the clock's rate began */
    trc_moment measured;    /* the longest measure of it so far */
    double ticks_per_ns;
    trc_tick read_cost; /* ticks that a read of the CPU clock takes: the least seen; 0: not known */
    bool is_begun;      /* `since` and `cpu` are known */
    trc_tick since;
    int64_t cpu;          /* of the thread at `since`, in ns */
    trc_tick carried;     /* waited, or less than nothing by the grain of the clocks, in no node so far */
    int burst;            /* events still to be looked at */
    bool has_waited;      /* one of the burst's events showed a wait */
    trc_node_wait *nodes; /* uthash head */
} trc_waits;

/* Returns NULL when memory is out. */
trc_waits *trc_waits_new(const trc_allocator *allocator, const trc_clock *clock);
void trc_waits_free(trc_waits *waits);

/* The CPU time of the calling thread, in ns, or TRC_NO_CPU. */
int64_t trc_waits_read_cpu(trc_waits *waits);

/* Begins at `now`, when the thread's CPU time is `cpu` ns: what was before is in no figure. Returns when to look. */
trc_tick trc_waits_begin(trc_waits *waits, trc_tick now, int64_t cpu);

/* Looks at a gap in which `top` was on top of the stack. Returns when to look again. */
trc_tick trc_waits_look(trc_waits *waits, trc_node *top, trc_tick last, trc_tick now, int64_t cpu);

/* Returns what looking at that gap would give to `top`, and changes nothing. */
trc_tick trc_waits_pending(const trc_waits *waits, trc_tick last, trc_tick now, int64_t cpu);

/* Returns what a node has waited. */
trc_tick trc_waits_of(const trc_waits *waits, const trc_node *node);

#endif
