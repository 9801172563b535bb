/* Lines by sys.monitoring, for 3.12 and later: a tool of its own, beside the one for calls. The interpreter reports
 * events in the code objects whose lines are timed. Some events can only be had for all code: PY_UNWIND and PY_THROW up
 * to 3.14, the first sight of code where a recorder has a filter, and all calls where a recorder sees calls. This file
 * asks the interpreter for events; the callbacks are in bus/on_lines_monitoring.c. */
#ifndef TRC_LINES_MONITORING_H
#define TRC_LINES_MONITORING_H

#include "interp/tool.h"
#include "sources/held.h"

#define TRC_LINES_CALLBACKS 11 /* kinds of events */

typedef struct trc_lines_monitoring {
    trc_tool tool;
    bool remembers;                           /* memory is recorded */
    PyObject *callbacks[TRC_LINES_CALLBACKS]; /* owned: what is registered, or NULL */
    int events;                               /* the events set for all code */
    int timed_events;                         /* those of code objects whose lines are timed */
    int in_a_line;                            /* more of these, where a body begins in the midst of a line */
    bool is_some_off;        /* under this id, an event that a recorder may want may be off at some place */
    PyObject *missing;       /* owned: sys.monitoring.MISSING, or NULL */
    PyObject *disable;       /* owned: sys.monitoring.DISABLE, or NULL */
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

/* The callback for a kind of event, by its name in sys.monitoring.events. */
typedef struct trc_lines_callback {
    const char *event;
    vectorcallfunc function;
    int scopes;
} trc_lines_callback;

/* Whom the source tells. All is borrowed. The source asks these functions anew each time: audit hooks run in between,
 * and may enable and disable recorders. */
typedef struct trc_lines_target {
    const trc_held *held;
    void *context; /* for the callbacks and the functions below; its object keeps it in place */
    const trc_lines_callback *callbacks;
    size_t callback_count;
    bool (*is_active)(void *context);
    /* The scopes for all code in which the enabled recorders want events. */
    int (*scopes)(void *context);
    /* Whether an enabled recorder times the lines of the code. */
    bool (*times)(void *context, const PyCodeObject *code);
    /* New reference: a list of the code objects whose lines enabled recorders time, or NULL with an exception set. */
    PyObject *(*codes)(void *context);
} trc_lines_target;

/* Has the interpreter report what is wanted, one more recorder included. `codes_of` returns a new reference to the list
 * of that recorder's code objects, or NULL with an exception set. 0, or -1 with an exception set: then the caller must
 * call trc_lines_monitoring_stop(). */
int trc_lines_monitoring_start(trc_lines_monitoring *source, const trc_lines_target *to,
                               PyObject *(*codes_of)(const void *recorder), const void *recorder);

/* Has the interpreter no longer report those of these code objects that no recorder times, nor events that no recorder
 * wants. Raises nothing. */
void trc_lines_monitoring_stop(trc_lines_monitoring *source, const trc_lines_target *to, PyObject *codes);

/* From now on memory is recorded, or no longer: what the interpreter makes to tell of an event is in no figure of it. */
void trc_lines_monitoring_remember(trc_lines_monitoring *source, bool remembers);

/* Returns the value by which a callback has the interpreter no longer report that event at that place. `for_good`: no
 * recorder, enabled now or later, wants it there. */
static inline PyObject *trc_lines_monitoring_silence(trc_lines_monitoring *source, bool for_good)
{
    source->is_some_off = source->is_some_off || !for_good;
    return Py_NewRef(source->disable == NULL ? Py_None : source->disable);
}

/* Has the interpreter report the lines of one more code object. 0, or -1 with an exception set. */
int trc_lines_monitoring_watch(trc_lines_monitoring *source, PyCodeObject *code);

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
