/* The Profiler type, base of tracer.Profile: cProfile's _lsprof.Profiler, and what the command needs. Its methods are
 * in C so that none of them becomes a row: a profile knows its own methods and leaves them out. */
#include "types/profiler.h"

#include "dispatch/collections.h"
#include "dispatch/enabling.h"
#include "interp/frame_layout.h"
#include "recorders/annotating.h"
#include "types/entries.h"
#include "types/memory.h"
#include "types/native.h"
#include "types/recording_object.h"
#include "types/sampled.h"
#include "types/timeline.h"

#include <stddef.h>
#include <unistd.h>

typedef struct profiler_object {
    PyObject_HEAD
    trc_dispatcher_object *dispatcher_object; /* owned */
    trc_recorder recorder;
} profiler_object;

_Static_assert(offsetof(profiler_object, recorder) == offsetof(trc_recording_object, recording),
               "it begins as that does");

static trc_recorder *recorder_of(PyObject *self)
{
    return &((profiler_object *)self)->recorder;
}

/* Reads the option `builtins`: False, True or "all". 0, or -1 with an exception set. */
static int read_scope(PyObject *builtins, trc_callable_scope *scope)
{
    if (PyUnicode_Check(builtins)) {
        if (PyUnicode_CompareWithASCIIString(builtins, "all") != 0) {
            PyErr_Format(PyExc_ValueError, "builtins must be True, False or 'all', not %R", builtins);
            return -1;
        }
        *scope = TRC_ALL_CALLABLES;
        return 0;
    }
    int truth = PyObject_IsTrue(builtins);
    *scope = truth > 0 ? TRC_BUILTINS : TRC_PYTHON;
    return truth < 0 ? -1 : 0;
}

/* Returns -1 with ValueError set when the back end does not see all callables of the scope. */
static int check_scope(const trc_backend *backend, trc_callable_scope scope)
{
    if (scope > TRC_BUILTINS && !backend->sees_all_callables) {
        PyErr_Format(PyExc_ValueError,
                     "builtins='all' cannot be recorded with the back end %s; use backend='monitoring', which needs "
                     "Python 3.12 or later, or builtins=True",
                     backend->name);
        return -1;
    }
    return 0;
}

/* Reads `include` and `exclude`: `*filter` is NULL when they leave nothing out. 0, or -1 with an exception set. */
static int read_filter(PyObject *include, PyObject *exclude, trc_filter **filter)
{
    *filter = NULL;
    Py_ssize_t paths =
        (include == NULL ? 0 : PyTuple_GET_SIZE(include)) + (exclude == NULL ? 0 : PyTuple_GET_SIZE(exclude));
    if (paths == 0) {
        return 0;
    }
    *filter = trc_option_filter(include, exclude, NULL, NULL);
    return *filter == NULL ? -1 : 0;
}

/* Reads `lines`: None, or a tuple of include, exclude, own and own_but, as a LineRecorder takes them. `*filter` is NULL for
 * None. 0, or -1 with an exception set. */
static int read_line_filter(PyObject *lines, trc_filter **filter)
{
    PyObject *include, *exclude, *own, *own_but;
    *filter = NULL;
    if (lines == Py_None) {
        return 0;
    }
    if (!PyTuple_Check(lines)) {
        PyErr_Format(PyExc_TypeError, "lines must be None or a tuple of four tuples, not %R", lines);
        return -1;
    }
    if (!PyArg_ParseTuple(lines, "O!O!O!O!:lines", &PyTuple_Type, &include, &PyTuple_Type, &exclude, &PyTuple_Type,
                          &own, &PyTuple_Type, &own_but)) {
        return -1;
    }
    *filter = trc_option_filter(include, exclude, own, own_but);
    return *filter == NULL ? -1 : 0;
}

/* Returns -1 with ValueError set when the options of the timeline make no sense. */
static int check_timeline(Py_ssize_t budget, int ring)
{
    if (budget < 0 || (budget > 0 && budget < TRC_TIMELINE_LEAST)) {
        PyErr_Format(PyExc_ValueError,
                     "timeline must be 0 or at least %d: it is the bytes that the timeline may take, not %zd",
                     TRC_TIMELINE_LEAST, budget);
        return -1;
    }
    if (ring && budget == 0) {
        PyErr_SetString(PyExc_ValueError, "timeline_ring needs a timeline: give timeline=, too");
        return -1;
    }
    return 0;
}

/* Returns -1 with an exception set when a program cannot be sampled so. */
static int check_slowdown(double slowdown, int rate)
{
    if (slowdown < 0) {
        return 0;
    }
    if (!(slowdown <= 1.0)) {
        PyErr_SetString(PyExc_ValueError, "slowdown must be from 0 to 1");
        return -1;
    }
    if (rate < 1 || rate > TRC_MOST_HZ) {
        PyErr_Format(PyExc_ValueError, "slowdown needs a rate from 1 to %d samples a second of CPU, not %d",
                     TRC_MOST_HZ, rate);
        return -1;
    }
    if (trc_check_native(rate) < 0) {
        return -1;
    }
    trc_frame_layout layout = trc_frame_layout_here();
    if (!trc_frame_layout_holds(&layout)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the frames of this Python cannot be sampled: the system forbids to read them, "
                        "or they are not where they are in its releases");
        return -1;
    }
    return 0;
}

static PyObject *profiler_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    const trc_state *state = trc_state_of_type(type);
    PyObject *self = trc_recording_object_new(type, state);
    if (self == NULL) {
        return NULL;
    }
    trc_internal_types internal_types = {state->profiler_type, state->line_recorder_type, state->dispatcher_type,
                                         state->step_clock_type, state->folder};
    trc_recorder_init(recorder_of(self), self, &trc_recording_dispatcher(self)->shared, internal_types);
    recorder_of(self)->backend = trc_backend_best(); /* until it is set up */
    return self;
}

static int profiler_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"timer",         "timeunit",      "subcalls",    "builtins",        "threads",
                            "backend",       "include",       "exclude",     "costs",           "timeline",
                            "timeline_ring", "timeline_file", "memory",      "native",          "slowdown",
                            "rate",          "lines",         "_node_limit", "_function_limit", NULL};
    trc_recorder *recorder = recorder_of(self);
    PyObject *timer = Py_None, *builtins = Py_True, *include = NULL, *exclude = NULL, *why = NULL, *costs = Py_None,
             *lines = Py_None;
    const char *backend_name = NULL;
    double unit = 0.0, slowdown = -1;
    int rate = 0, subcalls = 1, threads = 1, ring = 0, file = -1, memory = 0, native = 0;
    Py_ssize_t timeline = 0;
    long node_limit = TRC_NODE_LIMIT, function_limit = TRC_FUNCTION_LIMIT;
    trc_timer_choice choice;
    trc_callable_scope scope;
    trc_filter *filter, *line_filter;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OdpO$pzO!O!OnpipidiOll:Profile", names, &timer, &unit, &subcalls,
                                     &builtins, &threads, &backend_name, &PyTuple_Type, &include, &PyTuple_Type,
                                     &exclude, &costs, &timeline, &ring, &file, &memory, &native, &slowdown, &rate,
                                     &lines, &node_limit, &function_limit) ||
        trc_refuse_in_timer(self, "set up") < 0 ||
        trc_option_timer(&choice, timer, unit, recorder->base.shared->wall) < 0 || read_scope(builtins, &scope) < 0 ||
        check_timeline(timeline, ring) < 0 || trc_check_native(native) < 0 || check_slowdown(slowdown, rate) < 0) {
        return -1;
    }
    if (!memory || timeline > 0) { /* see trc_recorder_wants_collections() */
        trc_collections_find(trc_recording_dispatcher(self));
    }
    const trc_backend *backend = slowdown < 0 ? trc_backend_choose(backend_name, &why) : trc_backend_of_samples(&why);
    if (backend == NULL || check_scope(backend, scope) < 0 || read_filter(include, exclude, &filter) < 0) {
        Py_XDECREF(why);
        return -1;
    }
    if (read_line_filter(lines, &line_filter) < 0 || trc_stop_to_set_up(self) < 0) {
        trc_filter_free(filter);
        trc_filter_free(line_filter);
        Py_DECREF(why);
        return -1;
    }
    recorder->backend = backend;
    recorder->backend_was_asked_for = backend_name != NULL;
    Py_XSETREF(recorder->why, why);
    PyObject *old = recorder->costs;
    recorder->costs = Py_NewRef(costs);
    recorder->subcalls = subcalls;
    recorder->scope = scope;
    recorder->every_thread = threads;
    recorder->is_sampled = costs != Py_None;
    recorder->timeline_budget = (size_t)timeline;
    recorder->timeline_ring = ring;
    recorder->timeline_file = file;
    recorder->keeps_memory = memory;
    recorder->sample_hz = slowdown < 0 ? native : rate;
    recorder->has_native = native > 0;
    recorder->slowdown = slowdown;
    trc_filter_free(recorder->line_filter);
    recorder->line_filter = line_filter;
    recorder->node_limit = node_limit;
    recorder->function_limit = function_limit;
    recorder->base.runs_code = choice.callable != NULL;
    trc_recording_set_up(&recorder->base, filter, &choice);
    Py_XDECREF(old);
    return trc_recorder_clear(recorder);
}

PyDoc_STRVAR(enable_doc, "enable($self, /, subcalls=True, builtins=True)\n--\n\n"
                         "Begin to record, or go on. If the profile is enabled already, the options that are given\n"
                         "replace the old ones, and the calling thread is recorded again if it was not.\n\n"
                         "subcalls: tell callers and callees apart. builtins: record C functions, too.");

static PyObject *profiler_enable(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"subcalls", "builtins", NULL};
    trc_recorder *recorder = recorder_of(self);
    int subcalls = -1; /* as it was */
    PyObject *builtins = NULL;
    trc_callable_scope scope = recorder->scope;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pO:enable", names, &subcalls, &builtins) ||
        trc_refuse_in_timer(self, "enable") < 0 || (builtins != NULL && read_scope(builtins, &scope) < 0) ||
        check_scope(recorder->backend, scope) < 0) {
        return NULL;
    }
    recorder->subcalls = subcalls < 0 ? recorder->subcalls : subcalls;
    recorder->scope = scope;
    if (trc_dispatch_enable(trc_recording_dispatcher(self), recorder, true) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(disable_doc, "disable($self, /)\n--\n\n"
                          "Stop recording in every thread. The record is kept.");

static PyObject *profiler_disable(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (trc_refuse_in_timer(self, "disable") < 0) {
        return NULL;
    }
    trc_dispatch_disable(trc_recording_dispatcher(self), &recorder_of(self)->base);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(clear_doc, "clear($self, /)\n--\n\n"
                        "Forget everything recorded. A profile that is enabled goes on recording.");

static PyObject *profiler_clear(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (trc_refuse_in_timer(self, "clear") < 0 || trc_recorder_clear(recorder_of(self)) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static int take_snapshot(PyObject *self, const trc_state *state, trc_snapshot *snapshot)
{
    return trc_snapshot_take(snapshot, recorder_of(self), state->imported_at, false);
}

PyDoc_STRVAR(
    getstats_doc,
    "getstats($self, /)\n--\n\n"
    "Return a list of profiler_entry, one for each function, as cProfile does.\n\n"
    "Works while enabled; recording goes on.\n\n"
    "profiler_entry: code, callcount, reccallcount, totaltime, inlinetime, calls; and the attributes resumes and\n"
    "suspended. profiler_subentry: the same without calls and suspended. Times are seconds. callcount does not count\n"
    "resumes. Raises ValueError where samples stand for calls.");

static PyObject *profiler_getstats(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const trc_state *state = trc_state_of_type(Py_TYPE(self));
    trc_snapshot snapshot;
    PyObject *entries = NULL;
    if (state == NULL) {
        return NULL;
    }
    if (trc_recorder_is_of_samples(recorder_of(self))) {
        PyErr_SetString(PyExc_ValueError,
                        "getstats() has the times of calls, and with slowdown= there are samples: use "
                        "tracer.Stats(profile)");
        return NULL;
    }
    if (take_snapshot(self, state, &snapshot) == 0) {
        entries = trc_snapshot_entries(&snapshot, state, recorder_of(self)->subcalls);
    }
    trc_snapshot_free(&snapshot);
    return entries;
}

PyDoc_STRVAR(snapshot_doc,
             "snapshot($self, /, *, slices=True)\n--\n\n"
             "Return the whole record, as the dict that a profile file holds: see tracer.Capture.\n\n"
             "Works while enabled; recording goes on. slices: copy the slices of a timeline, too; else they\n"
             "are empty, for one whose file has them.");

static PyObject *profiler_snapshot(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"slices", NULL};
    const trc_state *state = trc_state_of_type(Py_TYPE(self));
    trc_snapshot snapshot;
    PyObject *dict = NULL;
    int slices = 1;
    if (state == NULL || !PyArg_ParseTupleAndKeywords(args, kwargs, "|$p:snapshot", names, &slices)) {
        return NULL;
    }
    if (trc_snapshot_take(&snapshot, recorder_of(self), state->imported_at, slices) == 0) {
        dict = trc_snapshot_as_dict(&snapshot, recorder_of(self));
    }
    PyObject *costs = recorder_of(self)->costs;
    if (dict != NULL && PyDict_SetItemString(dict, "costs", costs == NULL ? Py_None : costs) < 0) {
        Py_CLEAR(dict);
    }
    PyObject *timeline = dict == NULL ? NULL : trc_timeline_as_dict(&snapshot, recorder_of(self));
    if (dict != NULL && (timeline == NULL || PyDict_SetItemString(dict, "timeline", timeline) < 0)) {
        Py_CLEAR(dict);
    }
    Py_XDECREF(timeline);
    if (dict != NULL && trc_dict_take(dict, "memory", trc_memory_as_dict(&snapshot)) < 0) {
        Py_CLEAR(dict);
    }
    if (dict != NULL && trc_dict_take(dict, "native", trc_native_as_dict(&snapshot, recorder_of(self))) < 0) {
        Py_CLEAR(dict);
    }
    if (dict != NULL && snapshot.samples.has_frames &&
        trc_dict_take(dict, "sampled", trc_sampled_as_dict(&snapshot, recorder_of(self))) < 0) {
        Py_CLEAR(dict);
    }
    trc_snapshot_free(&snapshot);
    return dict;
}

PyDoc_STRVAR(
    hold_timeline_doc,
    "hold_timeline($self, is_held, /)\n--\n\n"
    "Write nothing to the timeline's file from now on; with False, go on. For a fork: the child shares the file.");

static PyObject *profiler_hold_timeline(PyObject *self, PyObject *is_held)
{
    int held = PyObject_IsTrue(is_held);
    if (held < 0) {
        return NULL;
    }
    trc_recorder_hold_logs(recorder_of(self), held);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(
    record_call_doc,
    "record_call($self, function, /, *args)\n--\n\n"
    "Enable, and call function(*args). Stop recording this thread when the function ends, also by an exception.\n\n"
    "A builtin function that is called so is in no row: the functions that it calls are at the bottom of the stack.\n"
    "Other threads are recorded until disable().");

static PyObject *profiler_record_call(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (count < 1) {
        PyErr_SetString(PyExc_TypeError, "record_call() needs a function");
        return NULL;
    }
    if (trc_refuse_in_timer(self, "record a call with") < 0 ||
        trc_dispatch_enable(trc_recording_dispatcher(self), recorder_of(self), false) < 0) {
        return NULL;
    }
    PyObject *result = PyObject_Vectorcall(args[0], args + 1, (size_t)count - 1, NULL);
    PyObject *type, *value, *traceback; /* a custom timer must not be called with an exception set */
    PyErr_Fetch(&type, &value, &traceback);
    trc_recorder_mute(recorder_of(self));
    PyErr_Restore(type, value, traceback);
    return result;
}

PyDoc_STRVAR(mute_and_call_doc,
             "mute_and_call($self, function, /, *args)\n--\n\n"
             "Stop recording this thread and call function(*args). enable() records the thread again.\n\n"
             "For functions that the interpreter itself calls in the middle of the program, such as signal handlers.");

static PyObject *profiler_mute_and_call(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (count < 1) {
        PyErr_SetString(PyExc_TypeError, "mute_and_call() needs a function");
        return NULL;
    }
    if (!trc_timer_is_running(&recorder_of(self)->base.timer)) {
        trc_recorder_mute(recorder_of(self));
    }
    return PyObject_Vectorcall(args[0], args + 1, (size_t)count - 1, NULL);
}

PyDoc_STRVAR(ignore_thread_doc,
             "ignore_thread($self, /)\n--\n\n"
             "Never record the calling thread, whether the profile is enabled now or later. That holds for\n"
             "one thread: the latest that asked.");

static PyObject *profiler_ignore_thread(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    trc_recorder_ignore_thread(recorder_of(self));
    Py_RETURN_NONE;
}

static PyObject *profiler_enter(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (trc_refuse_in_timer(self, "enable") < 0 ||
        trc_dispatch_enable(trc_recording_dispatcher(self), recorder_of(self), true) < 0) {
        return NULL;
    }
    return Py_NewRef(self);
}

static PyObject *profiler_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return profiler_disable(self, NULL);
}

static PyObject *profiler_get_last_event(PyObject *self, void *closure)
{
    (void)closure;
    trc_tick last = 0;
    for (const trc_thread_record *record = trc_thread_records_first(&recorder_of(self)->base.records); record != NULL;
         record = trc_thread_record_next(record)) {
        last = record->thread.last > last ? record->thread.last : last;
    }
    return PyLong_FromLongLong(last);
}

static PyObject *profiler_get_backend(PyObject *self, void *closure)
{
    (void)closure;
    const trc_recorder *recorder = recorder_of(self);
    return trc_backend_as_str(Py_TYPE(self), recorder->backend->name, recorder->why,
                              recorder->backend->sees_all_callables);
}

PyDoc_STRVAR(note_exec_doc, "note_exec($self, /)\n--\n\n"
                            "Note in the timeline, if there is one, that the process is about to be replaced.");

static PyObject *profiler_note_exec(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    trc_recorder *recorder = recorder_of(self);
    PyObject *what = PyUnicode_FromString("exec"), *pid = PyLong_FromLong(getpid());
    if (what != NULL && pid != NULL && trc_is_listed(recorder->base.phase)) {
        trc_recorder_note(recorder, &(trc_annotation){TRC_FORKS, 0, {what, pid}});
    }
    Py_XDECREF(what);
    Py_XDECREF(pid);
    return what == NULL || pid == NULL ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"enable", (PyCFunction)(void (*)(void))profiler_enable, METH_VARARGS | METH_KEYWORDS, enable_doc},
    {"disable", profiler_disable, METH_NOARGS, disable_doc},
    {"clear", profiler_clear, METH_NOARGS, clear_doc},
    {"getstats", profiler_getstats, METH_NOARGS, getstats_doc},
    {"snapshot", (PyCFunction)(void (*)(void))profiler_snapshot, METH_VARARGS | METH_KEYWORDS, snapshot_doc},
    {"hold_timeline", profiler_hold_timeline, METH_O, hold_timeline_doc},
    {"record_call", (PyCFunction)(void (*)(void))profiler_record_call, METH_FASTCALL, record_call_doc},
    {"mute_and_call", (PyCFunction)(void (*)(void))profiler_mute_and_call, METH_FASTCALL, mute_and_call_doc},
    {"note_exec", profiler_note_exec, METH_NOARGS, note_exec_doc},
    {"ignore_thread", profiler_ignore_thread, METH_NOARGS, ignore_thread_doc},
    {"__enter__", profiler_enter, METH_NOARGS, "Enable; returns the profile."},
    {"__exit__", profiler_exit, METH_VARARGS, "Disable."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"enabled", trc_recording_get_enabled, NULL, "bool: whether the profile is recording now.", NULL},
    {"last_event", profiler_get_last_event, NULL, "int: the tick of the last event of any thread; 0: there was none.",
     NULL},
    {"backend", profiler_get_backend, NULL,
     "str: the back end that tells the profile of calls, a name of BACKENDS. Its attribute `reason` says why.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(
    profiler_doc,
    "Profiler(timer=None, timeunit=0.0, subcalls=True, builtins=True, *, threads=True, backend=None,\n"
    "         include=(), exclude=(), costs=None, timeline=0, timeline_ring=False,\n"
    "         timeline_file=-1, memory=False)\n--\n\n"
    "Counts and times the calls that are made while it is enabled. tracer.Profile adds reports and files.\n\n"
    "timer: None or 'wall' (real time), 'cpu' (CPU time of each thread), or a callable. The callable returns seconds\n"
    "or, with timeunit, integers that count timeunit seconds each.\n"
    "subcalls: tell callers and callees apart.\n"
    "builtins: record C functions, too; 'all': also every other callable written in C.\n"
    "threads: record every thread of the interpreter, or only the thread that enables the profile.\n"
    "backend: a name of BACKENDS, or None for the best.\n"
    "include, exclude: tuples of resolved paths of code that is recorded, or is not. * in a path stands for anything.\n"
    "See tracer.recording.focus.\n"
    "costs: the costs of tracing, which every snapshot() holds. See tracer.recording.call_overhead. With costs, a\n"
    "sample of the handlers of events is timed, and calls of what has no row are estimated from it.\n"
    "timeline: the bytes that a log of when each call ran may take; 0: none. timeline_ring: when they are full, drop\n"
    "the oldest calls, not the shortest. timeline_file: the descriptor of a file in which the log is written, with one\n"
    "page more than those bytes; -1: none.\n"
    "memory: record what the program allocates, too.\n"
    "slowdown: from 0 to 1; no call is recorded from its beginning to its end. Samples of the frames of all threads, `rate`\n"
    "in a second of CPU, tell where time went. Calls are counted as long as that takes less than so much of the CPU time:\n"
    "then the functions that are called most are no longer. 0, and before 3.12: none is counted. The key `sampled` of\n"
    "snapshot() has the samples: see ext/types/sampled.h.");

PyTypeObject *trc_profiler_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)profiler_doc},
        {Py_tp_new, profiler_new},
        {Py_tp_init, profiler_init},
        {Py_tp_dealloc, trc_recording_object_dealloc},
        {Py_tp_finalize, trc_recording_object_finalize},
        {Py_tp_traverse, trc_recording_object_traverse},
        {Py_tp_clear, trc_recording_object_clear},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.Profiler",
        .basicsize = sizeof(profiler_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
