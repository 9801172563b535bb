/* Lines by sys.monitoring, for 3.12 and later: a tool of its own, beside the one for calls. The interpreter reports
 * events in the code objects whose lines are timed. Some events can only be had for all code: PY_UNWIND and PY_THROW up
 * to 3.14, the first sight of code where a recorder has a filter, and all calls where a recorder sees calls. This file
 * asks the interpreter for events; the callbacks are in dispatch/on_lines_monitoring.c. */
#ifndef TRC_LINES_MONITORING_H
#define TRC_LINES_MONITORING_H

#include "sources/tool_session.h"

typedef struct trc_lines_monitoring {
    trc_tool_session session;
    int timed_events;        /* the events of code objects whose lines are timed */
    int in_a_line;           /* more of these, where a body begins in the midst of a line */
    bool is_some_off;        /* under this id, an event that a recorder may want may be off at some place */
    initproc init_by_python; /* tp_init, tp_new and tp_call of a class that defines these in Python */
    newfunc new_by_python;
    ternaryfunc call_by_python;
    const PyCodeObject *jump_in; /* the latest backward jump within a line: its code, offset, and line */
    long jump_offset;
    long jump_line;
} trc_lines_monitoring;

#if TRC_HAS_MONITORING

/* Where an event is to be reported. */
typedef enum trc_line_scope {
    TRC_IN_TIMED_CODE = 1,  /* in code objects whose lines are timed */
    TRC_AT_FIRST_SIGHT = 2, /* in all code, when a recorder has a filter */
    TRC_IN_ALL_CODE = 4,    /* in all code, always */
    TRC_WITH_CALLS = 8,     /* in all code, when a recorder sees calls */
    TRC_WITH_COSTS = 16,    /* in all code, when a recorder sees calls and counts their overhead */
    TRC_WITH_C = 32,        /* no event of its own: it comes with CALL */
    TRC_IN_A_LINE = 64,     /* in code objects whose lines are timed, when their body begins in the midst of a line */
} trc_line_scope;

#define TRC_WHERE_UNWINDS_ARE (TRC_UNWINDS_ARE_LOCAL ? TRC_IN_TIMED_CODE | TRC_WITH_CALLS : TRC_IN_ALL_CODE)

/* Takes a tool id, if it has none, and has events reported again that are off under it. Returns 1 when the id is fresh, and 0
 * when not: then code objects that were watched before still are; or -1 with an exception set. */
int trc_lines_monitoring_start(trc_lines_monitoring *source, const trc_tool_target *to);

/* Has the interpreter report the events of these scopes for all code, if the source is started. 0, or -1 with an exception
 * set. */
int trc_lines_monitoring_set_scopes(trc_lines_monitoring *source, const trc_tool_target *to, int scopes);

/* Gives everything back. Raises nothing. */
void trc_lines_monitoring_stop(trc_lines_monitoring *source, const trc_tool_target *to);

/* Has the interpreter no longer report the lines of a code object. Raises nothing. */
void trc_lines_monitoring_unwatch(const trc_lines_monitoring *source, PyCodeObject *code);

/* From now on memory is recorded, or no longer: what the interpreter makes to tell of an event is in no figure of it. */
void trc_lines_monitoring_remember(const trc_lines_monitoring *source, bool remembers);

/* Returns the value by which a callback has the interpreter no longer report that event at that place. `for_good`: no
 * recorder, enabled now or later, wants it there. */
static inline PyObject *trc_lines_monitoring_silence(trc_lines_monitoring *source, bool for_good)
{
    source->is_some_off = source->is_some_off || !for_good;
    return Py_NewRef(source->session.disable == NULL ? Py_None : source->session.disable);
}

/* Has the interpreter report the lines of one more code object; of all in a list, and takes over the reference to it. 0, or
 * -1 with an exception set, also when `codes` is NULL. */
int trc_lines_monitoring_watch(trc_lines_monitoring *source, PyCodeObject *code);
int trc_lines_monitoring_watch_all(const trc_lines_monitoring *source, PyObject *codes);

/* Has the interpreter report again all events that callbacks had switched off. 0, or -1 with an exception set. */
int trc_lines_monitoring_restart(trc_lines_monitoring *source);

#else

/* A trace function is told of all lines, and no event is ever switched off. */
static inline int trc_lines_monitoring_watch(trc_lines_monitoring *source, PyCodeObject *code)
{
    (void)source, (void)code;
    return 0;
}

static inline int trc_lines_monitoring_restart(trc_lines_monitoring *source)
{
    (void)source;
    return 0;
}

#endif

int trc_lines_monitoring_traverse(const trc_lines_monitoring *source, visitproc visit, void *arg);
void trc_lines_monitoring_clear(trc_lines_monitoring *source);

#endif
