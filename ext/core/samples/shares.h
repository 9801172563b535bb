/* How many samples of a thread fell in each node, chain and kind. */
#ifndef TRC_SHARES_H
#define TRC_SHARES_H

#include "core/base/hash.h"

#include <stdbool.h>

/* The kinds of samples: in the program; and in tracer's own code, or in the interpreter's that calls it. */
enum { TRC_IN_PROGRAM, TRC_IN_OVERHEAD };

/* As a profile file holds it, where `node` is a position: see docs/reference/file-format.md. */
typedef struct trc_share_record {
    uint32_t node;
    uint32_t is_overflow;
    uint32_t chain;
    uint32_t kind;
    uint64_t weight;
} trc_share_record;

typedef struct trc_sample_share {
    uint64_t key;
    uint64_t weight;
    UT_hash_handle hh;
} trc_sample_share;

typedef struct trc_shares {
    const trc_allocator *allocator;
    trc_sample_share *first; /* uthash head; in the order in which they came */
    uint64_t weight;         /* of all of them */
} trc_shares;

void trc_shares_init(trc_shares *shares, const trc_allocator *allocator);
void trc_shares_free(trc_shares *shares);

/* Returns false when memory is out. */
bool trc_shares_add(trc_shares *shares, uint32_t node, uint32_t chain, uint32_t kind, uint64_t weight);

/* The record of a share; `node` is a node's index. */
trc_share_record trc_share_as_record(const trc_sample_share *share);

#endif
