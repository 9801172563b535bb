/* The Dispatcher type: a dispatcher as a Python object. */
#ifndef TRC_TYPES_DISPATCHER_H
#define TRC_TYPES_DISPATCHER_H

#include "dispatch/dispatcher.h"

/* New reference, or NULL with an exception set. */
PyTypeObject *trc_dispatcher_type(PyObject *module);

/* New reference: a dispatcher, which the sources of the interpreter tell of events; or NULL with an exception set. */
trc_dispatcher_object *trc_dispatcher_new(PyObject *module, PyTypeObject *type);

#endif
