/* read_slices(), sum_bins() and mend_slices(): the timeline of a thread, read back from what a file holds. */
#ifndef TRC_TYPES_SLICES_H
#define TRC_TYPES_SLICES_H

#include "interp/compat.h"

extern const char trc_read_slices_doc[], trc_sum_bins_doc[], trc_mend_slices_doc[];

PyObject *trc_read_slices(PyObject *module, PyObject *args);
PyObject *trc_sum_bins(PyObject *module, PyObject *args);
PyObject *trc_mend_slices(PyObject *module, PyObject *args);

#endif
