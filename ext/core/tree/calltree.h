/* The calling-context tree of one thread: a node for each path of calls from the thread's root.
 *
 *     (root) --- main --- read --- decode          two nodes for `decode`: one called by `read`,
 *                    \--- decode                   one called by `main`
 *
 * Past its budget the tree stops growing and overflows: all new contexts of one caller -> callee edge then share one
 * *overflow* node. thread.h says what this means for the figures; this file knows only the nodes. */
#ifndef TRC_CALLTREE_H
#define TRC_CALLTREE_H

#include "core/tree/functab.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct trc_node trc_node;

/* The cold part: a call does not touch it. */
typedef struct trc_node_cold {
    uint64_t resumes;
    union {
        trc_figures *overflow; /* of an overflow node, owned: its edge's primitive calls, resumes, cumulative ticks */
        trc_tick overflowed;   /* of any other node: ticks in overflow nodes called from it, which no child has */
    };
    trc_func *func; /* NULL for the root */
} trc_node_cold;

/* The hot part: one cache line.
 *
 * Calls come in the order of the times before: a loop calls the same children over and over, a function calls its
 * children from its first line to its last. So a node knows the child that it called last, and each child knows the two
 * siblings that were called after it the last times. These two are *expected*. They are 84 to 99 of 100 calls of real
 * programs, the latest alone 67 to 95; the three children that were looked up last were 70 to 96. Where there is no such
 * node, the root stands, whose key is of no function. Overflow nodes are never expected. */
struct trc_node {
    const void *key; /* of the function; of the root its own address */
    /* The key's scope in the table: the parent node; for an overflow node the caller's function, or NULL when the
     * caller is the root. */
    const void *scope;
    trc_node *last;      /* the child that was called last, or the root */
    trc_node *next[2];   /* the children of the same parent that were called after this one, the latest first */
    trc_tick self;       /* ticks spent on top of the stack */
    uint64_t calls;      /* in the TRC_EPOCH_BITS the bin in which it was touched last, where there are bins (bins.h) */
    uint32_t index : 29; /* 0 for the root; then in the order of creation, so a parent's index is smaller */
    uint32_t is_overflow : 1;
    uint32_t is_in_task : 1; /* it is of a coroutine, or below one */
    uint32_t is_task : 1;    /* it is of an outermost coroutine: no node above it is in a task */
    uint32_t longest;        /* ticks: no stretch that took no more is the longest of its function; see thread.h */
};

#define TRC_FIRST_EPOCH (UINT64_C(1) << 48)
#define TRC_EPOCH_BITS (UINT64_C(0xffff) << 48)

static inline uint64_t trc_node_calls(const trc_node *node)
{
    return node->calls & ~TRC_EPOCH_BITS;
}

static inline uint16_t trc_node_epoch(const trc_node *node)
{
    return (uint16_t)(node->calls >> 48);
}

/* A page holds nodes. It is aligned to its own size, so that a node finds its cold part without a pointer. */
#define TRC_PAGE 4096
#define TRC_PAGE_NODES 46

typedef struct trc_page {
    trc_node nodes[TRC_PAGE_NODES];
    trc_node_cold cold[TRC_PAGE_NODES];
    char unused[48];
} trc_page;

_Static_assert(sizeof(trc_page) == TRC_PAGE, "a page is found by the address of a node in it");

static inline trc_node_cold *trc_cold(const trc_node *node)
{
    trc_page *page = (trc_page *)((uintptr_t)node & ~(uintptr_t)(TRC_PAGE - 1));
    return &page->cold[node - page->nodes];
}

/* The function of a node; NULL for the root. */
static inline trc_func *trc_node_func(const trc_node *node)
{
    return trc_cold(node)->func;
}

typedef struct trc_chunk trc_chunk;

typedef struct trc_calltree {
    const trc_allocator *allocator;
    atomic_long *budget; /* nodes that may still be made; shared by the threads of a profile */
    trc_chunk *oldest;   /* chunks of pages, linked towards the newest */
    trc_chunk *newest;
    trc_node *next; /* the node that is made next, or the end of its page; NULL: there is no page yet */
    trc_node *root;
    uintptr_t *slots;        /* (scope, key) -> node, open addressing: see calltree.c */
    uint32_t slot_count;     /* a power of two */
    uint32_t most;           /* nodes: at so many the table grows */
    uint32_t count;          /* nodes, the root included */
    uint32_t overflow_count; /* how many of them are overflow nodes */
} trc_calltree;

/* Makes the root. Returns false when memory is out. The tree must be freed either way. */
bool trc_calltree_init(trc_calltree *tree, const trc_allocator *allocator, atomic_long *budget);
void trc_calltree_free(trc_calltree *tree);

/* Returns the child of `parent` for `key`, which is called now, if it is expected; else NULL. */
static inline trc_node *trc_calltree_expected(trc_node *parent, const void *key)
{
    trc_node *last = parent->last;
    trc_node *node = last->next[0];
    if (node->key != key) {
        trc_node *other = last->next[1];
        if (other->key != key) {
            return NULL;
        }
        last->next[0] = other;
        last->next[1] = node;
        node = other;
    }
    parent->last = node;
    return node;
}

/* Returns the child of `parent` for `key`, which is called now, or NULL when there is none. Searches the table, where
 * the child is not the expected one. */
trc_node *trc_calltree_child(const trc_calltree *tree, trc_node *parent, const void *key);

/* Adds a child that does not exist and is called now: a node of the tree, or, with `overflow`, an overflow node. The
 * budget does not bound overflow nodes: there is one an edge. Returns NULL when the budget is spent or memory is
 * out. */
trc_node *trc_calltree_add(trc_calltree *tree, trc_node *parent, trc_func *func, bool overflow);

/* Calls visit(context, node) for every node in the order of their indexes. */
void trc_calltree_each(const trc_calltree *tree, void (*visit)(void *context, const trc_node *node), void *context);

/* Returns the parent of a node that is neither the root nor an overflow node. */
static inline const trc_node *trc_node_parent(const trc_node *node)
{
    return node->scope;
}

/* Returns the function that calls an overflow node, or NULL for the root. */
static inline const trc_func *trc_overflow_caller(const trc_node *node)
{
    return node->scope;
}

#endif
