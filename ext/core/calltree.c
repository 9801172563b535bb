/* The calling-context tree: see calltree.h. Nodes live in chunks that never move. */
#include "calltree.h"

#define LINE 64 /* bytes of a cache line */
#define FIRST_CHUNK 32
#define LARGEST_CHUNK 4096

_Static_assert(sizeof(trc_node) == LINE, "the hot part of a node is one cache line");

struct trc_chunk {
    trc_chunk *newer;
    trc_node *nodes; /* `size` of them, each on a line of its own */
    trc_node_cold *cold;
    uint32_t size;
    uint32_t used;
};

/* One block holds the chunk's header, then the nodes from the next line on, then their cold parts. */
static trc_chunk *chunk_new(const trc_allocator *allocator, uint32_t size)
{
    size_t bytes = sizeof(trc_chunk) + LINE + size * (sizeof(trc_node) + sizeof(trc_node_cold));
    trc_chunk *chunk = trc_alloc(allocator, bytes);
    if (chunk != NULL) {
        uintptr_t start = ((uintptr_t)(chunk + 1) + LINE - 1) & ~(uintptr_t)(LINE - 1);
        chunk->nodes = (trc_node *)start;
        chunk->cold = (trc_node_cold *)(chunk->nodes + size);
        chunk->size = size;
    }
    return chunk;
}

static trc_node *node_new(trc_calltree *tree)
{
    trc_chunk *chunk = tree->newest;
    if (chunk == NULL || chunk->used == chunk->size) {
        uint32_t size = chunk == NULL ? FIRST_CHUNK : chunk->size * 2;
        chunk = chunk_new(tree->allocator, size < LARGEST_CHUNK ? size : LARGEST_CHUNK);
        if (chunk == NULL) {
            return NULL;
        }
        *(tree->newest == NULL ? &tree->oldest : &tree->newest->newer) = chunk;
        tree->newest = chunk;
    }
    trc_node *node = &chunk->nodes[chunk->used];
    node->cold = &chunk->cold[chunk->used];
    node->cold->index = tree->count++;
    chunk->used++;
    return node;
}

/* Children of fold nodes are filed under the function, since a fold node stands for every context of its edge. */
static const void *scope_of(const trc_node *parent)
{
    return parent->cold->is_fold ? (const void *)parent->func : (const void *)parent;
}

static uint32_t slot_of(const trc_calltree *tree, const void *scope, const void *key)
{
    uint64_t bits = (uint64_t)(uintptr_t)scope * 31 + (uint64_t)(uintptr_t)key;
    return trc_hash(bits) & (tree->slot_count - 1);
}

static void file(trc_calltree *tree, trc_node *node)
{
    uint32_t slot = slot_of(tree, node->cold->scope, node->key);
    while (tree->slots[slot] != NULL) {
        slot = (slot + 1) & (tree->slot_count - 1);
    }
    tree->slots[slot] = node;
}

/* Makes room for one more node; the table is at most half full, so that a probe is short. */
static bool reserve(trc_calltree *tree)
{
    if (tree->count < tree->slot_count / 2) {
        return true;
    }
    trc_node **old = tree->slots;
    uint32_t old_count = tree->slot_count;
    uint32_t new_count = old_count == 0 ? 2 * FIRST_CHUNK : old_count * 2;
    trc_node **slots = trc_alloc(tree->allocator, new_count * sizeof *slots);
    if (slots == NULL) {
        return tree->count < old_count - old_count / 8; /* a crowded table is slow, a full one would never end */
    }
    tree->slots = slots;
    tree->slot_count = new_count;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] != NULL) {
            file(tree, old[i]);
        }
    }
    trc_free(tree->allocator, old);
    return true;
}

bool trc_calltree_init(trc_calltree *tree, const trc_allocator *allocator, atomic_long *budget)
{
    memset(tree, 0, sizeof *tree);
    tree->allocator = allocator;
    tree->budget = budget;
    tree->root = node_new(tree);
    return tree->root != NULL && reserve(tree);
}

static void free_fold(void *context, const trc_node *node)
{
    if (node->cold->is_fold) {
        trc_free(context, node->cold->fold);
    }
}

void trc_calltree_free(trc_calltree *tree)
{
    trc_calltree_each(tree, free_fold, (void *)tree->allocator);
    trc_chunk *chunk = tree->oldest;
    while (chunk != NULL) {
        trc_chunk *newer = chunk->newer;
        trc_free(tree->allocator, chunk);
        chunk = newer;
    }
    trc_free(tree->allocator, tree->slots);
    memset(tree, 0, sizeof *tree);
}

static trc_node *find(const trc_calltree *tree, const void *scope, const void *key)
{
    uint32_t slot = slot_of(tree, scope, key);
    trc_node *node;
    while ((node = tree->slots[slot]) != NULL) {
        if (node->key == key && node->cold->scope == scope) {
            return node;
        }
        slot = (slot + 1) & (tree->slot_count - 1);
    }
    return NULL;
}

static void remember(trc_node *parent, trc_node *child)
{
    parent->recent[1] = parent->recent[0];
    parent->recent[0] = child;
}

trc_node *trc_calltree_lookup(const trc_calltree *tree, trc_node *parent, const void *key)
{
    trc_node *node = find(tree, scope_of(parent), key);
    if (node == NULL && !parent->cold->is_fold) {
        node = find(tree, parent->func, key); /* a context that was folded when first seen */
    }
    if (node != NULL) {
        remember(parent, node);
    }
    return node;
}

trc_node *trc_calltree_add(trc_calltree *tree, trc_node *parent, trc_func *func, trc_edge *edge, bool fold)
{
    if (!fold && atomic_load_explicit(tree->budget, memory_order_relaxed) <= 0) {
        return NULL;
    }
    trc_figures *figures = fold ? trc_alloc(tree->allocator, sizeof *figures) : NULL;
    trc_node *node = (fold && figures == NULL) || !reserve(tree) ? NULL : node_new(tree);
    if (node == NULL) {
        trc_free(tree->allocator, figures);
        return NULL;
    }
    if (!fold) {
        atomic_fetch_sub_explicit(tree->budget, 1, memory_order_relaxed);
    }
    node->key = func->key;
    node->func = func;
    node->cold->edge = edge;
    node->cold->is_fold = fold;
    if (fold) {
        node->cold->fold = figures;
    }
    node->cold->scope = fold ? (const void *)parent->func : (const void *)parent;
    file(tree, node);
    remember(parent, node);
    return node;
}

void trc_calltree_each(const trc_calltree *tree, void (*visit)(void *context, const trc_node *node), void *context)
{
    for (const trc_chunk *chunk = tree->oldest; chunk != NULL; chunk = chunk->newer) {
        for (uint32_t i = 0; i < chunk->used; i++) {
            visit(context, &chunk->nodes[i]);
        }
    }
}
