/* Sorts records by the address that they begin with. qsort() of the C library may take memory, and lock. */
#ifndef TRC_SORTING_H
#define TRC_SORTING_H

#include <stddef.h>
#include <stdint.h>

/* How each record begins. */
typedef struct trc_sorted {
    uint64_t start;
    uint32_t rank; /* decides among records with one start */
} trc_sorted;

#define TRC_SORTED_MOST 64 /* bytes of a record */

/* Sorts `count` records of `size` bytes. Records of one start and one rank are in any order. */
void trc_sort(void *records, size_t count, size_t size);

#endif
