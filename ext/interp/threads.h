/* Threads as the interpreter knows them: a state by its id, and the slot in which each thread keeps its record. */
#ifndef TRC_THREADS_H
#define TRC_THREADS_H

#include "interp/compat.h"

/* The state with this id, borrowed; NULL when its thread has ended. */
const PyThreadState *trc_state_of(uint64_t id);

/* Opens a slot of thread-specific storage. 0, or -1 with an exception set. */
int trc_slot_open(Py_tss_t *slot);

/* Puts a new slot, which is empty in every thread at once, in the place of an open one. -1, with an exception and the
 * old slot as it was, when the system has no more. */
int trc_slot_renew(Py_tss_t *slot);

#endif
