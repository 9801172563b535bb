/* Greenlets: a thread that switches between them has a stack for each. Known only when the program uses the package
 * `greenlet` (gevent does), which tells of every switch. */
#ifndef TRC_GREENLETS_H
#define TRC_GREENLETS_H

#include "sources/backend.h"

/* Asks `greenlet`, if it is imported, to tell the dispatcher of the calling thread's switches, unless that is so
 * already. What the program asked it to call is still called. When it cannot be asked yet, the dispatcher is unsettled.
 * Raises nothing. */
void trc_greenlets_watch(trc_dispatcher *dispatcher);

/* Takes that back in the calling thread; in another one it is taken back at its next switch when nothing is recorded.
 * Raises nothing. */
void trc_greenlets_unwatch(const trc_dispatcher *dispatcher);

/* The type of what greenlet then calls. New reference, or NULL with an exception set. */
PyTypeObject *trc_greenlets_type(PyObject *module);

#endif
