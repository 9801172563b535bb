/* A timeline as Python values. */
#ifndef TRC_TYPES_TIMELINE_H
#define TRC_TYPES_TIMELINE_H

#include "types/snapshot.h"

/* New reference, or NULL with an exception set: the timeline of a snapshot as the dict that profile files hold, or None
 * when the recorder keeps none. What belongs to a thread is in the dict of the thread. */
PyObject *trc_timeline_as_dict(const trc_snapshot *snapshot, const trc_recorder *recorder);

#endif
