/* Adds captures up into rows: the figures of each function and of each caller -> callee edge, over any number of
 * threads. What a row is, the caller says: one function, or all that share a label, or nothing (left out).
 *
 * A function that is left out gives its own time to the nearest caller that is not, and its callees count as called by
 * that one. Outermost is decided by row, on the path from the root, so functions that share a row are one function
 * here, recursion and all. (Of folded calls it was decided function by function, when they ran.) */
#ifndef TRC_ROLLUP_H
#define TRC_ROLLUP_H

#include "capture.h"

#define TRC_LEFT_OUT UINT32_MAX

typedef struct trc_row_edge {
    uint32_t caller;
    uint32_t callee;
    trc_figures figures;
} trc_row_edge;

typedef struct trc_rollup {
    const trc_allocator *allocator;
    uint32_t row_count;
    trc_figures *rows;
    trc_tick *suspended; /* of each row */
    char *present;       /* of each row: whether a capture has it, if only as a frame that ran before tracing began */
    trc_row_edge *edges; /* in the order of first sight; `edge_count` of them */
    uint32_t edge_count;
    uint32_t edge_room;
    trc_edgetab edge_ids; /* (caller row, callee row) -> position in `edges` */
    uint32_t *row_active; /* activations on the path under way */
} trc_rollup;

typedef enum trc_rollup_result {
    TRC_ROLLUP_OK,
    TRC_ROLLUP_NO_MEMORY,
    TRC_ROLLUP_DAMAGED, /* a record names what is not there */
} trc_rollup_result;

/* False when memory is out; must be freed either way. */
bool trc_rollup_init(trc_rollup *rollup, const trc_allocator *allocator, uint32_t row_count);
void trc_rollup_free(trc_rollup *rollup);

/* Adds one thread. row_of[id] is the row of a function id below `func_count`, or TRC_LEFT_OUT. The capture may come
 * from a file: every number in it is checked before it is used. After a failure the rollup holds a part and is to be
 * freed. */
trc_rollup_result trc_rollup_add(trc_rollup *rollup, const trc_capture *capture, const uint32_t *row_of,
                                 uint32_t func_count);

#endif
