/* add_below() and fold_contexts(): what is asked of all calling contexts of a tree at once. */
#ifndef TRC_TYPES_CONTEXTS_H
#define TRC_TYPES_CONTEXTS_H

#include "interp/compat.h"

extern const char trc_add_below_doc[], trc_fold_contexts_doc[];

PyObject *trc_add_below(PyObject *module, PyObject *args);
PyObject *trc_fold_contexts(PyObject *module, PyObject *args);

#endif
