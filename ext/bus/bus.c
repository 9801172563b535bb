/* From sources to recorders: see bus.h. */
#include "bus/bus.h"

#include "recorders/calls_lifecycle.h"
#include "sources/allocators.h"
#include "sources/native_memory.h"
#include "sources/numpy_memory.h"

#include <assert.h>
#include <stddef.h>

/* -- Going over the enabled recorders -- */

/* A custom timer may run any code, which may enable and disable recorders. So the iterator holds the object of a
 * recorder with a custom timer. It finds the next recorder by the serial number of this one. */
typedef struct iterator {
    trc_recorder *const *active;
    trc_recorder *recorder;
    uint64_t serial; /* of the recorder */
    PyObject *kept;  /* owned: its object, or NULL */
} iterator;

static trc_recorder *find_next(trc_recorder *const *active, uint64_t serial, PyObject *kept)
{
    Py_DECREF(kept);
    trc_recorder *next = *active;
    while (next != NULL && next->serial >= serial) {
        next = next->next_active;
    }
    return next;
}

static inline trc_recorder *come_to(iterator *at, trc_recorder *recorder)
{
    at->recorder = recorder;
    at->kept = NULL;
    if (recorder != NULL && recorder->timer.callable != NULL) {
        at->serial = recorder->serial;
        at->kept = Py_NewRef(recorder->profiler);
    }
    return recorder;
}

static inline trc_recorder *first(iterator *at, trc_recorder *const *active)
{
    at->active = active;
    return come_to(at, *active);
}

static inline trc_recorder *next(iterator *at)
{
    return come_to(at, at->kept == NULL ? at->recorder->next_active : find_next(at->active, at->serial, at->kept));
}

void trc_bus_tell_all(trc_bus *bus, void (*tell)(trc_recorder *recorder, const void *what), const void *what)
{
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        iterator each;
        for (trc_recorder *recorder = first(&each, &bus->active[kind]); recorder != NULL; recorder = next(&each)) {
            if (!trc_timer_is_running(&recorder->timer)) {
                tell(recorder, what);
            }
        }
    }
}

static void look_again(trc_recorder *recorder, const void *entering)
{
    trc_recorder_look_again(recorder, *(const trc_activation *)entering);
}

/* Tries again to be told of greenlets, and catches up with unseen switches. */
static void settle(trc_bus *bus, trc_activation entering)
{
    if (trc_greenlets_is_pending(&bus->greenlets)) {
        trc_greenlets_watch(&bus->greenlets);
        if (!trc_greenlets_is_pending(&bus->greenlets)) {
            trc_bus_tell_all(bus, look_again, &entering);
        }
    }
}

/* After an event that went the long way. */
static void open_gate(trc_bus *bus, trc_backend_kind kind)
{
    trc_recorder *recorder = bus->only_active[kind];
    if (recorder != NULL && !trc_greenlets_is_pending(&bus->greenlets)) {
        trc_gate_open(&bus->gates, kind, recorder);
    }
}

/* -- Events -- */

static bool is_in(const trc_recorder *recorder, trc_code_site *site)
{
    /* Without a code, the event comes from before a recorder with a filter records. */
    bool in = recorder->filter == NULL || site->code == NULL || trc_filter_has(recorder->filter, site);
    site->is_wanted = site->is_wanted || in;
    return in;
}

/* What an event returns. A recorder that a timer or a finalizer enabled meanwhile was not asked. */
static bool is_wanted(trc_bus *bus, const trc_code_site *site, uint64_t serials)
{
    if (site->is_new) {
        trc_greenlets_watch(&bus->greenlets); /* as at the first sight of a function */
    }
    return site->is_wanted || bus->serials != serials;
}

/* Whether the recorder of a record leaves out the code of an event. */
static bool leaves_out(trc_bus *bus, const trc_thread_record *record, trc_code_site *site)
{
    return !is_in(record->recorder, site) && !is_wanted(bus, site, bus->serials);
}

bool trc_bus_enter(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, const trc_callee *callee,
                   trc_activation id, trc_entry entry)
{
    trc_thread_record *record = trc_gate_plain_record(&bus->gates, kind);
    if (record != NULL && callee->scope <= record->recorder->scope && !record->nameless &&
        !trc_thread_is_on_top(&record->thread, id)) {
        trc_tick now = trc_clock_now(&record->recorder->clock);
        return trc_recorder_enter_unexpected(record, site, callee, id, entry, now);
    }
    uint64_t serials = bus->serials;
    settle(bus, id);
    iterator each;
    for (trc_recorder *recorder = first(&each, &bus->active[kind]); recorder != NULL; recorder = next(&each)) {
        if (is_in(recorder, site) && callee->scope <= recorder->scope) {
            trc_recorder_enter(recorder, callee, id, entry);
        }
    }
    open_gate(bus, kind);
    return is_wanted(bus, site, serials);
}

bool trc_bus_leave(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id,
                   trc_callable_scope scope)
{
    trc_thread_record *record = trc_gate_plain_record(&bus->gates, kind);
    if (record != NULL) {
        bool is_out = leaves_out(bus, record, site);
        if (!is_out && trc_thread_has(&record->thread, id)) {
            trc_thread_leave(&record->thread, id, trc_clock_now(&record->recorder->clock));
        }
        return !is_out;
    }
    uint64_t serials = bus->serials;
    settle(bus, 0);
    iterator each;
    for (trc_recorder *recorder = first(&each, &bus->active[kind]); recorder != NULL; recorder = next(&each)) {
        if (is_in(recorder, site) && scope <= recorder->scope_on_stack) {
            trc_recorder_leave(recorder, id);
        }
    }
    open_gate(bus, kind);
    return is_wanted(bus, site, serials);
}

bool trc_bus_suspend(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id)
{
    trc_thread_record *record = trc_gate_plain_record(&bus->gates, kind);
    if (record != NULL) {
        bool is_out = leaves_out(bus, record, site);
        if (!is_out) {
            trc_tick now = trc_clock_now(&record->recorder->clock);
            trc_recorder_suspend_known(record->recorder, &record->thread, id, site->code, now);
        }
        return !is_out;
    }
    uint64_t serials = bus->serials;
    iterator each;
    for (trc_recorder *recorder = first(&each, &bus->active[kind]); recorder != NULL; recorder = next(&each)) {
        if (is_in(recorder, site)) {
            trc_recorder_suspend(recorder, id, site->code);
        }
    }
    open_gate(bus, kind);
    return is_wanted(bus, site, serials);
}

void trc_bus_go_on(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id)
{
    trc_callee callee = {site->code, (PyObject *)site->code, TRC_PYTHON};
    iterator each;
    for (trc_recorder *recorder = first(&each, &bus->active[kind]); recorder != NULL; recorder = next(&each)) {
        if (is_in(recorder, site)) {
            trc_recorder_go_on(recorder, &callee, id);
        }
    }
}

bool trc_bus_wants(trc_bus *bus, trc_backend_kind kind, trc_code_site *site)
{
    uint64_t serials = bus->serials;
    iterator each;
    for (trc_recorder *recorder = first(&each, &bus->active[kind]); recorder != NULL; recorder = next(&each)) {
        is_in(recorder, site);
    }
    return is_wanted(bus, site, serials);
}

/* -- Who is enabled -- */

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
        trc_collections_watch(&bus->collections);
    }
    else {
        trc_collections_unwatch(&bus->collections);
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

static bool is_active(const trc_bus *bus)
{
    bool active = false;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        active = active || bus->active[kind] != NULL;
    }
    return active;
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
    if (!is_active(bus)) {
        trc_greenlets_unwatch(&bus->greenlets);
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

static void pause_one(trc_recorder *recorder, const void *ignored)
{
    (void)ignored;
    trc_recorder_pause(recorder);
}

static void resume_one(trc_recorder *recorder, const void *ignored)
{
    (void)ignored;
    trc_recorder_resume(recorder);
}

void trc_bus_pause(trc_bus *bus)
{
    trc_bus_tell_all(bus, pause_one, NULL);
    trc_line_bus_pause(&bus->lines);
}

void trc_bus_resume(trc_bus *bus)
{
    trc_line_bus_resume(&bus->lines);
    trc_bus_tell_all(bus, resume_one, NULL);
}

/* -- As the sink of its sources -- */

static trc_bus *of_sink(const trc_sink *sink)
{
    return (trc_bus *)((char *)(uintptr_t)sink - offsetof(trc_bus, sink));
}

static bool sink_is_active(const trc_sink *sink)
{
    return is_active(of_sink(sink));
}

typedef struct greenlet_switch {
    const void *from;
    bool is_over;
    const void *to;
    bool look;
} greenlet_switch;

static void switch_greenlets(trc_recorder *recorder, const void *what)
{
    const greenlet_switch *made = what;
    trc_recorder_switch(recorder, made->from, made->is_over, made->to, made->look);
}

static void sink_switched(trc_sink *sink, const void *from, bool is_over, const void *to, bool look)
{
    trc_bus_tell_all(of_sink(sink), switch_greenlets, &(greenlet_switch){from, is_over, to, look});
}

static void start_anew(trc_recorder *recorder, const void *object)
{
    if (trc_recorder_clear_copy(recorder) < 0) {
        PyErr_WriteUnraisable((PyObject *)(uintptr_t)object);
    }
}

static void sink_unsettled(trc_sink *sink)
{
    trc_gates_close(&of_sink(sink)->gates);
}

/* Each enabled recorder forgets what its parent recorded. Every recorder of lines does, by the number of forks. */
static void sink_forked(trc_sink *sink)
{
    trc_bus *bus = of_sink(sink);
    trc_registry_forked(&bus->host.registry);
    trc_bus_tell_all(bus, start_anew, sink->object);
    bus->host.forks++;
    trc_line_bus_start_anew(&bus->lines);
}

/* -- As the host of its recorders -- */

static trc_bus *of_host(trc_host *host)
{
    return (trc_bus *)((char *)host - offsetof(trc_bus, host));
}

static void host_seen_first(trc_host *host)
{
    trc_bus *bus = of_host(host);
    trc_greenlets_watch(&bus->greenlets);
    if (bus->wanted[TRC_MONITORING].remembering + bus->wanted[TRC_SETPROFILE].remembering > 0) {
        trc_numpy_memory_watch();
    }
}

static bool host_watch_memory(trc_heap *heap, trc_credit strangers)
{
    bool is_watched = trc_allocators_watch(heap, strangers);
    if (is_watched) {
        trc_native_memory_watch();
    }
    return is_watched;
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
    bus->sink = (trc_sink){object, callback_type, NULL, sink_is_active, sink_switched, sink_unsettled,
                           NULL,   sink_forked,   NULL, NULL,           NULL};
    bus->host = (trc_host){.wall = trc_clock_wall(TRC_CLOCKSOURCES),
                           .seen_first = host_seen_first,
                           .close_gates = host_close_gates,
                           .pause = host_pause,
                           .resume = host_resume,
                           .activation_of = trc_backend_activation_of,
                           .instrument_frames = host_instrument_frames,
                           .is_installed = trc_backend_is_installed,
                           .watch_memory = host_watch_memory,
                           .unwatch_memory = trc_allocators_unwatch,
                           .reaches_memory = trc_allocators_reach,
                           .lock_memory = trc_allocators_lock,
                           .unlock_memory = trc_allocators_unlock,
                           .credit = trc_allocators_credit,
                           .credit_lines = trc_allocators_credit_lines,
                           .drop_lines = trc_allocators_drop_lines,
                           .resident = trc_allocators_resident,
                           .watch_lines = host_watch_lines,
                           .restart_lines = host_restart_lines};
    trc_registry_init(&bus->host.registry);
    trc_slot_pool_init(&bus->host.slots);
    bus->calls_setprofile.interpreter = interpreter;
    trc_line_bus_init(&bus->lines, &bus->sink, interpreter);
#if TRC_HAS_MONITORING
    bus->sink.mark = trc_tool_mark_new();
    if (bus->sink.mark == NULL) {
        return -1;
    }
#endif
    return trc_greenlets_init(&bus->greenlets, &bus->sink, &bus->host.registry, module);
}

int trc_bus_traverse(const trc_bus *bus, visitproc visit, void *arg)
{
    Py_VISIT(bus->sink.mark);
    int result = trc_calls_monitoring_traverse(&bus->calls_monitoring, visit, arg);
    result = result != 0 ? result : trc_line_bus_traverse(&bus->lines, visit, arg);
    result = result != 0 ? result : trc_collections_traverse(&bus->collections, visit, arg);
    return result != 0 ? result : trc_greenlets_traverse(&bus->greenlets, visit, arg);
}

void trc_bus_clear(trc_bus *bus)
{
    Py_CLEAR(bus->sink.mark);
    trc_calls_monitoring_clear(&bus->calls_monitoring);
    trc_line_bus_clear(&bus->lines);
    trc_collections_clear(&bus->collections);
    trc_greenlets_clear(&bus->greenlets);
    trc_registry_clear(&bus->host.registry);
}
