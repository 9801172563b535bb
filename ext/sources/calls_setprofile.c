/* The PyEval_SetProfile back end: works on every version, and is told of Python functions and of builtin functions and
 * methods. The interpreter keeps one profile function a thread; existing threads are hooked at the start, new ones at
 * the first event of any hooked thread after they appear that is not the return of a Python function. (A thread that C
 * code makes is hooked then too, not before.) */
#include "interp/generators.h"
#include "bus/fast_path.h"
#include "sources/calls_monitoring.h"

/* What it keeps in the dispatcher. */
typedef struct trc_setprofile {
    uint64_t newest_thread; /* id of the newest thread state that has been hooked */
} trc_setprofile;

_Static_assert(sizeof(trc_setprofile) <= sizeof(trc_room), "it has room");

static inline trc_setprofile *mine(trc_dispatcher *dispatcher)
{
    return (trc_setprofile *)(void *)&dispatcher->rooms[TRC_SETPROFILE];
}

static int profile_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);

static void hook_new_threads(trc_dispatcher *dispatcher)
{
    uint64_t known = mine(dispatcher)->newest_thread;
    if (PyInterpreterState_ThreadHead(dispatcher->interpreter)->id == known) {
        return;
    }
    uint64_t newest = trc_first_thread(dispatcher->interpreter)->id;
    bool wanted = false;
    for (const trc_recorder *recorder = dispatcher->active[TRC_SETPROFILE]; recorder != NULL;
         recorder = recorder->next_active) {
        wanted = wanted || recorder->every_thread;
    }
    mine(dispatcher)->newest_thread = newest;
    if (!wanted) {
        return;
    }
    /* From 3.13 on this hooks the threads again whose profile function the program took away. */
    for (trc_recorder *recorder = dispatcher->active[TRC_SETPROFILE]; recorder != NULL;
         recorder = recorder->next_active) {
        trc_recorder_give_up_threads(recorder);
    }
    if (trc_hook_threads(dispatcher->interpreter, known, profile_event, (PyObject *)dispatcher) < 0) {
        PyErr_WriteUnraisable((PyObject *)dispatcher);
    }
}

/* Events in the code of a frame, of what it runs itself or of a C function that it calls. Where a recorder has a focus
 * they are functions apart, which keeps the way of the others short: 28 instructions an event. */

__attribute__((noinline)) static void enter_focused(trc_dispatcher *dispatcher, PyFrameObject *frame,
                                                    const trc_callee *callee, trc_activation id, trc_entry entry)
{
    trc_place place = {PyFrame_GetCode(frame), frame, false, false};
    trc_hot_enter_in(dispatcher, TRC_SETPROFILE, PyThreadState_Get(), &place, callee, id, entry);
    Py_DECREF((PyObject *)place.code);
}

static inline void enter(trc_dispatcher *dispatcher, PyFrameObject *frame, const trc_callee *callee, trc_activation id,
                         trc_entry entry)
{
    if (dispatcher->focused[TRC_SETPROFILE] == 0) {
        trc_hot_enter(dispatcher, TRC_SETPROFILE, PyThreadState_Get(), callee, id, entry);
    }
    else {
        enter_focused(dispatcher, frame, callee, id, entry);
    }
}

__attribute__((noinline)) static void leave_focused(trc_dispatcher *dispatcher, PyFrameObject *frame, trc_activation id,
                                                    trc_level level)
{
    trc_place place = {PyFrame_GetCode(frame), frame, false, false};
    trc_hot_leave_in(dispatcher, TRC_SETPROFILE, PyThreadState_Get(), &place, id, level);
    Py_DECREF((PyObject *)place.code);
}

static inline void leave(trc_dispatcher *dispatcher, PyFrameObject *frame, trc_activation id, trc_level level)
{
    if (dispatcher->focused[TRC_SETPROFILE] == 0) {
        trc_hot_leave(dispatcher, TRC_SETPROFILE, PyThreadState_Get(), id, level);
    }
    else {
        leave_focused(dispatcher, frame, id, level);
    }
}

static inline void suspend(trc_dispatcher *dispatcher, PyFrameObject *frame, PyCodeObject *code)
{
    const PyThreadState *state = PyThreadState_Get();
    trc_place place = {code, frame, false, false};
    if (dispatcher->focused[TRC_SETPROFILE] == 0) {
        trc_hot_suspend(dispatcher, TRC_SETPROFILE, state, (trc_activation)frame, code);
    }
    else {
        trc_hot_suspend_in(dispatcher, TRC_SETPROFILE, state, &place, (trc_activation)frame);
    }
}

static void enter_frame(trc_dispatcher *dispatcher, PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    trc_callee callee = {code, (PyObject *)code, TRC_PYTHON};
    trc_entry entry = trc_frame_is_resumed(frame, code) ? TRC_RESUMED : TRC_CALLED;
    enter(dispatcher, frame, &callee, (trc_activation)frame, entry);
    Py_DECREF(code);
}

/* The generator or coroutine that waited for the one of this frame, which is over, goes on now. */
static void go_on_outside(trc_dispatcher *dispatcher, PyFrameObject *frame)
{
    PyFrameObject *outer = PyFrame_GetBack(frame);
    PyCodeObject *code = outer == NULL ? NULL : PyFrame_GetCode(outer);
    if (code != NULL && trc_code_is_resumable(code)) {
        trc_place place = {code, outer, false, false};
        trc_dispatch_go_on_in(dispatcher, TRC_SETPROFILE, &place, (trc_activation)outer);
    }
    Py_XDECREF(code);
    Py_XDECREF(outer);
}

static void leave_frame(trc_dispatcher *dispatcher, PyFrameObject *frame, const PyObject *value)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    if (trc_frame_is_suspended(frame, code, value)) {
        suspend(dispatcher, frame, code);
    }
    else {
        leave(dispatcher, frame, (trc_activation)frame, TRC_PYTHON);
        if (TRC_GOES_ON_UNSEEN && value != NULL && trc_code_is_resumable(code)) {
            go_on_outside(dispatcher, frame);
        }
    }
    Py_DECREF(code);
}

static int profile_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
    trc_dispatcher *dispatcher = (trc_dispatcher *)self;
    if (dispatcher->active[TRC_SETPROFILE] == NULL) { /* a thread that could not be unhooked when tracing ended */
        PyEval_SetProfile(NULL, NULL);
        return 0;
    }
    if (what != PyTrace_RETURN) { /* a thread is begun by a function in C, which has returned before */
        hook_new_threads(dispatcher);
    }
    switch (what) {
    case PyTrace_CALL:
        enter_frame(dispatcher, frame);
        break;
    case PyTrace_RETURN:
        leave_frame(dispatcher, frame, arg);
        break;
    case PyTrace_C_CALL:
        if (PyCFunction_Check(arg)) {
            trc_callee callee = {((PyCFunctionObject *)arg)->m_ml, arg, TRC_BUILTINS};
            enter(dispatcher, frame, &callee, (trc_activation)frame | 1, TRC_CALLED);
        }
        break;
    case PyTrace_C_RETURN:
    case PyTrace_C_EXCEPTION:
        leave(dispatcher, frame, (trc_activation)frame | 1, TRC_BUILTINS);
        break;
    }
    return 0;
}

static void here(trc_dispatcher *dispatcher)
{
    PyEval_SetProfile(profile_event, (PyObject *)dispatcher);
}

static trc_start_result start(trc_dispatcher *dispatcher, const trc_recorder *recorder)
{
    if (!recorder->every_thread) {
        here(dispatcher);
        return TRC_STARTED;
    }
    mine(dispatcher)->newest_thread = trc_first_thread(dispatcher->interpreter)->id;
    int hooked = trc_hook_threads(dispatcher->interpreter, 0, profile_event, (PyObject *)dispatcher);
    return hooked < 0 ? TRC_START_FAILED : TRC_STARTED;
}

static void stop(trc_dispatcher *dispatcher)
{
    if (dispatcher->active[TRC_SETPROFILE] == NULL) {
        trc_unhook_threads(dispatcher->interpreter, profile_event, (PyObject *)dispatcher);
    }
}

static trc_activation activation_of(PyFrameObject *frame)
{
    return (trc_activation)frame;
}

static bool reports(const PyThreadState *thread)
{
    return thread->c_profilefunc == profile_event;
}

const trc_backend_methods trc_setprofile_methods = {
    .start = start,
    .stop = stop,
    .activation_of = activation_of,
#if TRC_HAS_MONITORING /* there it makes its events by what reports those of sys.monitoring */
    .reach = trc_monitoring_reach,
#endif
    .reports = reports,
    .here = here,
};
