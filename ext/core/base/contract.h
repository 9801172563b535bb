/* Contracts that functions state in words, as conditions for assert(): debug builds and those of the sanitizers check
 * them, and in a release they are no code. interp/compat.h has that of the interpreter's lock, context/context.h those of
 * threads. */
#ifndef TRC_CONTRACT_H
#define TRC_CONTRACT_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

/* Whether somebody has the mutex. Who has it is not known: where it is another thread, TSan tells of the race. */
static inline bool trc_is_locked(pthread_mutex_t *mutex)
{
    bool is_free = pthread_mutex_trylock(mutex) == 0;
    if (is_free) {
        pthread_mutex_unlock(mutex);
    }
    return !is_free;
}

#endif
