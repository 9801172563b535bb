/* The PyEval_SetProfile back end: works on every version, and is told of Python functions and of builtin functions and
 * methods. The interpreter keeps one profile function a thread; existing threads are hooked at the start, new ones as
 * soon as any hooked thread has an event after they appear. (A thread that C code makes is hooked then too, not
 * before.) */
#include "dispatch.h"

static int profile_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);

static void hook_new_threads(trc_dispatcher *dispatcher)
{
    uint64_t known = dispatcher->newest_thread;
    uint64_t newest = PyInterpreterState_ThreadHead(dispatcher->interpreter)->id;
    if (newest == known) {
        return;
    }
    bool wanted = false;
    for (const trc_recorder *recorder = dispatcher->active; recorder != NULL; recorder = recorder->next_active) {
        wanted = wanted || recorder->every_thread;
    }
    dispatcher->newest_thread = newest;
    if (wanted && trc_hook_threads(dispatcher->interpreter, known, profile_event, (PyObject *)dispatcher) < 0) {
        PyErr_WriteUnraisable((PyObject *)dispatcher);
    }
}

static void enter_frame(trc_dispatcher *dispatcher, PyFrameObject *frame)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    trc_callee callee = {code, (PyObject *)code, -1};
    if (trc_code_is_resumable(code)) {
        callee.offset = PyFrame_GetLasti(frame);
    }
    trc_dispatch_enter(dispatcher, &callee, (uintptr_t)frame, false);
    Py_DECREF(code);
}

/* The activation of a builtin is named after the frame that calls it: a frame has only one such call at a time. */
static uintptr_t builtin_id(PyFrameObject *frame)
{
    return (uintptr_t)frame | 1;
}

static int profile_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
    trc_dispatcher *dispatcher = (trc_dispatcher *)self;
    if (dispatcher->active == NULL) { /* a thread that could not be unhooked when tracing ended */
        PyEval_SetProfile(NULL, NULL);
        return 0;
    }
    hook_new_threads(dispatcher);
    switch (what) {
    case PyTrace_CALL:
        enter_frame(dispatcher, frame);
        break;
    case PyTrace_RETURN:
        trc_dispatch_leave(dispatcher, (uintptr_t)frame, false);
        break;
    case PyTrace_C_CALL:
        if (PyCFunction_Check(arg)) {
            trc_callee callee = {((PyCFunctionObject *)arg)->m_ml, arg, -1};
            trc_dispatch_enter(dispatcher, &callee, builtin_id(frame), true);
        }
        break;
    case PyTrace_C_RETURN:
    case PyTrace_C_EXCEPTION:
        trc_dispatch_leave(dispatcher, builtin_id(frame), true);
        break;
    default:
        break;
    }
    return 0;
}

static int start(trc_dispatcher *dispatcher, bool every_thread)
{
    if (!every_thread) {
        PyEval_SetProfile(profile_event, (PyObject *)dispatcher);
        return 0;
    }
    dispatcher->newest_thread = PyInterpreterState_ThreadHead(dispatcher->interpreter)->id;
    return trc_hook_threads(dispatcher->interpreter, 0, profile_event, (PyObject *)dispatcher);
}

static void stop(trc_dispatcher *dispatcher)
{
    trc_unhook_threads(dispatcher->interpreter, profile_event);
}

const trc_backend trc_setprofile_backend = {"setprofile", start, stop};
