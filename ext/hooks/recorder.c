/* What one Profile records: see recorder.h.
 *
 * A custom timer runs Python code, which may disable, clear or drop the very profile that asked, or let other threads
 * do so. Therefore the clock is read first, before anything holds a pointer into the recorder. */
#include "recorder.h"

static const char other_key; /* its address is the key of all functions past the limit */

static trc_track *attach(trc_recorder *recorder, trc_tick now)
{
    bool wanted = recorder->every_thread || PyThreadState_GetID(PyThreadState_Get()) == recorder->owner_state_id;
    trc_track *track = wanted ? trc_tracks_get(&recorder->tracks, &recorder->node_budget, now) : &recorder->outsider;
    if (track != NULL) {
        PyThread_tss_set(&recorder->slot, track);
    }
    return track;
}

/* The track of the calling thread; NULL when memory is out. */
static inline trc_track *current_track(trc_recorder *recorder, trc_tick now)
{
    trc_track *track = PyThread_tss_get(&recorder->slot);
    return track != NULL ? track : attach(recorder, now);
}

/* -- Events -- */

/* The recorder's record of a function; of all that come past the limit, the same one. NULL when memory is out. */
static trc_func *find_function(trc_recorder *recorder, const trc_callee *callee)
{
    trc_functab *functions = &recorder->functions;
    trc_func *func = trc_functab_find(functions, callee->key);
    if (func != NULL) {
        return func;
    }
    bool known = (long)functions->count < recorder->function_limit || trc_callee_is_own(callee, &recorder->own_types);
    const void *key = known ? callee->key : &other_key;
    func = known ? NULL : trc_functab_find(functions, key);
    if (func != NULL) {
        return func;
    }
    trc_identity *identity = known ? trc_identity_new(callee, &recorder->own_types) : trc_identity_other();
    if (identity == NULL) {
        return NULL;
    }
    func = trc_functab_add(functions, key, identity);
    if (func == NULL) {
        trc_identity_free(identity);
        return NULL;
    }
    identity->id = func->id;
    return func;
}

/* The context that a call leads to when it is not among the known ones. NULL when memory is out: counted as lost. */
static trc_node *new_context(trc_recorder *recorder, trc_track *track, const trc_callee *callee)
{
    trc_functab *own = &track->thread.funcs;
    trc_func *func = trc_functab_find(own, callee->key);
    if (func == NULL) {
        const trc_func *function = find_function(recorder, callee);
        if (function != NULL && function->key != callee->key) {
            trc_node *node = trc_thread_child(&track->thread, function->key);
            if (node != NULL) {
                return node;
            }
            func = trc_functab_find(own, function->key);
        }
        if (function != NULL && func == NULL) {
            func = trc_functab_add(own, function->key, function->owner);
        }
    }
    if (func == NULL) {
        track->thread.lost_calls++;
        return NULL;
    }
    return trc_thread_add_child(&track->thread, func);
}

void trc_recorder_enter(trc_recorder *recorder, const trc_callee *callee, uintptr_t id)
{
    if (trc_timer_is_running(&recorder->timer)) {
        return;
    }
    trc_tick now = trc_clock_now(&recorder->clock);
    if (!recorder->enabled) {
        return;
    }
    trc_track *track = current_track(recorder, now);
    if (track == NULL || track->muted || track->paused) {
        return;
    }
    trc_node *node = trc_thread_child(&track->thread, callee->key);
    if (node == NULL) {
        node = new_context(recorder, track, callee);
        if (node == NULL) {
            return;
        }
    }
    trc_thread_enter(&track->thread, node, id, trc_callee_is_resumed(callee, node->func->owner), now);
    if (track->nameless) {
        trc_track_learn_name(track);
    }
}

void trc_recorder_leave(trc_recorder *recorder, uintptr_t id)
{
    if (trc_timer_is_running(&recorder->timer)) {
        return;
    }
    trc_tick now = trc_clock_now(&recorder->clock);
    if (!recorder->enabled) {
        return;
    }
    trc_track *track = current_track(recorder, now);
    if (track != NULL && !track->muted && !track->paused) {
        trc_thread_leave(&track->thread, id, now);
    }
}

void trc_recorder_mute(trc_recorder *recorder)
{
    trc_tick now = trc_clock_now(&recorder->clock);
    trc_track *track = recorder->enabled ? current_track(recorder, now) : NULL;
    if (track != NULL && !track->muted) {
        trc_thread_stop(&track->thread, now);
        track->muted = true;
    }
}

void trc_recorder_unmute(trc_recorder *recorder)
{
    trc_tick now = trc_clock_now(&recorder->clock);
    trc_track *track = recorder->enabled ? current_track(recorder, now) : NULL;
    if (track != NULL && track->muted && track != &recorder->outsider) {
        trc_thread_start(&track->thread, now);
        track->muted = false;
    }
}

void trc_recorder_pause(trc_recorder *recorder)
{
    trc_tick now = trc_clock_now(&recorder->clock);
    trc_track *track = recorder->enabled ? current_track(recorder, now) : NULL;
    if (track != NULL && track->paused++ == 0 && !track->muted) {
        trc_thread_pause(&track->thread, now);
    }
}

void trc_recorder_resume(trc_recorder *recorder)
{
    trc_tick now = trc_clock_now(&recorder->clock);
    trc_track *track = recorder->enabled ? current_track(recorder, now) : NULL;
    /* It is not paused when the profile was cleared or enabled in between. */
    if (track != NULL && track->paused > 0 && --track->paused == 0 && !track->muted) {
        trc_thread_resume(&track->thread, now);
    }
}

/* -- The recorder's life -- */

void trc_recorder_init(trc_recorder *recorder, PyObject *profiler, trc_own_types own_types)
{
    recorder->profiler = profiler;
    recorder->own_types = own_types;
    recorder->clock = trc_clock_wall();
    recorder->subcalls = recorder->builtins = recorder->every_thread = true;
    recorder->slot = (Py_tss_t)Py_tss_NEEDS_INIT;
    recorder->outsider.muted = true;
    recorder->node_limit = TRC_NODE_LIMIT;
    recorder->function_limit = TRC_FUNCTION_LIMIT;
    trc_functab_init(&recorder->functions, &trc_system_allocator, trc_identity_free);
    atomic_store(&recorder->node_budget, recorder->node_limit);
}

static int open_slot(Py_tss_t *slot)
{
    if (PyThread_tss_create(slot) != 0) {
        PyErr_SetString(PyExc_RuntimeError,
                        "no thread-specific storage is left: too many profiles are enabled at once");
        return -1;
    }
    return 0;
}

int trc_recorder_clear(trc_recorder *recorder)
{
    if (recorder->enabled) { /* a new slot is empty in every thread at once */
        Py_tss_t slot = Py_tss_NEEDS_INIT;
        if (open_slot(&slot) < 0) {
            return -1;
        }
        PyThread_tss_delete(&recorder->slot);
        recorder->slot = slot;
    }
    trc_track *tracks = recorder->tracks.first;
    trc_functab functions = recorder->functions;
    recorder->tracks = (trc_tracks){NULL, 0};
    trc_functab_init(&recorder->functions, functions.allocator, functions.release);
    recorder->measured = (trc_moment){0, 0};
    recorder->enabled_at = trc_clock_moment(&recorder->clock);
    atomic_store(&recorder->node_budget, recorder->node_limit);
    trc_track_free_all(tracks);
    trc_functab_free(&functions); /* last: it drops references, which may run code */
    return 0;
}

void trc_recorder_free(trc_recorder *recorder)
{
    trc_recorder_clear(recorder);
    Py_CLEAR(recorder->timer.callable);
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

int trc_recorder_start(trc_recorder *recorder)
{
    recorder->timer.failed = false;
    trc_tick now = trc_clock_now(&recorder->clock);
    if (recorder->enabled) {
        return 0;
    }
    if (open_slot(&recorder->slot) < 0) {
        return -1;
    }
    for (trc_track *track = recorder->tracks.first; track != NULL; track = track->next) {
        track->muted = false;
        track->paused = 0;
        trc_thread_start(&track->thread, now);
    }
    recorder->owner_state_id = PyThreadState_GetID(PyThreadState_Get());
    recorder->builtins_on_stack = recorder->builtins;
    recorder->enabled_at = trc_clock_moment(&recorder->clock);
    recorder->enabled = true;
    return 1;
}

trc_tick trc_recorder_now_of(const trc_recorder *recorder, const trc_track *track, trc_tick now)
{
    if (track->paused || !trc_track_is_alive(track)) {
        return track->thread.last;
    }
    return recorder->clock.kind == TRC_CLOCK_CPU
               ? trc_clock_now_of(&recorder->clock, track->native_id, track->thread.last)
               : now;
}

void trc_recorder_stop(trc_recorder *recorder)
{
    recorder->measured = trc_recorder_measured(recorder);
    recorder->stopped_at = trc_recorder_latest(recorder);
    recorder->enabled = false;
    PyThread_tss_delete(&recorder->slot);
    trc_tick now = trc_clock_now(&recorder->clock);
    for (trc_track *track = recorder->tracks.first; track != NULL; track = track->next) {
        trc_thread_stop(&track->thread, trc_recorder_now_of(recorder, track, now));
    }
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
