/* The threads of a recorder: see thread_record.h. */
#include "recorders/thread_record.h"

#include "interp/threads.h"

#include <stdlib.h>

#define NAME_TRIES 64 /* calls of Python functions, after which a thread is left without a name */

/* Reads dictionaries only, since an attribute look-up could run code of the program. */
static PyObject *look_up_name_in(PyObject *active, unsigned long ident)
{
    PyObject *name = NULL;
    PyObject *key = PyLong_FromUnsignedLong(ident);
    PyObject *thread = key == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(active, key));
    PyObject *attributes = thread == NULL ? NULL : PyObject_GenericGetDict(thread, NULL);
    if (attributes != NULL && PyDict_Check(attributes)) {
        name = trc_look_up(attributes, "_name");
        name = name != NULL && PyUnicode_Check(name) ? Py_NewRef(name) : NULL;
    }
    Py_XDECREF(attributes);
    Py_XDECREF(thread);
    Py_XDECREF(key);
    PyErr_Clear();
    return name;
}

/* New reference: the name that `threading` has for a thread, or NULL without an exception. */
static PyObject *look_up_name(unsigned long ident)
{
    PyObject *modules = PySys_GetObject("modules"); /* gone when the interpreter ends */
    PyObject *threading = modules == NULL || !PyDict_Check(modules) ? NULL : trc_look_up(modules, "threading");
    if (threading == NULL || !PyModule_Check(threading)) {
        return NULL;
    }
    PyObject *active = trc_look_up(PyModule_GetDict(threading), "_active");
    if (active == NULL || !PyDict_Check(active)) {
        return NULL;
    }
    /* Up to 3.11 the dict of a thread is made when it is asked for, and a collection may begin there. */
    int collecting = trc_pause_collection();
    PyObject *name = look_up_name_in(active, ident);
    trc_resume_collection(collecting);
    return name;
}

PyObject *trc_track_name(const trc_track *track)
{
    /* The ident of a thread that is over may be another's by now. */
    PyObject *name = trc_state_of(track->state_id) != NULL ? look_up_name(track->ident) : NULL;
    if (name == NULL && track->name != NULL) {
        name = Py_NewRef(track->name);
    }
    return name == NULL ? Py_NewRef(Py_None) : name;
}

void trc_track_learn_name(trc_track *track)
{
    Py_XSETREF(track->name, look_up_name(track->ident));
    track->name_tries++;
    track->nameless = track->name == NULL && track->name_tries < NAME_TRIES;
}

trc_track *trc_tracks_find(const trc_tracks *tracks, uint64_t state_id)
{
    trc_track *track = tracks->first;
    while (track != NULL && track->state_id != state_id) {
        track = track->next;
    }
    return track;
}

/* The track of a thread that C made, from its calls into Python before: each has a new state. */
static trc_track *find_of_thread(const trc_tracks *tracks, unsigned long ident, unsigned long native_id)
{
    trc_track *track = tracks->first;
    while (track != NULL &&
           !(track->ident == ident && track->native_id == native_id && trc_state_of(track->state_id) == NULL)) {
        track = track->next;
    }
    return track;
}

/* A track whose thread has no state any more. One that C made may come back under another state, and finds then that
 * the track is not its own any more. */
static trc_track *find_ended(const trc_tracks *tracks)
{
    trc_track *track = tracks->first;
    while (track != NULL && trc_state_of(track->state_id) != NULL) {
        track = track->next;
    }
    return track;
}

static trc_track *add_track(trc_tracks *tracks, atomic_long *node_budget, trc_tick now)
{
    trc_track *track = calloc(1, sizeof *track);
    if (track == NULL) {
        return NULL;
    }
    if (!trc_thread_init(&track->thread, &trc_system_allocator, node_budget, NULL, now)) {
        trc_track_free_all(track);
        return NULL;
    }
    track->next = tracks->first;
    tracks->first = track;
    tracks->count++;
    return track;
}

trc_track *trc_tracks_get(trc_tracks *tracks, const PyThreadState *thread, atomic_long *node_budget, trc_tick now)
{
    trc_track *track = trc_tracks_find(tracks, thread->id);
    if (track != NULL) {
        return track;
    }
    /* Of the calling thread these are asked for: a forked child's state may still have those of its parent. */
    bool here = thread == PyThreadState_Get();
    unsigned long ident = here ? PyThread_get_thread_ident() : thread->thread_id;
    unsigned long native_id = here ? PyThread_get_thread_native_id() : thread->native_thread_id;
    track = find_of_thread(tracks, ident, native_id);
    if (track != NULL) {
        trc_thread_stop(&track->thread, track->thread.last); /* what the state before did not live to leave */
        track->state_id = thread->id;
        return track;
    }
    track = tracks->count < TRC_TRACK_LIMIT ? NULL : find_ended(tracks);
    if (track != NULL) {
        trc_thread_stop(&track->thread, track->thread.last); /* what its thread did not live to leave */
        trc_thread_start(&track->thread, now);
        Py_CLEAR(track->name);
    }
    else {
        track = add_track(tracks, node_budget, now);
        if (track == NULL) {
            return NULL;
        }
    }
    track->sharers++;
    track->nameless = true;
    track->name_tries = 0;
    track->muted = false;
    track->cut_off = false;
    track->paused = 0;
    track->unadopted = false;
    track->state_id = thread->id;
    track->ident = ident;
    track->native_id = native_id;
    return track;
}

void trc_track_free_all(trc_track *track)
{
    while (track != NULL) {
        trc_track *next = track->next;
        trc_thread_free(&track->thread);
        Py_XDECREF(track->name);
        free(track);
        track = next;
    }
}
