/* add_up(): records added up into rows. */
#ifndef TRC_TYPES_SUMS_H
#define TRC_TYPES_SUMS_H

#include "interp/compat.h"

extern const char trc_add_up_doc[];

PyObject *trc_add_up(PyObject *module, PyObject *args);

#endif
