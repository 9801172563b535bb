/* An object that the interpreter calls at an event: it calls a C function with the arguments as they come. Its type has
 * the vectorcall slot, so that a call costs 10 to 20 ns less than that of a builtin function. */
#ifndef TRC_CALLBACK_H
#define TRC_CALLBACK_H

#include "interp/compat.h"

typedef struct trc_callback {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    vectorcallfunc then; /* what `vectorcall` calls, where that is of use for several kinds of events */
    PyObject *owner;     /* owned: keeps the context where it is */
    void *context;       /* borrowed: for the function */
} trc_callback;

/* New references, or NULL with an exception set. */
PyTypeObject *trc_callback_type(PyObject *module);
PyObject *trc_callback_new(PyTypeObject *type, vectorcallfunc function, PyObject *owner, void *context);

#endif
