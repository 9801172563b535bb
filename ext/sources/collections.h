/* Garbage collections: told by a function in the list gc.callbacks. */
#ifndef TRC_COLLECTIONS_H
#define TRC_COLLECTIONS_H

#include "sources/sink.h"

typedef struct trc_collections {
    PyObject *callbacks; /* owned: the list that the interpreter goes by, or NULL as long as nobody needed it */
    PyObject *function;  /* owned: what is in the list while collections are watched, or NULL until then */
} trc_collections;

/* Finds the list, which imports the module gc. Raises nothing: where there is no such module, nobody is told. */
void trc_collections_find(trc_collections *collections, trc_sink *sink);

/* From now on the sink is told of collections, if the list was found; no longer. Raise nothing: where memory is out, the
 * sink is not told. The program may have taken the function out of the list, or put it there again. */
void trc_collections_watch(trc_collections *collections);
void trc_collections_unwatch(trc_collections *collections);

int trc_collections_traverse(const trc_collections *collections, visitproc visit, void *arg);
void trc_collections_clear(trc_collections *collections);

#endif
