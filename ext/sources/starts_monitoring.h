/* The beginnings of functions and of lines by sys.monitoring, for 3.12 and later: a tool of its own, told at each place until that
 * is switched off. The callback is in dispatch/on_starts_monitoring.c. */
#ifndef TRC_STARTS_MONITORING_H
#define TRC_STARTS_MONITORING_H

#include "sources/tool_session.h"

typedef struct trc_starts_monitoring {
    trc_tool_session session;
    bool is_some_off; /* under this id the event is off at some place */
} trc_starts_monitoring;

#if TRC_HAS_MONITORING

/* Has the interpreter report these events everywhere, the first so many of the target's, and those of before. On TRC_START_FAILED and TRC_START_TAKEN an exception is set and nothing has
 * changed. */
trc_start_result trc_starts_monitoring_start(trc_starts_monitoring *source, const trc_tool_target *to, size_t count);

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
