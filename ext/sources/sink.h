/* A source tells a sink of what happens, and gives the interpreter the sink's object to hold. The bus fills the sink
 * in: a source knows nothing else of its listeners. */
#ifndef TRC_SINK_H
#define TRC_SINK_H

#include "interp/compat.h"

#include <stdbool.h>

typedef struct trc_sink trc_sink;

struct trc_sink {
    PyObject *object; /* borrowed: the object that the sink is part of; the interpreter owns references to it */
    PyTypeObject *callback_type; /* borrowed from the object: see callback.h */
    PyObject *mark;              /* owned: see tool.h; NULL where there are no tool ids */
    /* Whether any profile is enabled. */
    bool (*is_active)(const trc_sink *sink);
    /* The calling thread has switched from one greenlet, which may be over, to another. With `look`, the frames that
     * run there already are to be recorded; else the thread runs something on top of them just now. */
    void (*switched)(trc_sink *sink, const void *from, bool is_over, const void *to, bool look);
    /* The calling thread may switch unseen from now on. */
    void (*unsettled)(trc_sink *sink);
    /* The process is about to fork; it is now a forked child; it is the parent of one. */
    void (*forks)(trc_sink *sink);
    void (*forked)(trc_sink *sink);
    void (*has_forked)(trc_sink *sink);
    /* A garbage collection begins; it ends with these figures, objects of the interpreter's. */
    void (*collecting)(trc_sink *sink, PyObject *generation);
    void (*collected)(trc_sink *sink, PyObject *generation, PyObject *collected, PyObject *uncollectable);
};

/* New reference, or NULL with an exception set: a function that the interpreter may keep for ever, with this definition,
 * of no arguments or any (METH_NOARGS, METH_FASTCALL). It holds the sink's object, which supports weak references, only
 * weakly. */
PyObject *trc_sink_function(trc_sink *sink, PyMethodDef *def);

/* For such a function, whose first argument is `self`: the sink, or NULL when its object is gone. `*object`: a new
 * reference to that. */
trc_sink *trc_sink_of_function(PyObject *self, PyObject **object);

#endif
