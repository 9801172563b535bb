/* Numbers for keys: see numbers.h. */
#include "core/samples/numbers.h"

uint32_t trc_numbers_find(const trc_numbers *numbers, uint64_t key)
{
    trc_numbered *found;
    HASH_FIND(hh, numbers->first, &key, sizeof key, found);
    return found == NULL ? TRC_NOWHERE : found->number;
}

bool trc_numbers_add(trc_numbers *table, uint64_t key, uint32_t number)
{
    trc_numbered *numbered = trc_alloc(table->allocator, sizeof *numbered);
    if (numbered == NULL) {
        return false;
    }
    numbered->key = key;
    numbered->number = number;
    TRC_HASH_ADD(table->first, key, numbered);
    return numbered != NULL;
}

void trc_numbers_clear(trc_numbers *table)
{
    TRC_HASH_FREE(table->first);
}

bool trc_make_room(const trc_allocator *allocator, void **list, uint32_t count, size_t size)
{
    bool is_full = count == 0 || (count >= 16 && (count & (count - 1)) == 0);
    size_t room = count == 0 ? 16 : 2 * (size_t)count;
    void *more = is_full ? trc_resize(allocator, *list, room * size) : *list;
    *list = more == NULL ? *list : more;
    return more != NULL;
}
