/* Calling contexts by rows: one node for each path of rows from the root, over all threads and captures. rollup.h adds
 * the figures of a thread; this file knows only the nodes and their order. */
#ifndef TRC_PATHS_H
#define TRC_PATHS_H

#include "core/base/clock.h"
#include "core/tree/edgetab.h"

#include <stdbool.h>

#define TRC_NO_PATH UINT32_MAX

typedef struct trc_path {
    uint32_t parent; /* position in `nodes`, always smaller than its own; of the root 0 */
    uint32_t row;    /* of the root TRC_NO_PATH */
    uint64_t calls;
    uint64_t resumes;
    trc_tick self;
    trc_tick waited;  /* of its own time */
    uint32_t child;   /* position of the first child; 0: none */
    uint32_t newest;  /* ... and of the one made last */
    uint32_t sibling; /* position of the child that its parent got next; 0: none */
    uint32_t children;
} trc_path;

typedef struct trc_paths {
    const trc_allocator *allocator;
    trc_path *nodes; /* nodes[0] is the root; siblings stand in the order of first sight */
    uint32_t count;
    uint32_t room;
    /* (parent, row) -> position in `nodes`, as `active`. Of a parent's children only those that are not among the first
     * few, which are found sooner by going through them. */
    trc_edgetab places;
} trc_paths;

/* Makes the root. Returns false when memory is out. The paths must be freed either way. */
bool trc_paths_init(trc_paths *paths, const trc_allocator *allocator);
void trc_paths_free(trc_paths *paths);

/* Returns the position of the child of `parent` for `row`, and makes the child when it is new. Returns TRC_NO_PATH when
 * memory is out. May move `nodes`. */
uint32_t trc_paths_step(trc_paths *paths, uint32_t parent, uint32_t row);

/* Sets order[k] to the position of the k-th node in preorder and depth[k] to its depth (the root's is 0). Both arrays
 * have room for `count`. */
void trc_paths_preorder(const trc_paths *paths, uint32_t *order, uint32_t *depth);

#endif
