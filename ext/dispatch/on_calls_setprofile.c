/* The PyEval_SetProfile back end: the profile function, and what is recorded of its events. See calls_setprofile.h. */
#include "dispatch/fast_path.h"
#include "interp/generators.h"
#include "sources/allocators.h"

static int profile_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);

static void hook_new_threads(trc_dispatcher *dispatcher)
{
    if (!trc_calls_setprofile_has_new_threads(&dispatcher->shared.calls_setprofile)) {
        return;
    }
    uint64_t known = trc_calls_setprofile_note_threads(&dispatcher->shared.calls_setprofile);
    if (!dispatcher->wanted[TRC_SETPROFILE].every_thread) {
        return;
    }
    /* From 3.13 on, the call below also hooks threads again whose profile function the program took away. */
    for (trc_recording *each = dispatcher->shared.calls[TRC_SETPROFILE]; each != NULL; each = each->next) {
        trc_recorder_give_up_threads((trc_recorder *)each);
    }
    trc_calls_setprofile_hook(&dispatcher->shared.calls_setprofile, &dispatcher->held, known);
}

/* Events in the code of a frame: its own, or those of a C function that it calls. The long ways are functions of their
 * own, and ask for the code. */

__attribute__((noinline)) static void enter_slowly(trc_dispatcher *dispatcher, PyFrameObject *frame,
                                                   const trc_callee *callee, trc_activation id, trc_entry entry,
                                                   trc_fast_result result, const trc_fast_found *found)
{
    if (result == TRC_FAST_RESUMED) {
        const trc_thread *thread = &found->record->thread;
        trc_recorder_find_suspension(found->record->recorder, thread, thread->stack.top->node, callee->key, id,
                                     found->now);
        return;
    }
    trc_code_site site = {PyFrame_GetCode(frame), frame, false, false};
    if (result == TRC_FAST_UNEXPECTED) {
        trc_dispatch_enter_unexpected(dispatcher, found->record, &site, callee, id, entry, found->now);
    }
    else {
        trc_dispatch_enter(dispatcher, TRC_SETPROFILE, &site, callee, id, entry);
    }
    Py_DECREF((PyObject *)site.code);
}

TRC_FAST void enter(trc_dispatcher *dispatcher, PyFrameObject *frame, const trc_callee *callee, trc_activation id,
                    trc_entry entry, bool is_logged)
{
    trc_fast_found found;
    trc_fast_result result = trc_fast_enter(dispatcher, TRC_SETPROFILE, trc_this_thread(), callee->key, callee->scope,
                                            id, entry, &found, is_logged);
    if (result != TRC_FAST_DONE) {
        enter_slowly(dispatcher, frame, callee, id, entry, result, &found);
    }
}

__attribute__((noinline)) static void leave_slowly(trc_dispatcher *dispatcher, PyFrameObject *frame, trc_activation id,
                                                   trc_callable_scope scope)
{
    trc_code_site site = {PyFrame_GetCode(frame), frame, false, false};
    trc_dispatch_leave(dispatcher, TRC_SETPROFILE, &site, id, scope);
    Py_DECREF((PyObject *)site.code);
}

TRC_FAST void leave(trc_dispatcher *dispatcher, PyFrameObject *frame, trc_activation id, trc_callable_scope scope,
                    bool is_logged)
{
    if (!trc_fast_leave(dispatcher, TRC_SETPROFILE, trc_this_thread(), id, scope, is_logged)) {
        leave_slowly(dispatcher, frame, id, scope);
    }
}

TRC_FAST void suspend(trc_dispatcher *dispatcher, PyFrameObject *frame, PyCodeObject *code, bool is_logged)
{
    trc_activation id = (trc_activation)frame;
    if (!trc_fast_suspend(dispatcher, TRC_SETPROFILE, trc_this_thread(), id, code, is_logged)) {
        trc_code_site site = {code, frame, false, false};
        trc_dispatch_suspend(dispatcher, TRC_SETPROFILE, &site, id);
    }
}

TRC_FAST void enter_frame(trc_dispatcher *dispatcher, PyFrameObject *frame, bool is_logged)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    trc_callee callee = {code, (PyObject *)code, TRC_PYTHON};
    trc_entry entry = trc_frame_is_resumed(frame, code) ? TRC_RESUMED : TRC_CALLED;
    enter(dispatcher, frame, &callee, (trc_activation)frame, entry, is_logged);
    Py_DECREF(code);
}

/* The generator or coroutine of this frame is over: the one that awaited it goes on now. */
static void go_on_outside(trc_dispatcher *dispatcher, PyFrameObject *frame)
{
    PyFrameObject *outer = PyFrame_GetBack(frame);
    PyCodeObject *code = outer == NULL ? NULL : PyFrame_GetCode(outer);
    if (code != NULL && trc_code_is_resumable(code)) {
        trc_code_site site = {code, outer, false, false};
        trc_dispatch_go_on(dispatcher, TRC_SETPROFILE, &site, (trc_activation)outer);
    }
    Py_XDECREF(code);
    Py_XDECREF(outer);
}

TRC_FAST void leave_frame(trc_dispatcher *dispatcher, PyFrameObject *frame, const PyObject *value, bool is_logged)
{
    PyCodeObject *code = PyFrame_GetCode(frame);
    if (trc_frame_is_suspended(frame, code, value)) {
        suspend(dispatcher, frame, code, is_logged);
    }
    else {
        leave(dispatcher, frame, (trc_activation)frame, TRC_PYTHON, is_logged);
        if (TRC_GOES_ON_UNSEEN && value != NULL && trc_code_is_resumable(code)) {
            go_on_outside(dispatcher, frame);
        }
    }
    Py_DECREF(code);
}

TRC_FAST void handle_by(trc_dispatcher *dispatcher, PyFrameObject *frame, int what, PyObject *arg, bool is_logged)
{
    if (what != PyTrace_RETURN) { /* a C function starts a thread, and returns before its first event */
        hook_new_threads(dispatcher);
    }
    switch (what) {
    case PyTrace_CALL:
        enter_frame(dispatcher, frame, is_logged);
        break;
    case PyTrace_RETURN:
        leave_frame(dispatcher, frame, arg, is_logged);
        break;
    case PyTrace_C_CALL:
        if (PyCFunction_Check(arg)) {
            trc_callee callee = {((PyCFunctionObject *)arg)->m_ml, arg, TRC_BUILTINS};
            enter(dispatcher, frame, &callee, (trc_activation)frame | 1, TRC_CALLED, is_logged);
        }
        break;
    case PyTrace_C_RETURN:
    case PyTrace_C_EXCEPTION:
        leave(dispatcher, frame, (trc_activation)frame | 1, TRC_BUILTINS, is_logged);
        break;
    }
}

static inline void handle(trc_dispatcher *dispatcher, PyFrameObject *frame, int what, PyObject *arg)
{
    handle_by(dispatcher, frame, what, arg, false);
}

/* An event while a recorder writes a log. */
__attribute__((noinline)) static void handle_logged(trc_dispatcher *dispatcher, PyFrameObject *frame, int what,
                                                    PyObject *arg)
{
    handle_by(dispatcher, frame, what, arg, true);
}

static trc_handler handler_of(PyFrameObject *frame, int what, const PyObject *arg)
{
    if (what != PyTrace_CALL && what != PyTrace_RETURN) {
        return what == PyTrace_C_CALL ? TRC_HANDLES_C_CALL : TRC_HANDLES_C_RETURN;
    }
    PyCodeObject *code = PyFrame_GetCode(frame);
    trc_handler handler;
    if (what == PyTrace_CALL) {
        handler = trc_frame_is_resumed(frame, code) ? TRC_HANDLES_RESUME : TRC_HANDLES_CALL;
    }
    else {
        handler = trc_frame_is_suspended(frame, code, arg) ? TRC_HANDLES_YIELD : TRC_HANDLES_RETURN;
    }
    Py_DECREF(code);
    return handler;
}

static inline bool is_counted(int what)
{
    return what == PyTrace_CALL || what == PyTrace_C_CALL;
}

static void in_burst(trc_dispatcher *dispatcher, PyFrameObject *frame, int what, PyObject *arg)
{
    trc_calibration *calibration = &dispatcher->calibrations[TRC_SETPROFILE];
    bool is_full = trc_calibration_is_full(calibration);
    if (is_full && !is_counted(what)) {
        handle(dispatcher, frame, what, arg);
        return;
    }
    trc_handler handler = handler_of(frame, what, arg);
    trc_sample sample = trc_sample_begin(dispatcher->only_active[TRC_SETPROFILE]);
    handle(dispatcher, frame, what, arg);
    trc_sample_end(&sample, dispatcher->only_active[TRC_SETPROFILE]);
    PyCodeObject *code = PyFrame_GetCode(frame);
    trc_sample_keep(&sample, handler, code, false);
    Py_DECREF(code);
    if (is_counted(what)) {
        trc_calibration_end_burst(calibration);
    }
}

/* An event where nobody is told, where a recorder writes a log, records memory, or wants a sample of the handlers
 * timed. */
__attribute__((noinline)) static void handle_unusual(trc_dispatcher *dispatcher, PyFrameObject *frame, int what,
                                                     PyObject *arg)
{
    const trc_calls_wanted *wanted = &dispatcher->wanted[TRC_SETPROFILE];
    if (wanted->remembering >
        0) { /* to tell of an event, the interpreter makes frame objects, and bound methods of C */
        if (what == PyTrace_C_CALL) {
            trc_allocators_forget(arg);
        }
        trc_allocators_forget(frame);
    }
    if (dispatcher->shared.calls[TRC_SETPROFILE] == NULL) { /* a thread that could not be unhooked when tracing ended */
        PyEval_SetProfile(NULL, NULL);
    }
    else if (wanted->sampled == 0 && wanted->logged > 0) {
        handle_logged(dispatcher, frame, what, arg);
    }
    else if (wanted->sampled == 0) {
        handle(dispatcher, frame, what, arg);
    }
    else if (dispatcher->calibrations[TRC_SETPROFILE].left <= 0) {
        in_burst(dispatcher, frame, what, arg);
    }
    else {
        handle(dispatcher, frame, what, arg);
        if (is_counted(what)) {
            trc_calibration_counts_down(&dispatcher->calibrations[TRC_SETPROFILE]);
        }
    }
}

static int profile_event(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
    trc_dispatcher *dispatcher = trc_dispatcher_of(self);
    if (dispatcher->wanted[TRC_SETPROFILE].is_unusual) {
        handle_unusual(dispatcher, frame, what, arg);
    }
    else {
        handle(dispatcher, frame, what, arg);
    }
    return 0;
}

static trc_start_result start(trc_dispatcher *dispatcher, const trc_recorder *recorder)
{
    int hooked = trc_calls_setprofile_start(&dispatcher->shared.calls_setprofile, &dispatcher->held, profile_event,
                                            recorder->every_thread);
    return hooked < 0 ? TRC_START_FAILED : TRC_STARTED;
}

static void stop(trc_dispatcher *dispatcher)
{
    if (dispatcher->shared.calls[TRC_SETPROFILE] == NULL) {
        trc_calls_setprofile_stop(&dispatcher->shared.calls_setprofile, &dispatcher->held);
    }
}

static void reinstall(trc_dispatcher *dispatcher)
{
    PyEval_SetProfile(profile_event, dispatcher->held.object);
}

const trc_backend_methods trc_setprofile_methods = {start, stop, reinstall};
