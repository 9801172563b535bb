/* The native samples of a snapshot as Python values. */
#ifndef TRC_TYPES_NATIVE_H
#define TRC_TYPES_NATIVE_H

#include "types/snapshot.h"

#define TRC_MOST_HZ 10000

/* 0, or -1 with an exception set: ValueError for a rate that makes no sense, RuntimeError where native code cannot be
 * sampled. */
int trc_check_native(int hz);

/* New reference, or NULL with an exception set: what the threads share, as profile files hold it; or None. */
PyObject *trc_native_as_dict(const trc_snapshot *snapshot, const trc_recorder *recorder);

/* New references, or NULL with an exception set: the same of threads that Python does not know, and of those that could not
 * be sampled. */
PyObject *trc_others_as_tuple(const trc_samples_copy *samples);
PyObject *trc_real_times_as_tuple(const trc_samples_copy *samples);
PyObject *trc_refused_as_tuple(const trc_snapshot *snapshot);

#endif
