/* What the nodes of a thread allocated, as flat records; and a thread's records seen by memory: each node's own time is
 * an amount of memory instead. So whatever adds up, draws or exports times does so with bytes, too (rollup.h,
 * paths.h). */
#ifndef TRC_MEMORY_VIEW_H
#define TRC_MEMORY_VIEW_H

#include "core/heap/heap.h"
#include "core/report/capture.h"

/* A site of a thread: as a profile file keeps it. */
typedef struct trc_memory_record {
    uint32_t node;        /* position in the array of nodes, or of overflows */
    uint32_t is_overflow; /* 0 or 1 */
    uint32_t line;        /* the number of a line of the thread, or 0 */
    uint32_t reserved;    /* 0 */
    trc_amount allocated;
    trc_amount live;
    trc_amount at_peak;
    trc_amount temporary;
    uint64_t freed_here;
    uint64_t resident; /* the most resident memory of the process that was seen there, or 0 */
} trc_memory_record;

/* What of a record is looked at. The calls of a node are blocks then; of TRC_MEASURE_FREED and TRC_MEASURE_NET they are
 * those that it allocated. */
typedef enum trc_measure {
    TRC_MEASURE_ALLOCATED,
    TRC_MEASURE_LIVE,
    TRC_MEASURE_PEAK,
    TRC_MEASURE_TEMPORARY,
    TRC_MEASURE_FREED, /* where it was freed */
    TRC_MEASURE_NET,   /* allocated less freed, both by who was there: it may be negative */
    TRC_MEASURE_COUNT,
} trc_measure;

/* Replaces the figures of the nodes and overflows. Returns false when a record names what is not there. */
bool trc_memory_view(trc_node_record *nodes, uint32_t node_count, trc_overflow_record *overflows,
                     uint32_t overflow_count, const trc_memory_record *records, uint32_t record_count,
                     trc_measure measure);

#endif
