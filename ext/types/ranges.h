/* tracer.range: a part of the program's run that has a name. */
#ifndef TRC_TYPES_RANGES_H
#define TRC_TYPES_RANGES_H

#include "types/state.h"

/* New reference, or NULL with an exception set. */
PyTypeObject *trc_range_type(PyObject *module);

/* Frees the state's spare range. */
void trc_range_free_spare(trc_state *state);

#endif
