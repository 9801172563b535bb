/* The state of another thread, found without the GIL. Threads begin and end meanwhile, so everything is read by the kernel,
 * which answers where there is no memory. */
#ifndef TRC_THREAD_SEARCH_H
#define TRC_THREAD_SEARCH_H

#include "interp/compat.h"

#include <sys/types.h>

/* Returns the address of the thread's state in this interpreter (PyInterpreterState), or NULL. known: where it was the last
 * time, or NULL. The state may be gone when this returns. */
const void *trc_find_state(const void *interpreter, const void *known, pid_t thread);

#endif
