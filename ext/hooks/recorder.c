/* What one Profile records: see recorder.h.
 *
 * A custom timer runs Python code, which may disable, clear or drop the very profile that asked, or let other threads
 * do so. Therefore every event reads the clock first, before it holds a pointer into the recorder. */
#include "recorder.h"

#include <math.h>
#include <stdlib.h>

#define NAME_TRIES 64 /* new contexts after which a thread that `threading` does not know is left without a name */

static const char other_key; /* its address is the key of all functions past the limit */

/* -- The custom timer -- */

/* What a timer gave, in ticks: its integers as they are when they have a unit, else seconds in nanoseconds. */
static trc_tick ticks_of(const trc_recorder *recorder, PyObject *value)
{
    if (recorder->timer_unit > 0.0) {
        return PyLong_AsLongLong(value);
    }
    double seconds = PyFloat_AsDouble(value);
    double nanoseconds = floor(seconds * 1e9);
    if (!(nanoseconds >= -9.2e18 && nanoseconds <= 9.2e18) && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_OverflowError, "the profiler's timer gave a time that is out of range");
    }
    return PyErr_Occurred() ? 0 : (trc_tick)nanoseconds;
}

/* A call of a timer that is going on; it lives on the stack of its thread. */
typedef struct trc_timer_call {
    struct trc_timer_call *next;
    unsigned long ident;
} trc_timer_call;

static trc_tick read_timer(void *context)
{
    trc_recorder *recorder = context;
    trc_timer_call call = {recorder->in_timer, PyThread_get_thread_ident()};
    recorder->in_timer = &call;
    PyObject *value = PyObject_CallNoArgs(recorder->timer);
    trc_timer_call **link = &recorder->in_timer; /* threads leave in any order */
    while (*link != &call) {
        link = &(*link)->next;
    }
    *link = call.next;
    trc_tick ticks = value == NULL ? 0 : ticks_of(recorder, value);
    Py_XDECREF(value);
    if (!PyErr_Occurred()) {
        recorder->timer_last = ticks;
    }
    else if (recorder->timer_failed) {
        PyErr_Clear();
    }
    else {
        recorder->timer_failed = true;
        PyErr_WriteUnraisable(recorder->timer);
    }
    return recorder->timer_last;
}

bool trc_recorder_in_timer(const trc_recorder *recorder)
{
    const trc_timer_call *call = recorder->in_timer;
    unsigned long ident = call == NULL ? 0 : PyThread_get_thread_ident();
    while (call != NULL && call->ident != ident) {
        call = call->next;
    }
    return call != NULL;
}

/* -- Threads -- */

static void track_free(trc_track *track)
{
    trc_thread_free(&track->thread);
    Py_XDECREF(track->name);
    free(track);
}

/* New reference: the name that `threading` has for a thread, or NULL without an exception. Reads dictionaries only: an
 * attribute look-up could run code of the program. */
static PyObject *look_up_name(unsigned long ident)
{
    PyObject *name = NULL;
    PyObject *modules = PySys_GetObject("modules"); /* gone when the interpreter ends */
    PyObject *threading = modules == NULL || !PyDict_Check(modules) ? NULL : PyDict_GetItemString(modules, "threading");
    if (threading == NULL || !PyModule_Check(threading)) {
        return NULL;
    }
    PyObject *active = PyDict_GetItemString(PyModule_GetDict(threading), "_active");
    PyObject *key = PyLong_FromUnsignedLong(ident);
    if (active != NULL && PyDict_Check(active) && key != NULL) {
        PyObject *thread = Py_XNewRef(PyDict_GetItemWithError(active, key));
        PyObject *attributes = thread == NULL ? NULL : PyObject_GenericGetDict(thread, NULL);
        if (attributes != NULL && PyDict_Check(attributes)) {
            name = PyDict_GetItemString(attributes, "_name");
            name = name != NULL && PyUnicode_Check(name) ? Py_NewRef(name) : NULL;
        }
        Py_XDECREF(attributes);
        Py_XDECREF(thread);
    }
    Py_XDECREF(key);
    PyErr_Clear();
    return name;
}

static bool is_alive(const trc_track *track)
{
    const PyThreadState *state = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
    while (state != NULL && state->id != track->state_id) {
        state = PyThreadState_Next((PyThreadState *)state);
    }
    return state != NULL;
}

PyObject *trc_track_name(const trc_track *track)
{
    /* The ident of a thread that is over may be another's by now. */
    PyObject *name = is_alive(track) ? look_up_name(track->ident) : NULL;
    if (name == NULL && track->name != NULL) {
        name = Py_NewRef(track->name);
    }
    return name == NULL ? Py_NewRef(Py_None) : name;
}

/* Learns the thread's name while it is alive. Allocates Python objects, so it comes last in an event. */
static void learn_name(trc_recorder *recorder, trc_track *track)
{
    if (track->name == NULL && track->name_tries < NAME_TRIES) {
        track->name_tries++;
        PyObject *name = look_up_name(track->ident);
        /* Anything may have happened meanwhile. */
        if (name != NULL && recorder->enabled && PyThread_tss_get(&recorder->slot) == track && track->name == NULL) {
            track->name = name;
            return;
        }
        Py_XDECREF(name);
    }
}

/* Whether `threading` only adopted the thread, or does not know it. */
static bool is_foreign(const trc_track *track)
{
    const char *name = track->name == NULL ? NULL : PyUnicode_AsUTF8(track->name);
    PyErr_Clear();
    return name == NULL || strncmp(name, "Dummy-", 6) == 0;
}

/* A track whose thread has ended. A foreign thread is never taken for ended: it may come back under another thread
 * state and find its track through the slot. */
static trc_track *find_ended(const trc_recorder *recorder)
{
    trc_track *track = recorder->tracks;
    for (; track != NULL; track = track->next) {
        if (!is_foreign(track) && !is_alive(track)) {
            return track;
        }
    }
    return NULL;
}

static trc_track *new_track(trc_recorder *recorder, trc_tick now)
{
    trc_track *track = calloc(1, sizeof *track);
    if (track == NULL) {
        return NULL;
    }
    if (!trc_thread_init(&track->thread, &trc_system_allocator, &recorder->node_budget, trc_identity_free, now)) {
        track_free(track);
        return NULL;
    }
    track->next = recorder->tracks;
    recorder->tracks = track;
    recorder->track_count++;
    return track;
}

/* The track of a thread state that has none yet; NULL when memory is out. */
static trc_track *assign_track(trc_recorder *recorder, uint64_t state_id, trc_tick now)
{
    trc_track *track = recorder->track_count < TRC_TRACK_LIMIT ? NULL : find_ended(recorder);
    if (track == NULL) {
        track = new_track(recorder, now);
        if (track == NULL) {
            return NULL;
        }
    }
    else {
        trc_thread_stop(&track->thread, track->thread.last); /* what its thread did not live to leave */
        trc_thread_start(&track->thread, now);
    }
    track->sharers++;
    track->name_tries = 0;
    track->state_id = state_id;
    track->ident = PyThread_get_thread_ident();
    track->native_id = PyThread_get_thread_native_id();
    return track;
}

/* The track of the calling thread at its first event since start or clear; NULL when memory is out. */
static trc_track *attach(trc_recorder *recorder, trc_tick now)
{
    trc_track *track = &recorder->outsider;
    uint64_t state_id = PyThreadState_GetID(PyThreadState_Get());
    if (recorder->every_thread || state_id == recorder->owner_state_id) {
        for (track = recorder->tracks; track != NULL && track->state_id != state_id; track = track->next) {
        }
        if (track == NULL) {
            track = assign_track(recorder, state_id, now);
        }
    }
    if (track != NULL) {
        PyThread_tss_set(&recorder->slot, track);
    }
    return track;
}

static inline trc_track *current_track(trc_recorder *recorder, trc_tick now)
{
    trc_track *track = PyThread_tss_get(&recorder->slot);
    return track != NULL ? track : attach(recorder, now);
}

/* -- Events -- */

static trc_func *find_or_add(trc_recorder *recorder, trc_track *track, const trc_callee *callee)
{
    trc_functab *funcs = &track->thread.funcs;
    trc_func *func = trc_functab_find(funcs, callee->key);
    if (func != NULL) {
        return func;
    }
    const void *key = callee->key;
    trc_identity *identity;
    if (atomic_fetch_sub(&recorder->func_budget, 1) > 0) {
        identity = trc_identity_new(callee, recorder->own_type);
    }
    else {
        atomic_store(&recorder->func_budget, 0);
        key = &other_key;
        func = trc_functab_find(funcs, key);
        if (func != NULL) {
            return func;
        }
        identity = trc_identity_other();
    }
    func = identity == NULL ? NULL : trc_functab_add(funcs, key, identity);
    if (func == NULL && identity != NULL) {
        trc_identity_free(identity);
    }
    return func;
}

static trc_node *new_context(trc_recorder *recorder, trc_track *track, const trc_callee *callee)
{
    trc_func *func = find_or_add(recorder, track, callee);
    if (func == NULL) {
        track->thread.lost_calls++;
        return NULL;
    }
    trc_node *node = func->key == callee->key ? NULL : trc_thread_child(&track->thread, func->key);
    return node != NULL ? node : trc_thread_add_child(&track->thread, func);
}

void trc_recorder_enter(trc_recorder *recorder, const trc_callee *callee, uintptr_t id)
{
    if (trc_recorder_in_timer(recorder)) {
        return;
    }
    trc_tick now = trc_clock_now(&recorder->clock);
    if (!recorder->enabled) {
        return;
    }
    trc_track *track = current_track(recorder, now);
    if (track == NULL || track->muted) {
        return;
    }
    trc_node *node = trc_thread_child(&track->thread, callee->key);
    bool known = node != NULL;
    if (!known) {
        node = new_context(recorder, track, callee);
        if (node == NULL) {
            return;
        }
    }
    const trc_identity *identity = node->func->owner;
    trc_thread_enter(&track->thread, node, id, callee->offset > identity->first_resume, now);
    if (!known) {
        learn_name(recorder, track);
    }
}

void trc_recorder_leave(trc_recorder *recorder, uintptr_t id)
{
    if (trc_recorder_in_timer(recorder)) {
        return;
    }
    trc_tick now = trc_clock_now(&recorder->clock);
    if (!recorder->enabled) {
        return;
    }
    trc_track *track = current_track(recorder, now);
    if (track != NULL && !track->muted) {
        trc_thread_leave(&track->thread, id, now);
    }
}

/* -- The recorder's life -- */

void trc_recorder_init(trc_recorder *recorder, PyObject *profiler, PyTypeObject *own_type)
{
    recorder->profiler = profiler;
    recorder->own_type = own_type;
    recorder->clock = trc_clock_wall();
    recorder->subcalls = recorder->builtins = recorder->every_thread = true;
    recorder->slot = (Py_tss_t)Py_tss_NEEDS_INIT;
    recorder->outsider.muted = true;
    recorder->node_limit = TRC_NODE_LIMIT;
    atomic_store(&recorder->node_budget, recorder->node_limit);
    atomic_store(&recorder->func_budget, TRC_FUNCTION_LIMIT);
}

static int open_slot(trc_recorder *recorder)
{
    if (PyThread_tss_create(&recorder->slot) != 0) {
        PyErr_SetString(PyExc_RuntimeError,
                        "no thread-specific storage is left: too many profiles are enabled at once");
        return -1;
    }
    return 0;
}

int trc_recorder_clear(trc_recorder *recorder)
{
    trc_track *tracks = recorder->tracks;
    recorder->tracks = NULL;
    recorder->track_count = 0;
    recorder->measured = (trc_moment){0, 0};
    recorder->enabled_at = trc_clock_moment(&recorder->clock);
    atomic_store(&recorder->node_budget, recorder->node_limit);
    atomic_store(&recorder->func_budget, TRC_FUNCTION_LIMIT);
    int result = 0;
    if (recorder->enabled) {
        PyThread_tss_delete(&recorder->slot); /* in every thread at once */
        result = open_slot(recorder);
        recorder->enabled = result == 0;
    }
    while (tracks != NULL) { /* last: it drops references, which may run code */
        trc_track *next = tracks->next;
        track_free(tracks);
        tracks = next;
    }
    return result;
}

void trc_recorder_free(trc_recorder *recorder)
{
    trc_recorder_clear(recorder);
    Py_CLEAR(recorder->timer);
}

int trc_recorder_traverse(trc_recorder *recorder, visitproc visit, void *arg)
{
    Py_VISIT(recorder->timer);
    for (const trc_track *track = recorder->tracks; track != NULL; track = track->next) {
        Py_VISIT(track->name);
        for (const trc_func *func = track->thread.funcs.first; func != NULL; func = func->hh.next) {
            int result = trc_identity_traverse(func->owner, visit, arg);
            if (result != 0) {
                return result;
            }
        }
    }
    return 0;
}

int trc_recorder_start(trc_recorder *recorder)
{
    recorder->timer_failed = false;
    if (recorder->timer != NULL) {
        recorder->clock = trc_clock_injected(read_timer, recorder,
                                             recorder->timer_unit > 0.0 ? recorder->timer_unit : 1.0 / 1000000000);
    }
    trc_tick now = trc_clock_now(&recorder->clock);
    if (recorder->enabled) {
        return 0; /* the timer did it */
    }
    if (open_slot(recorder) < 0) {
        return -1;
    }
    for (trc_track *track = recorder->tracks; track != NULL; track = track->next) {
        track->muted = false;
        trc_thread_start(&track->thread, now);
    }
    recorder->owner_state_id = PyThreadState_GetID(PyThreadState_Get());
    recorder->enabled_at = trc_clock_moment(&recorder->clock);
    recorder->enabled = true;
    return 0;
}

trc_tick trc_recorder_now_of(trc_recorder *recorder, const trc_track *track)
{
    return trc_clock_now_of(&recorder->clock, track->native_id, track->thread.last);
}

void trc_recorder_stop(trc_recorder *recorder)
{
    recorder->measured = trc_recorder_measured(recorder);
    recorder->stopped_at = trc_recorder_latest(recorder);
    recorder->enabled = false;
    PyThread_tss_delete(&recorder->slot);
    /* A custom timer is read once, and first: see the top of this file. */
    bool one_clock = recorder->clock.kind != TRC_CLOCK_CPU;
    trc_tick now = one_clock ? trc_clock_now(&recorder->clock) : 0;
    for (trc_track *track = recorder->tracks; track != NULL; track = track->next) {
        trc_thread_stop(&track->thread, one_clock ? now : trc_recorder_now_of(recorder, track));
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
