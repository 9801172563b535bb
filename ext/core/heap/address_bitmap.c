/* A set of addresses of objects: see address_bitmap.h. */
#include "core/heap/address_bitmap.h"

#define BRANCH_COUNT (1 << (TRC_BITMAP_ADDRESS_BITS - TRC_BITMAP_LEAF_BITS - TRC_BITMAP_BRANCH_BITS))
#define LEAF_COUNT (1 << TRC_BITMAP_BRANCH_BITS)
#define LEAF_SIZE ((1 << TRC_BITMAP_LEAF_BITS) / 16 / 8)

void trc_bitmap_init(trc_bitmap *bitmap, const trc_pages *pages)
{
    *bitmap = (trc_bitmap){.pages = pages};
}

void trc_bitmap_free(trc_bitmap *bitmap)
{
    for (int i = 0; bitmap->branches != NULL && i < BRANCH_COUNT; i++) {
        trc_bitmap_branch *branch = bitmap->branches[i];
        for (int j = 0; branch != NULL && j < LEAF_COUNT; j++) {
            trc_unmap(bitmap->pages, branch->leaves[j], LEAF_SIZE);
        }
        trc_unmap(bitmap->pages, branch, sizeof *branch);
    }
    trc_unmap(bitmap->pages, bitmap->branches, BRANCH_COUNT * sizeof *bitmap->branches);
    trc_bitmap_init(bitmap, bitmap->pages);
}

uint64_t *trc_bitmap_leaf(trc_bitmap *bitmap, uintptr_t number)
{
    if (number >> (TRC_BITMAP_ADDRESS_BITS - TRC_BITMAP_LEAF_BITS) != 0) {
        return NULL;
    }
    if (bitmap->branches == NULL) {
        bitmap->branches = trc_map(bitmap->pages, BRANCH_COUNT * sizeof *bitmap->branches);
    }
    if (bitmap->branches == NULL) {
        return NULL;
    }
    trc_bitmap_branch **branch = &bitmap->branches[number / LEAF_COUNT];
    if (*branch == NULL) {
        *branch = trc_map(bitmap->pages, sizeof **branch);
    }
    if (*branch == NULL) {
        return NULL;
    }
    uint64_t **leaf = &(*branch)->leaves[number % LEAF_COUNT];
    if (*leaf == NULL) {
        *leaf = trc_map(bitmap->pages, LEAF_SIZE);
    }
    return *leaf;
}
