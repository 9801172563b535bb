/* How our uthash tables grow: see hash.h. */
#include "core/base/hash.h"

#define LOAD 4        /* records for each bucket, when the table grows */
#define GROWTH_LOG2 2 /* four times as many buckets then */

static void file(UT_hash_bucket *bucket, UT_hash_handle *record)
{
    record->hh_prev = NULL;
    record->hh_next = bucket->hh_head;
    if (bucket->hh_head != NULL) {
        bucket->hh_head->hh_prev = record;
    }
    bucket->hh_head = record;
    bucket->count++;
}

void trc_hash_grow(UT_hash_handle *first, const trc_allocator *allocator)
{
    UT_hash_table *table = first->tbl;
    table->noexpand = 1;
    if (table->num_items < LOAD * table->num_buckets) {
        return;
    }
    unsigned count = table->num_buckets << GROWTH_LOG2;
    UT_hash_bucket *buckets = trc_alloc(allocator, count * sizeof *buckets);
    if (buckets == NULL) {
        return;
    }
    /* In the order in which they were added: most lie side by side in memory, unlike those of one bucket. */
    for (UT_hash_handle *record = first;; record = HH_FROM_ELMT(table, record->next)) {
        file(&buckets[record->hashv & (count - 1)], record);
        if (record->next == NULL) {
            break;
        }
    }
    trc_free(allocator, table->buckets);
    table->buckets = buckets;
    table->num_buckets = count;
    table->log2_num_buckets += GROWTH_LOG2;
}
