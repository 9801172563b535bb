/* Threads of the interpreter: a thread state by its id, and the slot in which each thread keeps its record. */
#ifndef TRC_THREADS_H
#define TRC_THREADS_H

#include "interp/compat.h"

/* Returns the state with this id, borrowed, or NULL when its thread has ended. */
const PyThreadState *trc_state_of(uint64_t id);

/* Opens a slot of thread-specific storage. 0, or -1 with an exception set. */
int trc_slot_open(Py_tss_t *slot);

/* Replaces an open slot by a new one, which is empty in every thread at once. 0, or -1 with an exception set and the
 * old slot kept, when the system has no more slots. */
int trc_slot_renew(Py_tss_t *slot);

#endif
