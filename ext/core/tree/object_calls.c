/* Calls of objects that have no row: see object_calls.h. */
#include "core/tree/object_calls.h"

void trc_object_table_init(trc_object_table *table, const trc_allocator *allocator)
{
    *table = (trc_object_table){.allocator = allocator};
}

void trc_object_table_free(trc_object_table *table)
{
    TRC_HASH_FREE(table->first);
    trc_free(table->allocator, table->places);
    table->places = NULL;
    table->id = 0;
}

trc_object_place *trc_object_table_place(trc_object_table *table, const trc_node *node, const void *object)
{
    if (table->places == NULL) {
        table->places = trc_alloc(table->allocator, TRC_OBJECT_PLACES * sizeof *table->places);
        if (table->places == NULL) {
            table->lost++;
            return NULL;
        }
        memset(table->places, 0, TRC_OBJECT_PLACES * sizeof *table->places);
    }
    uintptr_t mixed = ((uintptr_t)node >> 6) * 31 + ((uintptr_t)object >> 4);
    return &table->places[mixed % TRC_OBJECT_PLACES];
}

bool trc_object_table_put(trc_object_table *table, trc_object_place *place, const trc_object_place *what,
                          uint32_t caller, uint32_t callee)
{
    uint64_t key = (uint64_t)caller << 32 | callee;
    trc_object_calls *calls;
    HASH_FIND(hh, table->first, &key, sizeof key, calls);
    if (calls == NULL) {
        calls = trc_alloc(table->allocator, sizeof *calls);
        if (calls != NULL) {
            *calls = (trc_object_calls){.key = key};
            TRC_HASH_ADD(table->first, key, calls);
        }
    }
    if (calls == NULL) {
        table->lost++;
        return false;
    }
    *place = *what;
    place->calls = calls;
    return true;
}
