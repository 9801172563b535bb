/* Calls by sys.monitoring, for 3.12 and later: a tool of its own beside the program's, told of every thread. Here is what
 * is asked of the interpreter: the tool id, which events it reports, and where. What it calls at them is in
 * bus/calls_by_monitoring.c. */
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
    int events;        /* the set that is reported */
    trc_level level;   /* the highest that an enabled recorder wants */
    bool is_filtered;  /* the callbacks are those that ask whether the code is looked at */
    bool has_silenced; /* the interpreter was told somewhere to report no more, since it was last told to report all */
    PyObject *missing; /* owned: sys.monitoring.MISSING, or NULL */
    PyObject *disable; /* owned: sys.monitoring.DISABLE, or NULL */
} trc_calls_monitoring;

#if TRC_HAS_MONITORING

/* What is called at a kind of event, by its name in sys.monitoring.events. */
typedef struct trc_calls_callback {
    const char *event;
    vectorcallfunc function;
    vectorcallfunc filtered; /* the one to call where a recorder has a filter */
    trc_level level;         /* at which it is wanted */
} trc_calls_callback;

/* Whom the source tells. All is borrowed. */
typedef struct trc_calls_sink {
    const trc_sink *sink;
    void *context; /* of the callbacks: the object of the sink keeps it where it is */
    const trc_calls_wanted *wanted;
    const trc_calls_callback *callbacks;
    size_t callback_count;
} trc_calls_sink;

/* Has the interpreter report what is wanted. TRC_START_FAILED or TRC_START_TAKEN with an exception set, and nothing
 * changed. */
trc_start_result trc_calls_monitoring_start(trc_calls_monitoring *source, const trc_calls_sink *to);

/* Has it report no more than what is wanted still; nothing, when there is no recorder. Raises nothing. */
void trc_calls_monitoring_stop(trc_calls_monitoring *source, const trc_calls_sink *to);

/* Has the calling thread's frames reported too, where the interpreter has passed them over because they waited on another
 * stack when tracing began. False when that cannot be had. Raises nothing. PyEval_SetProfile needs that, too: from 3.12 on
 * it is told by way of the same instructions in the code. */
bool trc_calls_monitoring_instrument_frames(trc_calls_monitoring *source, const trc_live_frames *live);

/* What names the activation of a frame: the address of the interpreter's frame; 0 when that is not found. */
trc_activation trc_calls_monitoring_activation_of(PyFrameObject *frame);

/* What a callback returns so that the interpreter reports that event at that place no more. */
static inline PyObject *trc_calls_monitoring_silence(trc_calls_monitoring *source)
{
    if (source->disable == NULL) {
        Py_RETURN_NONE;
    }
    source->has_silenced = true;
    return Py_NewRef(source->disable);
}

#endif

int trc_calls_monitoring_traverse(const trc_calls_monitoring *source, visitproc visit, void *arg);
void trc_calls_monitoring_clear(trc_calls_monitoring *source);

#endif
