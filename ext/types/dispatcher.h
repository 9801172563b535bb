/* The Dispatcher type: a bus as a Python object. */
#ifndef TRC_TYPES_DISPATCHER_H
#define TRC_TYPES_DISPATCHER_H

#include "bus/bus.h"

/* New reference, or NULL with an exception set. */
PyTypeObject *trc_dispatcher_type(PyObject *module);

/* New reference: a bus, which the sources of the interpreter tell of events; or NULL with an exception set. */
trc_bus_object *trc_dispatcher_new(PyObject *module, PyTypeObject *type);

#endif
