/* export_slices() and count_slices(): a thread's slices in the formats of other tools. */
#ifndef TRC_TYPES_TRACE_EXPORTS_H
#define TRC_TYPES_TRACE_EXPORTS_H

#include "interp/compat.h"

extern const char trc_export_slices_doc[], trc_count_slices_doc[];

PyObject *trc_export_slices(PyObject *module, PyObject *args);
PyObject *trc_count_slices_in(PyObject *module, PyObject *args);

#endif
