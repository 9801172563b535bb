/* Adds captures up into rows: the figures of each function and of each caller -> callee edge, over any number of
 * threads. The user of a rollup says what a row is: one function, all functions that share a label, or nothing (left
 * out).
 *
 * The own time of a function that is left out goes to the nearest caller that is not, and its callees count as called
 * by that caller. Whether a node is outermost is decided by row, on the path from the root. So functions that share a
 * row are one function here, recursion included. (For overflowed calls it was decided function by function, while they
 * ran.)
 *
 * Compensation. The times include the overhead of tracing: at each call and return, partly in the callee's time, partly
 * in the caller's. Where these costs are known, each node's overhead follows from its counts and those of its children, but is
 * never more than the node has; calls of what has no row are known by function alone, and each node of the function gets its
 * part. The sum of a thread is right, within a few percent; its division among functions is not, since a call costs more here
 * and less there. So the sum is taken out of all that the thread ran, in equal parts, and shares of running time stay as
 * measured. What was waited stays. Of overflowed calls the callee's part of the overhead is known alone.
 *
 * Paths. Where paths are wanted, each node is added to them as well, under its nearest ancestor that is not left out.
 * The time of overflowed calls is a child of their caller, with the row `unkept`. */
#ifndef TRC_ROLLUP_H
#define TRC_ROLLUP_H

#include "core/report/capture.h"
#include "core/report/paths.h"

#define TRC_LEFT_OUT UINT32_MAX

/* The overhead of tracing for one call or one resume, in ticks. */
typedef struct trc_cost {
    double callee; /* in the callee's time */
    double caller; /* in the caller's time */
} trc_cost;

/* The overhead of the first call from an activation of the caller is larger than that of the next ones in a loop
 * there, where the loop calls nothing else. */
typedef struct trc_call_costs {
    trc_cost first;
    trc_cost again;
} trc_call_costs;

typedef struct trc_compensation {
    const uint8_t *kind_of; /* of each function id: the index of its costs in `calls` */
    const trc_call_costs *calls;
    trc_cost resume;
    double unseen; /* of a call of what has no row: in the caller's time */
    /* A caller that calls several functions has no such loop: in so far all its calls cost what first ones do. False
     * for costs that were measured before tracer knew that. */
    bool is_mixed;
} trc_compensation;

typedef struct trc_row_edge {
    uint32_t caller;
    uint32_t callee;
    trc_figures figures;
} trc_row_edge;

typedef struct trc_rollup {
    const trc_allocator *allocator;
    const trc_compensation *compensation; /* borrowed; NULL: times stay as measured */
    trc_paths *paths;                     /* borrowed; NULL: no paths are wanted */
    uint32_t unkept;
    uint32_t row_count;
    bool is_without_edges; /* no edges are wanted: finding that of each node takes longer than all the rest */
    trc_figures *rows;
    trc_tick (*extras)[TRC_EXTRA_COUNT]; /* of each row */
    char *present;       /* of each row: whether a capture has it, if only as a frame that ran before tracing began */
    trc_row_edge *edges; /* in the order of first sight; `edge_count` of them */
    uint32_t edge_count;
    uint32_t edge_room;
    trc_edgetab edge_ids; /* (caller row, callee row) -> position in `edges` */
    uint32_t *row_active; /* activations on the present path, by row */
    double part;          /* of what the thread that is added ran: what compensation leaves */
    /* Ticks of compensation: own times + `taken_out` - `kept` is the time that was traced. */
    trc_tick taken_out;
    trc_tick kept; /* the part of `taken_out` that nodes did not have */
} trc_rollup;

typedef enum trc_rollup_result {
    TRC_ROLLUP_OK,
    TRC_ROLLUP_NO_MEMORY,
    TRC_ROLLUP_DAMAGED, /* a record names something that does not exist */
} trc_rollup_result;

/* Returns false when memory is out. The rollup must be freed either way. */
bool trc_rollup_init(trc_rollup *rollup, const trc_allocator *allocator, uint32_t row_count);
void trc_rollup_free(trc_rollup *rollup);

/* Adds one thread. row_of[id] is the row of a function id below `func_count`, or TRC_LEFT_OUT. The capture may come
 * from a file: every number in it is checked before use. After a failure the rollup holds only a part and must be
 * freed. */
trc_rollup_result trc_rollup_add(trc_rollup *rollup, const trc_capture *capture, const uint32_t *row_of,
                                 uint32_t func_count);

#endif
