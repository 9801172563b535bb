/* Garbage collections by node: see collecting.h. */
#include "core/tree/collecting.h"

void trc_collecting_init(trc_collecting *table, const trc_allocator *allocator)
{
    *table = (trc_collecting){allocator, NULL, NULL, 0};
}

void trc_collecting_free(trc_collecting *table)
{
    TRC_HASH_FREE(table->nodes);
    trc_collecting_forget(table);
}

void trc_collecting_begin(trc_collecting *table, const trc_node *node, trc_tick self)
{
    table->node = node;
    table->self = self;
}

void trc_collecting_forget(trc_collecting *table)
{
    table->node = NULL;
}

/* The collections of a node; NULL when memory is out. */
static trc_node_collections *find_or_add(trc_collecting *table, const trc_node *node)
{
    trc_node_collections *found;
    HASH_FIND_PTR(table->nodes, &node, found);
    if (found != NULL) {
        return found;
    }
    trc_node_collections *made = trc_alloc(table->allocator, sizeof *made);
    if (made != NULL) {
        made->node = node;
        TRC_HASH_ADD(table->nodes, node, made);
    }
    return made;
}

void trc_collecting_end(trc_collecting *table, trc_tick self)
{
    trc_node_collections *of = find_or_add(table, table->node);
    if (of != NULL) {
        trc_tick ticks = trc_ticks_since(self, table->self);
        of->longest = of->count == 0 || ticks > of->longest ? ticks : of->longest;
        of->count++;
        trc_add_ticks(&of->ticks, ticks);
    }
    trc_collecting_forget(table);
}
