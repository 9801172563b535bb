/* A set of addresses of objects: a bit for each 16 bytes of the address space. No object is smaller, so no two share a
 * bit, though some are aligned to 8 bytes only. Neighbours in memory are neighbours here: 10^7 objects of 64 bytes take
 * 5 MB, where a hash of the addresses takes 160. */
#ifndef TRC_MARKS_H
#define TRC_MARKS_H

#include "core/base/pages.h"

#include <stdbool.h>
#include <stdint.h>

#define TRC_MARKS_LEAF_BITS 21 /* of an address: a leaf is for 2 MiB */
#define TRC_MARKS_BRANCH_BITS 13
#define TRC_MARKS_ADDRESS_BITS 48

typedef struct trc_marks_branch {
    uint64_t *leaves[1 << TRC_MARKS_BRANCH_BITS];
} trc_marks_branch;

typedef struct trc_marks {
    const trc_pages *pages;
    trc_marks_branch **branches; /* owned; NULL before the first mark */
    uint64_t *latest_leaf;       /* that of the latest mark, and its number */
    uintptr_t latest_number;
} trc_marks;

typedef enum trc_marked {
    TRC_MARKED_FAILED = -1, /* memory is out, or the address has more than 48 bits */
    TRC_MARKED_BEFORE,
    TRC_MARKED_NOW,
} trc_marked;

void trc_marks_init(trc_marks *marks, const trc_pages *pages);

/* Removes all marks. The set can be used again. */
void trc_marks_free(trc_marks *marks);

/* The leaf of this number, made where there is none, or NULL. */
uint64_t *trc_marks_leaf(trc_marks *marks, uintptr_t number);

/* Adds an address to the set. */
static inline trc_marked trc_marks_set(trc_marks *marks, uintptr_t address)
{
    uintptr_t number = address >> TRC_MARKS_LEAF_BITS;
    if (number != marks->latest_number || marks->latest_leaf == NULL) {
        marks->latest_leaf = trc_marks_leaf(marks, number);
        marks->latest_number = number;
        if (marks->latest_leaf == NULL) {
            return TRC_MARKED_FAILED;
        }
    }
    uintptr_t place = address % (1 << TRC_MARKS_LEAF_BITS) / 16;
    uint64_t *word = &marks->latest_leaf[place / 64], bit = UINT64_C(1) << place % 64;
    if (*word & bit) {
        return TRC_MARKED_BEFORE;
    }
    *word |= bit;
    return TRC_MARKED_NOW;
}

#endif
