/* Hands the events of calls on: see events.h. */
#include "bus/events.h"

#include "bus/greenlets.h"
#include "sources/allocators.h"
#include "sources/numpy_memory.h"

void trc_bus_look_for_modules(trc_bus *bus)
{
    bool was_aside = trc_allocators_step_aside(true);
    bus->shared.has_news = false;
    trc_greenlets_watch(bus);
    if (bus->remembers) {
        trc_numpy_memory_watch();
    }
    trc_allocators_step_aside(was_aside);
}

static void look_again(trc_recorder *recorder, const void *entering)
{
    trc_recorder_look_again(recorder, *(const trc_activation *)entering);
}

/* Tries again to be told of greenlets, and catches up with unseen switches. */
static void settle(trc_bus *bus, trc_activation entering)
{
    if (trc_greenlets_is_pending(bus)) {
        trc_greenlets_watch(bus);
        if (!trc_greenlets_is_pending(bus)) {
            trc_bus_tell_all(bus, look_again, &entering);
        }
    }
}

/* After an event that went the long way. */
static void open_gate(trc_bus *bus, trc_backend_kind kind)
{
    trc_recorder *recorder = bus->only_active[kind];
    if (recorder != NULL && !trc_greenlets_is_pending(bus)) {
        trc_thread_record *record = trc_recorder_plain_record(recorder);
        if (record != NULL) {
            atomic_store_explicit(&bus->shared.gates.calls[kind], record, memory_order_relaxed);
        }
    }
}

static bool is_in(const trc_recorder *recorder, trc_code_site *site)
{
    /* Without a code, the event comes from before a recorder with a filter records. */
    bool in = recorder->base.filter == NULL || site->code == NULL || trc_filter_has(recorder->base.filter, site);
    site->is_wanted = site->is_wanted || in;
    return in;
}

/* What an event returns. A recorder that a timer or a finalizer enabled meanwhile was not asked. */
static bool is_wanted(trc_bus *bus, const trc_code_site *site, uint64_t serials)
{
    if (site->is_new) {
        trc_greenlets_watch(bus); /* as at the first sight of a function */
    }
    return site->is_wanted || bus->shared.serials != serials;
}

/* Whether the recorder of a record leaves out the code of an event. */
static bool leaves_out(trc_bus *bus, const trc_thread_record *record, trc_code_site *site)
{
    return !is_in(record->recorder, site) && !is_wanted(bus, site, bus->shared.serials);
}

bool trc_bus_enter(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, const trc_callee *callee,
                   trc_activation id, trc_entry entry)
{
    trc_thread_record *record = trc_gate_plain_record(&bus->shared.gates, kind);
    if (record != NULL && callee->scope <= record->recorder->scope && !record->nameless &&
        !trc_thread_is_on_top(&record->thread, id)) {
        trc_tick now = trc_clock_now(&record->recorder->base.clock);
        return trc_bus_enter_unexpected(bus, record, site, callee, id, entry, now);
    }
    uint64_t serials = bus->shared.serials;
    settle(bus, id);
    trc_each_recording each;
    for (trc_recorder *recorder = trc_bus_first(&each, bus, kind); recorder != NULL; recorder = trc_bus_next(&each)) {
        if (is_in(recorder, site) && callee->scope <= recorder->scope) {
            trc_recorder_enter(recorder, callee, id, entry);
        }
    }
    trc_bus_look_at_news(bus);
    open_gate(bus, kind);
    return is_wanted(bus, site, serials);
}

bool trc_bus_leave(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id,
                   trc_callable_scope scope)
{
    trc_thread_record *record = trc_gate_plain_record(&bus->shared.gates, kind);
    if (record != NULL) {
        bool is_out = leaves_out(bus, record, site);
        if (!is_out && trc_thread_has(&record->thread, id)) {
            trc_thread_leave(&record->thread, id, trc_clock_now(&record->recorder->base.clock));
        }
        return !is_out;
    }
    uint64_t serials = bus->shared.serials;
    settle(bus, 0);
    trc_each_recording each;
    for (trc_recorder *recorder = trc_bus_first(&each, bus, kind); recorder != NULL; recorder = trc_bus_next(&each)) {
        if (is_in(recorder, site) && scope <= recorder->scope_on_stack) {
            trc_recorder_leave(recorder, id);
        }
    }
    trc_bus_look_at_news(bus);
    open_gate(bus, kind);
    return is_wanted(bus, site, serials);
}

bool trc_bus_suspend(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id)
{
    trc_thread_record *record = trc_gate_plain_record(&bus->shared.gates, kind);
    if (record != NULL) {
        bool is_out = leaves_out(bus, record, site);
        if (!is_out) {
            trc_tick now = trc_clock_now(&record->recorder->base.clock);
            trc_recorder_suspend_known(record->recorder, &record->thread, id, site->code, now);
        }
        return !is_out;
    }
    uint64_t serials = bus->shared.serials;
    trc_each_recording each;
    for (trc_recorder *recorder = trc_bus_first(&each, bus, kind); recorder != NULL; recorder = trc_bus_next(&each)) {
        if (is_in(recorder, site)) {
            trc_recorder_suspend(recorder, id, site->code);
        }
    }
    trc_bus_look_at_news(bus);
    open_gate(bus, kind);
    return is_wanted(bus, site, serials);
}

void trc_bus_go_on(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id)
{
    trc_callee callee = {site->code, (PyObject *)site->code, TRC_PYTHON};
    trc_each_recording each;
    for (trc_recorder *recorder = trc_bus_first(&each, bus, kind); recorder != NULL; recorder = trc_bus_next(&each)) {
        if (is_in(recorder, site)) {
            trc_recorder_go_on(recorder, &callee, id);
        }
    }
}

bool trc_bus_wants(trc_bus *bus, trc_backend_kind kind, trc_code_site *site)
{
    uint64_t serials = bus->shared.serials;
    trc_each_recording each;
    for (trc_recorder *recorder = trc_bus_first(&each, bus, kind); recorder != NULL; recorder = trc_bus_next(&each)) {
        is_in(recorder, site);
    }
    return is_wanted(bus, site, serials);
}
