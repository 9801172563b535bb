/* The memory of a snapshot as Python values. */
#ifndef TRC_TYPES_MEMORY_H
#define TRC_TYPES_MEMORY_H

#include "types/snapshot.h"

/* New reference, or NULL with an exception set: what the threads share, as a profile file holds it
 * (python/tracer/data/memory.py describes it); None where no memory is recorded. */
PyObject *trc_memory_as_dict(const trc_snapshot *snapshot);

/* sees_native_memory() */
extern const char trc_sees_native_doc[];
PyObject *trc_sees_native(PyObject *module, PyObject *unused);

/* memory_view(nodes, folds, memory, measure) */
extern const char trc_memory_view_doc[];
PyObject *trc_see_memory(PyObject *module, PyObject *args);

#endif
