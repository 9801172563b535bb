/* Enables and disables recorders: see enabling.h. */
#include "dispatch/enabling.h"

#include "dispatch/collections.h"
#include "dispatch/events.h"
#include "dispatch/greenlets.h"
#include "dispatch/line_backend.h"
#include "recorders/calls_lifecycle.h"

#include <assert.h>
#include <stddef.h>

/* By kind. Those of a back end that this Python does not have are not compiled, nor referred to. */
#define ROW(KIND, name, title, sees_all, is_here, since) [TRC_##KIND] = (is_here) ? &trc_##name##_methods : NULL,
static const trc_backend_methods *const methods[TRC_BACKEND_COUNT] = {
    TRC_BACKENDS(ROW)[TRC_SAMPLES_ALONE] = &trc_samples_methods,
};
#undef ROW

static const trc_backend_methods *methods_of(const trc_recorder *recorder)
{
    return methods[recorder->backend->kind];
}

/* -- What follows from who is enabled -- */

static void tally_lines(trc_dispatcher *dispatcher)
{
    const trc_recording *first = dispatcher->shared.lines;
    bool is_plain = first != NULL && first->next == NULL && first->timer.callable == NULL &&
                    !first->clock.is_of_thread && first->phase != TRC_RESTING;
    dispatcher->only_lines = is_plain ? (trc_line_recorder *)dispatcher->shared.lines : NULL;
    dispatcher->lines_are_unusual = first == NULL || dispatcher->remembers;
    trc_gate_close_lines(&dispatcher->shared.gates);
}

static void tally(trc_dispatcher *dispatcher, trc_backend_kind kind)
{
    trc_calls_wanted wanted = {.scope = TRC_PYTHON};
    bool was_sampled = dispatcher->wanted[kind].sampled > 0;
    for (const trc_recording *each = dispatcher->shared.calls[kind]; each != NULL; each = each->next) {
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
    dispatcher->wanted[kind] = wanted;
    if (wanted.sampled > 0 && !was_sampled) {
        trc_calibration_init(&dispatcher->calibrations[kind]);
    }
    uint32_t collecting = 0, remembering = 0;
    for (int each = 0; each < TRC_BACKEND_COUNT; each++) {
        collecting += dispatcher->wanted[each].collecting;
        remembering += dispatcher->wanted[each].remembering;
    }
    if (collecting > 0) {
        trc_collections_watch(dispatcher);
    }
    else {
        trc_collections_unwatch(dispatcher);
    }
    dispatcher->remembers = remembering > 0;
    tally_lines(dispatcher);
    trc_lines_remember(dispatcher);
    bool is_plain = wanted.recorders == 1 && !dispatcher->shared.calls[kind]->runs_code;
    dispatcher->only_active[kind] = is_plain ? (trc_recorder *)dispatcher->shared.calls[kind] : NULL;
    trc_gate_close(&dispatcher->shared.gates, kind);
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
static trc_recording **list_of(trc_dispatcher *dispatcher, trc_recording *recording)
{
    return is_of_lines(recording) ? &dispatcher->shared.lines
                                  : &dispatcher->shared.calls[as_calls(recording)->backend->kind];
}

static void tally_list_of(trc_dispatcher *dispatcher, trc_recording *recording)
{
    if (is_of_lines(recording)) {
        tally_lines(dispatcher);
    }
    else {
        tally(dispatcher, as_calls(recording)->backend->kind);
    }
}

static void unlist(trc_dispatcher *dispatcher, trc_recording *recording, trc_phase next)
{
    trc_recording_unlist(list_of(dispatcher, recording), recording, next);
    tally_list_of(dispatcher, recording);
}

/* Has the interpreter report what the recorder, which is listed, wants; and only what those wants that are listed. */
static trc_start_result start_source(trc_dispatcher *dispatcher, trc_recording *recording)
{
    if (is_of_lines(recording)) {
        return trc_lines_start(dispatcher, (trc_line_recorder *)recording) < 0 ? TRC_START_FAILED : TRC_STARTED;
    }
    return methods_of(as_calls(recording))->start(dispatcher, as_calls(recording));
}

static void stop_source(trc_dispatcher *dispatcher, trc_recording *recording)
{
    if (is_of_lines(recording)) {
        trc_lines_stop(dispatcher, (trc_line_recorder *)recording);
    }
    else {
        methods_of(as_calls(recording))->stop(dispatcher);
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
static trc_start_result list_and_start(trc_dispatcher *dispatcher, trc_recording *recording)
{
    trc_recording_list(list_of(dispatcher, recording), recording);
    tally_list_of(dispatcher, recording);
    uint64_t serial = recording->serial;
    trc_start_result result = start_source(dispatcher, recording);
    if (result != TRC_STARTED && trc_is_listed(recording->phase) && recording->serial == serial) {
        unlist(dispatcher, recording, TRC_OFF);
    }
    return result;
}

/* Enables a recorder that is off. 0, or -1 with an exception set and the recorder as it was. */
static int enable(trc_dispatcher *dispatcher, trc_recording *recording, bool here)
{
    if (recording->kind->open(recording) < 0) {
        return -1;
    }
    trc_start_result result = list_and_start(dispatcher, recording);
    while (result == TRC_START_TAKEN && recording->phase == TRC_OFF && fall_back(as_calls(recording)) == 0) {
        /* the warning may run code that enables it */
        result = recording->phase == TRC_OFF ? list_and_start(dispatcher, recording) : TRC_STARTED;
    }
    if (result == TRC_STARTED) {
        recording->kind->begin(recording, here); /* unless an audit hook has disabled or begun it */
        trc_dispatch_look_at_news(dispatcher);
        return 0;
    }
    if (!trc_is_listed(recording->phase)) {
        recording->kind->close(recording);
        if (is_of_lines(recording)) { /* which may be told of some lines already */
            stop_source(dispatcher, recording);
        }
    }
    return -1;
}

int trc_dispatch_enable(trc_dispatcher *dispatcher, trc_recorder *recorder, bool here)
{
    if (recorder->base.phase == TRC_ON) {
        trc_recorder_widen_scope(recorder);
        tally(dispatcher, recorder->backend->kind);
        trc_recorder_give_up_threads(recorder);
        if (methods_of(recorder)->start(dispatcher, recorder) != TRC_STARTED) {
            return -1;
        }
        trc_recorder_unmute(recorder, here);
        trc_dispatch_look_at_news(dispatcher);
        return 0;
    }
    /* In any other phase it is under way: it will start anyway, or stop as if just after this call. */
    return recorder->base.phase == TRC_OFF ? enable(dispatcher, &recorder->base, here) : 0;
}

int trc_dispatch_enable_lines(trc_dispatcher *dispatcher, trc_line_recorder *recorder)
{
    if (trc_inside_has_this_thread(recorder->asking)) { /* `first_lines` would be asked about itself */
        PyErr_SetString(PyExc_RuntimeError, "cannot enable a line recorder from within its own first_lines");
        return -1;
    }
    trc_line_recorder_forget_parent(recorder);
    if (recorder->base.phase == TRC_RESTING) {
        recorder->base.phase = TRC_STARTING;
        tally_lines(dispatcher);
        recorder->base.kind->begin(&recorder->base, true);
    }
    return recorder->base.phase == TRC_OFF ? enable(dispatcher, &recorder->base, true) : 0;
}

void trc_dispatch_disable(trc_dispatcher *dispatcher, trc_recording *recording)
{
    if (!trc_is_listed(recording->phase)) {
        return;
    }
    /* The recorder is stopped before its source, whose stop runs audit hooks. */
    unlist(dispatcher, recording, recording->phase == TRC_ON ? TRC_STOPPING : TRC_CLOSING);
    recording->kind->stop(recording);
    recording->phase = TRC_OFF;
    stop_source(dispatcher, recording);
    if (!is_of_lines(recording) && !trc_dispatcher_is_active(dispatcher)) {
        trc_greenlets_unwatch(dispatcher);
    }
}

void trc_dispatch_rest_lines(trc_dispatcher *dispatcher, trc_line_recorder *recorder)
{
    if (!TRC_HAS_MONITORING) {
        /* A trace function is called for the lines of all code in its thread: to rest with it would cost too much. */
        trc_dispatch_disable(dispatcher, &recorder->base);
        return;
    }
    trc_tick now = recorder->base.phase == TRC_ON ? trc_clock_now(&recorder->base.clock) : 0; /* which may run code */
    if (recorder->base.phase == TRC_ON) {
        trc_line_recorder_end(recorder, now, TRC_RESTING);
        tally_lines(dispatcher);
    }
}

void trc_dispatch_reinstall(trc_dispatcher *dispatcher, PyObject *args)
{
    if (!trc_lines_reinstall(dispatcher, args)) {
        for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
            if (dispatcher->shared.calls[kind] != NULL && methods[kind]->reinstall != NULL) {
                methods[kind]->reinstall(dispatcher);
            }
        }
    }
}

/* -- Its object -- */

int trc_dispatcher_init(trc_dispatcher *dispatcher, PyObject *object, PyTypeObject *callback_type, PyObject *module)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    dispatcher->held = (trc_held){object, callback_type, NULL};
    dispatcher->shared.wall = trc_clock_wall(TRC_CLOCKSOURCES);
    trc_registry_init(&dispatcher->shared.registry);
    trc_slot_pool_init(&dispatcher->shared.slots);
    trc_gates_close(&dispatcher->shared.gates);
    dispatcher->shared.calls_setprofile.interpreter = dispatcher->shared.lines_settrace.interpreter = interpreter;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        trc_calibration_init(&dispatcher->calibrations[kind]);
    }
#if TRC_HAS_MONITORING
    dispatcher->held.mark = trc_tool_mark_new();
    if (dispatcher->held.mark == NULL) {
        return -1;
    }
#endif
    return trc_greenlets_init(dispatcher, module);
}

int trc_dispatcher_traverse(const trc_dispatcher *dispatcher, visitproc visit, void *arg)
{
    Py_VISIT(dispatcher->held.mark);
    int result = trc_calls_monitoring_traverse(&dispatcher->shared.calls_monitoring, visit, arg);
    result = result != 0 ? result : trc_starts_monitoring_traverse(&dispatcher->shared.starts_monitoring, visit, arg);
    result = result != 0 ? result : trc_lines_monitoring_traverse(&dispatcher->shared.lines_monitoring, visit, arg);
    result = result != 0 ? result : trc_lines_settrace_traverse(&dispatcher->shared.lines_settrace, visit, arg);
    Py_VISIT(dispatcher->collection_callbacks);
    Py_VISIT(dispatcher->collection_function);
    Py_VISIT(dispatcher->switch_watcher_type);
    return result;
}

void trc_dispatcher_clear(trc_dispatcher *dispatcher)
{
    Py_CLEAR(dispatcher->held.mark);
    trc_calls_monitoring_clear(&dispatcher->shared.calls_monitoring);
    trc_starts_monitoring_clear(&dispatcher->shared.starts_monitoring);
    trc_lines_monitoring_clear(&dispatcher->shared.lines_monitoring);
    trc_lines_settrace_clear(&dispatcher->shared.lines_settrace);
    trc_collections_clear(dispatcher);
    Py_CLEAR(dispatcher->switch_watcher_type);
    trc_registry_clear(&dispatcher->shared.registry);
}
