/* Caller -> callee records: see edgetab.h. */
#include "core/tree/edgetab.h"

_Static_assert(sizeof(trc_edge_key) == 8, "compared and hashed as eight bytes, so without padding");

#define FIRST_BLOCK 8
#define LARGEST_BLOCK 1024

/* Records side by side: malloc would put eight bytes before each, a ninth of its size. */
struct trc_edge_block {
    trc_edge_block *older;
    uint32_t size;
    uint32_t used;
    trc_edge edges[];
};

void trc_edgetab_init(trc_edgetab *table, const trc_allocator *allocator)
{
    memset(table, 0, sizeof *table);
    table->allocator = allocator;
}

void trc_edgetab_free(trc_edgetab *table)
{
    HASH_CLEAR(hh, table->first);
    table->count = 0;
    while (table->newest != NULL) {
        trc_edge_block *block = table->newest;
        table->newest = block->older;
        trc_free(table->allocator, block);
    }
}

/* Returns the next free record, zeroed. The caller takes it by filing it. Returns NULL when memory is out. */
static trc_edge *next_record(trc_edgetab *table)
{
    trc_edge_block *newest = table->newest;
    if (newest == NULL || newest->used == newest->size) {
        uint32_t size = newest == NULL ? FIRST_BLOCK : newest->size * 2;
        size = size < LARGEST_BLOCK ? size : LARGEST_BLOCK;
        trc_edge_block *block = trc_alloc(table->allocator, sizeof *block + size * sizeof(trc_edge));
        if (block == NULL) {
            return NULL;
        }
        block->older = newest;
        block->size = size;
        table->newest = block;
    }
    return &table->newest->edges[table->newest->used];
}

trc_edge *trc_edgetab_get(trc_edgetab *table, uint32_t caller, uint32_t callee)
{
    trc_edge_key key = {caller, callee};
    trc_edge *edge;
    HASH_FIND(hh, table->first, &key, sizeof key, edge);
    if (edge != NULL) {
        return edge;
    }
    edge = next_record(table);
    if (edge == NULL) {
        return NULL;
    }
    edge->key = key;
    edge->id = table->count;
    HASH_ADD(hh, table->first, key, sizeof key, edge);
    if (edge->hh.tbl == NULL) {
        return NULL;
    }
    trc_hash_grow(&table->first->hh, table->allocator);
    table->newest->used++;
    table->count++;
    return edge;
}
