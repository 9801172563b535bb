/* The stacks that wait: see stacks.h. */
#include "core/tree/stacks.h"

void trc_stacks_init(trc_stacks *table, const trc_allocator *allocator)
{
    table->allocator = allocator;
    table->first = NULL;
}

void trc_stacks_free(trc_stacks *table)
{
    while (table->first != NULL) {
        trc_stacks_remove(table, table->first);
    }
}

trc_waiting *trc_stacks_find(const trc_stacks *table, const void *owner)
{
    trc_waiting *waiting;
    HASH_FIND_PTR(table->first, &owner, waiting);
    return waiting;
}

trc_waiting *trc_stacks_add(trc_stacks *table, const void *owner)
{
    trc_waiting *waiting = trc_alloc(table->allocator, sizeof *waiting);
    if (waiting == NULL) {
        return NULL;
    }
    waiting->owner = owner;
    TRC_HASH_ADD(table->first, owner, waiting);
    return waiting;
}

void trc_stacks_remove(trc_stacks *table, trc_waiting *waiting)
{
    HASH_DEL(table->first, waiting);
    trc_free(table->allocator, waiting->stack.frames);
    trc_free(table->allocator, waiting);
}
