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
    trc_free(table->allocator, table->running);
    trc_object_table_init(table, table->allocator);
}

trc_object_place *trc_object_table_place(trc_object_table *table, const trc_node *node, const void *object)
{
    if (table->places == NULL) {
        table->places = trc_alloc(table->allocator, TRC_OBJECT_PLACES * sizeof *table->places);
        if (table->places == NULL) {
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
        return false;
    }
    *place = *what;
    place->calls = calls;
    return true;
}

void trc_object_table_begin(trc_object_table *table, const trc_object_place *place, trc_activation id, trc_tick own)
{
    if (table->depth == table->room) {
        uint32_t room = table->room == 0 ? 16 : 2 * table->room;
        void *more = trc_resize(table->allocator, table->running, room * sizeof *table->running);
        if (more == NULL) {
            return;
        }
        table->running = more;
        table->room = room;
    }
    table->running[table->depth++] = (trc_running_object){place->calls, place->node, id, own};
}

const trc_running_object *trc_object_table_end(trc_object_table *table, trc_activation id)
{
    for (uint32_t i = table->depth; i > 0; i--) {
        if (table->running[i - 1].id == id) {
            table->depth = i - 1;
            return &table->running[i - 1];
        }
    }
    return NULL;
}
