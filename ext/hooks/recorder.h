/* What one Profile records: its options, its clock, its functions and its threads. Events come from the dispatcher; each
 * thread's go to a track of its own, found through thread-specific storage, so that an event takes no lock. */
#ifndef TRC_RECORDER_H
#define TRC_RECORDER_H

#include "../core/capture.h"
#include "identity.h"
#include "timer.h"
#include "track.h"

/* Bounds of what a profile may hold. A node takes at most 200 bytes, a function about 300 (and 150 a thread), a thread
 * about 40,000. */
#define TRC_NODE_LIMIT 2000000
#define TRC_FUNCTION_LIMIT 500000

typedef struct trc_recorder {
    struct trc_recorder *next_active; /* of the dispatcher's list, while enabled */
    uint64_t serial;                  /* later enabled, larger */
    PyObject *profiler;               /* borrowed: the object that this is part of */
    trc_own_types own_types;
    trc_clock clock;
    trc_timer timer;
    bool subcalls;
    bool builtins;
    bool builtins_on_stack; /* builtins were recorded at some time since the start, so their leaves are wanted */
    bool every_thread;
    bool enabled;
    uint64_t owner_state_id; /* the thread that enabled it: the only one traced without `every_thread` */
    Py_tss_t slot;           /* while enabled: the calling thread's track */
    trc_tracks tracks;
    trc_track outsider;    /* the track of threads that are not traced: always muted */
    trc_functab functions; /* of all threads; owners: trc_identity */
    atomic_long node_budget;
    long node_limit;
    long function_limit;
    trc_moment enabled_at;
    trc_moment measured; /* ticks and nanoseconds while enabled, up to the last disable */
    trc_moment stopped_at;
} trc_recorder;

/* Readies a zeroed recorder with the options that a Profile has by default. */
void trc_recorder_init(trc_recorder *recorder, PyObject *profiler, trc_own_types own_types);

/* Forgets everything recorded; goes on recording when enabled. Returns 0, or -1 with an exception set and nothing
 * forgotten. */
int trc_recorder_clear(trc_recorder *recorder);
void trc_recorder_free(trc_recorder *recorder);
int trc_recorder_traverse(trc_recorder *recorder, visitproc visit, void *arg);

/* Begins and ends recording; the dispatcher calls them. start returns 1, 0 when it was enabled already (a custom timer
 * may do that in the middle), or -1 with an exception set. */
int trc_recorder_start(trc_recorder *recorder);
void trc_recorder_stop(trc_recorder *recorder);

/* From here on, nothing of the calling thread is recorded; or it is again. */
void trc_recorder_mute(trc_recorder *recorder);
void trc_recorder_unmute(trc_recorder *recorder);

/* Leaves out what the calling thread does from now on, and goes on where it was: the time between is nobody's. */
void trc_recorder_pause(trc_recorder *recorder);
void trc_recorder_resume(trc_recorder *recorder);

/* An event of the calling thread. `id` names the activation; see trc_frame. */
void trc_recorder_enter(trc_recorder *recorder, const trc_callee *callee, uintptr_t id);
void trc_recorder_leave(trc_recorder *recorder, uintptr_t id);

/* Ticks and nanoseconds that the recorder has been enabled for, up to now. */
trc_moment trc_recorder_measured(const trc_recorder *recorder);

/* The present moment; of a disabled recorder the one when it stopped, so that what is finished is always timed
 * alike. */
trc_moment trc_recorder_latest(const trc_recorder *recorder);

/* Until when the track's thread is to be timed: `now`, which the recorder's clock shows, or what its own clock shows.
 * The time of a thread that is paused or has ended stops at its last event. */
trc_tick trc_recorder_now_of(const trc_recorder *recorder, const trc_track *track, trc_tick now);

#endif
