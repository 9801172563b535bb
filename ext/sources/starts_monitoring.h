/* The beginnings of functions and of lines by sys.monitoring, for 3.12 and later: a tool of its own, told at each place until that
 * is switched off. The callbacks are in dispatch/on_starts_monitoring.c.
 *
 * Functions are told of everywhere, lines only in code that is watched for them: in other code they would have to be switched off
 * place by place, and the interpreter stays slow at places that it never tells of, such as the second of two on one line (a `for`
 * that goes on, a generator that is resumed: 60% more time where there is little else). */
#ifndef TRC_STARTS_MONITORING_H
#define TRC_STARTS_MONITORING_H

#include "sources/tool_session.h"

typedef struct trc_starts_monitoring {
    trc_tool_session session;
    bool is_some_off;  /* under this id the event is off at some place */
    int line_event;    /* the bit of it */
    PyObject *watched; /* owned: a dict of code objects by address, or NULL */
} trc_starts_monitoring;

#if TRC_HAS_MONITORING

/* Has the interpreter report the first kind of event of the target everywhere. On TRC_START_FAILED and TRC_START_TAKEN an
 * exception is set and nothing has changed. */
trc_start_result trc_starts_monitoring_start(trc_starts_monitoring *source, const trc_tool_target *to);

/* Has it report the lines of this code, too, until the source stops. False where that cannot be. Raises nothing. */
bool trc_starts_monitoring_watch_lines(trc_starts_monitoring *source, PyCodeObject *code);

/* Has it report those of the code at this address no more. Returns false where it did not. Raises nothing. */
bool trc_starts_monitoring_unwatch_lines(trc_starts_monitoring *source, const void *code);

/* Has the interpreter report again what is off. 0, or -1 with an exception set. */
int trc_starts_monitoring_restart(trc_starts_monitoring *source);

/* Gives everything back. Raises nothing. */
void trc_starts_monitoring_stop(trc_starts_monitoring *source, const trc_tool_target *to);

/* Returns the value by which the callback has the interpreter no longer report that place. */
static inline PyObject *trc_starts_monitoring_silence(trc_starts_monitoring *source)
{
    source->is_some_off = true;
    return Py_NewRef(source->session.disable == NULL ? Py_None : source->session.disable);
}

#else

/* Nothing is told of. */
static inline int trc_starts_monitoring_restart(trc_starts_monitoring *source)
{
    (void)source;
    return 0;
}

#endif

int trc_starts_monitoring_traverse(const trc_starts_monitoring *source, visitproc visit, void *arg);
void trc_starts_monitoring_clear(trc_starts_monitoring *source);

#endif
