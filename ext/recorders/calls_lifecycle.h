/* A recorder's life: set up, enabled, disabled, cleared; and the times of its clock. calls.h has the recording
 * itself. */
#ifndef TRC_CALLS_LIFECYCLE_H
#define TRC_CALLS_LIFECYCLE_H

#include "recorders/calls.h"

/* Initializes a zeroed recorder with the default options of a Profile, but without a back end. */
void trc_recorder_init(trc_recorder *recorder, PyObject *profiler, trc_shared *shared,
                       trc_internal_types internal_types);

/* Forgets everything recorded; an enabled recorder goes on recording. Returns 0, or -1 with an exception set and
 * nothing forgotten. */
int trc_recorder_clear(trc_recorder *recorder);

/* The same in a forked child, where the forgotten memory is not freed. The child shares that memory with its parent
 * until one of them writes to it: to free each piece would copy all of it (16 ms for 4,000 functions). */
int trc_recorder_clear_copy(trc_recorder *recorder);

/* After a fork, in parent and child: native samples are counted again, and the calling thread is watched. */
void trc_recorder_sample_on(trc_recorder *recorder);

/* Copies the notes, up to `now` on the recorder's clock, into `copy`, which is zeroed and then to be cleared. Returns
 * false when memory is out. */
bool trc_recorder_copy_notes(const trc_recorder *recorder, trc_notes *copy, trc_tick now);

/* Up to when the record's thread is timed: `now`, the time on the recorder's clock, or the time on the thread's own
 * clock. A thread that is paused, has ended, or is no longer reported is timed up to its last event. */
trc_tick trc_recorder_now_of(const trc_recorder *recorder, const trc_thread_record *record, trc_tick now);

#endif
