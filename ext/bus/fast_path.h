/* What almost every event takes, inlined into the back ends: one Profile is enabled, its clock runs no code, the thread
 * is known, and so is what it calls. Everything else goes the whole way through bus.h, which decides the same.
 * Against that way for all, this saves a quarter of what tracer itself adds to a call. */
#ifndef TRC_FAST_PATH_H
#define TRC_FAST_PATH_H

#include "bus/bus.h"

/* Left to itself, the compiler makes a function of each and calls it: 30 to 40 instructions a call more. */
#define TRC_HOT __attribute__((always_inline)) static inline

/* The recorder's track of the calling thread, whose state has this id; NULL when it is not known or not recorded. Most
 * events come from the thread that the one before came from: to compare its id takes less than to ask thread-specific
 * storage. */
static inline trc_track *trc_hot_track(trc_recorder *recorder, uint64_t state_id)
{
    trc_track *track = atomic_load_explicit(&recorder->latest, memory_order_relaxed);
    if (track == NULL || track->state_id != state_id) {
        track = trc_tracks_in_slot(&recorder->slot, state_id);
        atomic_store_explicit(&recorder->latest, track, memory_order_relaxed);
    }
    return track == NULL || track->muted || track->paused ? NULL : track;
}

TRC_HOT void trc_hot_enter(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, const trc_callee *callee,
                           trc_activation id, trc_entry entry)
{
    trc_recorder *recorder = bus->only_active[kind];
    uint64_t here = state->id;
    if (recorder != NULL && callee->level <= recorder->level && bus->greenlets.pending != here) {
        trc_tick now = trc_clock_now(&recorder->clock);
        trc_track *track = trc_hot_track(recorder, here);
        bool learns_name = track != NULL && track->nameless && callee->level == TRC_PYTHON;
        if (track != NULL && track->thread.stack.top->id != id && !learns_name) {
            trc_node *node = trc_thread_child(&track->thread, callee->key);
            if (node != NULL) {
                trc_thread_enter(&track->thread, node, id, entry, now);
                if (entry == TRC_RESUMED) {
                    trc_recorder_end_suspension(recorder, &track->thread, callee, id, node->func, now);
                }
                return;
            }
        }
    }
    trc_bus_enter(bus, kind, callee, id, entry);
}

TRC_HOT void trc_hot_leave(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, trc_activation id,
                           trc_level level)
{
    trc_recorder *recorder = bus->only_active[kind];
    uint64_t here = state->id;
    if (recorder != NULL && level <= recorder->level_on_stack && bus->greenlets.pending != here) {
        trc_tick now = trc_clock_now(&recorder->clock);
        trc_track *track = trc_hot_track(recorder, here);
        if (track != NULL) {
            trc_thread_leave(&track->thread, id, now);
            return;
        }
    }
    trc_bus_leave(bus, kind, id, level);
}

TRC_HOT void trc_hot_suspend(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, trc_activation id,
                             const void *key)
{
    trc_recorder *recorder = bus->only_active[kind];
    if (recorder != NULL) {
        trc_tick now = trc_clock_now(&recorder->clock);
        trc_track *track = trc_hot_track(recorder, state->id);
        if (track != NULL) {
            trc_suspension suspension = trc_thread_suspend(&track->thread, id, key, now);
            trc_suspensions_put(&recorder->suspensions, &suspension);
            return;
        }
    }
    trc_bus_suspend(bus, kind, id, key);
}

/* -- The same for events in the code of a place, where a recorder has a focus; see bus.h for what they return -- */

typedef enum trc_look {
    TRC_NOT_LOOKED_AT,
    TRC_LOOKED_AT,
    TRC_TO_BE_ASKED, /* there are several Profiles, or the code is new */
} trc_look;

static inline trc_look trc_hot_look(const trc_bus *bus, trc_backend_kind kind, const trc_place *place)
{
    const trc_recorder *recorder = bus->only_active[kind];
    if (recorder == NULL || recorder->focus == NULL) {
        return TRC_TO_BE_ASKED;
    }
    const trc_verdict *verdict = trc_focus_find(recorder->focus, place->code);
    return verdict == NULL ? TRC_TO_BE_ASKED : verdict->in ? TRC_LOOKED_AT : TRC_NOT_LOOKED_AT;
}

static inline bool trc_hot_enter_in(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, trc_place *place,
                                    const trc_callee *callee, trc_activation id, trc_entry entry)
{
    trc_look look = trc_hot_look(bus, kind, place);
    if (look == TRC_TO_BE_ASKED) {
        return trc_bus_enter_in(bus, kind, place, callee, id, entry);
    }
    if (look == TRC_LOOKED_AT) {
        trc_hot_enter(bus, kind, state, callee, id, entry);
    }
    return look == TRC_LOOKED_AT;
}

static inline bool trc_hot_leave_in(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, trc_place *place,
                                    trc_activation id, trc_level level)
{
    trc_look look = trc_hot_look(bus, kind, place);
    if (look == TRC_TO_BE_ASKED) {
        return trc_bus_leave_in(bus, kind, place, id, level);
    }
    if (look == TRC_LOOKED_AT) {
        trc_hot_leave(bus, kind, state, id, level);
    }
    return look == TRC_LOOKED_AT;
}

static inline bool trc_hot_suspend_in(trc_bus *bus, trc_backend_kind kind, const PyThreadState *state, trc_place *place,
                                      trc_activation id)
{
    trc_look look = trc_hot_look(bus, kind, place);
    if (look == TRC_TO_BE_ASKED) {
        return trc_bus_suspend_in(bus, kind, place, id);
    }
    if (look == TRC_LOOKED_AT) {
        trc_hot_suspend(bus, kind, state, id, place->code);
    }
    return look == TRC_LOOKED_AT;
}

static inline bool trc_hot_wants(trc_bus *bus, trc_backend_kind kind, trc_place *place)
{
    trc_look look = trc_hot_look(bus, kind, place);
    return look == TRC_TO_BE_ASKED ? trc_bus_wants(bus, kind, place) : look == TRC_LOOKED_AT;
}

#endif
