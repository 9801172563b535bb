/* A lock for a few loads and stores that nearly always the same thread takes: the *favoured* one. Any other thread may
 * take the lock, too. Who waits spins, and now and then lets another thread run.
 *
 * Favoured is one thread at a time, and the caller sees to that: the thread that holds the interpreter's lock, say. It
 * says that it is inside, looks whether another thread wants the lock, and needs no instruction that waits for the other
 * processors. So an allocation pays for no atomic exchange. The others pay: each says that it wants the lock, has the
 * system put a barrier into every running thread of the process, and then waits until the favoured one is outside.
 * Without such barriers (Linux's membarrier) nobody is favoured. */
#ifndef TRC_BIASED_LOCK_H
#define TRC_BIASED_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct trc_biased_lock {
    atomic_bool is_biased; /* set by trc_bias_lock() */
    atomic_bool is_inside; /* the favoured thread has the lock, or looks whether it can have the lock */
    atomic_bool is_wanted; /* one of the others has the lock, or waits for the favoured thread */
} trc_biased_lock;

/* Makes the taking of the lock cheap for the favoured, if the system can do that. Nobody is favoured meanwhile; the
 * others may use the lock. */
void trc_bias_lock(trc_biased_lock *lock);

/* Returns when the lock is the caller's, who is not favoured. */
void trc_lock(trc_biased_lock *lock);

/* Whether the lock is the caller's, who is favoured, at once. If so, trc_unlock() is to be given true. */
static inline bool trc_lock_favoured(trc_biased_lock *lock)
{
    if (!atomic_load_explicit(&lock->is_biased, memory_order_relaxed)) {
        return false;
    }
    atomic_store_explicit(&lock->is_inside, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the compiler's half of the barrier: the others make the other */
    if (!atomic_load_explicit(&lock->is_wanted, memory_order_acquire)) {
        return true;
    }
    atomic_store_explicit(&lock->is_inside, false, memory_order_release);
    return false;
}

/* Returns when the lock is the caller's. Returns `is_favoured`, which trc_unlock() is to be given, or false instead. */
static inline bool trc_lock_as(trc_biased_lock *lock, bool is_favoured)
{
    if (is_favoured && trc_lock_favoured(lock)) {
        return true;
    }
    trc_lock(lock);
    return false;
}

/* Whether somebody has the lock, or is about to: a contract, see contract.h. */
static inline bool trc_is_taken(const trc_biased_lock *lock)
{
    return atomic_load(&lock->is_inside) || atomic_load(&lock->is_wanted);
}

static inline void trc_unlock(trc_biased_lock *lock, bool was_favoured)
{
    atomic_store_explicit(was_favoured ? &lock->is_inside : &lock->is_wanted, false, memory_order_release);
}

#endif
