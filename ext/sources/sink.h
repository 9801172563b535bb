/* Whom a source tells of what happens, and what the interpreter is given to hold meanwhile. The bus fills it in: a source
 * knows no more of who listens. */
#ifndef TRC_SINK_H
#define TRC_SINK_H

#include "interp/compat.h"

#include <stdbool.h>

typedef struct trc_sink trc_sink;

struct trc_sink {
    PyObject *object; /* borrowed: what the sink is part of; owned by all that the interpreter holds for it */
    PyTypeObject *callback_type; /* borrowed from the object: of callback.c */
    PyObject *mark;              /* owned: see tool.h; NULL where there are no tool ids */
    /* Whether any profile is enabled. */
    bool (*is_active)(const trc_sink *sink);
    /* The calling thread has gone from one greenlet, which may be over, to another. With `look`, what runs there already is
     * to be recorded; else the thread runs something on top of it just now. */
    void (*switched)(trc_sink *sink, const void *from, bool is_over, const void *to, bool look);
    /* The process is a forked child now. */
    void (*forked)(trc_sink *sink);
};

#endif
