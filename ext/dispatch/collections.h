/* Garbage collections: told by a function in the list gc.callbacks. */
#ifndef TRC_COLLECTIONS_H
#define TRC_COLLECTIONS_H

#include "dispatch/dispatcher.h"

/* Finds the list, which imports the module gc. Raises nothing: where there is no such module, nobody is told. */
void trc_collections_find(trc_dispatcher *dispatcher);

/* From now on the recorders are told of collections, if the list was found; no longer. Raise nothing: where memory is
 * out, they are not told. The program may have taken the function out of the list, or put it there again. */
void trc_collections_watch(trc_dispatcher *dispatcher);
void trc_collections_unwatch(trc_dispatcher *dispatcher);

void trc_collections_clear(trc_dispatcher *dispatcher);

#endif
