/* Tells a heap of what C code takes by malloc and its kin, in a process that was started with the preloaded library
 * (preload/preload.h). */
#ifndef TRC_NATIVE_MEMORY_H
#define TRC_NATIVE_MEMORY_H

#include <stdbool.h>

/* Whether the process has the library. */
bool trc_native_memory_is_there(void);

/* Has the watched heap told from now on, where the library is there. For the interpreter that watches: no other one is
 * here at the same moment. */
void trc_native_memory_watch(void);

#endif
