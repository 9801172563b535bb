/* A lock for a few loads and stores, which threads without the GIL take, too. Who waits spins, and now and then lets
 * another thread run. */
#ifndef TRC_SPIN_LOCK_H
#define TRC_SPIN_LOCK_H

#include <sched.h>
#include <stdatomic.h>

#define TRC_SPINS 100

typedef atomic_flag trc_spin_lock;

/* Returns when the lock was free, and is the caller's. */
__attribute__((cold, noinline)) static void trc_lock_after_others(trc_spin_lock *lock)
{
    for (int spins = 1; atomic_flag_test_and_set_explicit(lock, memory_order_acquire); spins++) {
        if (spins % TRC_SPINS == 0) {
            sched_yield();
        }
    }
}

static inline void trc_lock(trc_spin_lock *lock)
{
    if (atomic_flag_test_and_set_explicit(lock, memory_order_acquire)) {
        trc_lock_after_others(lock);
    }
}

static inline void trc_unlock(trc_spin_lock *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

#endif
