/* A tool id of sys.monitoring (3.12 and later): taking it, watching over it and giving it back. Its owner decides on
 * its events and callbacks. */
#ifndef TRC_TOOL_H
#define TRC_TOOL_H

#include "interp/compat.h"

#include <stdbool.h>

/* The result of taking something of which the interpreter has only so many. */
typedef enum trc_start_result {
    TRC_START_FAILED = -1, /* with an exception set */
    TRC_STARTED,
    TRC_START_TAKEN, /* others hold all of it, as the exception that is set says: another back end may do */
} trc_start_result;

typedef struct trc_tool {
    PyObject *name; /* owned: the very str that took the id; NULL while there is no id */
    int id;
} trc_tool;

#if TRC_HAS_MONITORING

/* Takes the first free id. Returns TRC_START_TAKEN, with a RuntimeError that names the holders, when none is free, or
 * TRC_START_FAILED with an exception set. */
trc_start_result trc_tool_take(trc_tool *tool);

/* Makes a mark: a callable that does nothing, left as the callback of an id that was given back. While the mark is
 * there, no other tool has set a callback under the id, so no event is switched off under it. Where one is switched
 * off, the next tool that takes the id misses it, unless it calls restart_events(). That call switches on what any tool
 * has switched off, and has all code instrumented anew. From 3.13 on, it also costs two of the 2^24 versions that the
 * interpreter has of its events. New reference, or NULL with an exception set. */
PyObject *trc_tool_mark_new(void);

/* Leaves a mark for a kind of event, if nobody holds the id. Raises nothing. */
void trc_tool_mark(int id, const char *event, PyObject *mark);

/* Whether tracer has an id and still holds it: code of the program can give it back, and another tool can take it
 * then. */
bool trc_tool_is_ours(trc_tool *tool);

/* Whether the id is held under this very str; with None, whether nobody holds it. Raises nothing. */
bool trc_tool_is_held(int id, const PyObject *name);

/* Returns the module sys.monitoring, borrowed, or NULL with an exception set when the interpreter is at its end. */
PyObject *trc_tool_module(void);

/* Calls a function of sys.monitoring, with arguments as Py_BuildValue() takes them. 0, or -1 with an exception set. */
int trc_tool_call(const char *function, const char *format, ...);

/* Returns the bit of a kind of event, by its name in sys.monitoring.events, or -1 with an exception set. */
int trc_tool_event(const char *name);

/* Makes `object` the callback of a kind of event. Returns a new reference to the callback before, which may be None, or
 * NULL with an exception set. */
PyObject *trc_tool_exchange(int id, const char *event, PyObject *object);

#endif
#endif
