/* The path of almost every event, inlined into the back ends: one Profile is enabled, its clock runs no code, and both
 * the thread and the callee are known. All other events go through bus.h, which decides the same. Compared with bus.h
 * for all events, this saves a quarter of tracer's own overhead of a call. */
#ifndef TRC_FAST_PATH_H
#define TRC_FAST_PATH_H

#include "bus/bus.h"

/* Otherwise the compiler makes a function of each, which costs 30 to 40 instructions a call more. */
#define TRC_FAST __attribute__((always_inline)) static inline

/* Returns the recorder's record of the calling thread, whose state has this id, or NULL when the thread is not known or
 * not recorded. Most events come from the same thread as the one before: to compare its id costs less than to read
 * thread-specific storage. */
static inline trc_thread_record *trc_fast_record(trc_recorder *recorder, uint64_t state_id)
{
    trc_thread_record *record = atomic_load_explicit(&recorder->latest, memory_order_relaxed);
    if (record == NULL || record->state_id != state_id) {
        record = trc_thread_record_in_slot(&recorder->slot, state_id);
        atomic_store_explicit(&recorder->latest, record, memory_order_relaxed);
    }
    return record == NULL || record->muted || record->paused ? NULL : record;
}

TRC_FAST void trc_fast_enter(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, const trc_callee *callee,
                             trc_activation id, trc_entry entry)
{
    trc_recorder *recorder = bus->only_active[kind];
    uint64_t here = state->id;
    if (recorder != NULL && callee->scope <= recorder->scope && bus->greenlets.pending != here) {
        trc_tick now = trc_clock_now(&recorder->clock);
        trc_thread_record *record = trc_fast_record(recorder, here);
        bool learns_name = record != NULL && record->nameless && callee->scope == TRC_PYTHON;
        if (record != NULL && record->thread.stack.top->id != id && !learns_name) {
            trc_node *node = trc_thread_child(&record->thread, callee->key);
            if (node != NULL) {
                trc_thread_enter(&record->thread, node, id, entry, now);
                if (entry == TRC_RESUMED) {
                    trc_recorder_end_suspension(recorder, &record->thread, callee, id, node->func, now);
                }
                return;
            }
        }
    }
    trc_bus_enter(bus, kind, callee, id, entry);
}

TRC_FAST void trc_fast_leave(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, trc_activation id,
                             trc_callable_scope scope)
{
    trc_recorder *recorder = bus->only_active[kind];
    uint64_t here = state->id;
    if (recorder != NULL && scope <= recorder->scope_on_stack && bus->greenlets.pending != here) {
        trc_tick now = trc_clock_now(&recorder->clock);
        trc_thread_record *record = trc_fast_record(recorder, here);
        if (record != NULL) {
            trc_thread_leave(&record->thread, id, now);
            return;
        }
    }
    trc_bus_leave(bus, kind, id, scope);
}

TRC_FAST void trc_fast_suspend(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, trc_activation id,
                               const void *key)
{
    trc_recorder *recorder = bus->only_active[kind];
    if (recorder != NULL) {
        trc_tick now = trc_clock_now(&recorder->clock);
        trc_thread_record *record = trc_fast_record(recorder, state->id);
        if (record != NULL) {
            trc_suspension suspension = trc_thread_suspend(&record->thread, id, key, now);
            trc_suspensions_put(&recorder->suspensions, &suspension);
            return;
        }
    }
    trc_bus_suspend(bus, kind, id, key);
}

/* -- The same for events in the code of a site, where a recorder has a filter; see bus.h for the results -- */

typedef enum trc_filter_result {
    TRC_FILTERED_OUT,
    TRC_FILTERED_IN,
    TRC_FILTER_UNDECIDED, /* several Profiles are enabled, or the code is new */
} trc_filter_result;

static inline trc_filter_result trc_fast_filter(const trc_bus *bus, trc_backend_kind kind, const trc_code_site *site)
{
    const trc_recorder *recorder = bus->only_active[kind];
    if (recorder == NULL || recorder->filter == NULL) {
        return TRC_FILTER_UNDECIDED;
    }
    const trc_decision *decision = trc_filter_find(recorder->filter, site->code);
    return decision == NULL ? TRC_FILTER_UNDECIDED : decision->in ? TRC_FILTERED_IN : TRC_FILTERED_OUT;
}

static inline bool trc_fast_enter_in(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state,
                                     trc_code_site *site, const trc_callee *callee, trc_activation id, trc_entry entry)
{
    trc_filter_result result = trc_fast_filter(bus, kind, site);
    if (result == TRC_FILTER_UNDECIDED) {
        return trc_bus_enter_in(bus, kind, site, callee, id, entry);
    }
    if (result == TRC_FILTERED_IN) {
        trc_fast_enter(bus, kind, state, callee, id, entry);
    }
    return result == TRC_FILTERED_IN;
}

static inline bool trc_fast_leave_in(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state,
                                     trc_code_site *site, trc_activation id, trc_callable_scope scope)
{
    trc_filter_result result = trc_fast_filter(bus, kind, site);
    if (result == TRC_FILTER_UNDECIDED) {
        return trc_bus_leave_in(bus, kind, site, id, scope);
    }
    if (result == TRC_FILTERED_IN) {
        trc_fast_leave(bus, kind, state, id, scope);
    }
    return result == TRC_FILTERED_IN;
}

static inline bool trc_fast_suspend_in(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state,
                                       trc_code_site *site, trc_activation id)
{
    trc_filter_result result = trc_fast_filter(bus, kind, site);
    if (result == TRC_FILTER_UNDECIDED) {
        return trc_bus_suspend_in(bus, kind, site, id);
    }
    if (result == TRC_FILTERED_IN) {
        trc_fast_suspend(bus, kind, state, id, site->code);
    }
    return result == TRC_FILTERED_IN;
}

static inline bool trc_fast_wants(trc_bus *bus, trc_backend_kind kind, trc_code_site *site)
{
    trc_filter_result result = trc_fast_filter(bus, kind, site);
    return result == TRC_FILTER_UNDECIDED ? trc_bus_wants(bus, kind, site) : result == TRC_FILTERED_IN;
}

#endif
