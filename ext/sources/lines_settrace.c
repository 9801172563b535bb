/* Line events by PyEval_SetTrace, up to 3.11: the interpreter keeps one trace function a thread, tells it of every line of
 * all code, and of no C callable. A thread in which another tool traces lines, a debugger or a coverage measurement, is
 * left to it; only from the thread that enables a recorder is it shut out meanwhile. Existing threads are hooked at the
 * start, new ones by `threading`, or at the first event of any hooked thread after they appear. */
#include "bus/bus.h"
#include "interp/generators.h"

#include <stdlib.h>

#if !TRC_HAS_MONITORING

const char trc_lines_backend[] = "settrace";
const char trc_lines_reason[] = "sys.monitoring needs Python 3.12 or later";

static int trace_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);

static bool is_hooked(const PyThreadState *thread, const trc_dispatcher *dispatcher)
{
    return thread->c_tracefunc == trace_event && thread->c_traceobj == (PyObject *)dispatcher;
}

/* Whether the program gave the thread, by sys.settrace(), what sys.gettrace() gave it: see trc_lines_here(). */
static bool is_hooked_by_program(const PyThreadState *thread, const trc_dispatcher *dispatcher)
{
    return thread->c_tracefunc != trace_event && thread->c_traceobj == (PyObject *)dispatcher;
}

static bool has_other(const PyThreadState *thread, const trc_dispatcher *dispatcher)
{
    return thread->c_tracefunc != NULL && thread->c_traceobj != (PyObject *)dispatcher;
}

/* Sets the trace function of the threads whose state is newer than `newer_than`, where no other tool has its own. 0, or
 * -1 with an exception set. */
static int hook_threads(trc_dispatcher *dispatcher, uint64_t newer_than)
{
    PyThreadState *thread = trc_older_thread(dispatcher->interpreter, UINT64_MAX);
    while (thread != NULL && thread->id > newer_than) {
        uint64_t id = thread->id;
        if (!has_other(thread, dispatcher) && _PyEval_SetTrace(thread, trace_event, (PyObject *)dispatcher) < 0) {
            return -1;
        }
        thread = trc_older_thread(dispatcher->interpreter, id);
    }
    return 0;
}

static void hook_new_threads(trc_dispatcher *dispatcher)
{
    uint64_t known = dispatcher->lines.newest_thread;
    if (PyInterpreterState_ThreadHead(dispatcher->interpreter)->id != known) {
        dispatcher->lines.newest_thread = trc_first_thread(dispatcher->interpreter)->id;
        if (hook_threads(dispatcher, known) < 0) {
            PyErr_WriteUnraisable((PyObject *)dispatcher);
        }
    }
}

/* Replaces what `threading` gives to each thread that it starts, where that is `old`. A thread may run to its end before a
 * hooked one has an event. Raises nothing. */
static void replace_in_threading(PyObject *old, PyObject *new)
{
    PyObject *modules = PySys_GetObject("modules");
    PyObject *threading = modules == NULL || !PyDict_Check(modules) ? NULL : trc_look_up(modules, "threading");
    if (threading == NULL || !PyModule_Check(threading)) {
        return;
    }
    PyObject *names = PyModule_GetDict(threading);
    if (trc_look_up(names, "_trace_hook") == old) {
        PyDict_SetItemString(names, "_trace_hook", new);
        PyErr_Clear();
    }
}

static void enter(trc_dispatcher *dispatcher, PyFrameObject *frame, PyCodeObject *code)
{
    trc_lines *lines = &dispatcher->lines;
    TRC_FOR_EACH_LINE_RECORDER(lines, recorder, trc_line_recorder_meet(recorder, code, frame));
    if (trc_code_is_resumable(code) && trc_lines_time(lines, code)) {
        /* One that begins is told apart from one of its name that waited, and goes on no more. */
        trc_line_event event = trc_frame_is_resumed(frame, code) ? TRC_LINE_RESUME : TRC_LINE_ENTER;
        trc_lines_event(lines, event, code, (trc_activation)frame);
    }
}

static void leave(trc_lines *lines, PyFrameObject *frame, PyCodeObject *code, const PyObject *value)
{
    if (trc_lines_time(lines, code)) {
        bool suspended = trc_frame_is_suspended(frame, code, value);
        trc_lines_event(lines, suspended ? TRC_LINE_SUSPEND : TRC_LINE_LEAVE, code, (trc_activation)frame);
    }
}

static int trace_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
    trc_dispatcher *dispatcher = (trc_dispatcher *)self;
    trc_lines *lines = &dispatcher->lines;
    if (lines->active == NULL) { /* a thread that could not be unhooked when tracing ended */
        PyEval_SetTrace(NULL, NULL);
        return 0;
    }
    hook_new_threads(dispatcher);
    PyCodeObject *code = PyFrame_GetCode(frame);
    switch (what) {
    case PyTrace_CALL:
        enter(dispatcher, frame, code);
        break;
    case PyTrace_LINE:
        trc_lines_line(lines, PyThreadState_Get(), code, (trc_activation)frame, PyFrame_GetLineNumber(frame));
        break;
    case PyTrace_RETURN:
        leave(lines, frame, code, arg);
        break;
    default:
        break;
    }
    Py_DECREF((PyObject *)code);
    return 0;
}

bool trc_lines_here(trc_dispatcher *dispatcher, PyObject *args)
{
    if (!is_hooked_by_program(PyThreadState_Get(), dispatcher)) {
        return false;
    }
    if (dispatcher->lines.active == NULL) {
        PyEval_SetTrace(NULL, NULL);
        return true;
    }
    PyEval_SetTrace(trace_event, (PyObject *)dispatcher);
    PyObject *frame = PyTuple_GET_SIZE(args) == 3 ? PyTuple_GET_ITEM(args, 0) : NULL;
    if (frame != NULL && PyFrame_Check(frame)) { /* of a call: of what else happens in a frame, its f_trace is told */
        trace_event((PyObject *)dispatcher, (PyFrameObject *)frame, PyTrace_CALL, NULL);
    }
    return true;
}

/* Takes the calling thread from the other tool that traces it, which is told, and gets it back in the end. 0, or -1 with an
 * exception set. */
static int replace_other(trc_dispatcher *dispatcher)
{
    PyThreadState *thread = PyThreadState_Get();
    if (!has_other(thread, dispatcher)) {
        return 0;
    }
    if (PyErr_WarnEx(PyExc_RuntimeWarning,
                     "lines are timed by sys.settrace on this version of Python: the debugger or coverage measurement "
                     "that uses it too sees nothing meanwhile",
                     1) < 0) {
        return -1;
    }
    if (!has_other(thread, dispatcher)) { /* a warning runs code */
        return 0;
    }
    trc_replaced *replaced = malloc(sizeof *replaced);
    if (replaced == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    *replaced =
        (trc_replaced){dispatcher->lines.replaced, thread->id, thread->c_tracefunc, Py_XNewRef(thread->c_traceobj)};
    dispatcher->lines.replaced = replaced;
    return _PyEval_SetTrace(thread, trace_event, (PyObject *)dispatcher);
}

int trc_lines_start(trc_dispatcher *dispatcher)
{
    if (replace_other(dispatcher) < 0) {
        return -1;
    }
    replace_in_threading(Py_None, (PyObject *)dispatcher);
    dispatcher->lines.newest_thread = trc_first_thread(dispatcher->interpreter)->id;
    return hook_threads(dispatcher, 0);
}

/* Gives threads that live, and have no trace function, back to the tools they were taken from: the latest first. */
static void give_back(trc_dispatcher *dispatcher)
{
    trc_replaced *replaced;
    while ((replaced = dispatcher->lines.replaced) != NULL) {
        dispatcher->lines.replaced = replaced->next;
        PyThreadState *thread = trc_older_thread(dispatcher->interpreter, replaced->state_id + 1);
        if (thread != NULL && thread->id == replaced->state_id && thread->c_tracefunc == NULL &&
            _PyEval_SetTrace(thread, replaced->function, replaced->object) < 0) {
            PyErr_WriteUnraisable(replaced->object);
        }
        Py_XDECREF(replaced->object);
        free(replaced);
    }
}

void trc_lines_stop(trc_dispatcher *dispatcher, const trc_line_recorder *recorder)
{
    (void)recorder;
    if (dispatcher->lines.active != NULL) {
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    replace_in_threading((PyObject *)dispatcher, Py_None);
    PyThreadState *thread = trc_older_thread(dispatcher->interpreter, UINT64_MAX);
    while (thread != NULL) {
        uint64_t id = thread->id;
        if (is_hooked(thread, dispatcher) && _PyEval_SetTrace(thread, NULL, NULL) < 0) {
            PyErr_WriteUnraisable(NULL);
        }
        thread = trc_older_thread(dispatcher->interpreter, id);
    }
    give_back(dispatcher);
    PyErr_Restore(type, value, traceback);
}

int trc_lines_watch(trc_dispatcher *dispatcher, PyCodeObject *code)
{
    (void)dispatcher;
    (void)code;
    return 0; /* all lines are reported */
}

int trc_lines_restart(trc_dispatcher *dispatcher)
{
    (void)dispatcher;
    return 0; /* and nothing else */
}

#endif
