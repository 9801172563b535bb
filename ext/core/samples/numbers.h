/* Numbers for keys of eight bytes, in the order in which they come: 0, 1, 2 ... And the lists of records that such numbers
 * are places in. */
#ifndef TRC_NUMBERS_H
#define TRC_NUMBERS_H

#include "core/base/hash.h"

#include <stdbool.h>

#define TRC_NOWHERE UINT32_MAX /* no number */

typedef struct trc_numbered {
    uint64_t key;
    uint32_t number;
    UT_hash_handle hh;
} trc_numbered;

typedef struct trc_numbers {
    const trc_allocator *allocator;
    trc_numbered *first; /* uthash head */
} trc_numbers;

/* Returns the number of a key, or TRC_NOWHERE. */
uint32_t trc_numbers_find(const trc_numbers *numbers, uint64_t key);

/* Gives a key that has none a number. Returns false when memory is out. */
bool trc_numbers_add(trc_numbers *numbers, uint64_t key, uint32_t number);

void trc_numbers_clear(trc_numbers *numbers);

/* Makes room for one more record of a list that doubles. Returns false when memory is out. */
bool trc_make_room(const trc_allocator *allocator, void **list, uint32_t count, size_t size);

#endif
