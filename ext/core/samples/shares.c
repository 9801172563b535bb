/* How many samples fell where: see shares.h. A key has 29 bits of the node's index, 1 of the kind, and 34 of the chain. */
#include "core/samples/shares.h"

void trc_shares_init(trc_shares *shares, const trc_allocator *allocator)
{
    *shares = (trc_shares){allocator, NULL, 0};
}

void trc_shares_free(trc_shares *table)
{
    trc_sample_share *each = table->first;
    while (each != NULL) {
        trc_sample_share *next = each->hh.next;
        HASH_DEL(table->first, each);
        trc_free(table->allocator, each);
        each = next;
    }
    table->weight = 0;
}

bool trc_shares_add(trc_shares *table, uint32_t node, uint32_t chain, uint32_t kind, uint64_t weight)
{
    uint64_t key = (uint64_t)node << 35 | (uint64_t)kind << 34 | chain;
    trc_sample_share *share;
    HASH_FIND(hh, table->first, &key, sizeof key, share);
    if (share == NULL) {
        share = trc_alloc(table->allocator, sizeof *share);
        if (share == NULL) {
            return false;
        }
        share->key = key;
        HASH_ADD(hh, table->first, key, sizeof key, share);
        if (share->hh.tbl == NULL) {
            trc_free(table->allocator, share);
            return false;
        }
        trc_hash_grow(&table->first->hh, table->allocator);
    }
    share->weight += weight;
    table->weight += weight;
    return true;
}

trc_share_record trc_share_as_record(const trc_sample_share *share)
{
    return (trc_share_record){(uint32_t)(share->key >> 35), 0, (uint32_t)share->key, share->key >> 34 & 1,
                              share->weight};
}
