/* Who awaits the coroutine that a thread runs. An exception that is thrown into a coroutine is raised in the innermost
 * that it awaits: that one goes on first, and no event has told of those above it. */
#ifndef TRC_AWAITERS_H
#define TRC_AWAITERS_H

#include "interp/compat.h"

/* New reference: the frame of the outermost coroutine that awaits the one whose frame the calling thread runs. NULL,
 * without an exception, where none does. */
PyFrameObject *trc_outermost_awaiter(void);

#endif
