/* The sys.monitoring back end: the callbacks, and what is recorded of their events. The interpreter calls an object for
 * each kind of event. tracer's objects are of a heap type with a vectorcall slot, which costs 10 to 20 ns an event less
 * than a builtin function.
 *
 *     PY_START, PY_RESUME, PY_THROW      enter a frame          CALL                enter what is written in C
 *     PY_RETURN, PY_YIELD, PY_UNWIND     leave it               C_RETURN, C_RAISE   leave it
 *
 * An activation is named after the address of the interpreter's frame, which never moves while it lives. So a leave
 * whose enter was not reported finds no activation of its name, and changes nothing. */
#include "bus/fast_path.h"
#include "interp/callback.h"

#if TRC_HAS_MONITORING

static inline trc_bus *bus_of(PyObject *self)
{
    return ((trc_callback *)self)->context;
}

/* -- The callbacks. They return None and never DISABLE, which would hide later calls at the same place (but see the
 *    filtered ones). A program can get hold of them, so they check their arguments. -- */

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

/* The long ways are functions of their own, which take few arguments, so that the short ones save few registers. */

__attribute__((noinline)) static PyObject *enter_slowly(PyObject *self, PyObject *code, trc_entry entry,
                                                        trc_fast_result result, trc_tick now)
{
    if (!PyCode_Check(code)) {
        return refuse();
    }
    trc_callee callee = {code, code, TRC_PYTHON};
    trc_activation id = trc_frame_of(trc_this_thread());
    trc_enter_after(result, bus_of(self), TRC_MONITORING, &callee, id, entry, now);
    Py_RETURN_NONE;
}

TRC_FAST PyObject *enter(PyObject *self, PyObject *const *args, size_t nargsf, trc_entry entry, bool is_logged)
{
    if (!has_arguments(nargsf, 1)) {
        return refuse();
    }
    PyObject *code = args[0];
    const PyThreadState *state = trc_this_thread();
    trc_tick now = 0;
    trc_fast_result result = trc_fast_enter(bus_of(self), TRC_MONITORING, state, code, TRC_PYTHON, trc_frame_of(state),
                                            entry, &now, is_logged);
    if (result == TRC_FAST_DONE) {
        Py_RETURN_NONE;
    }
    return enter_slowly(self, code, entry, result, now);
}

static PyObject *on_start(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    return enter(self, args, nargsf, TRC_CALLED, false);
}

static PyObject *on_resume(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    return enter(self, args, nargsf, TRC_RESUMED, false);
}

__attribute__((noinline)) static PyObject *leave_slowly(PyObject *self, trc_activation id, trc_callable_scope scope)
{
    trc_bus_leave(bus_of(self), TRC_MONITORING, id, scope);
    Py_RETURN_NONE;
}

TRC_FAST PyObject *leave(PyObject *self, trc_activation is_c, trc_callable_scope scope, bool is_logged)
{
    const PyThreadState *state = trc_this_thread();
    trc_activation id = trc_frame_of(state) | is_c;
    if (trc_fast_leave(bus_of(self), TRC_MONITORING, state, id, scope, is_logged)) {
        Py_RETURN_NONE;
    }
    return leave_slowly(self, id, scope);
}

static PyObject *on_leave(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)args, (void)nargsf, (void)names;
    return leave(self, 0, TRC_PYTHON, false);
}

__attribute__((noinline)) static PyObject *suspend_slowly(PyObject *self, PyObject *code)
{
    if (!PyCode_Check(code)) {
        return refuse();
    }
    trc_bus_suspend(bus_of(self), TRC_MONITORING, trc_frame_of(trc_this_thread()), code);
    Py_RETURN_NONE;
}

TRC_FAST PyObject *suspend(PyObject *self, PyObject *const *args, size_t nargsf, bool is_logged)
{
    if (!has_arguments(nargsf, 1)) {
        return refuse();
    }
    PyObject *code = args[0];
    const PyThreadState *state = trc_this_thread();
    if (trc_fast_suspend(bus_of(self), TRC_MONITORING, state, trc_frame_of(state), code, is_logged)) {
        Py_RETURN_NONE;
    }
    return suspend_slowly(self, code);
}

static PyObject *on_yield(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    return suspend(self, args, nargsf, false);
}

/* Finds the callee of a CALL event. Returns false when it is not recorded. */
static inline bool find_callee(trc_callee *callee, const trc_bus *bus, PyObject *const *args)
{
    const trc_calls_monitoring *source = &bus->calls_monitoring;
    PyObject *first = args[3] == source->missing ? NULL : args[3];
    return trc_callee_from_object(callee, args[2], first, source->scope);
}

__attribute__((noinline)) static PyObject *call_slowly(PyObject *self, PyObject *const *args, trc_fast_result result,
                                                       trc_tick now)
{
    trc_callee callee;
    if (find_callee(&callee, bus_of(self), args)) {
        trc_activation id = trc_frame_of(trc_this_thread()) | 1;
        trc_enter_after(result, bus_of(self), TRC_MONITORING, &callee, id, TRC_CALLED, now);
    }
    Py_RETURN_NONE;
}

TRC_FAST PyObject *call_c(PyObject *self, PyObject *const *args, bool is_logged)
{
    const void *key;
    if (!trc_find_frequent_key(&key, args[2], args[3])) {
        return call_slowly(self, args, TRC_FAST_CLOSED, 0);
    }
    const PyThreadState *state = trc_this_thread();
    trc_tick now = 0;
    trc_fast_result result = trc_fast_enter(bus_of(self), TRC_MONITORING, state, key, TRC_BUILTINS,
                                            trc_frame_of(state) | 1, TRC_CALLED, &now, is_logged);
    if (result == TRC_FAST_DONE) {
        Py_RETURN_NONE;
    }
    return call_slowly(self, args, result, now);
}

__attribute__((noinline)) static PyObject *call_c_unlogged(PyObject *self, PyObject *const *args)
{
    return call_c(self, args, false);
}

__attribute__((noinline)) static PyObject *call_c_logged(PyObject *self, PyObject *const *args)
{
    return call_c(self, args, true);
}

static PyObject *on_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!has_arguments(nargsf, 4) || Py_IS_TYPE(args[2], &PyFunction_Type)) {
        Py_RETURN_NONE;
    }
    return call_c_unlogged(self, args);
}

/* Only a call that is recorded is on the stack. So the end of any other changes nothing. */
static PyObject *on_c_leave(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)args, (void)nargsf, (void)names;
    return leave(self, 1, TRC_BUILTINS, false);
}

/* -- The callbacks where a recorder writes a log -- */

static PyObject *on_start_logged(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    return enter(self, args, nargsf, TRC_CALLED, true);
}

static PyObject *on_resume_logged(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    return enter(self, args, nargsf, TRC_RESUMED, true);
}

static PyObject *on_leave_logged(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)args, (void)nargsf, (void)names;
    return leave(self, 0, TRC_PYTHON, true);
}

static PyObject *on_yield_logged(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    return suspend(self, args, nargsf, true);
}

static PyObject *on_call_logged(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!has_arguments(nargsf, 4) || Py_IS_TYPE(args[2], &PyFunction_Type)) {
        Py_RETURN_NONE;
    }
    return call_c_logged(self, args);
}

static PyObject *on_c_leave_logged(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)args, (void)nargsf, (void)names;
    return leave(self, 1, TRC_BUILTINS, true);
}

/* -- The callbacks where a recorder has a filter. In code that all recorders leave out they return DISABLE, and the
 *    interpreter no longer reports that event at that place: after one decision, such code runs without overhead.
 *    PY_THROW, PY_UNWIND and the ends of C calls cannot be disabled: each of them costs one look into a table. -- */

static PyObject *answer(PyObject *self, bool is_wanted)
{
    if (is_wanted) {
        Py_RETURN_NONE;
    }
    trc_bus *bus = bus_of(self);
    const trc_recorder *first = bus->active[TRC_MONITORING];
    trc_filter *filter = first == NULL || first->next_active != NULL ? NULL : first->filter;
    return trc_calls_monitoring_silence(&bus->calls_monitoring, filter == NULL ? NULL : &filter->number);
}

static bool begins_with_code(PyObject *const *args, size_t nargsf)
{
    return has_arguments(nargsf, 1) && PyCode_Check(args[0]);
}

static inline trc_code_site site_of(PyObject *code)
{
    return (trc_code_site){(PyCodeObject *)code, NULL, false, false};
}

static inline bool enter_filtered(PyObject *self, PyObject *code, trc_entry entry)
{
    trc_code_site site = site_of(code);
    trc_callee callee = {code, code, TRC_PYTHON};
    const PyThreadState *state = trc_this_thread();
    return trc_fast_enter_in(bus_of(self), TRC_MONITORING, state, &site, &callee, trc_frame_of(state), entry);
}

static PyObject *on_start_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!begins_with_code(args, nargsf)) {
        return refuse();
    }
    return answer(self, enter_filtered(self, args[0], TRC_CALLED));
}

static PyObject *on_resume_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!begins_with_code(args, nargsf)) {
        return refuse();
    }
    return answer(self, enter_filtered(self, args[0], TRC_RESUMED));
}

static PyObject *on_throw_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!begins_with_code(args, nargsf)) {
        return refuse();
    }
    enter_filtered(self, args[0], TRC_RESUMED);
    Py_RETURN_NONE;
}

static inline bool leave_filtered(PyObject *self, PyObject *code)
{
    trc_code_site site = site_of(code);
    const PyThreadState *state = trc_this_thread();
    return trc_fast_leave_in(bus_of(self), TRC_MONITORING, state, &site, trc_frame_of(state), TRC_PYTHON);
}

static PyObject *on_return_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!begins_with_code(args, nargsf)) {
        return refuse();
    }
    return answer(self, leave_filtered(self, args[0]));
}

static PyObject *on_unwind_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!begins_with_code(args, nargsf)) {
        return refuse();
    }
    leave_filtered(self, args[0]);
    Py_RETURN_NONE;
}

static PyObject *on_yield_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!begins_with_code(args, nargsf)) {
        return refuse();
    }
    trc_code_site site = site_of(args[0]);
    const PyThreadState *state = trc_this_thread();
    return answer(self, trc_fast_suspend_in(bus_of(self), TRC_MONITORING, state, &site, trc_frame_of(state)));
}

static PyObject *on_call_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!begins_with_code(args, nargsf)) {
        return refuse();
    }
    trc_bus *bus = bus_of(self);
    trc_code_site site = site_of(args[0]);
    trc_callee callee;
    if (!has_arguments(nargsf, 4) || !find_callee(&callee, bus, args)) {
        return answer(self, trc_fast_wants(bus, TRC_MONITORING, &site));
    }
    const PyThreadState *state = trc_this_thread();
    return answer(self,
                  trc_fast_enter_in(bus, TRC_MONITORING, state, &site, &callee, trc_frame_of(state) | 1, TRC_CALLED));
}

static PyObject *on_c_leave_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!begins_with_code(args, nargsf)) {
        return refuse();
    }
    trc_code_site site = site_of(args[0]);
    const PyThreadState *state = trc_this_thread();
    trc_fast_leave_in(bus_of(self), TRC_MONITORING, state, &site, trc_frame_of(state) | 1, TRC_BUILTINS);
    Py_RETURN_NONE;
}

/* -- The callbacks where a recorder wants a sample of the handlers timed. Most events go to those above; only calls are
 *    counted. Now and then there is a burst: all events up to the next call are timed. -- */

static trc_calls_sink sink_of(trc_bus *bus);

__attribute__((noinline)) static void time_handlers(trc_bus *bus, trc_calls_timed timed)
{
    trc_calls_sink sink = sink_of(bus);
    trc_calls_monitoring_time(&bus->calls_monitoring, &sink, timed);
}

/* Whether a CALL event, or the end of such a call, is about what has a row. */
static bool has_row(const trc_bus *bus, PyObject *const *args, size_t nargsf)
{
    trc_callee callee;
    return has_arguments(nargsf, 4) && find_callee(&callee, bus, args);
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
static void note_unseen(trc_bus *bus, PyObject *const *args, size_t nargsf, uint32_t calls)
{
    trc_recorder *recorder = trc_sampled(bus->only_active[TRC_MONITORING]);
    if (recorder != NULL && has_arguments(nargsf, 4) && !is_call_site(args, nargsf) && !has_row(bus, args, nargsf)) {
        /* Tracing adds 25 ns to type(x), but 100 ns to super().method() besides what it adds to the method. */
        trc_recorder_note_unseen(recorder, args[2] == (PyObject *)&PySuper_Type ? 4 * (uint64_t)calls : calls);
    }
}

/* Whether events of this kind are those that are counted: where C calls are reported, CALL comes for all calls. */
static bool is_counted(const trc_bus *bus, trc_handler handler)
{
    return handler == (bus->calls_monitoring.scope > TRC_PYTHON ? TRC_HANDLES_C_CALL : TRC_HANDLES_CALL);
}

static bool is_filtered(const trc_bus *bus)
{
    return bus->wanted[TRC_MONITORING].filtered > 0;
}

static PyObject *timed(PyObject *self, PyObject *const *args, size_t nargsf, vectorcallfunc plain,
                       vectorcallfunc filtered, trc_handler handler)
{
    trc_bus *bus = bus_of(self);
    vectorcallfunc function = is_filtered(bus) ? filtered : plain;
    trc_sample sample = trc_sample_begin(bus->only_active[TRC_MONITORING]);
    PyObject *result = function(self, args, nargsf, NULL);
    trc_sample_end(&sample, bus->only_active[TRC_MONITORING]);
    bool is_c = handler == TRC_HANDLES_C_CALL || handler == TRC_HANDLES_C_RETURN;
    trc_handler kept = handler == TRC_HANDLES_C_CALL && is_call_site(args, nargsf) ? TRC_HANDLES_CALL_SITE : handler;
    if (result != NULL && begins_with_code(args, nargsf) && (!is_c || kept != handler || has_row(bus, args, nargsf))) {
        trc_sample_keep(&sample, kept, (PyCodeObject *)args[0], is_far(args, nargsf));
    }
    trc_sampler *sampler = &bus->samplers[TRC_MONITORING];
    if (is_counted(bus, handler)) {
        time_handlers(bus, TRC_TIMES_NONE);
        note_unseen(bus, args, nargsf, trc_sampler_end_burst(sampler));
    }
    else if (trc_sampler_is_full(sampler)) {
        time_handlers(bus, TRC_TIMES_COUNTED);
    }
    return result;
}

#define TIMED(name, plain, filtered, handler)                                                    \
    static PyObject *name(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names) \
    {                                                                                            \
        (void)names;                                                                             \
        return timed(self, args, nargsf, plain, filtered, handler);                              \
    }

TIMED(on_start_timed, on_start, on_start_filtered, TRC_HANDLES_CALL)
TIMED(on_resume_timed, on_resume, on_resume_filtered, TRC_HANDLES_RESUME)
TIMED(on_throw_timed, on_resume, on_throw_filtered, TRC_HANDLES_RESUME)
TIMED(on_return_timed, on_leave, on_return_filtered, TRC_HANDLES_RETURN)
TIMED(on_yield_timed, on_yield, on_yield_filtered, TRC_HANDLES_YIELD)
TIMED(on_unwind_timed, on_leave, on_unwind_filtered, TRC_HANDLES_RETURN)
TIMED(on_call_timed, on_call, on_call_filtered, TRC_HANDLES_C_CALL)
TIMED(on_c_leave_timed, on_c_leave, on_c_leave_filtered, TRC_HANDLES_C_RETURN)

static inline PyObject *count(trc_bus *bus, PyObject *result)
{
    if (trc_sampler_counts_down(&bus->samplers[TRC_MONITORING])) {
        time_handlers(bus, TRC_TIMES_ALL);
    }
    return result;
}

static PyObject *on_start_counted(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    trc_bus *bus = bus_of(self);
    return count(bus, is_filtered(bus) ? on_start_filtered(self, args, nargsf, names)
                                       : enter(self, args, nargsf, TRC_CALLED, false));
}

static PyObject *on_call_counted(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    trc_bus *bus = bus_of(self);
    return count(bus,
                 is_filtered(bus) ? on_call_filtered(self, args, nargsf, names) : on_call(self, args, nargsf, names));
}

/* -- The back end -- */

static const trc_calls_callback callbacks[] = {
    {"PY_START", on_start, on_start_logged, on_start_filtered, on_start_counted, on_start_timed, TRC_PYTHON},
    {"PY_RESUME", on_resume, on_resume_logged, on_resume_filtered, NULL, on_resume_timed, TRC_PYTHON},
    {"PY_THROW", on_resume, on_resume_logged, on_throw_filtered, NULL, on_throw_timed, TRC_PYTHON},
    {"PY_RETURN", on_leave, on_leave_logged, on_return_filtered, NULL, on_return_timed, TRC_PYTHON},
    {"PY_YIELD", on_yield, on_yield_logged, on_yield_filtered, NULL, on_yield_timed, TRC_PYTHON},
    {"PY_UNWIND", on_leave, on_leave_logged, on_unwind_filtered, NULL, on_unwind_timed, TRC_PYTHON},
    {"CALL", on_call, on_call_logged, on_call_filtered, on_call_counted, on_call_timed, TRC_BUILTINS},
    {"C_RETURN", on_c_leave, on_c_leave_logged, on_c_leave_filtered, NULL, on_c_leave_timed, TRC_BUILTINS},
    {"C_RAISE", on_c_leave, on_c_leave_logged, on_c_leave_filtered, NULL, on_c_leave_timed, TRC_BUILTINS},
};

_Static_assert(sizeof callbacks / sizeof *callbacks == TRC_CALLS_CALLBACKS, "the source has room for each");

static trc_calls_sink sink_of(trc_bus *bus)
{
    return (trc_calls_sink){&bus->sink, bus, &bus->wanted[TRC_MONITORING], callbacks,
                            sizeof callbacks / sizeof *callbacks};
}

static trc_start_result start(trc_bus *bus, const trc_recorder *recorder)
{
    trc_calls_sink sink = sink_of(bus);
    return trc_calls_monitoring_start(&bus->calls_monitoring, &sink,
                                      recorder->filter == NULL ? 0 : recorder->filter->number);
}

static void stop(trc_bus *bus)
{
    trc_calls_sink sink = sink_of(bus);
    trc_calls_monitoring_stop(&bus->calls_monitoring, &sink);
}

static bool instrument_frames(trc_bus *bus, const trc_live_frames *live)
{
    return trc_calls_monitoring_instrument_frames(&bus->calls_monitoring, live);
}

const trc_backend_methods trc_monitoring_methods = {
    .start = start,
    .stop = stop,
    .activation_of = trc_calls_monitoring_activation_of,
    .instrument_frames = instrument_frames,
};

#endif
