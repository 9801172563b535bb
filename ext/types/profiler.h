/* The Profiler type, base of tracer.Profile. */
#ifndef TRC_TYPES_PROFILER_H
#define TRC_TYPES_PROFILER_H

#include "interp/compat.h"

/* New reference, or NULL with an exception set. */
PyTypeObject *trc_profiler_type(PyObject *module);

#endif
