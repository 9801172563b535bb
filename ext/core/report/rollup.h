/* Adds captures up into rows: the figures of each function and of each caller -> callee edge, over any number of
 * threads. What a row is, the caller says: one function, or all that share a label, or nothing (left out).
 *
 * A function that is left out gives its own time to the nearest caller that is not, and its callees count as called by
 * that one. Outermost is decided by row, on the path from the root, so functions that share a row are one function
 * here, recursion and all. (Of overflowed calls it was decided function by function, when they ran.)
 *
 * Compensation. What tracing itself took at each call and return is in the times, partly in those of the called, partly
 * in those of the caller. Where the costs are known, they are taken out of each node's own time, by its counts and those
 * of its children, but never more than there is; rows, edges and cumulative times are sums of what is left. Folded calls
 * have only their own time corrected: what else they took is not known any more.
 *
 * Paths. Where they are wanted, each node is added to them too, under the nearest that is not left out. What overflowed calls
 * took is a child of who called them, with the row `unkept`. */
#ifndef TRC_ROLLUP_H
#define TRC_ROLLUP_H

#include "core/report/capture.h"
#include "core/report/paths.h"

#define TRC_LEFT_OUT UINT32_MAX

/* What tracing adds to one call, or one resume, in ticks. */
typedef struct trc_cost {
    double callee; /* to the time of what is called */
    double caller; /* to the time of who calls */
} trc_cost;

/* The first call from an activation of the caller costs more than those that follow it in a loop there. */
typedef struct trc_call_costs {
    trc_cost first;
    trc_cost again;
} trc_call_costs;

typedef struct trc_compensation {
    const uint8_t *kind_of; /* of each function id: which of `calls` is for it */
    const trc_call_costs *calls;
    trc_cost resume;
} trc_compensation;

typedef struct trc_row_edge {
    uint32_t caller;
    uint32_t callee;
    trc_figures figures;
} trc_row_edge;

typedef struct trc_rollup {
    const trc_allocator *allocator;
    const trc_compensation *compensation; /* borrowed; NULL: times stay as they were taken */
    trc_paths *paths;                     /* borrowed; NULL: nobody wants them */
    uint32_t unkept;
    uint32_t row_count;
    trc_figures *rows;
    trc_tick (*extras)[TRC_EXTRA_COUNT]; /* of each row */
    char *present;       /* of each row: whether a capture has it, if only as a frame that ran before tracing began */
    trc_row_edge *edges; /* in the order of first sight; `edge_count` of them */
    uint32_t edge_count;
    uint32_t edge_room;
    trc_edgetab edge_ids; /* (caller row, callee row) -> position in `edges` */
    uint32_t *row_active; /* activations on the path under way */
    /* Ticks of compensation: own times and `taken_out` less `kept` make what was traced. */
    trc_tick taken_out;
    trc_tick kept; /* more than a node had */
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
