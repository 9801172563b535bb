/* Threads of the interpreter: a thread state by its id, the CPU time of its thread, and the slot in which each thread keeps
 * its record. */
#ifndef TRC_THREADS_H
#define TRC_THREADS_H

#include "core/base/clock.h"
#include "interp/compat.h"

/* Returns the state with this id, borrowed, or NULL when its thread has ended. */
const PyThreadState *trc_state_of(uint64_t id);

/* Returns the CPU time, in ns, of the thread that has this state and this id of the system. TRC_NO_CPU: the thread has
 * ended, or the clock does not show it. A timer of the user's shows that of the calling thread. */
int64_t trc_cpu_of(const trc_clock *clock, uint64_t state_id, uint64_t native_id);

/* Opens a slot of thread-specific storage. 0, or -1 with an exception set. */
int trc_slot_open(Py_tss_t *slot);

/* Replaces an open slot by a new one, which is empty in every thread at once. 0, or -1 with an exception set and the
 * old slot kept, when the system has no more slots. */
int trc_slot_renew(Py_tss_t *slot);

#endif
