/* What one Profile records: its options, its clock and its threads. Events come from the dispatcher; each thread's go
 * to a core thread of its own, found through thread-specific storage, so that an event takes no lock. */
#ifndef TRC_RECORDER_H
#define TRC_RECORDER_H

#include "../core/capture.h"
#include "identity.h"

/* Bounds of what a profile may hold. A node takes at most 200 bytes, a function about 300, a thread about 20,000. */
#define TRC_NODE_LIMIT 2000000
#define TRC_FUNCTION_LIMIT 500000
#define TRC_TRACK_LIMIT 1000

/* One thread of a recorder; past TRC_TRACK_LIMIT, a new thread goes on where one that has ended left off. */
typedef struct trc_track {
    struct trc_track *next;
    trc_thread thread;
    uint64_t state_id;       /* PyThreadState_GetID(): never reused, unlike addresses and idents */
    unsigned long ident;     /* threading.get_ident() */
    unsigned long native_id; /* threading.get_native_id() */
    PyObject *name;          /* owned: threading's name, or NULL while it is not known */
    int name_tries;
    uint32_t sharers; /* threads that have recorded here: 1 but for shared tracks */
    bool muted;       /* its events are ignored */
} trc_track;

typedef struct trc_recorder {
    struct trc_recorder *next_active; /* of the dispatcher's list, while enabled */
    PyObject *profiler;               /* borrowed: the object that this is part of */
    PyTypeObject *own_type;           /* borrowed: the type whose methods are in no row */
    trc_clock clock;
    PyObject *timer;                 /* owned: a custom timer, or NULL */
    double timer_unit;               /* seconds of the timer's integers; 0: it gives seconds */
    trc_tick timer_last;             /* what a timer that fails is taken to say */
    struct trc_timer_call *in_timer; /* the threads that are inside the timer now */
    bool timer_failed;               /* reported once */
    bool subcalls;
    bool builtins;
    bool every_thread;
    bool enabled;
    uint64_t owner_state_id; /* the thread that enabled it: the only one traced without `every_thread` */
    Py_tss_t slot;           /* while enabled: the calling thread's track */
    trc_track *tracks;       /* owned, the newest first */
    uint32_t track_count;
    trc_track outsider; /* the track of threads that are not traced: always muted */
    atomic_long node_budget;
    atomic_long func_budget;
    long node_limit;
    trc_moment enabled_at;
    trc_moment measured; /* ticks and nanoseconds while enabled, up to the last disable */
    trc_moment stopped_at;
} trc_recorder;

void trc_recorder_init(trc_recorder *recorder, PyObject *profiler, PyTypeObject *own_type);

/* Forgets everything recorded; goes on recording when enabled. Returns 0, or -1 with an exception set. */
int trc_recorder_clear(trc_recorder *recorder);
void trc_recorder_free(trc_recorder *recorder);
int trc_recorder_traverse(trc_recorder *recorder, visitproc visit, void *arg);

/* Begins and ends recording; the dispatcher calls them. start returns 0, or -1 with an exception set. */
int trc_recorder_start(trc_recorder *recorder);
void trc_recorder_stop(trc_recorder *recorder);

/* From here on, nothing of the calling thread is recorded. */
void trc_recorder_mute(trc_recorder *recorder);

/* An event of the calling thread. `id` names the activation; see trc_frame. */
void trc_recorder_enter(trc_recorder *recorder, const trc_callee *callee, uintptr_t id);
void trc_recorder_leave(trc_recorder *recorder, uintptr_t id);

/* True when the calling thread is inside this recorder's custom timer: then nothing about it may be changed. */
bool trc_recorder_in_timer(const trc_recorder *recorder);

/* Ticks and nanoseconds that the recorder has been enabled for, up to now. */
trc_moment trc_recorder_measured(const trc_recorder *recorder);

/* The present moment; of a disabled recorder the one when it stopped, so that what is finished is always timed
 * alike. */
trc_moment trc_recorder_latest(const trc_recorder *recorder);

/* Now, on the clock of that track's thread. */
trc_tick trc_recorder_now_of(trc_recorder *recorder, const trc_track *track);

/* New reference: the name that `threading` has for the thread now, the name it was last seen with, or None. */
PyObject *trc_track_name(const trc_track *track);

#endif
