/* The GilYielder type: a thread of tracer's own gets the GIL though the program polls. */
#ifndef TRC_TYPES_GIL_YIELDER_H
#define TRC_TYPES_GIL_YIELDER_H

#include "interp/compat.h"

/* New reference, or NULL with an exception set. */
PyTypeObject *trc_gil_yielder_type(PyObject *module);

#endif
