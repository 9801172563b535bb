/* Tells of the memory of NumPy's arrays, which is not Python's: NumPy has an allocator of its own for their data. Its
 * *handler* can be replaced for a context, which other threads do not share. So the functions of the default handler
 * are replaced in their place, for all threads. NumPy is not needed to build this: the layout is that of its handlers
 * of version 1 (numpy/ndarraytypes.h), which NumPy has had since 1.22. */
#ifndef TRC_NUMPY_MEMORY_H
#define TRC_NUMPY_MEMORY_H

#include "interp/compat.h"

/* Puts the hooks on, where NumPy is imported and they are not there yet. Raises nothing. Needs the GIL. The hooks stay
 * as long as the process: while no heap is watched they pass on what comes. */
void trc_numpy_memory_watch(void);

#endif
