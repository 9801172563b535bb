/* A copy of a recorder's data at one moment, of which Python values can be made while the recording goes on. */
#ifndef TRC_SNAPSHOT_H
#define TRC_SNAPSHOT_H

#include "core/report/capture.h"
#include "core/report/log_capture.h"
#include "recorders/calls_lifecycle.h"

typedef struct trc_snapshot_thread {
    trc_capture capture;
    trc_log_capture log;       /* empty without a timeline */
    trc_memory_record *memory; /* owned; NULL where none is recorded */
    uint32_t memory_count;
    trc_thread_samples samples;
    trc_object_calls_record *object_calls; /* owned */
    uint32_t object_call_count;
    PyObject *name; /* owned: str or None */
    unsigned long ident;
    unsigned long native_id;
    uint64_t lost_calls;
    uint32_t thread_count;
    bool is_over;    /* the thread has ended */
    bool cut_off;    /* see trc_recorder_is_cut_off() */
    trc_tick origin; /* from which its moments are told */
    trc_tick last;   /* when its last event was, since the profile was enabled */
} trc_snapshot_thread;

/* What the threads share of a timeline; all zero where none is recorded. */
typedef struct trc_timeline_copy {
    trc_tick least;
    trc_tick since; /* 0: from the start */
    trc_tick unit;
    uint64_t lost;
    trc_task *tasks; /* owned, and so are their names: str or NULL */
    uint32_t task_count;
    uint64_t tasks_dropped;
} trc_timeline_copy;

typedef struct trc_snapshot {
    trc_functab functions; /* of all threads; the captures name functions by these ids. Owners: trc_identity */
    trc_snapshot_thread *threads;
    size_t thread_count;
    double seconds_per_tick;
    trc_handler_time handlers[TRC_HANDLER_COUNT];
    trc_notes notes; /* of the timeline; moments as their threads tell them, of an end that is not there -1 */
    trc_timeline_copy timeline;
    bool has_memory;
    trc_memory_sums memory;
    bool has_samples;
    trc_samples_copy samples;
} trc_snapshot;

/* Takes a snapshot; `has_slices`: with the slices of a timeline. Returns 0, or -1 with an exception set. The caller must
 * free the snapshot either way. */
int trc_snapshot_take(trc_snapshot *snapshot, trc_recorder *recorder, trc_moment imported_at, bool has_slices);
void trc_snapshot_free(trc_snapshot *snapshot);

/* New reference, or NULL with an exception set: the snapshot as the dict that profile files hold
 * (python/tracer/data/capture.py describes it). */
PyObject *trc_snapshot_as_dict(const trc_snapshot *snapshot, const trc_recorder *recorder);

/* dict[key] = value; takes over `value`, which is NULL when its making failed. Returns 0, or -1 with an exception set. */
int trc_dict_take(PyObject *dict, const char *key, PyObject *value);

#endif
