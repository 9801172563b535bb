/* Slots of threads that are sampled: each has a ring, and what the handler works with. They live as long as the process, as
 * a signal may still be on its way to one; so a sampling gives those back that it needs no more. Beside them is known whether
 * a process that was forked may ask the loader. */
#ifndef TRC_SLOT_POOL_H
#define TRC_SLOT_POOL_H

#include "core/samples/frame_tree.h"
#include "core/samples/sampled_thread.h"

#include <pthread.h>

/* A slot, which another thread takes over when its thread has ended. */
typedef struct trc_slot trc_slot;
struct trc_slot {
    trc_sampled_thread sampled;
    trc_slot *next;               /* in the pool */
    int64_t cpu_mark;             /* the thread's CPU time when it was watched first, or its owner was noted last */
    int64_t cpu_seen;             /* the same when it was looked at last */
    int64_t real_mark, real_seen; /* real time then */
    trc_described described;
};

/* Slots that nobody uses: see trc_sampled_thread_end(). It lives as long as the process. */
typedef struct trc_slot_pool {
    pthread_mutex_t lock;
    trc_slot *first;
    pid_t process;    /* that was last about to fork, or 0 */
    bool has_threads; /* that process had other threads then, or is unsure itself */
    bool is_unsure;   /* that process: a thread that it does not have may hold the loader's lock */
} trc_slot_pool;

void trc_slot_pool_init(trc_slot_pool *pool);

/* Whether a thread that was not forked with this process may hold the lock of the loader. */
bool trc_slot_pool_is_unsure(trc_slot_pool *pool);

/* The process may be about to fork. */
void trc_slot_pool_note_threads(trc_slot_pool *pool);

/* The threads of the process. */
uint64_t trc_count_threads(void);

/* Returns a slot without a thread; NULL when memory is out. */
trc_slot *trc_slot_pool_take(trc_slot_pool *pool);
void trc_slot_pool_give(trc_slot_pool *pool, trc_slot *slot);

#endif
