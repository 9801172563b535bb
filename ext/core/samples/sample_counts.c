/* How many samples fell where: see sample_counts.h. A key has 29 bits of the node's index, 2 of the kind, and 33 of the chain. */
#include "core/samples/sample_counts.h"

void trc_sample_counts_init(trc_sample_counts *sample_counts, const trc_allocator *allocator)
{
    *sample_counts = (trc_sample_counts){.allocator = allocator};
}

void trc_sample_counts_free(trc_sample_counts *table)
{
    TRC_HASH_FREE(table->first);
    table->weight = table->squares = 0;
}

bool trc_sample_counts_add(trc_sample_counts *table, uint32_t node, uint32_t chain, uint32_t kind, uint64_t weight)
{
    uint64_t key = (uint64_t)node << 35 | (uint64_t)kind << 33 | chain;
    trc_sample_count *sample_count;
    HASH_FIND(hh, table->first, &key, sizeof key, sample_count);
    if (sample_count == NULL) {
        sample_count = trc_alloc(table->allocator, sizeof *sample_count);
        if (sample_count == NULL) {
            return false;
        }
        sample_count->key = key;
        TRC_HASH_ADD(table->first, key, sample_count);
        if (sample_count == NULL) {
            return false;
        }
    }
    sample_count->weight += weight;
    table->weight += kind == TRC_IN_WAIT ? 0 : weight;
    table->squares += kind == TRC_IN_PROGRAM ? weight * weight : 0;
    return true;
}

trc_sample_count_record trc_sample_count_as_record(const trc_sample_count *sample_count)
{
    return (trc_sample_count_record){(uint32_t)(sample_count->key >> 35), 0, (uint32_t)sample_count->key,
                                     sample_count->key >> 33 & 3, sample_count->weight};
}
