/* The entries of cProfile's getstats(): profiler_entry and profiler_subentry. */
#ifndef TRC_TYPES_ENTRIES_H
#define TRC_TYPES_ENTRIES_H

#include "types/snapshot.h"
#include "types/state.h"

/* Makes the two types. 0, or -1 with an exception set. */
int trc_entry_types(trc_state *state);

/* New reference, or NULL with an exception set: the list of profiler_entry that cProfile's getstats() returns. */
PyObject *trc_snapshot_entries(const trc_snapshot *snapshot, const trc_state *state, bool subcalls);

#endif
