/* The gate of the short way: see gate.h. */
#include "bus/gate.h"

trc_thread_record *trc_gate_plain_record(const trc_gates *gates, trc_backend_kind kind)
{
    trc_thread_record *record = trc_gate_of(gates, kind);
    return record->is_plain && record->base.state_id == PyThreadState_Get()->id ? record : NULL;
}

void trc_gate_close(trc_gates *gates, trc_backend_kind kind)
{
    atomic_store_explicit(&gates->records[kind], &gates->closed, memory_order_relaxed);
}

void trc_gates_close(trc_gates *gates)
{
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        trc_gate_close(gates, kind);
    }
}

void trc_gate_open(trc_gates *gates, trc_backend_kind kind, trc_recorder *recorder)
{
    trc_thread_record *record = trc_recorder_plain_record(recorder);
    if (record != NULL) {
        atomic_store_explicit(&gates->records[kind], record, memory_order_relaxed);
    }
}
