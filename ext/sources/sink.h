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
    /* The process is now a forked child. */
    void (*forked)(trc_sink *sink);
};

#endif
