/* The log of a thread, as files hold it, read back: every stretch with the one that it is part of. The bytes may be
 * damaged. docs/reference/file-format.md describes them. */
#ifndef TRC_SLICES_H
#define TRC_SLICES_H

#include "core/base/alloc.h"
#include "core/log/record.h"

#include <stddef.h>

#define TRC_NO_PARENT (-1)

typedef enum trc_slices_result {
    TRC_SLICES_READ,
    TRC_SLICES_DAMAGED,
    TRC_SLICES_NO_MEMORY,
} trc_slices_result;

/* A stretch; of node 0, a gap. */
typedef struct trc_slice {
    trc_tick start;
    trc_tick end;
    int64_t value; /* of a gap the ticks without CPU; else 1 if the stretch had not ended */
    uint32_t node;
    uint32_t tag;   /* number << 2 | trc_remark, of its task or stack; 0: neither */
    uint32_t depth; /* how many stretches it is part of */
    int32_t parent; /* position of the innermost of them, or TRC_NO_PARENT */
} trc_slice;

typedef struct trc_slices {
    trc_slice *slices; /* owned; callers before callees, and by time */
    size_t count;
} trc_slices;

/* What is read: what overlaps [first, last], and took `least` or more. */
typedef struct trc_slices_part {
    trc_tick first;
    trc_tick last;
    trc_tick least;
} trc_slices_part;

/* Reads a log. `depths`: of each node in its tree; 0: of the root, and of nodes whose depth is not known. Either way the
 * caller must free the slices. */
trc_slices_result trc_slices_read(trc_slices *slices, const trc_allocator *allocator, const uint8_t *data, size_t size,
                                  const uint32_t *depths, size_t node_count, trc_slices_part part);
void trc_slices_free(trc_slices *slices, const trc_allocator *allocator);

/* What a node had in some bins. */
typedef struct trc_bin_sum {
    uint64_t calls;
    trc_tick self;
} trc_bin_sum;

/* Which part of a thread's time is wanted: the ticks [first, last). unit: ticks of the narrowest bin. began, ended: of the
 * thread; a bin that reaches beyond them holds time between them only. */
typedef struct trc_bins_part {
    uint64_t first;
    uint64_t last;
    uint64_t unit;
    uint64_t began;
    uint64_t ended;
    bool whole; /* a bin counts as a whole if any of it is wanted; else in proportion */
} trc_bins_part;

/* Adds up a part of the bins, into a sum for each of the nodes. The sums of parts that lie side by side add up to those
 * of both. Returns false where the bytes are damaged. */
bool trc_bins_add_up(trc_bin_sum *sums, size_t node_count, const uint8_t *data, size_t size, const trc_bins_part *part);

#endif
