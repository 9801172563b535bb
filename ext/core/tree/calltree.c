/* The calling-context tree: see calltree.h. Nodes live in chunks of pages that never move. */
#include "core/tree/calltree.h"

#define FIRST_CHUNK 1
#define LARGEST_CHUNK 96
#define FIRST_SLOTS 64
#define FEW_SLOTS 262144

_Static_assert(sizeof(trc_node) == 64, "the hot part of a node is one cache line");

struct trc_chunk {
    trc_chunk *newer;
    trc_page *pages; /* `size` of them */
    uint32_t size;
    uint32_t used; /* nodes */
};

/* One block holds the chunk's header and then the pages, from the first multiple of TRC_PAGE on. */
static trc_chunk *chunk_new(const trc_allocator *allocator, uint32_t size)
{
    trc_chunk *chunk = trc_resize(allocator, NULL, sizeof *chunk + TRC_PAGE - 1 + size * sizeof *chunk->pages);
    if (chunk != NULL) {
        uintptr_t start = ((uintptr_t)(chunk + 1) + TRC_PAGE - 1) & ~(uintptr_t)(TRC_PAGE - 1);
        *chunk = (trc_chunk){.pages = (trc_page *)start, .size = size};
        memset(chunk->pages, 0, size * sizeof *chunk->pages);
    }
    return chunk;
}

static trc_node *node_at(const trc_chunk *chunk, uint32_t position)
{
    return &chunk->pages[position / TRC_PAGE_NODES].nodes[position % TRC_PAGE_NODES];
}

static trc_node *node_new(trc_calltree *tree)
{
    trc_chunk *chunk = tree->newest;
    if (chunk == NULL || chunk->used == chunk->size * TRC_PAGE_NODES) {
        uint32_t size = chunk == NULL ? FIRST_CHUNK : chunk->size * 2;
        chunk = chunk_new(tree->allocator, size < LARGEST_CHUNK ? size : LARGEST_CHUNK);
        if (chunk == NULL) {
            return NULL;
        }
        *(tree->newest == NULL ? &tree->oldest : &tree->newest->newer) = chunk;
        tree->newest = chunk;
    }
    trc_node *node = node_at(chunk, chunk->used++);
    node->index = tree->count++ & (UINT32_MAX >> 3);
    return node;
}

/* A slot holds the address of a node, and in the six bits that the address leaves free a part of the hash: a probe reads
 * another node than the right one only once in 64 times. 0: the slot is free. */
#define TAG ((uintptr_t)63)

static uint32_t hash_of(const void *scope, const void *key)
{
    return trc_hash((uint64_t)(uintptr_t)scope * 31 + (uint64_t)(uintptr_t)key);
}

static uintptr_t tag_of(uint32_t hash)
{
    return hash >> 26;
}

static void file(trc_calltree *tree, trc_node *node)
{
    uint32_t hash = hash_of(node->scope, node->key);
    uint32_t slot = hash & (tree->slot_count - 1);
    while (tree->slots[slot] != 0) {
        slot = (slot + 1) & (tree->slot_count - 1);
    }
    tree->slots[slot] = (uintptr_t)node | tag_of(hash);
}

/* Makes room for one more node. While the table is small, it is at most half full, and grows by four: at the same counts
 * as the tables of functions and edges (hash.h). A large one is at most three quarters full, and grows by two. */
static bool reserve(trc_calltree *tree)
{
    bool is_small = tree->slot_count < FEW_SLOTS;
    if (tree->count < tree->slot_count - tree->slot_count / (is_small ? 2 : 4)) {
        return true;
    }
    uintptr_t *old = tree->slots;
    uint32_t old_count = tree->slot_count;
    uint32_t new_count = old_count == 0 ? FIRST_SLOTS : old_count * (is_small ? 4 : 2);
    uintptr_t *slots = trc_alloc(tree->allocator, new_count * sizeof *slots);
    if (slots == NULL) {
        return tree->count < old_count - old_count / 8; /* a crowded table is slow, but a full one has no end */
    }
    tree->slots = slots;
    tree->slot_count = new_count;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] != 0) {
            file(tree, (trc_node *)(old[i] & ~TAG));
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
    if (tree->root == NULL) {
        return false;
    }
    tree->root->key = tree->root->last = tree->root->next[0] = tree->root->next[1] = tree->root;
    return reserve(tree);
}

static void free_overflow(void *context, const trc_node *node)
{
    if (node->is_overflow) {
        trc_free(context, trc_cold(node)->overflow);
    }
}

void trc_calltree_free(trc_calltree *tree)
{
    trc_calltree_each(tree, free_overflow, (void *)tree->allocator);
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
    uint32_t hash = hash_of(scope, key);
    uint32_t slot = hash & (tree->slot_count - 1);
    uintptr_t found;
    while ((found = tree->slots[slot]) != 0) {
        trc_node *node = (trc_node *)(found & ~TAG);
        if ((found & TAG) == tag_of(hash) && node->key == key && node->scope == scope) {
            return node;
        }
        slot = (slot + 1) & (tree->slot_count - 1);
    }
    return NULL;
}

/* `child`, no overflow node, is called now: it will be expected after the child before. */
static void expect(const trc_calltree *tree, trc_node *parent, trc_node *child)
{
    trc_node *last = parent->last;
    if (last != tree->root) {
        last->next[1] = last->next[0];
        last->next[0] = child;
    }
    parent->last = child;
}

trc_node *trc_calltree_child(const trc_calltree *tree, trc_node *parent, const void *key)
{
    trc_node *node = trc_calltree_expected(parent, key);
    if (node != NULL) {
        return node;
    }
    node = find(tree, parent, key); /* finds nothing below an overflow node */
    if (node != NULL) {
        expect(tree, parent, node);
        return node;
    }
    /* An overflow node stands for every context of its edge. */
    return tree->overflow_count == 0 ? NULL : find(tree, trc_node_func(parent), key);
}

trc_node *trc_calltree_add(trc_calltree *tree, trc_node *parent, trc_func *func, bool overflow)
{
    if (!overflow && atomic_load_explicit(tree->budget, memory_order_relaxed) <= 0) {
        return NULL;
    }
    trc_figures *figures = overflow ? trc_alloc(tree->allocator, sizeof *figures) : NULL;
    trc_node *node = (overflow && figures == NULL) || !reserve(tree) ? NULL : node_new(tree);
    if (node == NULL) {
        trc_free(tree->allocator, figures);
        return NULL;
    }
    if (!overflow) {
        atomic_fetch_sub_explicit(tree->budget, 1, memory_order_relaxed);
    }
    node->key = func->key;
    trc_cold(node)->func = func;
    node->longest = trc_longest_filter(func);
    node->last = node->next[0] = node->next[1] = tree->root;
    node->is_overflow = overflow;
    if (overflow) {
        trc_cold(node)->overflow = figures;
        node->scope = trc_node_func(parent);
        tree->overflow_count++;
    }
    else {
        node->scope = parent;
        if (func->is_coroutine || parent->is_in_task) {
            node->is_task = !parent->is_in_task;
            node->is_in_task = true;
        }
        node->next[0] = node; /* as in a loop */
        expect(tree, parent, node);
    }
    file(tree, node);
    return node;
}

void trc_calltree_each(const trc_calltree *tree, void (*visit)(void *context, const trc_node *node), void *context)
{
    for (const trc_chunk *chunk = tree->oldest; chunk != NULL; chunk = chunk->newer) {
        for (uint32_t i = 0; i < chunk->used; i++) {
            visit(context, node_at(chunk, i));
        }
    }
}
