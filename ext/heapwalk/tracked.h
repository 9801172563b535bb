/* The objects that the garbage collector tracks. */
#ifndef TRC_TRACKED_H
#define TRC_TRACKED_H

#include "interp/compat.h"

/* To be called before the walk: imports what trc_each_tracked() asks, which may run code of the program. 0, or -1 with an
 * exception set. */
int trc_tracked_prepare(void);

/* Calls visit(object, context) for the objects that the garbage collector of this interpreter tracks, until it returns
 * 0. Those of gc.freeze() are not among them. visit() must not make objects that are tracked, and the collector is held
 * off. 0, or -1 with an exception set. */
int trc_each_tracked(int (*visit)(PyObject *object, void *context), void *context);

#endif
