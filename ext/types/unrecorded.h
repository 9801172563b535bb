/* tracer's own code that runs in the middle of a program, unseen by tracing tools. */
#ifndef TRC_TYPES_UNRECORDED_H
#define TRC_TYPES_UNRECORDED_H

#include "interp/compat.h"

extern const char trc_call_untracked_doc[], trc_call_soon_doc[], trc_call_through_doc[], trc_precede_doc[],
    trc_follow_doc[];

PyObject *trc_call_untracked(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *trc_call_soon(PyObject *module, PyObject *function);
PyObject *trc_call_through(PyObject *module, PyObject *function);
PyObject *trc_precede(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *trc_follow(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* The type of the result of precede(). New reference, or NULL with an exception set. */
PyTypeObject *trc_preceded_type(PyObject *module);

#endif
