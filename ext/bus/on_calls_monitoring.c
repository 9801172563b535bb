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

static inline PyObject *enter(PyObject *self, PyObject *const *args, size_t nargsf, trc_entry entry)
{
    if (!has_arguments(nargsf, 1)) {
        return refuse();
    }
    PyObject *code = args[0];
    const PyThreadState *state = trc_this_thread();
    trc_tick now = 0;
    trc_fast_result result =
        trc_fast_enter(bus_of(self), TRC_MONITORING, state, code, TRC_PYTHON, trc_frame_of(state), entry, &now);
    if (result == TRC_FAST_DONE) {
        Py_RETURN_NONE;
    }
    return enter_slowly(self, code, entry, result, now);
}

static PyObject *on_start(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    return enter(self, args, nargsf, TRC_CALLED);
}

static PyObject *on_resume(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    return enter(self, args, nargsf, TRC_RESUMED);
}

__attribute__((noinline)) static PyObject *leave_slowly(PyObject *self, trc_activation id, trc_callable_scope scope)
{
    trc_bus_leave(bus_of(self), TRC_MONITORING, id, scope);
    Py_RETURN_NONE;
}

static inline PyObject *leave(PyObject *self, trc_activation is_c, trc_callable_scope scope)
{
    const PyThreadState *state = trc_this_thread();
    trc_activation id = trc_frame_of(state) | is_c;
    if (trc_fast_leave(bus_of(self), TRC_MONITORING, state, id, scope)) {
        Py_RETURN_NONE;
    }
    return leave_slowly(self, id, scope);
}

static PyObject *on_leave(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)args, (void)nargsf, (void)names;
    return leave(self, 0, TRC_PYTHON);
}

__attribute__((noinline)) static PyObject *suspend_slowly(PyObject *self, PyObject *code)
{
    if (!PyCode_Check(code)) {
        return refuse();
    }
    trc_bus_suspend(bus_of(self), TRC_MONITORING, trc_frame_of(trc_this_thread()), code);
    Py_RETURN_NONE;
}

static PyObject *on_yield(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!has_arguments(nargsf, 1)) {
        return refuse();
    }
    PyObject *code = args[0];
    const PyThreadState *state = trc_this_thread();
    if (trc_fast_suspend(bus_of(self), TRC_MONITORING, state, trc_frame_of(state), code)) {
        Py_RETURN_NONE;
    }
    return suspend_slowly(self, code);
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

__attribute__((noinline)) static PyObject *call_c(PyObject *self, PyObject *const *args)
{
    const void *key;
    if (!trc_find_frequent_key(&key, args[2], args[3])) {
        return call_slowly(self, args, TRC_FAST_CLOSED, 0);
    }
    const PyThreadState *state = trc_this_thread();
    trc_tick now = 0;
    trc_fast_result result = trc_fast_enter(bus_of(self), TRC_MONITORING, state, key, TRC_BUILTINS,
                                            trc_frame_of(state) | 1, TRC_CALLED, &now);
    if (result == TRC_FAST_DONE) {
        Py_RETURN_NONE;
    }
    return call_slowly(self, args, result, now);
}

static PyObject *on_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    if (!has_arguments(nargsf, 4) || Py_IS_TYPE(args[2], &PyFunction_Type)) {
        Py_RETURN_NONE;
    }
    return call_c(self, args);
}

/* Only a call that is recorded is on the stack. So the end of any other changes nothing. */
static PyObject *on_c_leave(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)args, (void)nargsf, (void)names;
    return leave(self, 1, TRC_BUILTINS);
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
    const PyThreadState *state = PyThreadState_Get();
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
    const PyThreadState *state = PyThreadState_Get();
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
    const PyThreadState *state = PyThreadState_Get();
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
    const PyThreadState *state = PyThreadState_Get();
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

/* -- The back end -- */

static const trc_calls_callback callbacks[] = {
    {"PY_START", on_start, on_start_filtered, TRC_PYTHON},
    {"PY_RESUME", on_resume, on_resume_filtered, TRC_PYTHON},
    {"PY_THROW", on_resume, on_throw_filtered, TRC_PYTHON},
    {"PY_RETURN", on_leave, on_return_filtered, TRC_PYTHON},
    {"PY_YIELD", on_yield, on_yield_filtered, TRC_PYTHON},
    {"PY_UNWIND", on_leave, on_unwind_filtered, TRC_PYTHON},
    {"CALL", on_call, on_call_filtered, TRC_BUILTINS},
    {"C_RETURN", on_c_leave, on_c_leave_filtered, TRC_BUILTINS},
    {"C_RAISE", on_c_leave, on_c_leave_filtered, TRC_BUILTINS},
};

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
