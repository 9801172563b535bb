/* Functions, of a thread or of a whole profile: see functab.h. */
#include "core/tree/functab.h"

void trc_functab_init(trc_functab *table, const trc_allocator *allocator, void (*release)(void *owner))
{
    table->allocator = allocator;
    table->release = release;
    table->first = NULL;
    table->count = 0;
}

void trc_functab_free(trc_functab *table)
{
    /* The table is emptied first: the release of an owner can run code that looks at the table. */
    trc_func *func = table->first;
    if (func != NULL) {
        trc_func *head = func;
        HASH_CLEAR(hh, head);
    }
    table->first = NULL;
    table->count = 0;
    while (func != NULL) {
        trc_func *next = func->hh.next;
        void *owner = func->owner;
        trc_free(table->allocator, func);
        if (table->release != NULL) {
            table->release(owner);
        }
        func = next;
    }
}

trc_func *trc_functab_find(const trc_functab *table, const void *key)
{
    trc_func *func;
    HASH_FIND_PTR(table->first, &key, func);
    return func;
}

trc_func *trc_functab_add(trc_functab *table, const void *key, void *owner)
{
    trc_func *func = trc_alloc(table->allocator, sizeof *func);
    if (func == NULL) {
        return NULL;
    }
    func->key = key;
    func->owner = owner;
    func->id = table->count;
    TRC_HASH_ADD(table->first, key, func);
    table->count += func != NULL;
    return func;
}
