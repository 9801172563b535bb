/* Threads of the interpreter: a thread state by its id, and the CPU time of its thread. */
#ifndef TRC_THREADS_H
#define TRC_THREADS_H

#include "core/base/clock.h"
#include "interp/compat.h"

/* Returns the state with this id, borrowed, or NULL when its thread has ended. */
const PyThreadState *trc_state_of(uint64_t id);

/* Returns the CPU time, in ns, of the thread that has this state and this id of the system. TRC_NO_CPU: the thread has
 * ended, or the clock does not show it. A timer of the user's shows that of the calling thread. */
int64_t trc_cpu_of(const trc_clock *clock, uint64_t state_id, uint64_t native_id);

#endif
