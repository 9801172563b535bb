/* StepReader: the iterator that a loop reads from, while a StepClock counts the loop's steps. */
#ifndef TRC_TYPES_STEP_READER_H
#define TRC_TYPES_STEP_READER_H

#include "types/state.h"

/* New reference, or NULL with an exception set. */
PyTypeObject *trc_step_reader_type(PyObject *module);

#endif
