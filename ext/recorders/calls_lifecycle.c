/* A recorder's life: see calls_lifecycle.h. */
#include "recorders/calls_lifecycle.h"

#include "interp/threads.h"

void trc_recorder_init(trc_recorder *recorder, PyObject *profiler, trc_host *host, trc_own_types own_types)
{
    recorder->profiler = profiler;
    recorder->host = host;
    recorder->own_types = own_types;
    recorder->clock = host->wall;
    recorder->subcalls = recorder->every_thread = true;
    recorder->level = TRC_BUILTINS;
    recorder->slot = (Py_tss_t)Py_tss_NEEDS_INIT;
    recorder->outsider.muted = true;
    recorder->node_limit = TRC_NODE_LIMIT;
    recorder->function_limit = TRC_FUNCTION_LIMIT;
    trc_functab_init(&recorder->functions, &trc_system_allocator, trc_identity_free);
    trc_suspensions_init(&recorder->suspensions, &trc_system_allocator);
    atomic_store(&recorder->node_budget, recorder->node_limit);
}

/* What a recorder has recorded, taken out of it. */
typedef struct recorded {
    trc_track *tracks;
    trc_functab functions;
} recorded;

static void free_recorded(recorded *old)
{
    trc_track_free_all(old->tracks);
    trc_functab_free(&old->functions); /* last: it drops references, which may run code */
}

/* Threads that are muted or paused stay so when the tables begin anew. */
static void carry_over(trc_recorder *recorder, const trc_track *old, trc_tick now)
{
    for (; old != NULL; old = old->next) {
        const PyThreadState *state = old->muted || old->paused ? trc_state_of(old->state_id) : NULL;
        trc_track *track = state == NULL ? NULL : trc_tracks_get(&recorder->tracks, state, &recorder->node_budget, now);
        if (track != NULL) {
            trc_recorder_begin_track(recorder, track, now);
            track->muted = old->muted;
            track->cut_off = old->cut_off;
            track->paused = old->paused;
        }
    }
}

/* Begins with empty tables. What was in them is the caller's from then on. */
static int begin_anew(trc_recorder *recorder, recorded *old)
{
    trc_tick now = recorder->enabled ? trc_clock_now(&recorder->clock) : 0;
    if (recorder->listed) {
        if (trc_slot_renew(&recorder->slot) < 0) {
            return -1;
        }
        atomic_store(&recorder->latest, NULL);
    }
    *old = (recorded){recorder->tracks.first, recorder->functions};
    recorder->tracks = (trc_tracks){NULL, 0};
    trc_functab_init(&recorder->functions, old->functions.allocator, old->functions.release);
    recorder->measured = (trc_moment){0, 0};
    recorder->enabled_at = trc_clock_moment(&recorder->clock);
    atomic_store(&recorder->node_budget, recorder->node_limit);
    trc_suspensions_free(&recorder->suspensions);
    recorder->beginnings++;
    recorder->began = now;
    if (recorder->enabled) {
        carry_over(recorder, old->tracks, now);
        trc_recorder_adopt_threads(recorder, true, now);
    }
    return 0;
}

int trc_recorder_clear(trc_recorder *recorder)
{
    recorded old;
    if (begin_anew(recorder, &old) < 0) {
        return -1;
    }
    free_recorded(&old);
    trc_focus_forget(recorder->focus);
    return 0;
}

int trc_recorder_clear_copy(trc_recorder *recorder)
{
    recorded old;
    return begin_anew(recorder, &old);
}

void trc_recorder_free(trc_recorder *recorder)
{
    trc_recorder_clear(recorder);
    Py_CLEAR(recorder->timer.callable);
    Py_CLEAR(recorder->why);
}

int trc_recorder_traverse(trc_recorder *recorder, visitproc visit, void *arg)
{
    Py_VISIT(recorder->timer.callable);
    for (const trc_track *track = recorder->tracks.first; track != NULL; track = track->next) {
        Py_VISIT(track->name);
    }
    for (const trc_func *func = recorder->functions.first; func != NULL; func = func->hh.next) {
        int result = trc_identity_traverse(func->owner, visit, arg);
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

int trc_recorder_open(trc_recorder *recorder)
{
    recorder->timer.failed = false;
    recorder->level_on_stack = recorder->level;
    recorder->owner_state_id = PyThreadState_GetID(PyThreadState_Get());
    return trc_slot_open(&recorder->slot);
}

void trc_recorder_close(trc_recorder *recorder)
{
    atomic_store(&recorder->latest, NULL);
    PyThread_tss_delete(&recorder->slot);
}

void trc_recorder_start(trc_recorder *recorder, bool here)
{
    trc_tick now = trc_clock_now(&recorder->clock);
    if (!recorder->listed || recorder->enabled) { /* a custom timer, or an audit hook, was faster */
        return;
    }
    for (trc_track *track = recorder->tracks.first; track != NULL; track = track->next) {
        track->muted = false;
        track->cut_off = false;
        track->paused = 0;
        track->unadopted = false;
        trc_recorder_begin_track(recorder, track, now);
    }
    recorder->enabled_at = trc_clock_moment(&recorder->clock);
    recorder->enabled = true;
    recorder->beginnings++;
    recorder->began = now;
    trc_recorder_adopt_threads(recorder, here, now);
    recorder->host->seen_first(recorder->host);
}

trc_tick trc_recorder_now_of(const trc_recorder *recorder, const trc_track *track, trc_tick now)
{
    if (track->paused || trc_state_of(track->state_id) == NULL || trc_recorder_is_cut_off(recorder, track)) {
        return track->thread.last;
    }
    return recorder->clock.kind == TRC_CLOCK_CPU
               ? trc_clock_now_of(&recorder->clock, track->native_id, track->thread.last)
               : now;
}

void trc_recorder_stop(trc_recorder *recorder)
{
    if (recorder->enabled) {
        recorder->measured = trc_recorder_measured(recorder);
        recorder->stopped_at = trc_recorder_latest(recorder);
        for (trc_track *track = recorder->tracks.first; track != NULL; track = track->next) {
            track->cut_off = trc_recorder_is_cut_off(recorder, track);
        }
        recorder->enabled = false;
        trc_tick now = trc_clock_now(&recorder->clock);
        for (trc_track *track = recorder->tracks.first; track != NULL; track = track->next) {
            trc_thread_stop(&track->thread, trc_recorder_now_of(recorder, track, now));
        }
        trc_suspensions_free(&recorder->suspensions);
    }
    trc_recorder_close(recorder);
}

trc_moment trc_recorder_measured(const trc_recorder *recorder)
{
    trc_moment measured = recorder->measured;
    if (recorder->enabled) {
        trc_moment since = trc_moment_since(trc_clock_moment(&recorder->clock), recorder->enabled_at);
        measured.ticks += since.ticks;
        measured.nanoseconds += since.nanoseconds;
    }
    return measured;
}

trc_moment trc_recorder_latest(const trc_recorder *recorder)
{
    return recorder->enabled ? trc_clock_moment(&recorder->clock) : recorder->stopped_at;
}
