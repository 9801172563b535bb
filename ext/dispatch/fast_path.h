/* The short way of almost every event, inlined into the back ends: pure push and pop. One word, the gate, says that it
 * may be taken: one Profile is enabled, its clock is the processor's counter, this thread is recorded and nothing is
 * unusual about it. All other events go the long way, through events.h, which opens the gate again.
 *
 * A filter is asked nothing here. Only code that is in has nodes: so an expected child is in, and so is what calls a C
 * function from the top of the stack; an activation that is on top was entered.
 *
 * Where a timeline is recorded there is a short way with a log, `is_logged`: the gate is open to one of the two only.
 * The back ends have other callbacks for it, so that without a timeline nothing is asked about it. */
#ifndef TRC_FAST_PATH_H
#define TRC_FAST_PATH_H

#include "dispatch/events.h"
#include "recorders/measured_objects.h"

/* Otherwise the compiler makes a function of each, which costs 30 to 40 instructions a call more. */
#define TRC_FAST __attribute__((always_inline)) static inline

/* How an event went: recorded, or not yet. */
typedef enum trc_fast_result {
    TRC_FAST_DONE,
    TRC_FAST_UNEXPECTED, /* the gate is open and the clock is read, but no context is expected, or something is due */
    TRC_FAST_RESUMED,    /* recorded, but for a suspension, which is to be searched for */
    TRC_FAST_CLOSED,
} trc_fast_result;

/* What the short way has found, for the long one. */
typedef struct trc_fast_found {
    trc_thread_record *record; /* the calling thread's; NULL where the gate is closed */
    trc_tick now;
} trc_fast_found;

TRC_FAST bool trc_fast_is_open(const trc_thread_record *record, const PyThreadState *state, trc_callable_scope scope,
                               bool is_logged)
{
    bool is_open = (is_logged ? record->logged_to : record->open_to)[scope] == state->id;
    assert(!is_open || (trc_has_gil() && trc_record_is_here(&record->base)));
    return is_open;
}

/* Whether the activation is to be entered from the top of the stack: a C function's caller is there. */
TRC_FAST bool trc_fast_is_next(const trc_thread *thread, trc_callable_scope scope, trc_activation id)
{
    return scope == TRC_PYTHON ? !trc_thread_is_on_top(thread, id) : trc_thread_is_on_top(thread, id - 1);
}

/* The clock is read as soon as the gate is known to be open: the search for the context hides in the time that the read
 * takes. Where the processor guesses the search wrong, it would else read the clock once more. */
TRC_FAST trc_fast_result trc_fast_enter(const trc_dispatcher *dispatcher, trc_backend_kind kind,
                                        const PyThreadState *state, const void *key, trc_callable_scope scope,
                                        trc_activation id, trc_entry entry, trc_fast_found *found, bool is_logged)
{
    trc_thread_record *record = trc_gate_of(&dispatcher->shared.gates, kind);
    *found = (trc_fast_found){NULL, 0};
    if (!trc_fast_is_open(record, state, scope, is_logged) || !trc_fast_is_next(&record->thread, scope, id)) {
        return TRC_FAST_CLOSED;
    }
    trc_tick now = trc_clock_counter();
    *found = (trc_fast_found){record, now};
    if (trc_thread_is_due(&record->thread, now)) {
        return TRC_FAST_UNEXPECTED;
    }
    trc_node *node = trc_thread_expected(&record->thread, key);
    if (node == NULL || (is_logged && !trc_thread_can_log(node))) {
        return TRC_FAST_UNEXPECTED;
    }
    if (is_logged) {
        trc_thread_push_logged(&record->thread, node, id, entry, now);
    }
    else {
        trc_thread_push(&record->thread, node, id, entry, now);
    }
    if (entry == TRC_RESUMED) {
        trc_recorder *recorder = record->recorder;
        trc_suspension *suspension = trc_suspensions_front(&recorder->suspensions, id);
        if (suspension->id != id) {
            return TRC_FAST_RESUMED;
        }
        suspension->id = 0;
        trc_recorder_end_suspension(recorder, &record->thread, node, key, suspension, now);
    }
    return TRC_FAST_DONE;
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

TRC_FAST bool trc_fast_leave(const trc_dispatcher *dispatcher, trc_backend_kind kind, const PyThreadState *state,
                             trc_activation id, trc_callable_scope scope, bool is_logged)
{
    trc_thread_record *record = trc_gate_of(&dispatcher->shared.gates, kind);
    if (!trc_fast_is_open(record, state, scope, is_logged)) {
        return false;
    }
    if (!trc_thread_is_on_top(&record->thread, id)) {
        /* The caller of a C function is on top: the call was not recorded. */
        bool has_no_row = scope != TRC_PYTHON && trc_thread_is_on_top(&record->thread, id - 1);
        if (has_no_row && record->objects.depth > 0) {
            trc_recorder_end_object(record, id);
        }
        return has_no_row;
    }
    return trc_fast_pop(&record->thread, trc_clock_counter(), is_logged);
}

TRC_FAST bool trc_fast_suspend(const trc_dispatcher *dispatcher, trc_backend_kind kind, const PyThreadState *state,
                               trc_activation id, const void *key, bool is_logged)
{
    trc_thread_record *record = trc_gate_of(&dispatcher->shared.gates, kind);
    if (!trc_fast_is_open(record, state, TRC_PYTHON, is_logged) || !trc_thread_is_on_top(&record->thread, id)) {
        return false;
    }
    trc_suspensions *suspensions = &record->recorder->suspensions;
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

#endif
