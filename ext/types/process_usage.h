/* usage(): the times and memory of the process. */
#ifndef TRC_TYPES_PROCESS_USAGE_H
#define TRC_TYPES_PROCESS_USAGE_H

#include "interp/compat.h"

extern const char trc_usage_doc[];

PyObject *trc_usage(PyObject *module, PyObject *ignored);

#endif
