/* What one Profile records: its options, its clock, its functions and its threads. Events come from the bus. Each
 * thread has a record of its own, found through its context, so that an event takes no lock.
 * calls_lifecycle.h has the beginning and end of recording. */
#ifndef TRC_CALLS_H
#define TRC_CALLS_H

#include "core/tree/suspensions.h"
#include "interp/identity.h"
#include "recorders/handlers.h"
#include "recorders/memory.h"
#include "recorders/notes.h"
#include "recorders/recording.h"
#include "recorders/samples.h"
#include "recorders/thread_record.h"

/* The limits of a profile. A node takes about 110 bytes, a function about 300 (and 150 a thread), a thread about
 * 40,000. */
#define TRC_NODE_LIMIT 2000000
#define TRC_FUNCTION_LIMIT 500000

#define TRC_TIMELINE_LEAST (1 << 20) /* bytes: the smallest budget of a timeline */

typedef struct trc_recorder trc_recorder;

struct trc_recorder {
    trc_recording base; /* without a filter, all code is in */
    trc_internal_types internal_types;
    const trc_backend *backend;
    PyObject *why; /* owned: why this back end, a str */
    bool backend_was_asked_for;
    bool subcalls;
    bool every_thread;
    bool is_sampled;        /* the handlers of a sample of the events are to be timed */
    size_t timeline_budget; /* the bytes that the timeline may take; 0: no timeline */
    int timeline_file;      /* in which the timeline is written while it is recorded, or -1; borrowed */
    bool timeline_ring;     /* when they are full, the oldest calls are dropped, not the shortest */
    bool keeps_memory;      /* what the program allocates is recorded, too */
    int sample_hz;          /* native samples in a second of CPU; 0: none */
    trc_callable_scope scope;
    trc_callable_scope scope_on_stack; /* the highest scope since the start: leaves of this scope are wanted */
    uint64_t owner_state_id;           /* the thread that enabled it: the only one traced without `every_thread` */
    uint64_t ignored_state_id;         /* the latest thread that asked never to be traced, or 0 */
    trc_thread_records threads;
    trc_thread_record outsider; /* the record of threads that are not traced: always muted */
    trc_functab functions;      /* of all threads; owners: trc_identity */
    trc_suspensions suspensions;
    atomic_long node_budget;
    trc_handler_time handlers[TRC_HANDLER_COUNT];
    long node_limit;
    long function_limit;
    trc_tick began; /* when recording began, or began anew */
    bool has_origin;
    trc_tick origin;        /* when it first began since the tables were empty: moments are told from there on */
    trc_timeline *timeline; /* owned; NULL where none is recorded */
    trc_notes notes;        /* empty without a timeline */
    trc_memory *memory;     /* owned; NULL where none is recorded */
    trc_sampling *samples;  /* owned; likewise */
};

/* The steps of beginning to record. begin_thread: a record begins at `now`, the time on the recorder's clock; with CPU
 * time, on its thread's own clock. adopt_threads: puts the frames that run already on the stacks of all threads, each
 * in a record of its own; those of the calling thread only with `here`. */
void trc_recorder_begin_thread(const trc_recorder *recorder, trc_thread_record *record, trc_tick now);
void trc_recorder_adopt_threads(trc_recorder *recorder, bool here, trc_tick now);

/* The CPU time of the record's thread now, in ns. TRC_NO_CPU: waits are not told, or the thread has ended or does not
 * record. */
int64_t trc_recorder_cpu_of(const trc_recorder *recorder, const trc_thread_record *record);

/* From now on, leaves up to the recorder's present scope are wanted. */
void trc_recorder_raise_scope(trc_recorder *recorder);

/* From now on the calling thread is not traced, whether the recorder is enabled now or later. Only one thread at a
 * time. */
void trc_recorder_ignore_thread(trc_recorder *recorder);

/* Mute: from now on nothing of the calling thread is recorded. Unmute: it is recorded again; with `here`, so are the
 * frames that it runs already. */
void trc_recorder_mute(trc_recorder *recorder);
void trc_recorder_unmute(trc_recorder *recorder, bool here);

/* Mutes the threads whose events no longer come: the activations on their stacks may be over when events come again. */
void trc_recorder_give_up_threads(trc_recorder *recorder);

/* Holds the logs of all threads around a fork, where a child would write into a file that it shares; lets them go on. */
void trc_recorder_hold_logs(const trc_recorder *recorder, bool is_held);

/* Pauses the calling thread, and goes on where the pause began: the time between belongs to no node. */
void trc_recorder_pause(trc_recording *recording);
void trc_recorder_resume(trc_recording *recording);

/* Reviews the record of the calling thread, and returns it if nothing about it is unusual; else NULL. */
trc_thread_record *trc_recorder_plain_record(trc_recorder *recorder);

/* Events of the calling thread. */
void trc_recorder_enter(trc_recorder *recorder, const trc_callee *callee, trc_activation id, trc_entry entry);
void trc_recorder_leave(trc_recorder *recorder, trc_activation id);
/* A generator or coroutine, whose code is `key`, goes on in a context: adds the time since its suspension to its
 * function. */
static inline void trc_recorder_end_suspension(const trc_recorder *recorder, const trc_thread *thread,
                                               const trc_node *node, const void *key, const trc_suspension *suspension,
                                               trc_tick now)
{
    /* Where a suspension was not recorded, an old one of another function may be left. And each thread has its own CPU
     * time. */
    if (suspension->key == key && (suspension->thread == thread || recorder->base.clock.kind != TRC_CLOCK_CPU)) {
        trc_add_extra(trc_node_func(node)->extras, TRC_SUSPENDED, trc_ticks_since(now, suspension->since), 0);
    }
}

/* Does so, if the suspension is found. */
void trc_recorder_find_suspension(trc_recorder *recorder, const trc_thread *thread, const trc_node *node,
                                  const void *key, trc_activation id, trc_tick now);

/* Events of a thread about which nothing is unusual: of the calling thread, whose record this is, at `now`. An enter in
 * the code of a site returns false where the filter leaves that out: nothing has changed then. */
bool trc_recorder_enter_unexpected(trc_thread_record *record, trc_code_site *site, const trc_callee *callee,
                                   trc_activation id, trc_entry entry, trc_tick now);
void trc_recorder_suspend_known(trc_recorder *recorder, trc_thread *thread, trc_activation id, const void *key,
                                trc_tick now);

/* Returns the record of the calling thread, where it has one in its present state; or NULL. */
static inline trc_thread_record *trc_recorder_record_here(const trc_recorder *recorder)
{
    return (trc_thread_record *)trc_recording_record_here(&recorder->base);
}

/* Returns the record of the calling thread, and the time, for what is told of it now; NULL when it is not recorded. Reads
 * the clock, which may run code. */
trc_thread_record *trc_recorder_recorded_here(trc_recorder *recorder, trc_tick *now);

/* Whether the recorder is to be told of garbage collections. To be told, the interpreter allocates: the figures of memory
 * would have that. */
static inline bool trc_recorder_wants_collections(const trc_recorder *recorder)
{
    return !recorder->keeps_memory || recorder->timeline_budget > 0;
}

/* Whether the calling thread has had an event, and its events are recorded. */
bool trc_recorder_records_here(trc_recorder *recorder);

/* The function that the calling thread runs calls what has no row, so often. */
void trc_recorder_note_unseen(trc_recorder *recorder, uint64_t calls);
/* A leave of a generator or coroutine that may go on; `key` is that of its function. */
void trc_recorder_suspend(trc_recorder *recorder, trc_activation id, const void *key);
/* A generator or coroutine goes on: an enter, unless its activation, or a C function that it calls, is on top
 * already. */
void trc_recorder_go_on(trc_recorder *recorder, const trc_callee *callee, trc_activation id);
/* The calling thread has switched from one greenlet, which may be over, to another. With `look`, the frames that run
 * there already are recorded; else the thread runs something on top of them just now. */
void trc_recorder_switch(trc_recorder *recorder, const void *from, bool is_over, const void *to, bool look);

/* The calling thread may have switched to another greenlet unseen. The activation that is being entered, if not 0, does
 * not count as one that runs already. */
void trc_recorder_look_again(trc_recorder *recorder, trc_activation entering);

/* Whether the thread of a record lives but its events no longer come. */
bool trc_recorder_is_cut_off(const trc_recorder *recorder, const trc_thread_record *record);

#endif
