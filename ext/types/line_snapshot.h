/* What a LineRecorder has recorded, as Python values: a dict with packed records of lines. */
#ifndef TRC_LINE_SNAPSHOT_H
#define TRC_LINE_SNAPSHOT_H

#include "dispatch/line_backend.h"

/* New reference: the dict that LineRecorder.snapshot() returns, or NULL with an exception set. Runs no code of the
 * program. tick, measured: seconds. */
PyObject *trc_line_snapshot_as_dict(const trc_line_recorder *recorder, double tick, double measured);

#endif
