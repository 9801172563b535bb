/* A lock that favours a thread: see biased_lock.h. */
#define _DEFAULT_SOURCE /* syscall */
#include "core/base/biased_lock.h"

#include <sched.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#define SPINS 100

/* As Linux has them since 4.14; older headers do not. */
#define MAKE_BARRIER (1 << 3)
#define ALLOW_BARRIERS (1 << 4)

static bool call_membarrier(int command)
{
#if defined(SYS_membarrier)
    return syscall(SYS_membarrier, command, 0, 0) == 0;
#else
    (void)command;
    return false;
#endif
}

void trc_bias_lock(trc_biased_lock *lock)
{
    if (call_membarrier(ALLOW_BARRIERS)) {
        atomic_store(&lock->is_biased, true);
        if (!call_membarrier(MAKE_BARRIER)) { /* whoever has not seen the bias by now is seen to want the lock */
            atomic_store(&lock->is_biased, false);
        }
    }
}

static void wait_for(const atomic_bool *flag)
{
    for (int spins = 1; atomic_load_explicit(flag, memory_order_acquire); spins++) {
        if (spins % SPINS == 0) {
            sched_yield();
        }
    }
}

void trc_lock(trc_biased_lock *lock)
{
    while (atomic_exchange_explicit(&lock->is_wanted, true, memory_order_acq_rel)) {
        wait_for(&lock->is_wanted);
    }
    if (atomic_load_explicit(&lock->is_biased, memory_order_relaxed)) {
        call_membarrier(MAKE_BARRIER);
        wait_for(&lock->is_inside);
    }
}
