/* Calls by sys.monitoring, for 3.12 and later: a tool of its own beside the program's, told of every thread. Here is what
 * is asked of the interpreter: the tool id, which events it reports, and where. What it calls at them is in
 * bus/on_calls_monitoring.c. */
#ifndef TRC_CALLS_MONITORING_H
#define TRC_CALLS_MONITORING_H

#include "core/base/activation.h"
#include "interp/live_frames.h"
#include "interp/tool.h"
#include "sources/calls_wanted.h"
#include "sources/sink.h"

/* What it keeps while it is started. */
typedef struct trc_calls_monitoring {
    trc_tool tool;
    int events;               /* the set that is reported */
    trc_callable_scope scope; /* the highest that an enabled recorder wants */
    bool is_filtered;         /* the callbacks are those that ask whether the code is looked at */
    PyObject *missing;        /* owned: sys.monitoring.MISSING, or NULL */
    PyObject *disable;        /* owned: sys.monitoring.DISABLE, or NULL */
    /* -- Kept when it is stopped -- */
    PyObject *mark;   /* owned: left where something is off, as the sink's is where nothing is; or NULL */
    uint64_t off;     /* what is off at some place, under an id with a mark: TRC_NOTHING, TRC_ANYTHING, or the number of
                       * the filter that leaves out all such places */
    uint64_t filters; /* how many have a number */
} trc_calls_monitoring;

#if TRC_HAS_MONITORING

#define TRC_NOTHING 0
#define TRC_ANYTHING UINT64_MAX

/* What is called at a kind of event, by its name in sys.monitoring.events. */
typedef struct trc_calls_callback {
    const char *event;
    vectorcallfunc function;
    vectorcallfunc filtered;  /* the one to call where a recorder has a filter */
    trc_callable_scope scope; /* at which it is wanted */
} trc_calls_callback;

/* Whom the source tells. All is borrowed. */
typedef struct trc_calls_sink {
    const trc_sink *sink;
    void *context; /* of the callbacks: the object of the sink keeps it where it is */
    const trc_calls_wanted *wanted;
    const trc_calls_callback *callbacks;
    size_t callback_count;
} trc_calls_sink;

/* Has the interpreter report what is wanted, by one more recorder, too; `filter` is the number that its filter was given,
 * or 0. TRC_START_FAILED or TRC_START_TAKEN with an exception set, and nothing changed. */
trc_start_result trc_calls_monitoring_start(trc_calls_monitoring *source, const trc_calls_sink *to, uint64_t filter);

/* Has it report no more than what is wanted still; nothing, when there is no recorder. Raises nothing. */
void trc_calls_monitoring_stop(trc_calls_monitoring *source, const trc_calls_sink *to);

/* Has the calling thread's frames reported too, where the interpreter has passed them over because they waited on another
 * stack when tracing began. False when that cannot be had. Raises nothing. PyEval_SetProfile needs that, too: from 3.12 on
 * it is told by way of the same instructions in the code. */
bool trc_calls_monitoring_instrument_frames(trc_calls_monitoring *source, const trc_live_frames *live);

/* What names the activation of a frame: the address of the interpreter's frame; 0 when that is not found. */
trc_activation trc_calls_monitoring_activation_of(PyFrameObject *frame);

/* What a callback returns so that the interpreter reports that event at that place no more. `filter` is where the number is
 * of the filter that leaves it out, which is given one when that is 0; NULL: it is not one alone. */
static inline PyObject *trc_calls_monitoring_silence(trc_calls_monitoring *source, uint64_t *filter)
{
    if (source->disable == NULL) {
        Py_RETURN_NONE;
    }
    if (filter != NULL && *filter == 0) {
        *filter = ++source->filters;
    }
    uint64_t by = filter == NULL ? TRC_ANYTHING : *filter;
    source->off = source->off == TRC_NOTHING || source->off == by ? by : TRC_ANYTHING;
    return Py_NewRef(source->disable);
}

#endif

int trc_calls_monitoring_traverse(const trc_calls_monitoring *source, visitproc visit, void *arg);
void trc_calls_monitoring_clear(trc_calls_monitoring *source);

#endif
