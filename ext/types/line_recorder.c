/* The LineRecorder type, which tracer.data.lines and tracer.api.line_profiler use. It times the lines of the code
 * objects that it is given, or of all code below some paths. */
#include "types/line_recorder.h"

#include "dispatch/enabling.h"
#include "sources/allocators.h"
#include "types/line_snapshot.h"
#include "types/recording_object.h"

#include <stddef.h>
#include <stdlib.h>

typedef struct line_recorder_object {
    PyObject_HEAD
    trc_dispatcher_object *dispatcher_object; /* owned */
    trc_line_recorder recorder;
    bool is_on;       /* enable() was called after the last disable() */
    Py_ssize_t holds; /* calls of hold() since then, without their release() */
} line_recorder_object;

_Static_assert(offsetof(line_recorder_object, recorder) == offsetof(trc_recording_object, recording),
               "it begins as that does");

static line_recorder_object *as_object(PyObject *self)
{
    return (line_recorder_object *)self;
}

static trc_line_recorder *recorder_of(PyObject *self)
{
    return &as_object(self)->recorder;
}

static PyObject *line_recorder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    const trc_state *state = trc_state_of_type(type);
    PyObject *self = trc_recording_object_new(type, state);
    if (self != NULL) {
        trc_line_recorder_init(recorder_of(self), self, &trc_recording_dispatcher(self)->shared);
    }
    return self;
}

/* Checks `backend`: each version has one. 0, or -1 with ValueError set. */
static int check_backend(const char *wanted)
{
    if (wanted != NULL && strcmp(wanted, trc_lines_backend) != 0) {
        PyErr_Format(PyExc_ValueError, "backend %s is not to be had for lines here: it is %s, %s", wanted,
                     trc_lines_backend, trc_lines_reason);
        return -1;
    }
    return 0;
}

/* Whether the number is a cost; a NaN is not. */
static bool is_cost(double seconds)
{
    return seconds >= 0.0 && seconds <= 1000.0;
}

/* Reads the costs of a line, a call and a C call, from seconds into ticks. 0, or -1 with an exception set. */
static int read_costs(trc_linecosts *costs, PyObject *seconds, const trc_timer_choice *choice, trc_moment imported_at)
{
    double line, call, c;
    *costs = (trc_linecosts){0, 0, 0};
    if (seconds == Py_None) {
        return 0;
    }
    if (!PyTuple_Check(seconds)) {
        PyErr_Format(PyExc_TypeError, "costs must be None or a tuple (line, call, c) of seconds, not %R", seconds);
        return -1;
    }
    if (!PyArg_ParseTuple(seconds, "ddd:costs", &line, &call, &c)) {
        return -1;
    }
    if (!is_cost(line) || !is_cost(call) || !is_cost(c)) {
        PyErr_Format(PyExc_ValueError, "costs must be seconds that an event can take, not %R", seconds);
        return -1;
    }
    trc_moment since = trc_moment_since(trc_clock_moment(&choice->clock), imported_at);
    double tick = choice->callable == NULL ? trc_clock_seconds_per_tick(&choice->clock, since, since)
                  : choice->unit > 0.0     ? choice->unit
                                           : 1e-9;
    double largest = line > call ? line : call;
    largest = largest > c ? largest : c;
    if (!(largest / tick < 0x1p63)) {
        PyErr_SetString(PyExc_ValueError, "timeunit is too small: an event costs more units than 64 bits can count");
        return -1;
    }
    *costs = (trc_linecosts){(trc_tick)(line / tick + 0.5), (trc_tick)(call / tick + 0.5), (trc_tick)(c / tick + 0.5)};
    return 0;
}

/* As trc_option_timer(), with one more clock: the bytes that a thread has allocated and not freed, each a nanosecond. */
static int choose_clock(trc_timer_choice *choice, PyObject *timer, double unit, trc_clock wall)
{
    bool is_memory = PyUnicode_Check(timer) && PyUnicode_CompareWithASCIIString(timer, "memory") == 0;
    if (trc_option_timer(choice, is_memory ? Py_None : timer, unit, wall) < 0) {
        return -1;
    }
    if (is_memory) {
        choice->clock = trc_clock_injected(trc_allocators_net, NULL, 1e-9);
        choice->clock.name = "memory";
        choice->clock.is_of_thread = true;
    }
    return 0;
}

static bool is_given(PyObject *paths)
{
    return paths != NULL && PyTuple_GET_SIZE(paths) > 0;
}

static int line_recorder_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"timer", "timeunit", "calls",       "whole", "include", "exclude",
                            "own",   "own_but",  "first_lines", "costs", "backend", NULL};
    trc_line_recorder *recorder = recorder_of(self);
    const trc_state *state = trc_state_of_type(Py_TYPE(self));
    PyObject *timer = Py_None, *include = NULL, *exclude = NULL, *own = NULL, *own_but = NULL;
    PyObject *first_lines = Py_None, *seconds = Py_None;
    const char *backend = NULL;
    double unit = 0.0;
    int calls = 0, whole = 0;
    trc_timer_choice choice;
    trc_linecosts costs;
    trc_filter *filter = NULL;
    if (state == NULL ||
        !PyArg_ParseTupleAndKeywords(args, kwargs, "|Od$ppO!O!O!O!OOz:LineRecorder", names, &timer, &unit, &calls,
                                     &whole, &PyTuple_Type, &include, &PyTuple_Type, &exclude, &PyTuple_Type, &own,
                                     &PyTuple_Type, &own_but, &first_lines, &seconds, &backend) ||
        trc_refuse_in_timer(self, "set up") < 0 ||
        choose_clock(&choice, timer, unit, recorder->base.shared->wall) < 0 || check_backend(backend) < 0 ||
        read_costs(&costs, seconds, &choice, state->imported_at) < 0) {
        return -1;
    }
    if (calls && !TRC_HAS_MONITORING) {
        PyErr_SetString(PyExc_ValueError, "calls cannot be told from lines: that needs Python 3.12 or later");
        return -1;
    }
    if (first_lines != Py_None && !PyCallable_Check(first_lines)) {
        PyErr_Format(PyExc_TypeError, "first_lines must be None or a callable, not %R", first_lines);
        return -1;
    }
    if (!whole && (is_given(include) || is_given(exclude) || is_given(own) || is_given(own_but))) {
        PyErr_SetString(PyExc_ValueError, "paths are for whole=True: without it code is added by add_code()");
        return -1;
    }
    if (whole && (filter = trc_option_filter(include, exclude, own, own_but)) == NULL) {
        return -1;
    }
    int stopped = trc_stop_to_set_up(self);
    as_object(self)->is_on = false;
    as_object(self)->holds = 0;
    if (stopped < 0) {
        trc_filter_free(filter);
        return -1;
    }
    recorder->sees_calls = calls;
    recorder->costs = costs;
    PyObject *old = recorder->first_lines;
    recorder->first_lines = first_lines == Py_None ? NULL : Py_NewRef(first_lines);
    trc_recording_set_up(&recorder->base, filter, &choice);
    Py_XDECREF(old);
    trc_line_recorder_clear(recorder, false);
    return 0;
}

PyDoc_STRVAR(add_code_doc,
             "add_code($self, code, /)\n--\n\n"
             "Time the lines of a code object, from now on if the recorder is enabled. Returns False when it\n"
             "times this code object already, or as many as it can.");

static PyObject *line_recorder_add_code(PyObject *self, PyObject *code)
{
    if (!PyCode_Check(code)) {
        return PyErr_Format(PyExc_TypeError, "add_code() needs a code object, not %R", code);
    }
    int added = trc_refuse_in_timer(self, "add code to") < 0
                    ? -1
                    : trc_line_recorder_add(recorder_of(self), (PyCodeObject *)code);
    return added < 0 ? NULL : PyBool_FromLong(added);
}

/* -- On and off: by enable() and disable(), and by holds in between -- */

PyDoc_STRVAR(enable_doc, "enable($self, /)\n--\n\n"
                         "Begin to record in every thread, or go on.");

static PyObject *line_recorder_enable(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (trc_refuse_in_timer(self, "enable") < 0 ||
        trc_dispatch_enable_lines(trc_recording_dispatcher(self), recorder_of(self)) < 0) {
        return NULL;
    }
    as_object(self)->is_on = true;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(disable_doc, "disable($self, /)\n--\n\n"
                          "Stop recording in every thread. The record is kept.");

static PyObject *line_recorder_disable(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (trc_refuse_in_timer(self, "disable") < 0) {
        return NULL;
    }
    as_object(self)->is_on = false;
    as_object(self)->holds = 0;
    trc_dispatch_disable(trc_recording_dispatcher(self), &recorder_of(self)->base);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(hold_doc, "hold($self, /)\n--\n\n"
                       "Record until release() has been called as often as hold(), or disable() is called.");

static PyObject *line_recorder_hold(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (trc_refuse_in_timer(self, "enable") < 0 ||
        trc_dispatch_enable_lines(trc_recording_dispatcher(self), recorder_of(self)) < 0) {
        return NULL;
    }
    as_object(self)->holds++;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(
    release_doc,
    "release($self, /)\n--\n\n"
    "Stop recording when release() has been called as often as hold(), unless enable() has been called.\n\n"
    "Recording can then go on in next to no time. Meanwhile the code objects cost nearly what they cost while they\n"
    "are recorded.");

static PyObject *line_recorder_release(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (trc_refuse_in_timer(self, "disable") < 0) {
        return NULL;
    }
    if (as_object(self)->holds > 0 && --as_object(self)->holds == 0 && !as_object(self)->is_on) {
        trc_dispatch_rest_lines(trc_recording_dispatcher(self), recorder_of(self));
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(clear_doc, "clear($self, /)\n--\n\n"
                        "Forget the figures. The code objects stay. A recorder that is enabled goes on recording.");

static PyObject *line_recorder_clear(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (trc_refuse_in_timer(self, "clear") < 0) {
        return NULL;
    }
    trc_line_recorder_clear(recorder_of(self), true);
    Py_RETURN_NONE;
}

/* -- The snapshot -- */

PyDoc_STRVAR(
    snapshot_doc,
    "snapshot($self, /)\n--\n\n"
    "Return the whole record as a dict: see tracer.data.lines. Works while enabled; recording goes on.\n\n"
    "codes: (file, first line, name, qualified name) of each code object, hit or not.\n"
    "threads: dicts with ident, native_id and lines, the packed records of struct '=IIQqqqqq': position in codes,\n"
    "line, hits, and five numbers of ticks. These are the ticks with callees, in C callables (-1: not known), own\n"
    "(-1: not known), suspended, and the overhead of recording in the ticks with callees. And line_waits, packed as\n"
    "'=IIq': position in lines, 0, and the ticks that the line waited; none where the clock has no CPU time.\n"
    "Where native samples fell on lines, line_samples, packed as '=IIqq': position in lines, 0, and the ns of CPU time\n"
    "in the interpreter's own loop, and in native code.\n"
    "measured: the seconds for which the recorder was enabled.");

static PyObject *line_recorder_snapshot(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    trc_line_recorder *recorder = recorder_of(self);
    const trc_state *state = trc_state_of_type(Py_TYPE(self));
    if (state == NULL) {
        return NULL;
    }
    trc_line_recorder_catch_up(recorder); /* a custom timer runs code; nothing below does */
    int collecting = trc_pause_collection();
    trc_moment measured = trc_recording_measured(&recorder->base);
    trc_moment since_import = trc_moment_since(trc_recording_latest(&recorder->base), state->imported_at);
    double tick = trc_clock_seconds_per_tick(&recorder->base.clock, measured, since_import);
    PyObject *dict = trc_line_snapshot_as_dict(recorder, tick, (double)measured.ticks * tick);
    trc_resume_collection(collecting);
    return dict;
}

static PyObject *line_recorder_enter(PyObject *self, PyObject *ignored)
{
    PyObject *enabled = line_recorder_enable(self, ignored);
    if (enabled == NULL) {
        return NULL;
    }
    Py_DECREF(enabled);
    return Py_NewRef(self);
}

static PyObject *line_recorder_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return line_recorder_disable(self, NULL);
}

static PyObject *line_recorder_get_backend(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *why = PyUnicode_FromString(trc_lines_reason);
    PyObject *backend = why == NULL ? NULL : trc_backend_as_str(Py_TYPE(self), trc_lines_backend, why, false);
    Py_XDECREF(why);
    return backend;
}

static PyObject *line_recorder_get_holds(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSsize_t(as_object(self)->holds);
}

static PyMethodDef methods[] = {
    {"add_code", line_recorder_add_code, METH_O, add_code_doc},
    {"enable", line_recorder_enable, METH_NOARGS, enable_doc},
    {"disable", line_recorder_disable, METH_NOARGS, disable_doc},
    {"hold", line_recorder_hold, METH_NOARGS, hold_doc},
    {"release", line_recorder_release, METH_NOARGS, release_doc},
    {"clear", line_recorder_clear, METH_NOARGS, clear_doc},
    {"snapshot", line_recorder_snapshot, METH_NOARGS, snapshot_doc},
    {"__enter__", line_recorder_enter, METH_NOARGS, "Enable; returns the recorder."},
    {"__exit__", line_recorder_exit, METH_VARARGS, "Disable."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"enabled", trc_recording_get_enabled, NULL, "bool: whether the recorder is recording now.", NULL},
    {"holds", line_recorder_get_holds, NULL, "int: how many calls of hold() have no release() yet.", NULL},
    {"backend", line_recorder_get_backend, NULL,
     "str: what tells the recorder of lines, \"monitoring\" or \"settrace\". Its attribute `reason` says why.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(
    line_recorder_doc,
    "LineRecorder(timer=None, timeunit=0.0, *, calls=False, whole=False, include=(), exclude=(), own=(), own_but=(),\n"
    "             first_lines=None, costs=None, backend=None)\n--\n\n"
    "Counts and times the lines of code objects while it is enabled, in every thread.\n\n"
    "timer, timeunit: as for Profiler; or 'memory', for lines by what they allocate: the bytes that the thread has\n"
    "allocated and not freed count as nanoseconds. A Profiler with memory must be enabled meanwhile.\n"
    "calls: see calls of Python functions, too, so that a line's own time is known (3.12 and later).\n"
    "whole: add every code object at its first sight, if the paths say so. include, exclude, own, own_but: tuples of\n"
    "resolved paths, in which * stands for anything. Code of `include` is added, and code of `own` that is not of\n"
    "`own_but`; all code, when both `include` and `own` are empty. Code of `exclude` is never added.\n"
    "first_lines: None, or a callable that is called once with each code object. It returns bytes, a native int32 for\n"
    "each line from co_firstlineno on: the line on which the statement of that line begins. It returns None when each\n"
    "line is a statement of its own.\n"
    "costs: None, or the seconds that one event of each kind takes: (line, call, C call).\n"
    "backend: 'monitoring' (3.12 and later), 'settrace' (before), or None.");

PyTypeObject *trc_line_recorder_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)line_recorder_doc},
        {Py_tp_new, line_recorder_new},
        {Py_tp_init, line_recorder_init},
        {Py_tp_dealloc, trc_recording_object_dealloc},
        {Py_tp_finalize, trc_recording_object_finalize},
        {Py_tp_traverse, trc_recording_object_traverse},
        {Py_tp_clear, trc_recording_object_clear},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.LineRecorder",
        .basicsize = sizeof(line_recorder_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
