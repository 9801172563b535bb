/* read_slices() and sum_bins(): the timeline of a thread, read back from what a file holds; recover_slices() and
 * go_on_slices(): the same of a killed process. */
#ifndef TRC_TYPES_SLICES_H
#define TRC_TYPES_SLICES_H

#include "interp/compat.h"

extern const char trc_read_slices_doc[], trc_sum_bins_doc[], trc_recover_slices_doc[], trc_go_on_slices_doc[];

PyObject *trc_read_slices(PyObject *module, PyObject *args);
PyObject *trc_sum_bins(PyObject *module, PyObject *args);
PyObject *trc_recover_slices(PyObject *module, PyObject *args);
PyObject *trc_go_on_slices(PyObject *module, PyObject *args);

#endif
