/* StepClock: counts the steps of a loop, and how long each took; and the iterator that times the loop's reader. */
#ifndef TRC_TYPES_STEP_CLOCK_H
#define TRC_TYPES_STEP_CLOCK_H

#include "types/state.h"

/* Adds both types to the module, and StepClock to its state. 0, or -1 with an exception set. */
int trc_step_types(PyObject *module);

/* A call of the function begins, whose calls are the steps of the clock. 1: trc_step_call_ends() is to be called at its
 * end; 0: it is not, for the call is in another thread than the first one, or the clock is over; -1: an exception is
 * set. */
int trc_step_call_begins(PyObject *clock);

/* Keeps the exception that is set. 0; or -1, and another exception is set in its place. */
int trc_step_call_ends(PyObject *clock);

#endif
