/* To whom a thread's allocations are attributed. */
#ifndef TRC_ATTRIBUTION_H
#define TRC_ATTRIBUTION_H

#include "core/heap/heap.h"
#include "core/lines/linethread.h"
#include "core/tree/thread.h"

typedef enum trc_attributed {
    TRC_ATTRIBUTED_OUTSIDE, /* no node: the thread was not seen yet */
    TRC_ATTRIBUTED_NODE,    /* the node on top of the stack of `calls` */
    TRC_ATTRIBUTED_NOBODY,  /* they are in no figure: the thread is not recorded, or does tracer's own work */
} trc_attributed;

typedef struct trc_attribution {
    trc_attributed to;
    trc_heap_thread *thread; /* with TRC_ATTRIBUTED_NODE */
    const trc_thread *calls; /* likewise */
} trc_attribution;

#endif
