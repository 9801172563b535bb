/* The calling-context tree of one thread: a node for each path of calls from the thread's root.
 *
 *     (root) --- main --- read --- decode          two nodes for `decode`: one called by `read`,
 *                    \--- decode                   one called by `main`
 *
 * Past its budget the tree stops growing and overflows: all new contexts of one caller -> callee edge then share one
 * *overflow* node. thread.h says what this means for the figures; this file knows only the nodes. */
#ifndef TRC_CALLTREE_H
#define TRC_CALLTREE_H

#include "core/tree/edgetab.h"
#include "core/tree/functab.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct trc_node trc_node;

/* The cold part: a call does not touch it. */
typedef struct trc_node_cold {
    uint64_t resumes;
    trc_edge *edge; /* caller -> this function; NULL for the root and its children */
    union {
        trc_figures *overflow; /* of an overflow node, owned: its edge's primitive calls, resumes, cumulative ticks */
        trc_tick overflowed;   /* of any other node: ticks in overflow nodes called from it, which no child has */
    };
    uint32_t index; /* 0 for the root; then in the order of creation, so a parent's index is smaller */
    bool is_overflow;
} trc_node_cold;

/* The hot part: one cache line. A call of a known context touches no other memory of the tree, unless the caller no
 * longer remembers the child: then it touches the child's slot too. */
struct trc_node {
    const void *key; /* of the function: NULL for the root */
    /* The key's scope in the table: the parent node; for an overflow node the caller's function, or NULL when the
     * caller is the root. */
    const void *scope;
    /* The children that were looked up last, the latest first; NULL where there are fewer. Three fill the cache line:
     * they find 71 to 96 of 100 calls of real programs, two would find 47 to 89. */
    trc_node *recent[3];
    trc_tick self; /* ticks spent on top of the stack */
    uint64_t calls;
    trc_func *func; /* NULL for the root */
};

/* A page holds nodes. It is aligned to its own size, so that a node finds its cold part without a pointer and has room
 * for `scope`. Without that, and with two recent children, tracer's overhead was a tenth larger in programs of many
 * contexts (go, deepcopy), half larger in sympy. */
#define TRC_PAGE 4096
#define TRC_PAGE_NODES 42

typedef struct trc_page {
    trc_node nodes[TRC_PAGE_NODES];
    trc_node_cold cold[TRC_PAGE_NODES];
    char unused[64];
} trc_page;

_Static_assert(sizeof(trc_page) == TRC_PAGE, "a page is found by the address of a node in it");

static inline trc_node_cold *trc_cold(const trc_node *node)
{
    trc_page *page = (trc_page *)((uintptr_t)node & ~(uintptr_t)(TRC_PAGE - 1));
    return &page->cold[node - page->nodes];
}

typedef struct trc_chunk trc_chunk;

typedef struct trc_calltree {
    const trc_allocator *allocator;
    atomic_long *budget; /* nodes that may still be made; shared by the threads of a profile */
    trc_chunk *oldest;   /* chunks of pages, linked towards the newest */
    trc_chunk *newest;
    trc_node *root;
    trc_node **slots;        /* (scope, key) -> node, open addressing */
    uint32_t slot_count;     /* a power of two */
    uint32_t count;          /* nodes, the root included */
    uint32_t overflow_count; /* how many of them are overflow nodes */
} trc_calltree;

/* Makes the root. Returns false when memory is out. The tree must be freed either way. */
bool trc_calltree_init(trc_calltree *tree, const trc_allocator *allocator, atomic_long *budget);
void trc_calltree_free(trc_calltree *tree);

/* Returns the child of `parent` for `key`, or NULL. It searches the whole table; trc_calltree_child() asks the recent
 * children first. */
trc_node *trc_calltree_lookup(const trc_calltree *tree, trc_node *parent, const void *key);

/* Adds a child that does not exist: a node of the tree, or, with `overflow`, an overflow node. The budget does not
 * bound overflow nodes: there is one an edge. Returns NULL when the budget is spent or memory is out. */
trc_node *trc_calltree_add(trc_calltree *tree, trc_node *parent, trc_func *func, trc_edge *edge, bool overflow);

/* Calls visit(context, node) for every node in the order of their indexes. */
void trc_calltree_each(const trc_calltree *tree, void (*visit)(void *context, const trc_node *node), void *context);

/* Returns the parent of a node that is neither the root nor an overflow node. */
static inline const trc_node *trc_node_parent(const trc_node *node)
{
    return node->scope;
}

static inline trc_node *trc_calltree_child(const trc_calltree *tree, trc_node *parent, const void *key)
{
    trc_node *child = parent->recent[0];
    if (child != NULL && child->key == key) {
        return child;
    }
    child = parent->recent[1];
    if (child != NULL && child->key == key) {
        return child;
    }
    child = parent->recent[2];
    if (child != NULL && child->key == key) {
        return child;
    }
    return trc_calltree_lookup(tree, parent, key);
}

#endif
