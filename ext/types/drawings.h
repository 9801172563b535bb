/* draw_slices() and slice_lengths(): a thread's slices in the formats of other tools. */
#ifndef TRC_TYPES_DRAWINGS_H
#define TRC_TYPES_DRAWINGS_H

#include "interp/compat.h"

extern const char trc_draw_slices_doc[], trc_slice_lengths_doc[];

PyObject *trc_draw_slices(PyObject *module, PyObject *args);
PyObject *trc_slice_lengths(PyObject *module, PyObject *args);

#endif
