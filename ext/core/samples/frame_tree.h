/* Where samples fell in Python code: the calling contexts, as a tree of code objects, and the lines. */
#ifndef TRC_FRAME_TREE_H
#define TRC_FRAME_TREE_H

#include "core/samples/code_table.h"
#include "core/samples/noted_sample.h"

#define TRC_FRAME_NODE_LIMIT 2000000
#define TRC_COLLECTION_CODE (UINT32_MAX - 1) /* stands for a garbage collection, which is no code's */

/* A context: the one that it was called in, and its code: TRC_COLLECTION_CODE, or TRC_NOWHERE where that is not known. Node
 * 0, the root, has no record. */
typedef struct trc_frame_node {
    uint32_t parent;
    uint32_t code;
} trc_frame_node;

/* The weights of the samples on a line: in which it was the innermost, and all in which it was. */
typedef struct trc_sampled_line {
    uint32_t code;
    int32_t line;
    uint64_t own;
    uint64_t total;
    uint64_t sample; /* the latest that was added: a line that recurs in it counts once */
} trc_sampled_line;

/* What the numbers of one thread's handler stand for. */
typedef struct trc_described {
    uint32_t *codes; /* owned; by number */
    uint32_t count;
} trc_described;

typedef struct trc_frame_tree {
    trc_code_table codes;
    trc_numbers node_numbers; /* by the record */
    trc_frame_node *nodes;    /* owned */
    uint32_t node_count;      /* without the root */
    trc_numbers places;       /* by code and offset: the number of the line */
    trc_numbers line_numbers; /* by code and line */
    trc_sampled_line *lines;  /* owned */
    uint32_t line_count;
    uint64_t samples;
} trc_frame_tree;

void trc_frame_tree_init(trc_frame_tree *tree, const trc_allocator *allocator);
void trc_frame_tree_free(trc_frame_tree *tree);

/* Forgets where samples fell, not the code. */
void trc_frame_tree_clear(trc_frame_tree *tree);

/* A thread's handler has described a code object. When memory is out, its frames are of no known code. */
void trc_frame_tree_describe(trc_frame_tree *tree, trc_described *described, const trc_code_description *description);
void trc_described_free(trc_described *described, const trc_allocator *allocator);

/* Where a sample fell. */
typedef struct trc_tree_place {
    uint32_t node;
    bool is_own; /* in tracer's own code, or in a callback of an event */
} trc_tree_place;

/* Adds a sample, whose frames come with the innermost first: without those of tracer's, and those outside of its code that
 * runs a program. When memory is out, or there are too many nodes, its node is that of a caller. */
trc_tree_place trc_frame_tree_add(trc_frame_tree *tree, const trc_described *described, const trc_noted_sample *sample);

#endif
