/* What one Profile records: its options, its functions, its threads, and what it keeps beside calls. */
#ifndef TRC_RECORDER_H
#define TRC_RECORDER_H

#include "core/tree/suspensions.h"
#include "interp/identity.h"
#include "recorders/handlers.h"
#include "recorders/memory.h"
#include "recorders/notes.h"
#include "recorders/recording.h"
#include "recorders/samples.h"
#include "recorders/starts.h"
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
    PyObject *costs; /* owned: the overhead of tracing, told with the records; None: not known; NULL before init */
    bool is_sampled; /* the handlers of a sample of the events are to be timed */
    size_t timeline_budget; /* the bytes that the timeline may take; 0: no timeline */
    int timeline_file;      /* in which the timeline is written while it is recorded, or -1; borrowed */
    bool timeline_ring;     /* when they are full, the oldest calls are dropped, not the shortest */
    bool keeps_memory;      /* what the program allocates is recorded, too */
    int sample_hz;          /* samples in a second of CPU; 0: none */
    bool has_native;        /* of native code */
    double slowdown; /* how much of its CPU time the program may lose to events; below 0: all calls are recorded */
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
    trc_tick origin;           /* when it first began since the tables were empty: moments are told from there on */
    trc_timeline *timeline;    /* owned; NULL where none is recorded */
    trc_notes notes;           /* empty without a timeline */
    trc_memory *memory;        /* owned; NULL where none is recorded */
    trc_starts *starts;        /* owned; NULL where all calls are recorded, or none is counted */
    atomic_bool is_called_for; /* code waits whose lines are to be silenced: see line_silencer.h */
    struct trc_line_silencer *line_silencer; /* owned; NULL where no lines are counted */
    trc_filter *line_filter;                 /* owned: the code whose lines are counted, too; NULL: of none */
};

/* Whether it is made of samples: no call is recorded from its beginning to its end. */
static inline bool trc_recorder_is_of_samples(const trc_recorder *recorder)
{
    return recorder->backend->kind == TRC_SAMPLES_ALONE;
}

/* Returns the record of the calling thread, where it has one in its present state; or NULL. */
static inline trc_thread_record *trc_recorder_record_here(const trc_recorder *recorder)
{
    return (trc_thread_record *)trc_recording_record_here(&recorder->base);
}

/* Whether the recorder is to be told of garbage collections. To be told, the interpreter allocates: the figures of memory
 * would have that. */
static inline bool trc_recorder_wants_collections(const trc_recorder *recorder)
{
    return !recorder->keeps_memory || recorder->timeline_budget > 0;
}

#endif
