/* Caller -> callee records: see edgetab.h. */
#include "edgetab.h"

_Static_assert(sizeof(trc_edge_key) == 8, "compared and hashed as eight bytes, so without padding");

void trc_edgetab_init(trc_edgetab *table, const trc_allocator *allocator)
{
    table->allocator = allocator;
    table->first = NULL;
    table->count = 0;
}

void trc_edgetab_free(trc_edgetab *table)
{
    trc_edge *edge = table->first;
    if (edge != NULL) {
        trc_edge *head = edge;
        HASH_CLEAR(hh, head);
    }
    table->first = NULL;
    table->count = 0;
    while (edge != NULL) {
        trc_edge *next = edge->hh.next;
        trc_free(table->allocator, edge);
        edge = next;
    }
}

trc_edge *trc_edgetab_get(trc_edgetab *table, uint32_t caller, uint32_t callee)
{
    trc_edge_key key = {caller, callee};
    trc_edge *edge;
    HASH_FIND(hh, table->first, &key, sizeof key, edge);
    if (edge != NULL) {
        return edge;
    }
    edge = trc_alloc(table->allocator, sizeof *edge);
    if (edge == NULL) {
        return NULL;
    }
    edge->key = key;
    edge->id = table->count;
    HASH_ADD(hh, table->first, key, sizeof key, edge);
    if (edge->hh.tbl == NULL) {
        trc_free(table->allocator, edge);
        return NULL;
    }
    table->count++;
    return edge;
}
