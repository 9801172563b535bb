/* A recorder's life: set up, enabled, disabled, cleared, and what its clock shows meanwhile. What it records while it is
 * enabled is in calls.h. */
#ifndef TRC_CALLS_LIFECYCLE_H
#define TRC_CALLS_LIFECYCLE_H

#include "recorders/calls.h"

/* Readies a zeroed recorder with the options that a Profile has by default, but for its back end. */
void trc_recorder_init(trc_recorder *recorder, PyObject *profiler, trc_host *host, trc_internal_types internal_types);

/* Forgets everything recorded; goes on recording when enabled. Returns 0, or -1 with an exception set and nothing
 * forgotten. */
int trc_recorder_clear(trc_recorder *recorder);

/* The same in a forked child, where the memory of what is forgotten is not freed: it is its parent's as long as nobody
 * writes to it, and to free each piece would copy it all (of 4,000 functions for 16 ms). */
int trc_recorder_clear_copy(trc_recorder *recorder);
void trc_recorder_free(trc_recorder *recorder);
int trc_recorder_traverse(trc_recorder *recorder, visitproc visit, void *arg);

/* The steps of enabling and disabling, for the bus. open gets what events need (0, or -1 with an exception set)
 * and close gives it back; start begins to record, and `here` says whether what the calling thread runs already is
 * recorded too; stop ends it, and closes. */
int trc_recorder_open(trc_recorder *recorder);
void trc_recorder_close(trc_recorder *recorder);
void trc_recorder_start(trc_recorder *recorder, bool here);
void trc_recorder_stop(trc_recorder *recorder);

/* Ticks and nanoseconds that the recorder has been enabled for, up to now. */
trc_moment trc_recorder_measured(const trc_recorder *recorder);

/* The present moment; of a disabled recorder the one when it stopped, so that what is finished is always timed
 * alike. */
trc_moment trc_recorder_latest(const trc_recorder *recorder);

/* Until when the record's thread is to be timed: `now`, which the recorder's clock shows, or what its own clock shows.
 * The time of a thread that is paused, has ended, or is no longer reported stops at its last event. */
trc_tick trc_recorder_now_of(const trc_recorder *recorder, const trc_thread_record *record, trc_tick now);

#endif
