/* The calling-context tree: see calltree.h. Nodes live in chunks of pages that never move. */
#include "core/tree/calltree.h"

#define FIRST_CHUNK 1
#define LARGEST_CHUNK 96
#define FIRST_SLOTS 64
#define FEW_SLOTS 262144

#define TRC_RARE __attribute__((noinline)) static

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
    trc_chunk *chunk = trc_alloc(allocator, sizeof *chunk + TRC_PAGE - 1 + size * sizeof *chunk->pages);
    if (chunk != NULL) {
        uintptr_t start = ((uintptr_t)(chunk + 1) + TRC_PAGE - 1) & ~(uintptr_t)(TRC_PAGE - 1);
        *chunk = (trc_chunk){.pages = (trc_page *)start, .size = size};
    }
    return chunk;
}

static trc_node *node_at(const trc_chunk *chunk, uint32_t position)
{
    return &chunk->pages[position / TRC_PAGE_NODES].nodes[position % TRC_PAGE_NODES];
}

/* Begins with the next page. Returns false when memory is out. */
TRC_RARE bool turn_page(trc_calltree *tree)
{
    trc_chunk *chunk = tree->newest;
    if (chunk == NULL || chunk->used == chunk->size * TRC_PAGE_NODES) {
        uint32_t size = chunk == NULL ? FIRST_CHUNK : chunk->size * 2;
        chunk = chunk_new(tree->allocator, size < LARGEST_CHUNK ? size : LARGEST_CHUNK);
        if (chunk == NULL) {
            return false;
        }
        *(tree->newest == NULL ? &tree->oldest : &tree->newest->newer) = chunk;
        tree->newest = chunk;
    }
    tree->next = node_at(chunk, chunk->used);
    return true;
}

static inline trc_node *node_new(trc_calltree *tree)
{
    bool is_full = ((uintptr_t)tree->next & (TRC_PAGE - 1)) == TRC_PAGE_NODES * sizeof(trc_node);
    if ((is_full || tree->next == NULL) && !turn_page(tree)) {
        return NULL;
    }
    trc_node *node = tree->next++;
    tree->newest->used++;
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

static inline void file(trc_calltree *tree, trc_node *node)
{
    uint32_t hash = hash_of(node->scope, node->key);
    uint32_t slot = hash & (tree->slot_count - 1);
    while (tree->slots[slot] != 0) {
        slot = (slot + 1) & (tree->slot_count - 1);
    }
    tree->slots[slot] = (uintptr_t)node | tag_of(hash);
}

/* Makes the table larger. Returns false where there is no room for one more node. */
TRC_RARE bool grow(trc_calltree *tree)
{
    uintptr_t *old = tree->slots;
    uint32_t old_count = tree->slot_count;
    uint32_t new_count = old_count == 0 ? FIRST_SLOTS : old_count * (old_count < FEW_SLOTS ? 4 : 2);
    uintptr_t *slots = trc_alloc(tree->allocator, new_count * sizeof *slots);
    if (slots == NULL) {
        return tree->count < old_count - old_count / 8; /* a crowded table is slow, but a full one has no end */
    }
    tree->slots = slots;
    tree->slot_count = new_count;
    tree->most = new_count - new_count / (new_count < FEW_SLOTS ? 2 : 4);
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] != 0) {
            file(tree, (trc_node *)(old[i] & ~TAG));
        }
    }
    trc_free(tree->allocator, old);
    return true;
}

/* Makes room for one more node. While the table is small, it is at most half full, and grows by four: at the same counts
 * as the tables of functions and edges (hash.h). A large one is at most three quarters full, and grows by two. */
static inline bool reserve(trc_calltree *tree)
{
    return tree->count < tree->most || grow(tree);
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

TRC_RARE trc_node *find(const trc_calltree *tree, const void *scope, const void *key)
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

/* Fills in a new node. */
static inline void begin_node(const trc_calltree *tree, trc_node *node, const void *scope, trc_func *func)
{
    node->key = func->key;
    node->scope = scope;
    node->last = node->next[0] = node->next[1] = tree->root;
    node->longest = trc_longest_filter(func);
    trc_cold(node)->func = func;
}

TRC_RARE trc_node *add_overflow(trc_calltree *tree, const trc_node *parent, trc_func *func)
{
    trc_figures *figures = trc_alloc(tree->allocator, sizeof *figures);
    trc_node *node = figures == NULL || !reserve(tree) ? NULL : node_new(tree);
    if (node == NULL) {
        trc_free(tree->allocator, figures);
        return NULL;
    }
    begin_node(tree, node, trc_node_func(parent), func);
    node->is_overflow = true;
    trc_cold(node)->overflow = figures;
    tree->overflow_count++;
    file(tree, node);
    return node;
}

trc_node *trc_calltree_add(trc_calltree *tree, trc_node *parent, trc_func *func, bool overflow)
{
    if (overflow) {
        return add_overflow(tree, parent, func);
    }
    bool is_spent = atomic_load_explicit(tree->budget, memory_order_relaxed) <= 0;
    trc_node *node = is_spent || !reserve(tree) ? NULL : node_new(tree);
    if (node == NULL) {
        return NULL;
    }
    atomic_fetch_sub_explicit(tree->budget, 1, memory_order_relaxed);
    begin_node(tree, node, parent, func);
    node->next[0] = node; /* as in a loop */
    if (func->is_coroutine || parent->is_in_task) {
        node->is_task = !parent->is_in_task;
        node->is_in_task = true;
    }
    expect(tree, parent, node);
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
