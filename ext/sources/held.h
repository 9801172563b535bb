/* What the sources give the interpreter to hold: an object of tracer's, and functions that hold it only weakly. */
#ifndef TRC_HELD_H
#define TRC_HELD_H

#include "interp/compat.h"

typedef struct trc_held {
    PyObject *object;            /* borrowed: the object that this is part of; the interpreter owns references to it */
    PyTypeObject *callback_type; /* borrowed from the object: see callback.h */
    PyObject *mark;              /* owned: see tool.h; NULL where there are no tool ids */
} trc_held;

/* New reference, or NULL with an exception set: a function that the interpreter may keep for ever, with this definition,
 * of no arguments or any (METH_NOARGS, METH_FASTCALL). It holds the object, which supports weak references, only
 * weakly. */
PyObject *trc_held_function(const trc_held *held, PyMethodDef *def);

/* For such a function, whose first argument is `self`: a new reference to the object, or NULL when it is gone. */
PyObject *trc_held_object(PyObject *self);

#endif
