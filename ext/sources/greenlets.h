/* Greenlets: a thread that switches between greenlets has a stack for each. Switches are known only when the program
 * uses the package `greenlet` (as gevent does), which reports each of them. */
#ifndef TRC_GREENLETS_H
#define TRC_GREENLETS_H

#include "context/registry.h"
#include "sources/sink.h"

typedef struct trc_greenlets {
    trc_sink *sink;             /* borrowed: its object outlives this */
    PyTypeObject *watcher_type; /* owned: the type of the object that greenlet calls */
    trc_registry *registry;     /* borrowed: likewise */
} trc_greenlets;

/* Whether the calling thread is to call trc_greenlets_watch() again. */
static inline bool trc_greenlets_is_pending(const trc_greenlets *greenlets)
{
    const trc_context *context = trc_context_here(greenlets->registry, trc_this_thread());
    return context != NULL && context->is_pending;
}

/* Initializes a zeroed source. 0, or -1 with an exception set. */
int trc_greenlets_init(trc_greenlets *greenlets, trc_sink *sink, trc_registry *registry, PyObject *module);
int trc_greenlets_traverse(const trc_greenlets *greenlets, visitproc visit, void *arg);
void trc_greenlets_clear(trc_greenlets *greenlets);

/* Asks `greenlet`, if it is imported, to tell the sink of the calling thread's switches, unless it does so already. The
 * program's own trace function is still called. When `greenlet` cannot be asked yet, the thread becomes pending. Raises
 * nothing. */
void trc_greenlets_watch(trc_greenlets *greenlets);

/* Undoes trc_greenlets_watch() for the calling thread. Another thread undoes it at its next switch while nothing is
 * recorded. Raises nothing. */
void trc_greenlets_unwatch(const trc_greenlets *greenlets);

#endif
