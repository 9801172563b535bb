/* Greenlets: a thread that switches between greenlets has a stack for each. Switches are known only when the program
 * uses the package `greenlet` (as gevent does), which reports each of them. */
#ifndef TRC_GREENLETS_H
#define TRC_GREENLETS_H

#include "dispatch/dispatcher.h"

/* Makes the type of the object that greenlet calls. 0, or -1 with an exception set. */
int trc_greenlets_init(trc_dispatcher *dispatcher, PyObject *module);

/* Whether the calling thread is to call trc_greenlets_watch() again. */
static inline bool trc_greenlets_is_pending(trc_dispatcher *dispatcher)
{
    const trc_context *context = trc_context_here(&dispatcher->shared.registry, trc_this_thread());
    return context != NULL && context->is_pending;
}

/* Asks `greenlet`, if it is imported, to tell of the calling thread's switches, unless it does so already. The program's
 * own trace function is still called. When `greenlet` cannot be asked yet, the thread becomes pending. Raises nothing. */
void trc_greenlets_watch(trc_dispatcher *dispatcher);

/* Undoes trc_greenlets_watch() for the calling thread. Another thread undoes it at its next switch while nothing is
 * recorded. Raises nothing. */
void trc_greenlets_unwatch(const trc_dispatcher *dispatcher);

#endif
