/* The memory that one Profile records: the heap that the allocators tell, and its curve over time. */
#ifndef TRC_MEMORY_H
#define TRC_MEMORY_H

#include "core/base/periodic_thread.h"
#include "core/base/resident.h"
#include "core/heap/attribution.h"
#include "core/heap/curve.h"
#include "core/report/memory_view.h"

typedef struct trc_memory {
    trc_heap heap;
    trc_curve curve; /* moments are ns since `began` */
    trc_resident resident;
    int64_t began; /* ns of CLOCK_MONOTONIC */
    int64_t read_at;
    uint64_t latest_resident;
    uint64_t most_resident;
    uint64_t highest;             /* the peak when the latest point was put on the curve */
    trc_periodic_thread periodic; /* looks at resident memory while nothing is allocated that is told */
    int64_t cut_off;              /* ns since `began` when another tool took the hooks off, or -1 */
} trc_memory;

/* Returns NULL when memory is out. */
trc_memory *trc_memory_new(void);
void trc_memory_free(trc_memory *memory);

/* Recording begins, or goes on: blocks that were live when it ended are no longer followed. Nobody else uses the heap
 * now. */
void trc_memory_begin(trc_memory *memory);

/* Notes that no more is told, if that is so. */
void trc_memory_check(trc_memory *memory, bool is_told);

/* Looks at resident memory every 10 ms, until trc_memory_rest(). To ask again changes nothing. */
void trc_memory_watch(trc_memory *memory);
void trc_memory_rest(trc_memory *memory);

/* Puts the latest allocation into the figures, and the present moment on the curve. The heap's lock is held, or no
 * allocator tells the heap. */
void trc_memory_mark(trc_memory *memory);

/* What the threads of a profile share, at one moment. */
typedef struct trc_memory_sums {
    trc_amount live;
    trc_amount peak;
    trc_amount missed;
    uint64_t lost;
    trc_memory_record outside; /* of what no node has; its `node` means nothing */
    trc_memory_record other;   /* of the sites past the limit; likewise */
    int64_t began;             /* ns of CLOCK_MONOTONIC */
    int64_t cut_off;
    uint64_t most_resident;
    trc_curve *curve; /* owned */
} trc_memory_sums;

/* Copies the records of a thread's sites; and what threads share. They return false when memory is out; the caller frees
 * `*records` and the sums' curve. The heap's lock is held. */
bool trc_memory_copy(const trc_memory *memory, const trc_heap_thread *thread, const trc_calltree *tree,
                     trc_memory_record **records, uint32_t *count);
bool trc_memory_copy_sums(const trc_memory *memory, trc_memory_sums *sums);

#endif
