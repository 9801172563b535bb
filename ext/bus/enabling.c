/* Enables and disables recorders: see enabling.h. */
#include "bus/enabling.h"

#include "bus/collections.h"
#include "bus/events.h"
#include "bus/greenlets.h"
#include "bus/line_backend.h"
#include "recorders/calls_lifecycle.h"

#include <assert.h>
#include <stddef.h>

/* By kind. Those of a back end that this Python does not have are not compiled, nor referred to. */
#define ROW(KIND, name, title, sees_all, is_here, since) [TRC_##KIND] = (is_here) ? &trc_##name##_methods : NULL,
static const trc_backend_methods *const methods[TRC_BACKEND_COUNT] = {TRC_BACKENDS(ROW)};
#undef ROW

static const trc_backend_methods *methods_of(const trc_recorder *recorder)
{
    return methods[recorder->backend->kind];
}

/* -- What follows from who is enabled -- */

static void tally_lines(trc_bus *bus)
{
    const trc_recording *first = bus->shared.lines;
    bool is_plain = first != NULL && first->next == NULL && first->timer.callable == NULL &&
                    !first->clock.is_of_thread && first->phase != TRC_RESTING;
    bus->only_lines = is_plain ? (trc_line_recorder *)bus->shared.lines : NULL;
    bus->lines_are_unusual = first == NULL || bus->remembers;
    trc_gate_close_lines(&bus->shared.gates);
}

static void tally(trc_bus *bus, trc_backend_kind kind)
{
    trc_calls_wanted wanted = {.scope = TRC_PYTHON};
    bool was_sampled = bus->wanted[kind].sampled > 0;
    for (const trc_recording *each = bus->shared.calls[kind]; each != NULL; each = each->next) {
        const trc_recorder *recorder = (const trc_recorder *)each;
        trc_callable_scope scope =
            recorder->scope > recorder->scope_on_stack ? recorder->scope : recorder->scope_on_stack;
        wanted.recorders++;
        wanted.filtered += recorder->base.filter != NULL;
        wanted.sampled += recorder->is_sampled;
        wanted.logged += recorder->timeline_budget > 0;
        wanted.remembering += recorder->keeps_memory;
        wanted.collecting += trc_recorder_wants_collections(recorder);
        wanted.scope = scope > wanted.scope ? scope : wanted.scope;
        wanted.every_thread = wanted.every_thread || recorder->every_thread;
    }
    wanted.is_unusual = wanted.recorders == 0 || wanted.sampled > 0 || wanted.logged > 0 || wanted.remembering > 0;
    bus->wanted[kind] = wanted;
    if (wanted.sampled > 0 && !was_sampled) {
        trc_sampler_init(&bus->samplers[kind]);
    }
    if (bus->wanted[TRC_MONITORING].collecting + bus->wanted[TRC_SETPROFILE].collecting > 0) {
        trc_collections_watch(bus);
    }
    else {
        trc_collections_unwatch(bus);
    }
    bus->remembers = bus->wanted[TRC_MONITORING].remembering + bus->wanted[TRC_SETPROFILE].remembering > 0;
    tally_lines(bus);
    trc_lines_remember(bus);
    bool is_plain = wanted.recorders == 1 && !bus->shared.calls[kind]->runs_code;
    bus->only_active[kind] = is_plain ? (trc_recorder *)bus->shared.calls[kind] : NULL;
    trc_gate_close(&bus->shared.gates, kind);
}

/* -- Lists and sources -- */

static bool is_of_lines(const trc_recording *recording)
{
    return recording->kind == &trc_kind_lines;
}

static trc_recorder *as_calls(trc_recording *recording)
{
    return (trc_recorder *)recording;
}

/* The list that a recorder is on while it is enabled. */
static trc_recording **list_of(trc_bus *bus, trc_recording *recording)
{
    return is_of_lines(recording) ? &bus->shared.lines : &bus->shared.calls[as_calls(recording)->backend->kind];
}

static void tally_list_of(trc_bus *bus, trc_recording *recording)
{
    if (is_of_lines(recording)) {
        tally_lines(bus);
    }
    else {
        tally(bus, as_calls(recording)->backend->kind);
    }
}

static void unlist(trc_bus *bus, trc_recording *recording, trc_phase next)
{
    trc_recording_unlist(list_of(bus, recording), recording, next);
    tally_list_of(bus, recording);
}

/* Has the interpreter report what the recorder, which is listed, wants; and only what those wants that are listed. */
static trc_start_result start_source(trc_bus *bus, trc_recording *recording)
{
    if (is_of_lines(recording)) {
        return trc_lines_start(bus, (trc_line_recorder *)recording) < 0 ? TRC_START_FAILED : TRC_STARTED;
    }
    return methods_of(as_calls(recording))->start(bus, as_calls(recording));
}

static void stop_source(trc_bus *bus, trc_recording *recording)
{
    if (is_of_lines(recording)) {
        trc_lines_stop(bus, (trc_line_recorder *)recording);
    }
    else {
        methods_of(as_calls(recording))->stop(bus);
    }
}

/* Switches to the next back end: others hold this one, as the exception says, and nobody asked for it by name. 0, or -1
 * with an exception set. */
static int fall_back(trc_recorder *recorder)
{
    bool all_callables = recorder->scope > TRC_BUILTINS;
    const trc_backend *next = trc_backend_after(recorder->backend, all_callables);
    if (recorder->backend_was_asked_for || (next == NULL && !all_callables)) {
        return -1;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    int result = -1;
    PyObject *why = PyUnicode_FromFormat("%S", value);
    if (why != NULL && next == NULL) {
        PyErr_Format(PyExc_RuntimeError, "builtins='all' cannot be recorded: %U", why);
    }
    else if (why != NULL) {
        result = PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "tracer uses %s, which costs more: %U", next->title, why);
    }
    if (result == 0) {
        recorder->backend = next;
        Py_XSETREF(recorder->why, Py_NewRef(why));
    }
    Py_XDECREF(why);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return result;
}

/* -- Enabling -- */

/* Lists the recorder and starts its source. Where that fails it is off again, unless an audit hook has had it enabled by
 * itself meanwhile. */
static trc_start_result list_and_start(trc_bus *bus, trc_recording *recording)
{
    trc_recording_list(list_of(bus, recording), recording);
    tally_list_of(bus, recording);
    uint64_t serial = recording->serial;
    trc_start_result result = start_source(bus, recording);
    if (result != TRC_STARTED && trc_is_listed(recording->phase) && recording->serial == serial) {
        unlist(bus, recording, TRC_OFF);
    }
    return result;
}

/* Enables a recorder that is off. 0, or -1 with an exception set and the recorder as it was. */
static int enable(trc_bus *bus, trc_recording *recording, bool here)
{
    if (recording->kind->open(recording) < 0) {
        return -1;
    }
    trc_start_result result = list_and_start(bus, recording);
    while (result == TRC_START_TAKEN && recording->phase == TRC_OFF && fall_back(as_calls(recording)) == 0) {
        /* the warning may run code that enables it */
        result = recording->phase == TRC_OFF ? list_and_start(bus, recording) : TRC_STARTED;
    }
    if (result == TRC_STARTED) {
        recording->kind->begin(recording, here); /* unless an audit hook has disabled or begun it */
        trc_bus_look_at_news(bus);
        return 0;
    }
    if (!trc_is_listed(recording->phase)) {
        recording->kind->close(recording);
        if (is_of_lines(recording)) { /* which may be told of some lines already */
            stop_source(bus, recording);
        }
    }
    return -1;
}

int trc_bus_enable(trc_bus *bus, trc_recorder *recorder, bool here)
{
    if (recorder->base.phase == TRC_ON) {
        trc_recorder_raise_scope(recorder);
        tally(bus, recorder->backend->kind);
        trc_recorder_give_up_threads(recorder);
        if (methods_of(recorder)->start(bus, recorder) != TRC_STARTED) {
            return -1;
        }
        trc_recorder_unmute(recorder, here);
        trc_bus_look_at_news(bus);
        return 0;
    }
    /* In any other phase it is under way: it will start anyway, or stop as if just after this call. */
    return recorder->base.phase == TRC_OFF ? enable(bus, &recorder->base, here) : 0;
}

int trc_bus_enable_lines(trc_bus *bus, trc_line_recorder *recorder)
{
    if (trc_inside_has_this_thread(recorder->asking)) { /* `first_lines` would be asked about itself */
        PyErr_SetString(PyExc_RuntimeError, "cannot enable a line recorder from within its own first_lines");
        return -1;
    }
    trc_line_recorder_forget_parent(recorder);
    if (recorder->base.phase == TRC_RESTING) {
        recorder->base.phase = TRC_STARTING;
        tally_lines(bus);
        recorder->base.kind->begin(&recorder->base, true);
    }
    return recorder->base.phase == TRC_OFF ? enable(bus, &recorder->base, true) : 0;
}

void trc_bus_disable(trc_bus *bus, trc_recording *recording)
{
    if (!trc_is_listed(recording->phase)) {
        return;
    }
    /* The recorder is stopped before its source, whose stop runs audit hooks. */
    unlist(bus, recording, recording->phase == TRC_ON ? TRC_STOPPING : TRC_CLOSING);
    recording->kind->stop(recording);
    recording->phase = TRC_OFF;
    stop_source(bus, recording);
    if (!is_of_lines(recording) && !trc_bus_is_active(bus)) {
        trc_greenlets_unwatch(bus);
    }
}

void trc_bus_rest_lines(trc_bus *bus, trc_line_recorder *recorder)
{
    if (!TRC_HAS_MONITORING) {
        /* A trace function is called for the lines of all code in its thread: to rest with it would cost too much. */
        trc_bus_disable(bus, &recorder->base);
        return;
    }
    trc_tick now = recorder->base.phase == TRC_ON ? trc_clock_now(&recorder->base.clock) : 0; /* which may run code */
    if (recorder->base.phase == TRC_ON) {
        trc_line_recorder_end(recorder, now, TRC_RESTING);
        tally_lines(bus);
    }
}

void trc_bus_reinstall(trc_bus *bus, PyObject *args)
{
    if (!trc_lines_reinstall(bus, args)) {
        for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
            if (bus->shared.calls[kind] != NULL && methods[kind]->reinstall != NULL) {
                methods[kind]->reinstall(bus);
            }
        }
    }
}

/* -- Its object -- */

int trc_bus_init(trc_bus *bus, PyObject *object, PyTypeObject *callback_type, PyObject *module)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    bus->held = (trc_held){object, callback_type, NULL};
    bus->shared.wall = trc_clock_wall(TRC_CLOCKSOURCES);
    trc_registry_init(&bus->shared.registry);
    trc_slot_pool_init(&bus->shared.slots);
    trc_gates_close(&bus->shared.gates);
    bus->shared.calls_setprofile.interpreter = bus->shared.lines_settrace.interpreter = interpreter;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        trc_sampler_init(&bus->samplers[kind]);
    }
#if TRC_HAS_MONITORING
    bus->held.mark = trc_tool_mark_new();
    if (bus->held.mark == NULL) {
        return -1;
    }
#endif
    return trc_greenlets_init(bus, module);
}

int trc_bus_traverse(const trc_bus *bus, visitproc visit, void *arg)
{
    Py_VISIT(bus->held.mark);
    int result = trc_calls_monitoring_traverse(&bus->shared.calls_monitoring, visit, arg);
    result = result != 0 ? result : trc_lines_monitoring_traverse(&bus->shared.lines_monitoring, visit, arg);
    result = result != 0 ? result : trc_lines_settrace_traverse(&bus->shared.lines_settrace, visit, arg);
    Py_VISIT(bus->collection_callbacks);
    Py_VISIT(bus->collection_function);
    Py_VISIT(bus->switch_watcher_type);
    return result;
}

void trc_bus_clear(trc_bus *bus)
{
    Py_CLEAR(bus->held.mark);
    trc_calls_monitoring_clear(&bus->shared.calls_monitoring);
    trc_lines_monitoring_clear(&bus->shared.lines_monitoring);
    trc_lines_settrace_clear(&bus->shared.lines_settrace);
    trc_collections_clear(bus);
    Py_CLEAR(bus->switch_watcher_type);
    trc_registry_clear(&bus->shared.registry);
}
