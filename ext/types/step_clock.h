/* StepClock: counts the steps of a loop, how long each took, and the loop's reader in it. */
#ifndef TRC_TYPES_STEP_CLOCK_H
#define TRC_TYPES_STEP_CLOCK_H

#include "types/state.h"

#include "core/base/clock.h"

/* Adds the type to the module and to its state. 0, or -1 with an exception set. */
int trc_step_clock_type(PyObject *module);

/* A call of the reader. */
typedef struct trc_reading {
    trc_tick began;
    uint64_t range;
    bool counts;
} trc_reading;

/* Only the outermost of several readers around each other counts, and only in the loop's own thread. */
trc_reading trc_step_begin_reading(PyObject *clock);

/* Keeps the exception that is set. */
void trc_step_end_reading(PyObject *clock, trc_reading one);

/* A call of the function begins, whose calls are the steps of the clock. 1: trc_step_call_ends() is to be called at its
 * end; 0: it is not, for the call is in another thread than the first one, or the clock is over; -1: an exception is
 * set. */
int trc_step_call_begins(PyObject *clock);

/* Keeps the exception that is set. 0; or -1, and another exception is set in its place. */
int trc_step_call_ends(PyObject *clock);

#endif
