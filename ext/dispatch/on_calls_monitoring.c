/* The sys.monitoring back end: the callbacks, and what is recorded of their events. The interpreter calls an object for
 * each kind of event. tracer's objects are of a heap type with a vectorcall slot, which costs 10 to 20 ns an event less
 * than a builtin function.
 *
 *     PY_START, PY_RESUME, PY_THROW      enter a frame          CALL                enter what is written in C
 *     PY_RETURN, PY_YIELD, PY_UNWIND     leave it               C_RETURN, C_RAISE   leave it
 *
 * An activation is named after the address of the interpreter's frame, which never moves while it lives. So a leave
 * whose enter was not reported finds no activation of its name, and changes nothing. */
#include "dispatch/fast_path.h"
#include "interp/callback.h"

#if TRC_HAS_MONITORING

static inline trc_dispatcher *dispatcher_of(PyObject *self)
{
    return ((trc_callback *)self)->context;
}

/* -- The callbacks. Where all recorders leave out the code of an event they return DISABLE, and the interpreter no longer
 *    reports that event at that place: after one decision, such code runs without overhead. PY_THROW, PY_UNWIND and the
 *    ends of C calls cannot be disabled. A program can get hold of the callbacks, so they check their arguments. -- */

static PyObject *refuse(void)
{
    PyErr_SetString(PyExc_TypeError, "this is called by the interpreter only");
    return NULL;
}

/* Whether there are so many arguments. The interpreter passes two to four. */
static inline bool has_arguments(size_t nargsf, uint32_t count)
{
    return (uint32_t)nargsf >= count;
}

static bool begins_with_code(PyObject *const *args, size_t nargsf)
{
    return has_arguments(nargsf, 1) && PyCode_Check(args[0]);
}

static inline trc_code_site site_of(PyObject *code)
{
    return (trc_code_site){(PyCodeObject *)code, NULL, false, false};
}

/* What an event returns, when a recorder looks at its code or when none does. */
static inline PyObject *answer(PyObject *self, bool is_wanted)
{
    if (is_wanted) {
        Py_RETURN_NONE;
    }
    trc_dispatcher *dispatcher = dispatcher_of(self);
    const trc_recording *first = dispatcher->shared.calls[TRC_MONITORING];
    trc_filter *filter = first == NULL || first->next != NULL ? NULL : first->filter;
    return trc_calls_monitoring_silence(&dispatcher->shared.calls_monitoring, filter == NULL ? NULL : &filter->number);
}

/* The same for an event that cannot be disabled. */
static PyObject *always(PyObject *result)
{
    if (result != NULL) {
        Py_SETREF(result, Py_NewRef(Py_None));
    }
    return result;
}

/* The long ways are functions of their own. They get what the short ones have found in registers, which saves a look for
 * the thread. */

__attribute__((noinline)) static PyObject *enter_slowly(PyObject *self, PyObject *code, trc_activation id,
                                                        trc_entry entry, trc_thread_record *record, trc_tick now)
{
    if (!PyCode_Check(code)) {
        return refuse();
    }
    trc_code_site site = site_of(code);
    trc_callee callee = {code, code, TRC_PYTHON};
    return answer(self,
                  record == NULL
                      ? trc_dispatch_enter(dispatcher_of(self), TRC_MONITORING, &site, &callee, id, entry)
                      : trc_dispatch_enter_unexpected(dispatcher_of(self), record, &site, &callee, id, entry, now));
}

__attribute__((noinline)) static PyObject *end_suspension_slowly(PyObject *code, trc_activation id,
                                                                 trc_thread_record *record, trc_tick now)
{
    const trc_thread *thread = &record->thread;
    trc_recorder_find_suspension(record->recorder, thread, thread->stack.top->node, code, id, now);
    Py_RETURN_NONE;
}

TRC_FAST PyObject *enter(PyObject *self, PyObject *const *args, size_t nargsf, trc_entry entry, bool is_logged)
{
    if (!has_arguments(nargsf, 1)) {
        return refuse();
    }
    PyObject *code = args[0];
    const PyThreadState *state = trc_this_thread();
    trc_activation id = trc_frame_of(state);
    trc_fast_found found;
    trc_fast_result result =
        trc_fast_enter(dispatcher_of(self), TRC_MONITORING, state, code, TRC_PYTHON, id, entry, &found, is_logged);
    if (result == TRC_FAST_DONE) {
        Py_RETURN_NONE;
    }
    if (result == TRC_FAST_RESUMED) {
        return end_suspension_slowly(code, id, found.record, found.now);
    }
    return enter_slowly(self, code, id, entry, found.record, found.now);
}

/* A leave need not know in which code it is, but for a filter. */
__attribute__((noinline)) static PyObject *leave_slowly(PyObject *self, trc_activation id, trc_callable_scope scope)
{
    trc_dispatcher *dispatcher = dispatcher_of(self);
    PyObject *code = dispatcher->wanted[TRC_MONITORING].filtered > 0 ? trc_frame_code(id & ~(trc_activation)1) : NULL;
    trc_code_site site = site_of(code);
    bool is_wanted = trc_dispatch_leave(dispatcher, TRC_MONITORING, &site, id, scope);
    Py_XDECREF(code);
    return answer(self, is_wanted);
}

TRC_FAST PyObject *leave(PyObject *self, trc_activation is_c, trc_callable_scope scope, bool is_logged)
{
    const PyThreadState *state = trc_this_thread();
    trc_activation id = trc_frame_of(state) | is_c;
    if (trc_fast_leave(dispatcher_of(self), TRC_MONITORING, state, id, scope, is_logged)) {
        Py_RETURN_NONE;
    }
    return leave_slowly(self, id, scope);
}

__attribute__((noinline)) static PyObject *suspend_slowly(PyObject *self, PyObject *code, trc_activation id)
{
    if (!PyCode_Check(code)) {
        return refuse();
    }
    trc_code_site site = site_of(code);
    return answer(self, trc_dispatch_suspend(dispatcher_of(self), TRC_MONITORING, &site, id));
}

TRC_FAST PyObject *suspend(PyObject *self, PyObject *const *args, size_t nargsf, bool is_logged)
{
    if (!has_arguments(nargsf, 1)) {
        return refuse();
    }
    PyObject *code = args[0];
    const PyThreadState *state = trc_this_thread();
    trc_activation id = trc_frame_of(state);
    if (trc_fast_suspend(dispatcher_of(self), TRC_MONITORING, state, id, code, is_logged)) {
        Py_RETURN_NONE;
    }
    return suspend_slowly(self, code, id);
}

/* Finds the callee of a CALL event. Returns false when it is not recorded. */
static inline bool find_callee(trc_callee *callee, const trc_dispatcher *dispatcher, PyObject *const *args)
{
    const trc_calls_monitoring *source = &dispatcher->shared.calls_monitoring;
    PyObject *first = args[3] == source->session.missing ? NULL : args[3];
    return trc_callee_from_object(callee, args[2], first, source->scope);
}

/* An object is called that has no row; or a method, whose function has events of its own. */
static void meet_object(trc_dispatcher *dispatcher, PyObject *const *args, trc_activation id)
{
    if (!PyMethod_Check(args[2])) {
        PyObject *first = args[3] == dispatcher->shared.calls_monitoring.session.missing ? NULL : args[3];
        trc_dispatch_begin_object(dispatcher, TRC_MONITORING, args[2], first, id);
    }
}

__attribute__((noinline)) static PyObject *call_slowly(PyObject *self, PyObject *const *args, trc_activation id,
                                                       trc_thread_record *record, trc_tick now)
{
    if (!PyCode_Check(args[0])) {
        return refuse();
    }
    trc_dispatcher *dispatcher = dispatcher_of(self);
    trc_code_site site = site_of(args[0]);
    trc_callee callee;
    if (!find_callee(&callee, dispatcher, args)) {
        meet_object(dispatcher, args, id);
        return answer(self, trc_dispatcher_looks_at(dispatcher, TRC_MONITORING, &site));
    }
    return answer(self, record == NULL
                            ? trc_dispatch_enter(dispatcher, TRC_MONITORING, &site, &callee, id, TRC_CALLED)
                            : trc_dispatch_enter_unexpected(dispatcher, record, &site, &callee, id, TRC_CALLED, now));
}

TRC_FAST PyObject *call_c(PyObject *self, PyObject *const *args, bool is_logged)
{
    const void *key;
    const PyThreadState *state = trc_this_thread();
    trc_activation id = trc_frame_of(state) | 1;
    trc_fast_found found = {NULL, 0};
    if (trc_find_frequent_key(&key, args[2], args[3]) &&
        trc_fast_enter(dispatcher_of(self), TRC_MONITORING, state, key, TRC_BUILTINS, id, TRC_CALLED, &found,
                       is_logged) == TRC_FAST_DONE) {
        Py_RETURN_NONE;
    }
    return call_slowly(self, args, id, found.record, found.now);
}

__attribute__((noinline)) static PyObject *call_c_unlogged(PyObject *self, PyObject *const *args)
{
    return call_c(self, args, false);
}

__attribute__((noinline)) static PyObject *call_c_logged(PyObject *self, PyObject *const *args)
{
    return call_c(self, args, true);
}

/* A function written in Python has events of its own. */
static inline bool is_passed_over(PyObject *const *args, size_t nargsf)
{
    return !has_arguments(nargsf, 4) || Py_IS_TYPE(args[2], &PyFunction_Type);
}

static inline PyObject *call(PyObject *self, PyObject *const *args, size_t nargsf, bool is_logged)
{
    if (is_passed_over(args, nargsf)) {
        Py_RETURN_NONE;
    }
    return is_logged ? call_c_logged(self, args) : call_c_unlogged(self, args);
}

#define CALLBACK(name, result)                                                                   \
    static PyObject *name(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names) \
    {                                                                                            \
        (void)self, (void)args, (void)nargsf, (void)names;                                       \
        return result;                                                                           \
    }

CALLBACK(on_start, enter(self, args, nargsf, TRC_CALLED, false))
CALLBACK(on_resume, enter(self, args, nargsf, TRC_RESUMED, false))
CALLBACK(on_throw, always(enter(self, args, nargsf, TRC_RESUMED, false)))
CALLBACK(on_return, leave(self, 0, TRC_PYTHON, false))
CALLBACK(on_yield, suspend(self, args, nargsf, false))
CALLBACK(on_unwind, always(leave(self, 0, TRC_PYTHON, false)))
CALLBACK(on_call, call(self, args, nargsf, false))
CALLBACK(on_c_leave, always(leave(self, 1, TRC_BUILTINS, false)))

/* Where a recorder writes a log. */
CALLBACK(on_start_logged, enter(self, args, nargsf, TRC_CALLED, true))
CALLBACK(on_resume_logged, enter(self, args, nargsf, TRC_RESUMED, true))
CALLBACK(on_throw_logged, always(enter(self, args, nargsf, TRC_RESUMED, true)))
CALLBACK(on_return_logged, leave(self, 0, TRC_PYTHON, true))
CALLBACK(on_yield_logged, suspend(self, args, nargsf, true))
CALLBACK(on_unwind_logged, always(leave(self, 0, TRC_PYTHON, true)))
CALLBACK(on_call_logged, call(self, args, nargsf, true))
CALLBACK(on_c_leave_logged, always(leave(self, 1, TRC_BUILTINS, true)))

/* Whether the calling thread is known to run this code, which is in the filter then. */
static inline bool runs_here(const trc_dispatcher *dispatcher, const PyObject *code)
{
    const trc_thread_record *record = trc_gate_of(&dispatcher->shared.gates, TRC_MONITORING);
    return record->base.context == trc_here.context && record->thread.stack.top->node->key == code;
}

/* A call where a recorder has a filter. That of a function written in Python, too, is asked about: in code that is left out
 * it need not be reported again. */
static PyObject *on_call_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    trc_dispatcher *dispatcher = dispatcher_of(self);
    if (!has_arguments(nargsf, 4) || (is_passed_over(args, nargsf) && runs_here(dispatcher, args[0]))) {
        Py_RETURN_NONE;
    }
    return dispatcher->wanted[TRC_MONITORING].logged > 0 ? call_c_logged(self, args) : call_c_unlogged(self, args);
}

/* -- The callbacks where a recorder wants a sample of the handlers timed. Most events go to those above; only calls are
 *    counted. Now and then there is a burst: all events up to the next call are timed. -- */

static trc_tool_target target_of(trc_dispatcher *dispatcher);

__attribute__((noinline)) static void time_handlers(trc_dispatcher *dispatcher, trc_calls_timed timed)
{
    trc_tool_target target = target_of(dispatcher);
    trc_calls_monitoring_time(&dispatcher->shared.calls_monitoring, &target, &dispatcher->wanted[TRC_MONITORING],
                              timed);
}

/* Whether a CALL event, or the end of such a call, is about what has a row. */
static bool has_row(const trc_dispatcher *dispatcher, PyObject *const *args, size_t nargsf)
{
    trc_callee callee;
    return has_arguments(nargsf, 4) && find_callee(&callee, dispatcher, args);
}

/* Whether a CALL event is about a function written in Python, which has a row, and events of its own. */
static bool is_call_site(PyObject *const *args, size_t nargsf)
{
    return has_arguments(nargsf, 4) && (PyFunction_Check(args[2]) || PyMethod_Check(args[2]));
}

/* Whether the interpreter made an int for the place of this event, because it keeps none so large. */
static bool is_far(PyObject *const *args, size_t nargsf)
{
    if (!has_arguments(nargsf, 2) || !PyLong_CheckExact(args[1])) {
        return false;
    }
    PyObject *same = PyLong_FromLong(PyLong_AsLong(args[1]));
    bool is_made = same != args[1];
    if (PyErr_Occurred()) { /* a number that is no place, from the program, or no memory */
        PyErr_Clear();
        is_made = false;
    }
    Py_XDECREF(same);
    return is_made;
}

/* A call that stands for so many: if it is one of what has no row, its caller gets them. */
static void note_unseen(trc_dispatcher *dispatcher, PyObject *const *args, size_t nargsf, uint32_t calls)
{
    trc_recorder *recorder = trc_sampled(dispatcher->only_active[TRC_MONITORING]);
    if (recorder != NULL && has_arguments(nargsf, 4) && !is_call_site(args, nargsf) &&
        !has_row(dispatcher, args, nargsf)) {
        /* Tracing adds 25 ns to type(x), but 100 ns to super().method() besides what it adds to the method. */
        trc_recorder_note_unseen(recorder, args[2] == (PyObject *)&PySuper_Type ? 4 * (uint64_t)calls : calls);
    }
}

/* Whether events of this kind are those that are counted: where C calls are reported, CALL comes for all calls. */
static bool is_counted(const trc_dispatcher *dispatcher, trc_handler handler)
{
    return handler == (dispatcher->shared.calls_monitoring.scope > TRC_PYTHON ? TRC_HANDLES_C_CALL : TRC_HANDLES_CALL);
}

static PyObject *on_any_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    bool is_filtered = dispatcher_of(self)->wanted[TRC_MONITORING].filtered > 0;
    return (is_filtered ? on_call_filtered : on_call)(self, args, nargsf, names);
}

static PyObject *timed(PyObject *self, PyObject *const *args, size_t nargsf, vectorcallfunc function,
                       trc_handler handler)
{
    trc_dispatcher *dispatcher = dispatcher_of(self);
    trc_sample sample = trc_sample_begin(dispatcher->only_active[TRC_MONITORING]);
    PyObject *result = function(self, args, nargsf, NULL);
    trc_sample_end(&sample, dispatcher->only_active[TRC_MONITORING]);
    bool is_c = handler == TRC_HANDLES_C_CALL || handler == TRC_HANDLES_C_RETURN;
    trc_handler kept = handler == TRC_HANDLES_C_CALL && is_call_site(args, nargsf) ? TRC_HANDLES_CALL_SITE : handler;
    if (result != NULL && begins_with_code(args, nargsf) &&
        (!is_c || kept != handler || has_row(dispatcher, args, nargsf))) {
        trc_sample_keep(&sample, kept, (PyCodeObject *)args[0], is_far(args, nargsf));
    }
    trc_calibration *calibration = &dispatcher->calibrations[TRC_MONITORING];
    if (is_counted(dispatcher, handler)) {
        time_handlers(dispatcher, TRC_TIMES_NONE);
        note_unseen(dispatcher, args, nargsf, trc_calibration_end_burst(calibration));
    }
    else if (trc_calibration_is_full(calibration)) {
        time_handlers(dispatcher, TRC_TIMES_COUNTED);
    }
    return result;
}

CALLBACK(on_start_timed, timed(self, args, nargsf, on_start, TRC_HANDLES_CALL))
CALLBACK(on_resume_timed, timed(self, args, nargsf, on_resume, TRC_HANDLES_RESUME))
CALLBACK(on_throw_timed, timed(self, args, nargsf, on_throw, TRC_HANDLES_RESUME))
CALLBACK(on_return_timed, timed(self, args, nargsf, on_return, TRC_HANDLES_RETURN))
CALLBACK(on_yield_timed, timed(self, args, nargsf, on_yield, TRC_HANDLES_YIELD))
CALLBACK(on_unwind_timed, timed(self, args, nargsf, on_unwind, TRC_HANDLES_RETURN))
CALLBACK(on_call_timed, timed(self, args, nargsf, on_any_call, TRC_HANDLES_C_CALL))
CALLBACK(on_c_leave_timed, timed(self, args, nargsf, on_c_leave, TRC_HANDLES_C_RETURN))

static inline PyObject *count(trc_dispatcher *dispatcher, PyObject *result)
{
    if (trc_calibration_counts_down(&dispatcher->calibrations[TRC_MONITORING])) {
        time_handlers(dispatcher, TRC_TIMES_ALL);
    }
    return result;
}

CALLBACK(on_start_counted, count(dispatcher_of(self), enter(self, args, nargsf, TRC_CALLED, false)))
CALLBACK(on_call_counted, count(dispatcher_of(self), on_any_call(self, args, nargsf, names)))

/* -- The back end -- */

/* Of each kind: the function, the scope, and the functions with a log, a filter, counted and timed. */
static const trc_tool_callback callbacks[] = {
    {"PY_START", on_start, TRC_PYTHON, on_start_logged, NULL, on_start_counted, on_start_timed},
    {"PY_RESUME", on_resume, TRC_PYTHON, on_resume_logged, NULL, NULL, on_resume_timed},
    {"PY_THROW", on_throw, TRC_PYTHON, on_throw_logged, NULL, NULL, on_throw_timed},
    {"PY_RETURN", on_return, TRC_PYTHON, on_return_logged, NULL, NULL, on_return_timed},
    {"PY_YIELD", on_yield, TRC_PYTHON, on_yield_logged, NULL, NULL, on_yield_timed},
    {"PY_UNWIND", on_unwind, TRC_PYTHON, on_unwind_logged, NULL, NULL, on_unwind_timed},
    {"CALL", on_call, TRC_BUILTINS, on_call_logged, on_call_filtered, on_call_counted, on_call_timed},
    {"C_RETURN", on_c_leave, TRC_BUILTINS, on_c_leave_logged, NULL, NULL, on_c_leave_timed},
    {"C_RAISE", on_c_leave, TRC_BUILTINS, on_c_leave_logged, NULL, NULL, on_c_leave_timed},
};

_Static_assert(sizeof callbacks / sizeof *callbacks <= TRC_TOOL_EVENTS, "a session has room for each");

static trc_tool_target target_of(trc_dispatcher *dispatcher)
{
    return (trc_tool_target){&dispatcher->held, dispatcher, callbacks, sizeof callbacks / sizeof *callbacks};
}

static trc_start_result start(trc_dispatcher *dispatcher, const trc_recorder *recorder)
{
    trc_tool_target target = target_of(dispatcher);
    return trc_calls_monitoring_start(&dispatcher->shared.calls_monitoring, &target,
                                      &dispatcher->wanted[TRC_MONITORING],
                                      recorder->base.filter == NULL ? 0 : recorder->base.filter->number);
}

static void stop(trc_dispatcher *dispatcher)
{
    trc_tool_target target = target_of(dispatcher);
    trc_calls_monitoring_stop(&dispatcher->shared.calls_monitoring, &target, &dispatcher->wanted[TRC_MONITORING]);
}

const trc_backend_methods trc_monitoring_methods = {start, stop, NULL};

#endif
