/* Line events by PyEval_SetTrace, up to 3.11: the trace function, and what is recorded of its events. See
 * lines_settrace.h. */
#include "dispatch/line_path.h"
#include "interp/generators.h"
#include "sources/allocators.h"

#if !TRC_HAS_MONITORING

const char trc_lines_backend[] = "settrace";
const char trc_lines_reason[] = "sys.monitoring needs Python 3.12 or later";

static int trace_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);

static void enter(trc_dispatcher *dispatcher, PyFrameObject *frame, PyCodeObject *code)
{
    trc_each_recording each;
    for (trc_line_recorder *recorder = trc_dispatch_first_lines(&each, dispatcher); recorder != NULL;
         recorder = trc_dispatch_next_lines(&each)) {
        trc_line_recorder_meet(recorder, code, frame);
    }
    if (trc_code_is_resumable(code) && trc_lines_are_timed(dispatcher, code)) {
        /* An activation that begins is told apart from a suspended one of its name, which never goes on. */
        trc_line_event event = trc_frame_is_resumed(frame, code) ? TRC_LINE_RESUME : TRC_LINE_ENTER;
        trc_lines_event(dispatcher, event, code, (trc_activation)frame);
    }
}

static void leave(trc_dispatcher *dispatcher, PyFrameObject *frame, PyCodeObject *code, const PyObject *value)
{
    if (trc_lines_are_timed(dispatcher, code)) {
        bool suspended = trc_frame_is_suspended(frame, code, value);
        trc_lines_event(dispatcher, suspended ? TRC_LINE_SUSPEND : TRC_LINE_LEAVE, code, (trc_activation)frame);
    }
}

static int trace_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
    trc_dispatcher *dispatcher = trc_dispatcher_of(self);
    if (dispatcher->lines_are_unusual) {
        trc_allocators_forget(frame);           /* which the interpreter may have made to tell of the event */
        if (dispatcher->shared.lines == NULL) { /* a thread that could not be unhooked when tracing ended */
            PyEval_SetTrace(NULL, NULL);
            return 0;
        }
    }
    if (trc_lines_settrace_has_new_threads(&dispatcher->shared.lines_settrace)) {
        trc_lines_settrace_hook_new_threads(&dispatcher->shared.lines_settrace, &dispatcher->held, trace_event);
    }
    PyCodeObject *code = PyFrame_GetCode(frame);
    switch (what) {
    case PyTrace_CALL:
        enter(dispatcher, frame, code);
        break;
    case PyTrace_LINE:
        trc_lines_line(dispatcher, PyThreadState_Get(), code, (trc_activation)frame, PyFrame_GetLineNumber(frame));
        break;
    case PyTrace_RETURN:
        leave(dispatcher, frame, code, arg);
        break;
    default:
        break;
    }
    Py_DECREF((PyObject *)code);
    return 0;
}

bool trc_lines_reinstall(trc_dispatcher *dispatcher, PyObject *args)
{
    if (!trc_lines_settrace_is_hooked_by_program(&dispatcher->held, trace_event)) {
        return false;
    }
    if (dispatcher->shared.lines == NULL) {
        PyEval_SetTrace(NULL, NULL);
        return true;
    }
    PyObject *self = dispatcher->held.object;
    PyEval_SetTrace(trace_event, self);
    PyObject *frame = PyTuple_GET_SIZE(args) == 3 ? PyTuple_GET_ITEM(args, 0) : NULL;
    if (frame != NULL && PyFrame_Check(frame)) { /* a call: the frame's f_trace is told of all other events */
        trace_event(self, (PyFrameObject *)frame, PyTrace_CALL, NULL);
    }
    return true;
}

int trc_lines_start(trc_dispatcher *dispatcher, const trc_line_recorder *recorder)
{
    (void)recorder;
    return trc_lines_settrace_start(&dispatcher->shared.lines_settrace, &dispatcher->held, trace_event);
}

void trc_lines_stop(trc_dispatcher *dispatcher, const trc_line_recorder *recorder)
{
    (void)recorder;
    if (dispatcher->shared.lines == NULL) {
        trc_lines_settrace_stop(&dispatcher->shared.lines_settrace, &dispatcher->held, trace_event);
    }
}

void trc_lines_remember(trc_dispatcher *dispatcher)
{
    (void)dispatcher; /* the trace function looks at it */
}

#endif
