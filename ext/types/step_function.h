/* StepFunction: a function whose calls are the steps of a StepClock. */
#ifndef TRC_TYPES_STEP_FUNCTION_H
#define TRC_TYPES_STEP_FUNCTION_H

#include "types/state.h"

/* New reference, or NULL with an exception set. */
PyTypeObject *trc_step_function_type(PyObject *module);

#endif
