/* A set of addresses of objects: a bit for each 16 bytes of the address space. No object is smaller, so no two share a
 * bit, though some are aligned to 8 bytes only. Neighbours in memory are neighbours here: 10^7 objects of 64 bytes take
 * 5 MB, where a hash of the addresses takes 160. */
#ifndef TRC_ADDRESS_BITMAP_H
#define TRC_ADDRESS_BITMAP_H

#include "core/base/pages.h"

#include <stdbool.h>
#include <stdint.h>

#define TRC_BITMAP_LEAF_BITS 21 /* of an address: a leaf is for 2 MiB */
#define TRC_BITMAP_BRANCH_BITS 13
#define TRC_BITMAP_ADDRESS_BITS 48

typedef struct trc_bitmap_branch {
    uint64_t *leaves[1 << TRC_BITMAP_BRANCH_BITS];
} trc_bitmap_branch;

typedef struct trc_bitmap {
    const trc_pages *pages;
    trc_bitmap_branch **branches; /* owned; NULL before the first mark */
    uint64_t *latest_leaf;        /* that of the latest mark, and its number */
    uintptr_t latest_number;
} trc_bitmap;

typedef enum trc_marked {
    TRC_MARKED_FAILED = -1, /* memory is out, or the address has more than 48 bits */
    TRC_MARKED_BEFORE,
    TRC_MARKED_NOW,
} trc_marked;

void trc_bitmap_init(trc_bitmap *bitmap, const trc_pages *pages);

/* Removes all marks. The set can be used again. */
void trc_bitmap_free(trc_bitmap *bitmap);

/* The leaf of this number, made where there is none, or NULL. */
uint64_t *trc_bitmap_leaf(trc_bitmap *bitmap, uintptr_t number);

/* Adds an address to the set. */
static inline trc_marked trc_bitmap_set(trc_bitmap *bitmap, uintptr_t address)
{
    uintptr_t number = address >> TRC_BITMAP_LEAF_BITS;
    if (number != bitmap->latest_number || bitmap->latest_leaf == NULL) {
        bitmap->latest_leaf = trc_bitmap_leaf(bitmap, number);
        bitmap->latest_number = number;
        if (bitmap->latest_leaf == NULL) {
            return TRC_MARKED_FAILED;
        }
    }
    uintptr_t place = address % (1 << TRC_BITMAP_LEAF_BITS) / 16;
    uint64_t *word = &bitmap->latest_leaf[place / 64], bit = UINT64_C(1) << place % 64;
    if (*word & bit) {
        return TRC_MARKED_BEFORE;
    }
    *word |= bit;
    return TRC_MARKED_NOW;
}

#endif
