/* Enables and disables recorders of calls: see enabling.h. */
#include "bus/enabling.h"

#include "bus/collections.h"
#include "bus/events.h"
#include "bus/greenlets.h"
#include "recorders/calls_lifecycle.h"

#include <assert.h>
#include <stddef.h>

/* Updates what depends on the enabled recorders and on what they want. */
static void tally(trc_bus *bus, trc_backend_kind kind)
{
    trc_calls_wanted wanted = {.scope = TRC_PYTHON};
    bool was_sampled = bus->wanted[kind].sampled > 0;
    for (const trc_recorder *recorder = bus->active[kind]; recorder != NULL; recorder = recorder->next_active) {
        trc_callable_scope scope =
            recorder->scope > recorder->scope_on_stack ? recorder->scope : recorder->scope_on_stack;
        wanted.recorders++;
        wanted.filtered += recorder->filter != NULL;
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
    trc_line_bus_remember(&bus->lines,
                          bus->wanted[TRC_MONITORING].remembering > 0 || bus->wanted[TRC_SETPROFILE].remembering > 0);
    bool is_plain = wanted.recorders == 1 && bus->active[kind]->timer.callable == NULL;
    bus->only_active[kind] = is_plain ? bus->active[kind] : NULL;
    trc_gate_close(&bus->gates, kind);
}

/* list puts a recorder among the active ones, unlist takes it out. */
static void list(trc_bus *bus, trc_recorder *recorder)
{
    assert(recorder->phase == TRC_OFF);
    trc_recorder **link = &bus->active[recorder->backend->kind];
    recorder->serial = ++bus->serials;
    recorder->next_active = *link;
    *link = recorder;
    recorder->phase = TRC_STARTING;
    tally(bus, recorder->backend->kind);
}

static void unlist(trc_bus *bus, trc_recorder *recorder, trc_phase next)
{
    trc_recorder **link = &bus->active[recorder->backend->kind];
    while (*link != recorder) {
        link = &(*link)->next_active;
    }
    *link = recorder->next_active;
    recorder->next_active = NULL;
    recorder->phase = next;
    tally(bus, recorder->backend->kind);
}

/* Switches to the next back end: others hold this one, as the exception says, and nobody asked for it by name. 0, or -1
 * with an exception set. */
static int fall_back(trc_recorder *recorder)
{
    bool all_callables = recorder->scope > TRC_BUILTINS;
    const trc_backend *next = trc_backend_after(recorder->backend, all_callables);
    if (next == NULL && !all_callables) {
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

/* Lists the recorder and starts its back end. Returns 0, or -1 with an exception set and nothing changed. */
static int start_backend(trc_bus *bus, trc_recorder *recorder)
{
    list(bus, recorder);
    uint64_t serial = recorder->serial;
    trc_start_result result = recorder->backend->methods->start(bus, recorder);
    if (result == TRC_STARTED) {
        return 0;
    }
    if (trc_is_listed(recorder->phase) &&
        recorder->serial != serial) { /* meanwhile an audit hook had it enabled by itself */
        return -1;
    }
    if (trc_is_listed(recorder->phase)) {
        unlist(bus, recorder, TRC_OFF);
    }
    if (result == TRC_START_FAILED || recorder->backend_was_asked_for) {
        return -1;
    }
    if (fall_back(recorder) < 0) {
        return -1;
    }
    return recorder->phase != TRC_OFF ? 0 : start_backend(bus, recorder); /* the warning may run code that enables it */
}

int trc_bus_enable(trc_bus *bus, trc_recorder *recorder, bool here)
{
    if (recorder->phase == TRC_ON) {
        trc_recorder_raise_scope(recorder);
        tally(bus, recorder->backend->kind);
        trc_recorder_give_up_threads(recorder);
        if (recorder->backend->methods->start(bus, recorder) != TRC_STARTED) {
            return -1;
        }
        trc_recorder_unmute(recorder, here);
        trc_bus_look_at_news(bus);
        return 0;
    }
    if (recorder->phase != TRC_OFF) { /* under way: it will start anyway, or stop as if just after this call */
        return 0;
    }
    if (trc_recorder_open(recorder) < 0) {
        return -1;
    }
    if (start_backend(bus, recorder) < 0) {
        if (!trc_is_listed(recorder->phase)) {
            trc_recorder_close(recorder);
        }
        return -1;
    }
    trc_recorder_start(recorder, here);
    trc_bus_look_at_news(bus);
    return 0;
}

void trc_bus_disable(trc_bus *bus, trc_recorder *recorder)
{
    if (!trc_is_listed(recorder->phase)) {
        return;
    }
    /* The recorder is stopped before its back end, whose stop runs audit hooks. */
    unlist(bus, recorder, recorder->phase == TRC_ON ? TRC_STOPPING : TRC_CLOSING);
    trc_recorder_stop(recorder);
    recorder->phase = TRC_OFF;
    recorder->backend->methods->stop(bus);
    if (!trc_bus_is_active(bus)) {
        trc_greenlets_unwatch(bus);
    }
}

void trc_bus_reinstall(trc_bus *bus, PyObject *args)
{
    if (!trc_lines_reinstall(&bus->lines, args)) {
        for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
            if (bus->active[kind] != NULL) {
                trc_backend_reinstall(&trc_backends[kind], bus);
            }
        }
    }
}

/* -- As the host of its recorders -- */

static trc_bus *of_host(trc_host *host)
{
    return (trc_bus *)((char *)host - offsetof(trc_bus, host));
}

static void host_close_gates(trc_host *host)
{
    trc_gates_close(&of_host(host)->gates);
    trc_line_bus_close_gate(&of_host(host)->lines);
}

static void host_pause(trc_host *host)
{
    trc_bus_pause(of_host(host));
}

static void host_resume(trc_host *host)
{
    trc_bus_resume(of_host(host));
}

static bool host_instrument_frames(trc_host *host, const trc_backend *backend, const trc_live_frames *live)
{
    return trc_backend_instrument_frames(backend, of_host(host), live);
}

static int host_watch_lines(trc_host *host, PyCodeObject *code)
{
    return trc_lines_watch(&of_host(host)->lines, code);
}

static int host_restart_lines(trc_host *host)
{
    return trc_lines_restart(&of_host(host)->lines);
}

/* -- Its object -- */

int trc_bus_init(trc_bus *bus, PyObject *object, PyTypeObject *callback_type, PyObject *module)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    trc_gates_close(&bus->gates);
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        trc_sampler_init(&bus->samplers[kind]);
    }
    bus->held = (trc_held){object, callback_type, NULL};
    bus->host = (trc_host){.wall = trc_clock_wall(TRC_CLOCKSOURCES),
                           .close_gates = host_close_gates,
                           .pause = host_pause,
                           .resume = host_resume,
                           .activation_of = trc_backend_activation_of,
                           .instrument_frames = host_instrument_frames,
                           .is_installed = trc_backend_is_installed,
                           .watch_lines = host_watch_lines,
                           .restart_lines = host_restart_lines};
    trc_registry_init(&bus->host.registry);
    trc_slot_pool_init(&bus->host.slots);
    bus->calls_setprofile.interpreter = interpreter;
    trc_line_bus_init(&bus->lines, &bus->held, interpreter);
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
    int result = trc_calls_monitoring_traverse(&bus->calls_monitoring, visit, arg);
    result = result != 0 ? result : trc_line_bus_traverse(&bus->lines, visit, arg);
    Py_VISIT(bus->collection_callbacks);
    Py_VISIT(bus->collection_function);
    Py_VISIT(bus->switch_watcher_type);
    return result;
}

void trc_bus_clear(trc_bus *bus)
{
    Py_CLEAR(bus->held.mark);
    trc_calls_monitoring_clear(&bus->calls_monitoring);
    trc_line_bus_clear(&bus->lines);
    trc_collections_clear(bus);
    Py_CLEAR(bus->switch_watcher_type);
    trc_registry_clear(&bus->host.registry);
}
