/* What one Profile records: its options, its clock, its functions and its threads. Events come from the bus; each
 * thread's go to a record of its own, found through thread-specific storage, so that an event takes no lock. How recording
 * begins and ends is in calls_lifecycle.h. */
#ifndef TRC_CALLS_H
#define TRC_CALLS_H

#include "core/tree/suspensions.h"
#include "interp/filter.h"
#include "interp/identity.h"
#include "interp/timer.h"
#include "recorders/host.h"
#include "recorders/phase.h"
#include "recorders/thread_record.h"

/* Bounds of what a profile may hold. A node takes at most 200 bytes, a function about 300 (and 150 a thread), a thread
 * about 40,000. */
#define TRC_NODE_LIMIT 2000000
#define TRC_FUNCTION_LIMIT 500000

typedef struct trc_recorder trc_recorder;

struct trc_recorder {
    trc_recorder *next_active; /* of the bus's list */
    trc_host *host;            /* borrowed from the profiler */
    uint64_t serial;           /* later enabled, larger */
    PyObject *profiler;        /* borrowed: the object that this is part of */
    trc_internal_types internal_types;
    const trc_backend *backend;
    PyObject *why; /* owned: why this back end, a str */
    bool backend_was_asked_for;
    trc_clock clock;
    trc_timer timer;
    trc_filter *filter; /* owned: set while disabled; NULL: on everything */
    bool subcalls;
    bool every_thread;
    trc_callable_scope scope;
    trc_callable_scope scope_on_stack; /* the highest since the start: their leaves are wanted */
    trc_phase phase;
    uint64_t generation;       /* how often recording began, or began anew: what was under way then is not for it */
    uint64_t owner_state_id;   /* the thread that enabled it: the only one traced without `every_thread` */
    uint64_t ignored_state_id; /* the latest thread that asked never to be traced, or 0 */
    Py_tss_t slot;             /* while listed: the calling thread's record */
    _Atomic(trc_thread_record *) latest; /* what the slot holds in a thread that had an event lately, or NULL */
    trc_thread_records threads;
    trc_thread_record outsider; /* the record of threads that are not traced: always muted */
    trc_functab functions;      /* of all threads; owners: trc_identity */
    trc_suspensions suspensions;
    atomic_long node_budget;
    long node_limit;
    long function_limit;
    trc_tick began; /* when recording did, or did anew */
    trc_moment enabled_at;
    trc_moment measured; /* ticks and nanoseconds while enabled, up to the last disable */
    trc_moment stopped_at;
};

/* The steps of beginning to record. A record begins with the recorder: `now`, or at what its thread's own clock
 * shows then. What all threads run already is put onto their stacks, each in a record of its own; of the calling thread
 * nothing unless `here`. */
void trc_recorder_begin_thread(const trc_recorder *recorder, trc_thread_record *record, trc_tick now);
void trc_recorder_adopt_threads(trc_recorder *recorder, bool here, trc_tick now);

/* Has the recorder's present scope hold for the leaves of what it enters from now on. */
void trc_recorder_raise_scope(trc_recorder *recorder);

/* The calling thread is not traced from now on, whether the recorder is enabled now or later. One thread at a time. */
void trc_recorder_ignore_thread(trc_recorder *recorder);

/* From here on, nothing of the calling thread is recorded; or it is again, with what it runs already if `here`. */
void trc_recorder_mute(trc_recorder *recorder);
void trc_recorder_unmute(trc_recorder *recorder, bool here);

/* Mutes the threads whose events no longer come: what they ran then may be over by the time that they come again. */
void trc_recorder_give_up_threads(trc_recorder *recorder);

/* Leaves out what the calling thread does from now on, and goes on where it was: the time between is nobody's. */
void trc_recorder_pause(trc_recorder *recorder);
void trc_recorder_resume(trc_recorder *recorder);

/* Events of the calling thread. */
void trc_recorder_enter(trc_recorder *recorder, const trc_callee *callee, trc_activation id, trc_entry entry);
void trc_recorder_leave(trc_recorder *recorder, trc_activation id);
/* A generator or coroutine goes on: the time since it was suspended is known now. */
void trc_recorder_end_suspension(trc_recorder *recorder, const trc_thread *thread, const trc_callee *callee,
                                 trc_activation id, trc_func *func, trc_tick now);
/* A leave of a generator or coroutine, whose function has this key, that may go on. */
void trc_recorder_suspend(trc_recorder *recorder, trc_activation id, const void *key);
/* It goes on: an enter, unless it is on top of the stack already, alone or with the C function that it calls. */
void trc_recorder_go_on(trc_recorder *recorder, const trc_callee *callee, trc_activation id);
/* The calling thread has gone from one greenlet, which may be over, to another. With `look`, what runs there already is
 * recorded; else the thread runs something on top of it just now. */
void trc_recorder_switch(trc_recorder *recorder, const void *from, bool is_over, const void *to, bool look);

/* The calling thread may have gone to another greenlet unseen; what is being entered, if that is not 0, is not taken for
 * something that runs already. */
void trc_recorder_look_again(trc_recorder *recorder, trc_activation entering);

/* Whether the thread of a record lives and its events no longer come. */
bool trc_recorder_is_cut_off(const trc_recorder *recorder, const trc_thread_record *record);

#endif
