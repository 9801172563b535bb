/* What the threads of one recorder share where a timeline is recorded: the blocks of their logs, their tasks, and the room
 * for bins. */
#ifndef TRC_TIMELINE_H
#define TRC_TIMELINE_H

#include "interp/compat.h"

#include "core/tree/thread.h"

typedef struct trc_timeline {
    trc_store store;
    trc_tasks tasks; /* their names are str objects */
    atomic_long bin_room;
    trc_tick unit; /* ticks of the narrowest bin: about a millisecond */
    void *memory;  /* owned: the store's */
    size_t size;
} trc_timeline;

/* Makes one with `budget` bytes for the logs. Returns NULL when memory is out. */
trc_timeline *trc_timeline_new(const trc_clock *clock, size_t budget, bool is_ring);

/* Frees it, after all logs; NULL is allowed. */
void trc_timeline_free(trc_timeline *timeline);
int trc_timeline_traverse(const trc_timeline *timeline, visitproc visit, void *arg);

/* Has one more thread write a log. Returns false when memory is out. */
bool trc_timeline_add(trc_timeline *timeline, trc_thread *thread, trc_tick origin, trc_tick now);

#endif
