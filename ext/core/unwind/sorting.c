/* Sorts records by address: see sorting.h. It is a heapsort: in place, and as fast on records in any order. */
#include "core/unwind/sorting.h"

#include <stdbool.h>
#include <string.h>

static bool is_less(const uint8_t *left, const uint8_t *right)
{
    uint64_t starts[2];
    uint32_t ranks[2];
    memcpy(&starts[0], left, sizeof *starts);
    memcpy(&starts[1], right, sizeof *starts);
    memcpy(&ranks[0], left + offsetof(trc_sorted, rank), sizeof *ranks);
    memcpy(&ranks[1], right + offsetof(trc_sorted, rank), sizeof *ranks);
    return starts[0] != starts[1] ? starts[0] < starts[1] : ranks[0] < ranks[1];
}

/* Puts `record` in at `place`, or further down, where no record below it is larger. */
static void sift(uint8_t *records, size_t place, size_t count, size_t size, const uint8_t *record)
{
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && is_less(records + child * size, records + (child + 1) * size)) {
            child++;
        }
        if (!is_less(record, records + child * size)) {
            break;
        }
        memcpy(records + place * size, records + child * size, size);
        place = child;
    }
    memcpy(records + place * size, record, size);
}

void trc_sort(void *records, size_t count, size_t size)
{
    uint8_t record[TRC_SORTED_MOST], *bytes = records;
    for (size_t i = count / 2; i-- > 0;) {
        memcpy(record, bytes + i * size, size);
        sift(bytes, i, count, size, record);
    }
    while (count > 1) {
        count--;
        memcpy(record, bytes + count * size, size);
        memcpy(bytes + count * size, bytes, size);
        sift(bytes, 0, count, size, record);
    }
}
