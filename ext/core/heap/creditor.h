/* To whom a thread's allocations are credited. */
#ifndef TRC_CREDITOR_H
#define TRC_CREDITOR_H

#include "core/heap/heap.h"
#include "core/lines/linethread.h"
#include "core/tree/thread.h"

typedef enum trc_credit {
    TRC_CREDIT_OUTSIDE, /* no node: the thread was not seen yet */
    TRC_CREDIT_NODE,    /* the node on top of the stack of `calls` */
    TRC_CREDIT_NOBODY,  /* they are in no figure: the thread is not recorded, or does tracer's own work */
} trc_credit;

typedef struct trc_creditor {
    trc_credit credit;
    trc_heap_thread *thread; /* with TRC_CREDIT_NODE */
    const trc_thread *calls; /* likewise */
} trc_creditor;

#endif
