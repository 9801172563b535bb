/* The short way of almost every event, inlined into the back ends: pure push and pop. One word, the gate, says that it
 * may be taken: one Profile is enabled, its clock is the processor's counter, this thread is recorded and nothing is
 * unusual about it. All other events go the long way, through bus.h, which opens the gate again.
 *
 * Where a timeline is recorded there is a short way with a log, `is_logged`: the gate is open to one of the two only.
 * The back ends have other callbacks for it, so that without a timeline nothing is asked about it. */
#ifndef TRC_FAST_PATH_H
#define TRC_FAST_PATH_H

#include "bus/bus.h"

/* Otherwise the compiler makes a function of each, which costs 30 to 40 instructions a call more. */
#define TRC_FAST __attribute__((always_inline)) static inline

/* How an event went: recorded, or not yet. */
typedef enum trc_fast_result {
    TRC_FAST_DONE,
    TRC_FAST_UNEXPECTED, /* the gate is open and the clock is read, but no context is expected, or something is due */
    TRC_FAST_RESUMED,    /* recorded, but for a suspension, which is to be searched for */
    TRC_FAST_CLOSED,
} trc_fast_result;

TRC_FAST bool trc_fast_is_open(const trc_thread_record *record, const PyThreadState *state, trc_callable_scope scope,
                               bool is_logged)
{
    return (is_logged ? record->logged_to : record->open_to)[scope] == state->id;
}

/* The clock is read as soon as the gate is known to be open: the search for the context hides in the time that the read
 * takes. Where the processor guesses the search wrong, it would else read the clock once more. */
TRC_FAST trc_fast_result trc_fast_enter(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state,
                                        const void *key, trc_callable_scope scope, trc_activation id, trc_entry entry,
                                        trc_tick *now, bool is_logged)
{
    trc_thread_record *record = trc_gate_of(&bus->gates, kind);
    if (!trc_fast_is_open(record, state, scope, is_logged) || trc_thread_is_on_top(&record->thread, id)) {
        return TRC_FAST_CLOSED;
    }
    *now = trc_clock_counter();
    if (trc_thread_is_due(&record->thread, *now)) {
        return TRC_FAST_UNEXPECTED;
    }
    trc_node *node = trc_thread_expected(&record->thread, key);
    if (node == NULL || (is_logged && !trc_thread_can_log(node))) {
        return TRC_FAST_UNEXPECTED;
    }
    if (is_logged) {
        trc_thread_push_logged(&record->thread, node, id, entry, *now);
    }
    else {
        trc_thread_push(&record->thread, node, id, entry, *now);
    }
    if (entry == TRC_RESUMED) {
        trc_recorder *recorder = bus->only_active[kind];
        trc_suspension *suspension = trc_suspensions_front(&recorder->suspensions, id);
        if (suspension->id != id) {
            return TRC_FAST_RESUMED;
        }
        suspension->id = 0;
        trc_recorder_end_suspension(recorder, &record->thread, node, key, suspension, *now);
    }
    return TRC_FAST_DONE;
}

/* Does for an enter what trc_fast_enter() has not done. */
static inline void trc_enter_after(trc_fast_result result, trc_bus *bus, trc_backend_kind kind,
                                   const trc_callee *callee, trc_activation id, trc_entry entry, trc_tick now)
{
    if (result == TRC_FAST_UNEXPECTED) {
        trc_bus_enter_unexpected(bus, kind, callee, id, entry, now);
    }
    else if (result == TRC_FAST_RESUMED) {
        const trc_thread *thread = &trc_gate_of(&bus->gates, kind)->thread;
        trc_recorder_find_suspension(bus->only_active[kind], thread, thread->stack.top->node, callee->key, id, now);
    }
    else if (result == TRC_FAST_CLOSED) {
        trc_bus_enter(bus, kind, callee, id, entry);
    }
}

/* These return false when the event must go the long way: nothing has changed then. */

/* The top's activation ends, if nothing about that is unusual. */
TRC_FAST bool trc_fast_pop(trc_thread *thread, trc_tick now, bool is_logged)
{
    if (is_logged) {
        return trc_thread_pop_logged(thread, now);
    }
    bool can_pop = trc_thread_can_pop(thread, now);
    if (can_pop) {
        trc_thread_pop(thread, now);
    }
    return can_pop;
}

TRC_FAST bool trc_fast_leave(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, trc_activation id,
                             trc_callable_scope scope, bool is_logged)
{
    trc_thread_record *record = trc_gate_of(&bus->gates, kind);
    if (!trc_fast_is_open(record, state, scope, is_logged)) {
        return false;
    }
    if (!trc_thread_is_on_top(&record->thread, id)) {
        /* The caller of a C function is on top: the call was not recorded. */
        return scope != TRC_PYTHON && trc_thread_is_on_top(&record->thread, id - 1);
    }
    return trc_fast_pop(&record->thread, trc_clock_counter(), is_logged);
}

TRC_FAST bool trc_fast_suspend(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, trc_activation id,
                               const void *key, bool is_logged)
{
    trc_thread_record *record = trc_gate_of(&bus->gates, kind);
    if (!trc_fast_is_open(record, state, TRC_PYTHON, is_logged) || !trc_thread_is_on_top(&record->thread, id)) {
        return false;
    }
    trc_suspensions *suspensions = &bus->only_active[kind]->suspensions;
    trc_suspension *front = trc_suspensions_front(suspensions, id);
    if (!trc_suspensions_is_free(suspensions, front, id)) {
        return false;
    }
    trc_tick now = trc_clock_counter();
    if (!trc_fast_pop(&record->thread, now, is_logged)) {
        return false;
    }
    *front = (trc_suspension){id, key, &record->thread, now};
    return true;
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
        trc_tick now = 0;
        trc_fast_result entered = trc_fast_enter(bus, kind, state, callee->key, callee->scope, id, entry, &now, false);
        trc_enter_after(entered, bus, kind, callee, id, entry, now);
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
    if (result == TRC_FILTERED_IN && !trc_fast_leave(bus, kind, state, id, scope, false)) {
        trc_bus_leave(bus, kind, id, scope);
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
    if (result == TRC_FILTERED_IN && !trc_fast_suspend(bus, kind, state, id, site->code, false)) {
        trc_bus_suspend(bus, kind, id, site->code);
    }
    return result == TRC_FILTERED_IN;
}

static inline bool trc_fast_wants(trc_bus *bus, trc_backend_kind kind, trc_code_site *site)
{
    trc_filter_result result = trc_fast_filter(bus, kind, site);
    return result == TRC_FILTER_UNDECIDED ? trc_bus_wants(bus, kind, site) : result == TRC_FILTERED_IN;
}

#endif
