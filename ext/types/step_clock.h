/* StepClock: counts the steps of a loop, and how long each took; and the iterator that times the loop's reader. */
#ifndef TRC_TYPES_STEP_CLOCK_H
#define TRC_TYPES_STEP_CLOCK_H

#include "types/state.h"

/* Adds both types to the module, and StepClock to its state. 0, or -1 with an exception set. */
int trc_step_types(PyObject *module);

#endif
