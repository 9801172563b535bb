/* The threads of a Profile: how each gets its record, and the frames that it runs already onto its stack. */
#ifndef TRC_ATTACHING_H
#define TRC_ATTACHING_H

#include "recorders/recorder.h"

/* The steps of beginning to record. begin_thread: a record begins at `now`, the time on the recorder's clock; with CPU
 * time, on its thread's own clock. adopt_threads: puts the frames that run already on the stacks of all threads, each
 * in a record of its own; those of the calling thread only with `here`. */
void trc_recorder_begin_thread(const trc_recorder *recorder, trc_thread_record *record, trc_tick now);
void trc_recorder_adopt_threads(trc_recorder *recorder, bool here, trc_tick now);

/* The CPU time of the record's thread now, in ns. TRC_NO_CPU: waits are not told, or the thread has ended or does not
 * record. */
int64_t trc_recorder_cpu_of(const trc_recorder *recorder, const trc_thread_record *record);

/* Returns the record of the calling thread. attached: NULL when it has none yet in its present state. current: attaches it
 * then, and returns NULL when memory is out; `entering` is the activation that is being entered, or 0. */
trc_thread_record *trc_recorder_attached_record(trc_recorder *recorder);
trc_thread_record *trc_recorder_current_record(trc_recorder *recorder, trc_activation entering, trc_tick now);

/* Puts the frames that the calling thread, whose record this is, runs onto its stack, unless they are there. They differ
 * from the adopted frames when the thread has switched to another greenlet unseen. */
void trc_recorder_adopt(trc_recorder *recorder, trc_thread_record *record, trc_activation entering, trc_tick now);

/* The record's thread begins to wait anew: what it waited before is in no figure. */
void trc_recorder_begin_waits(const trc_recorder *recorder, trc_thread_record *record, trc_tick now);

/* Whether the thread of a record lives but its events no longer come. */
bool trc_recorder_is_cut_off(const trc_recorder *recorder, const trc_thread_record *record);

#endif
