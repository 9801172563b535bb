/* A tool id of sys.monitoring (3.12 and later): taken, looked after and given back. What is done with it, which events
 * and which callbacks, is its owner's business. */
#ifndef TRC_TOOL_H
#define TRC_TOOL_H

#include "interp/compat.h"

#include <stdbool.h>

/* What came of taking what of the interpreter there is only so much of. */
typedef enum trc_start_result {
    TRC_START_FAILED = -1, /* with an exception set */
    TRC_STARTED,
    TRC_START_TAKEN, /* others hold what it needs, as the exception that is set says: another back end may do */
} trc_start_result;

typedef struct trc_tool {
    PyObject *name; /* owned: the very str that the id was taken under; NULL while there is none */
    int id;
} trc_tool;

#if TRC_HAS_MONITORING

/* Takes the first id that is free. TRC_START_TAKEN, with a RuntimeError that names the holders, when none is. */
trc_start_result trc_tool_take(trc_tool *tool);

/* A callable that does nothing, which is left as callback where an id was given back: as long as it is there, no other
 * tool had the id call anything, so that no event is switched off anywhere under that id. Where one is, a tool that takes
 * the id would miss it, unless restart_events() were called; but that switches on what any tool has switched off, costs two
 * of the 2^24 versions that the interpreter has of its events from 3.13 on, and has all code instrumented anew. New
 * reference, or NULL with an exception set. */
PyObject *trc_tool_mark_new(void);

/* Leaves a mark for a kind of event with an id that nobody holds, else nothing. Raises nothing. */
void trc_tool_mark(int id, const char *event, PyObject *mark);

/* Whether there is an id, and still ours: code of the program can give it back, and another tool then take it. */
bool trc_tool_is_ours(trc_tool *tool);

/* Whether an id is held by who took it under this very str; None: whether nobody holds it. Raises nothing. */
bool trc_tool_is_held(int id, const PyObject *name);

/* Borrowed: the module sys.monitoring; NULL when the interpreter is at its end, with an exception set. */
PyObject *trc_tool_module(void);

/* Calls a function of sys.monitoring, with arguments as Py_BuildValue() takes them. 0, or -1 with an exception set. */
int trc_tool_call(const char *function, const char *format, ...);

/* The bit of a kind of event, by its name in sys.monitoring.events; -1 with an exception set. */
int trc_tool_event(const char *name);

/* Has the interpreter call `object` at a kind of event. A new reference to what was called before, which may be None, or
 * NULL with an exception set. */
PyObject *trc_tool_exchange(int id, const char *event, PyObject *object);

#endif
#endif
