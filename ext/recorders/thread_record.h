/* The threads of a recorder: a track each, with the core thread that records it and what tells it from others. */
#ifndef TRC_TRACK_H
#define TRC_TRACK_H

#include "core/tree/thread.h"
#include "interp/compat.h"

/* One thread; past TRC_TRACK_LIMIT, a new thread goes on where one that has ended left off. */
typedef struct trc_track {
    struct trc_track *next;
    trc_thread thread;
    trc_tick began; /* when the recorder did, on the clock of the thread */
    bool muted;     /* stopped until the recorder is enabled again: its events are ignored */
    bool cut_off;   /* its events no longer came when tracing ended: somebody took away what makes them */
    int paused;     /* how many times it is paused: likewise, but its stack waits */
    bool unadopted; /* recording began anew then: what it runs is looked at when it goes on, the rest ends unseen */
    bool nameless;  /* its name is not known, and still worth asking for */
    int name_tries;
    uint32_t sharers;        /* threads that have recorded here: 1 but for shared tracks */
    uint64_t state_id;       /* PyThreadState_GetID(): never reused, unlike addresses and idents */
    unsigned long ident;     /* threading.get_ident() */
    unsigned long native_id; /* threading.get_native_id() */
    PyObject *name;          /* owned: threading's name, or NULL while it is not known */
} trc_track;

typedef struct trc_tracks {
    trc_track *first; /* owned, the newest first */
    uint32_t count;
} trc_tracks;

#define TRC_TRACK_LIMIT 1000

/* The track with this thread state, or NULL. */
trc_track *trc_tracks_find(const trc_tracks *tracks, uint64_t state_id);

/* The track of a thread, made when there is none; NULL when memory is out. A thread of C goes on in its own with each new
 * state, on an empty stack. */
trc_track *trc_tracks_get(trc_tracks *tracks, const PyThreadState *thread, atomic_long *node_budget, trc_tick now);

/* The track in the slot of the calling thread, whose state has this id. NULL also where that is not the state of the track
 * any more: then it is to be got. A track that no thread records in, of all that are not traced, has none. */
static inline trc_track *trc_tracks_in_slot(Py_tss_t *slot, uint64_t state_id)
{
    trc_track *track = PyThread_tss_get(slot);
    return track != NULL && track->state_id != state_id && track->sharers > 0 ? NULL : track;
}

/* Frees the list that begins with this track. */
void trc_track_free_all(trc_track *track);

/* New reference: the name that `threading` has for the thread now, the name it was last seen with, or None. Runs no
 * code of the program. */
PyObject *trc_track_name(const trc_track *track);

/* Tries to learn the name of the calling thread, whose track this is: when it has ended, `threading` knows it no more.
 * Runs no code of the program. */
void trc_track_learn_name(trc_track *track);

#endif
