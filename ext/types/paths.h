/* call_paths() and merge_paths(): records added up by calling context. */
#ifndef TRC_TYPES_PATHS_H
#define TRC_TYPES_PATHS_H

#include "interp/compat.h"

extern const char trc_call_paths_doc[], trc_merge_paths_doc[];

PyObject *trc_call_paths(PyObject *module, PyObject *args);
PyObject *trc_merge_paths(PyObject *module, PyObject *trees);

#endif
