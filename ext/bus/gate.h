/* The gate of the short way (fast_path.h), one a back end. It is open to one thread of the only enabled recorder, about
 * which nothing is unusual. Whatever changes that closes the gate. The next event goes the long way (bus.h), which opens
 * the gate again when it can. */
#ifndef TRC_GATE_H
#define TRC_GATE_H

#include "bus/backend.h"
#include "recorders/calls.h"

typedef struct trc_gates {
    _Atomic(trc_thread_record *) records[TRC_BACKEND_COUNT]; /* each a record of the only recorder, or `closed` */
    trc_thread_record closed;                                /* open to no thread */
} trc_gates;

static inline trc_thread_record *trc_gate_of(const trc_gates *gates, trc_backend_kind kind)
{
    return atomic_load_explicit(&gates->records[kind], memory_order_relaxed);
}

/* Returns the record of the calling thread if the gate is open to it, whatever the clock; else NULL. */
trc_thread_record *trc_gate_plain_record(const trc_gates *gates, trc_backend_kind kind);

/* Close one gate, or all. */
void trc_gate_close(trc_gates *gates, trc_backend_kind kind);
void trc_gates_close(trc_gates *gates);

/* Opens the gate to the calling thread, if nothing is unusual about its record in the only enabled recorder. */
void trc_gate_open(trc_gates *gates, trc_backend_kind kind, trc_recorder *recorder);

#endif
