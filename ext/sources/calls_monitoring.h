/* Calls by sys.monitoring, for 3.12 and later: a tool of its own beside the program's, told of every thread. This file
 * asks the interpreter for the tool id, and for events at the places where they are wanted. The callbacks are in
 * dispatch/on_calls_monitoring.c. */
#ifndef TRC_CALLS_MONITORING_H
#define TRC_CALLS_MONITORING_H

#include "core/base/activation.h"
#include "interp/live_frames.h"
#include "sources/calls_wanted.h"
#include "sources/tool_session.h"

/* The source's state while it is started. */
typedef struct trc_calls_monitoring {
    trc_tool_session session;
    trc_callable_scope scope; /* the highest that an enabled recorder wants */
    /* -- Kept when it is stopped -- */
    PyObject *mark;   /* owned: left in place of the usual mark where some event is off; or NULL */
    uint64_t off;     /* what is off at some place under an id with a mark: TRC_NOTHING, TRC_ANYTHING, or the number of
                     * the filter that leaves out all such places */
    uint64_t filters; /* how many filters have a number */
} trc_calls_monitoring;

#if TRC_HAS_MONITORING

#define TRC_NOTHING 0
#define TRC_ANYTHING UINT64_MAX

/* Has the interpreter report what is wanted, one more recorder included. `filter` is the number of that recorder's
 * filter, or 0. On TRC_START_FAILED and TRC_START_TAKEN an exception is set and nothing has changed. */
trc_start_result trc_calls_monitoring_start(trc_calls_monitoring *source, const trc_tool_target *to,
                                            const trc_calls_wanted *wanted, uint64_t filter);

/* Has the interpreter report only what is still wanted: nothing, when there is no recorder. Raises nothing. */
void trc_calls_monitoring_stop(trc_calls_monitoring *source, const trc_tool_target *to, const trc_calls_wanted *wanted);

/* Has the calling thread's frames reported too, where the interpreter has passed them over because they waited on
 * another stack when tracing began. Returns false when that is not possible. Raises nothing. PyEval_SetProfile needs
 * this too: from 3.12 on, it works by the same instructions in the code. */
bool trc_calls_monitoring_instrument_frames(trc_calls_monitoring *source, const trc_live_frames *live);

/* Of what events the handlers are timed, where a recorder wants a sample of them timed. */
typedef enum trc_calls_timed {
    TRC_TIMES_NONE,
    TRC_TIMES_COUNTED, /* of the calls that are counted */
    TRC_TIMES_ALL,
} trc_calls_timed;

/* Gives the callbacks the functions that the recorders need now. It costs nine stores. */
void trc_calls_monitoring_time(trc_calls_monitoring *source, const trc_tool_target *to, const trc_calls_wanted *wanted,
                               trc_calls_timed timed);

/* Returns the name of a frame's activation: the address of the interpreter's frame, or 0 when that is not found. */
trc_activation trc_calls_monitoring_activation_of(PyFrameObject *frame);

/* Returns the value by which a callback has the interpreter no longer report that event at that place. `filter` points
 * to the number of the one filter that leaves the place out; a number that is 0 is given here. NULL: more than one
 * filter leaves it out. */
static inline PyObject *trc_calls_monitoring_silence(trc_calls_monitoring *source, uint64_t *filter)
{
    if (source->session.disable == NULL) {
        Py_RETURN_NONE;
    }
    if (filter != NULL && *filter == 0) {
        *filter = ++source->filters;
    }
    uint64_t by = filter == NULL ? TRC_ANYTHING : *filter;
    source->off = source->off == TRC_NOTHING || source->off == by ? by : TRC_ANYTHING;
    return Py_NewRef(source->session.disable);
}

#else

/* No frame is passed over. */
static inline bool trc_calls_monitoring_instrument_frames(trc_calls_monitoring *source, const trc_live_frames *live)
{
    (void)source, (void)live;
    return true;
}

#endif

int trc_calls_monitoring_traverse(const trc_calls_monitoring *source, visitproc visit, void *arg);
void trc_calls_monitoring_clear(trc_calls_monitoring *source);

#endif
