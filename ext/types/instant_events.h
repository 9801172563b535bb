/* tracer.mark, tracer.counter and tracer.flow: what the program says at one moment. */
#ifndef TRC_TYPES_INSTANT_EVENTS_H
#define TRC_TYPES_INSTANT_EVENTS_H

#include "types/state.h"

extern const char trc_mark_doc[], trc_counter_doc[];

PyObject *trc_mark(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *trc_counter(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* New reference, or NULL with an exception set. */
PyTypeObject *trc_flow_type(PyObject *module);

#endif
