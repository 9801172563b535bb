/* Folds calling contexts: rows of one package become one row for each call of it. What a row is, and why, is said in
 * python/tracer/analysis/tree/folding.py, which prepares what is given here and puts the result in order. */
#ifndef TRC_FOLDING_H
#define TRC_FOLDING_H

#include "core/base/clock.h"
#include "core/tree/edgetab.h"

#include <stdbool.h>

#define TRC_NO_NUMBER UINT32_MAX

/* What a row is; of a node, what it is inside of. The same as in folding.py. */
typedef enum trc_fold_role {
    TRC_ROLE_OPEN,
    TRC_ROLE_FOLDED,
    TRC_ROLE_IMPORTER,
    TRC_ROLE_IMPORT, /* inside of an imported module: no row is */
    TRC_ROLE_OPENED,
    TRC_ROLE_GENERATED,
    TRC_ROLE_BUILT_IN,
    TRC_ROLE_COMPREHENSION,
    TRC_ROLE_COUNT,
} trc_fold_role;

/* A row of the paths. A folded row that it may become is named by its place in `numbers` of the folding. */
typedef struct trc_fold_row {
    uint32_t role;
    uint32_t is_module; /* 1: of the code of a module, which an import runs */
    uint32_t package;   /* what it is folded into */
    uint32_t import;    /* what its import becomes */
} trc_fold_row;

typedef struct trc_folded_node {
    uint32_t row;
    uint32_t parent; /* position in `nodes`, always smaller than its own */
    uint64_t calls;
    uint64_t resumes;
    uint64_t entries; /* calls that were no recursion */
    trc_tick time;
    trc_tick waited;
} trc_folded_node;

/* What a function of a folded package took in one node, where the program called it. */
typedef struct trc_member {
    uint32_t node;
    uint32_t row;
    uint64_t calls;
    trc_tick time;
} trc_member;

typedef struct trc_folding {
    const trc_allocator *allocator;
    const trc_fold_row *rows; /* borrowed */
    uint32_t row_count;
    uint32_t *numbers;      /* borrowed: the row of each folded row; TRC_NO_NUMBER until it is made */
    uint32_t next;          /* the number that the next such row gets */
    uint32_t finding;       /* the place in `numbers` of the time of an import outside of the modules that it runs */
    bool recursion;         /* a function that calls itself is one row: the first call */
    bool opens_imports;     /* the modules of opened packages are rows, too, where they are imported */
    trc_folded_node *nodes; /* owned; in the order in which they were made */
    uint32_t node_count;
    uint32_t node_room;
    trc_member *members; /* owned; in the order of first sight */
    uint32_t member_count;
    uint32_t member_room;
    trc_edgetab children; /* (node, row) -> position in `nodes`, as `active` */
    trc_edgetab known;    /* (node, row) -> position in `members`, as `id` */
} trc_folding;

/* Calling contexts in preorder, as arrays: borrowed. */
typedef struct trc_contexts {
    const uint32_t *depth;
    const uint32_t *row;
    const uint64_t *calls;
    const uint64_t *resumes;
    const trc_tick *time;
    const trc_tick *waited;
    uint32_t count;
} trc_contexts;

/* Whether depths are those of a tree in preorder. */
bool trc_contexts_are_tree(const uint32_t *depth, uint32_t count);

/* Adds to the number of each context those of all contexts below, which may be added in place. `open` has room for as
 * many as there are contexts. */
void trc_contexts_add_below(trc_tick *totals, const uint32_t *depth, uint32_t count, uint32_t *open);

/* Folds a tree; `folding` has all that is borrowed, its flags and its allocator, and zeroes. Every row of the contexts
 * but the first is below `row_count`, and every place that a row names is in `numbers`. Returns false when memory is
 * out. The folding must be freed either way. */
bool trc_fold(trc_folding *folding, const trc_contexts *contexts);
void trc_folding_free(trc_folding *folding);

#endif
