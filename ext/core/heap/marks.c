/* A set of addresses of objects: see marks.h. */
#include "core/heap/marks.h"

#define BRANCH_COUNT (1 << (TRC_MARKS_ADDRESS_BITS - TRC_MARKS_LEAF_BITS - TRC_MARKS_BRANCH_BITS))
#define LEAF_COUNT (1 << TRC_MARKS_BRANCH_BITS)
#define LEAF_SIZE ((1 << TRC_MARKS_LEAF_BITS) / 16 / 8)

void trc_marks_init(trc_marks *marks, const trc_pages *pages)
{
    *marks = (trc_marks){.pages = pages};
}

void trc_marks_free(trc_marks *marks)
{
    for (int i = 0; marks->branches != NULL && i < BRANCH_COUNT; i++) {
        trc_marks_branch *branch = marks->branches[i];
        for (int j = 0; branch != NULL && j < LEAF_COUNT; j++) {
            trc_unmap(marks->pages, branch->leaves[j], LEAF_SIZE);
        }
        trc_unmap(marks->pages, branch, sizeof *branch);
    }
    trc_unmap(marks->pages, marks->branches, BRANCH_COUNT * sizeof *marks->branches);
    trc_marks_init(marks, marks->pages);
}

uint64_t *trc_marks_leaf(trc_marks *marks, uintptr_t number)
{
    if (number >> (TRC_MARKS_ADDRESS_BITS - TRC_MARKS_LEAF_BITS) != 0) {
        return NULL;
    }
    if (marks->branches == NULL) {
        marks->branches = trc_map(marks->pages, BRANCH_COUNT * sizeof *marks->branches);
    }
    if (marks->branches == NULL) {
        return NULL;
    }
    trc_marks_branch **branch = &marks->branches[number / LEAF_COUNT];
    if (*branch == NULL) {
        *branch = trc_map(marks->pages, sizeof **branch);
    }
    if (*branch == NULL) {
        return NULL;
    }
    uint64_t **leaf = &(*branch)->leaves[number % LEAF_COUNT];
    if (*leaf == NULL) {
        *leaf = trc_map(marks->pages, LEAF_SIZE);
    }
    return *leaf;
}
