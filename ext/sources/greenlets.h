/* Greenlets: a thread that switches between them has a stack for each. Known only when the program uses the package
 * `greenlet` (gevent does), which tells of every switch. */
#ifndef TRC_GREENLETS_H
#define TRC_GREENLETS_H

#include "sources/sink.h"

typedef struct trc_greenlets {
    trc_sink *sink;             /* borrowed: its object outlives this */
    PyTypeObject *watcher_type; /* owned: of what greenlet calls */
    uint64_t pending; /* id of a thread state in which trc_greenlets_watch() is to be tried again there, or 0 */
} trc_greenlets;

/* Readies a zeroed source. 0, or -1 with an exception set. */
int trc_greenlets_init(trc_greenlets *greenlets, trc_sink *sink, PyObject *module);
int trc_greenlets_traverse(const trc_greenlets *greenlets, visitproc visit, void *arg);
void trc_greenlets_clear(trc_greenlets *greenlets);

/* Asks `greenlet`, if it is imported, to tell the sink of the calling thread's switches, unless that is so already. What
 * the program asked it to call is still called. When it cannot be asked yet, the thread is pending. Raises nothing. */
void trc_greenlets_watch(trc_greenlets *greenlets);

/* Takes that back in the calling thread; in another one it is taken back at its next switch when nothing is recorded.
 * Raises nothing. */
void trc_greenlets_unwatch(const trc_greenlets *greenlets);

#endif
