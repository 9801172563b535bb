/* The gates of the short ways (dispatch/fast_path.h, dispatch/line_path.h): one a back end for calls, and one for lines. A gate is
 * open to one thread of the only enabled recorder, about which nothing is unusual. Whatever changes that closes the gate.
 * The next event goes the long way, which opens the gate again when it can. */
#ifndef TRC_GATES_H
#define TRC_GATES_H

#include "recorders/line_record.h"
#include "recorders/thread_record.h"
#include "sources/backend.h"

typedef struct trc_gates {
    _Atomic(trc_thread_record *) calls[TRC_BACKEND_COUNT]; /* each a record of the only recorder, or `closed` */
    _Atomic(trc_line_thread_record *) lines;               /* likewise */
    trc_thread_record closed;                              /* open to no thread */
    trc_line_thread_record closed_lines;
} trc_gates;

static inline trc_thread_record *trc_gate_of(const trc_gates *gates, trc_backend_kind kind)
{
    return atomic_load_explicit(&gates->calls[kind], memory_order_relaxed);
}

/* Returns the record of the calling thread if the gate is open to it, whatever the clock; else NULL. */
static inline trc_thread_record *trc_gate_plain_record(const trc_gates *gates, trc_backend_kind kind)
{
    trc_thread_record *record = trc_gate_of(gates, kind);
    return record->is_plain && record->base.state_id == trc_this_thread()->id ? record : NULL;
}

static inline void trc_gate_close(trc_gates *gates, trc_backend_kind kind)
{
    atomic_store_explicit(&gates->calls[kind], &gates->closed, memory_order_relaxed);
}

static inline void trc_gate_close_lines(trc_gates *gates)
{
    atomic_store_explicit(&gates->lines, &gates->closed_lines, memory_order_relaxed);
}

static inline void trc_gates_close(trc_gates *gates)
{
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        trc_gate_close(gates, kind);
    }
    trc_gate_close_lines(gates);
}

#endif
