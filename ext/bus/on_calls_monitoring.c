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

#define REQUIRE_CODE(args, nargsf)                                                  \
    if (PyVectorcall_NARGS(nargsf) < 1 || !PyCode_Check((args)[0])) {               \
        PyErr_SetString(PyExc_TypeError, "this is called by the interpreter only"); \
        return NULL;                                                                \
    }

static inline PyObject *enter(PyObject *self, PyObject *const *args, size_t nargsf, trc_entry entry)
{
    REQUIRE_CODE(args, nargsf);
    trc_callee callee = {args[0], args[0], TRC_PYTHON};
    PyThreadState *state = PyThreadState_Get();
    trc_fast_enter(bus_of(self), TRC_MONITORING, state, &callee, trc_frame_of(state), entry);
    Py_RETURN_NONE;
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

static PyObject *on_leave(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    PyThreadState *state = PyThreadState_Get();
    trc_fast_leave(bus_of(self), TRC_MONITORING, state, trc_frame_of(state), TRC_PYTHON);
    Py_RETURN_NONE;
}

static PyObject *on_yield(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    PyThreadState *state = PyThreadState_Get();
    trc_fast_suspend(bus_of(self), TRC_MONITORING, state, trc_frame_of(state), args[0]);
    Py_RETURN_NONE;
}

/* Finds the callee of a CALL event, or of its end. Returns false when it is not recorded. */
static inline bool find_callee(trc_callee *callee, const trc_bus *bus, PyObject *const *args, size_t nargsf)
{
    if (PyVectorcall_NARGS(nargsf) < 4) {
        return false;
    }
    const trc_calls_monitoring *source = &bus->calls_monitoring;
    PyObject *first = args[3] == source->missing ? NULL : args[3];
    return trc_callee_from_object(callee, args[2], first, source->scope);
}

static PyObject *on_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    trc_callee callee;
    if (find_callee(&callee, bus_of(self), args, nargsf)) {
        PyThreadState *state = PyThreadState_Get();
        trc_fast_enter(bus_of(self), TRC_MONITORING, state, &callee, trc_frame_of(state) | 1, TRC_CALLED);
    }
    Py_RETURN_NONE;
}

static PyObject *on_c_leave(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    trc_callee callee;
    if (find_callee(&callee, bus_of(self), args, nargsf)) {
        PyThreadState *state = PyThreadState_Get();
        trc_fast_leave(bus_of(self), TRC_MONITORING, state, trc_frame_of(state) | 1, callee.scope);
    }
    Py_RETURN_NONE;
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
    REQUIRE_CODE(args, nargsf);
    return answer(self, enter_filtered(self, args[0], TRC_CALLED));
}

static PyObject *on_resume_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    return answer(self, enter_filtered(self, args[0], TRC_RESUMED));
}

static PyObject *on_throw_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
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
    REQUIRE_CODE(args, nargsf);
    return answer(self, leave_filtered(self, args[0]));
}

static PyObject *on_unwind_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    leave_filtered(self, args[0]);
    Py_RETURN_NONE;
}

static PyObject *on_yield_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    trc_code_site site = site_of(args[0]);
    const PyThreadState *state = PyThreadState_Get();
    return answer(self, trc_fast_suspend_in(bus_of(self), TRC_MONITORING, state, &site, trc_frame_of(state)));
}

static PyObject *on_call_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    trc_bus *bus = bus_of(self);
    trc_code_site site = site_of(args[0]);
    trc_callee callee;
    if (!find_callee(&callee, bus, args, nargsf)) {
        return answer(self, trc_fast_wants(bus, TRC_MONITORING, &site));
    }
    const PyThreadState *state = PyThreadState_Get();
    return answer(self,
                  trc_fast_enter_in(bus, TRC_MONITORING, state, &site, &callee, trc_frame_of(state) | 1, TRC_CALLED));
}

static PyObject *on_c_leave_filtered(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    trc_code_site site = site_of(args[0]);
    trc_callee callee;
    if (find_callee(&callee, bus_of(self), args, nargsf)) {
        const PyThreadState *state = PyThreadState_Get();
        trc_fast_leave_in(bus_of(self), TRC_MONITORING, state, &site, trc_frame_of(state) | 1, callee.scope);
    }
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
