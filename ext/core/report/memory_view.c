/* A thread's records seen by memory: see memory_view.h. */
#include "core/report/memory_view.h"

_Static_assert(sizeof(trc_memory_record) == 96, "the records are written to files as they are");

/* A figure of memory in place of a time. */
typedef struct seen {
    uint64_t blocks;
    trc_tick bytes;
} seen;

static seen seen_of(trc_amount amount)
{
    return (seen){amount.blocks, (trc_tick)amount.bytes};
}

static seen look_at(const trc_memory_record *record, trc_measure measure)
{
    switch (measure) {
    case TRC_MEASURE_ALLOCATED:
        return seen_of(record->allocated);
    case TRC_MEASURE_LIVE:
        return seen_of(record->live);
    case TRC_MEASURE_PEAK:
        return seen_of(record->at_peak);
    case TRC_MEASURE_TEMPORARY:
        return seen_of(record->temporary);
    case TRC_MEASURE_FREED:
        return (seen){record->allocated.blocks, (trc_tick)record->freed_here};
    default:
        return (seen){record->allocated.blocks,
                      trc_ticks_since((trc_tick)record->allocated.bytes, (trc_tick)record->freed_here)};
    }
}

bool trc_memory_view(trc_node_record *nodes, uint32_t node_count, trc_overflow_record *overflows,
                     uint32_t overflow_count, const trc_memory_record *records, uint32_t record_count,
                     trc_measure measure)
{
    for (uint32_t i = 0; i < node_count; i++) {
        nodes[i] = (trc_node_record){.parent = nodes[i].parent, .func = nodes[i].func};
    }
    for (uint32_t i = 0; i < overflow_count; i++) {
        overflows[i] = (trc_overflow_record){.caller = overflows[i].caller, .callee = overflows[i].callee};
    }
    for (uint32_t i = 0; i < record_count; i++) {
        if (records[i].node >= (records[i].is_overflow ? overflow_count : node_count)) {
            return false;
        }
        seen more = look_at(&records[i], measure);
        if (records[i].is_overflow) {
            overflows[records[i].node].figures.calls += more.blocks;
            trc_add_ticks(&overflows[records[i].node].figures.self, more.bytes);
        }
        else {
            nodes[records[i].node].calls += more.blocks;
            trc_add_ticks(&nodes[records[i].node].self, more.bytes);
        }
    }
    return true;
}
