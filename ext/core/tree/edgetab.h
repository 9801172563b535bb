/* Caller -> callee records, keyed by two small numbers: function ids while a thread runs, row numbers when rows are
 * added up. A record is made once and does not move until the table is freed. */
#ifndef TRC_EDGETAB_H
#define TRC_EDGETAB_H

#include "core/base/hash.h"

typedef struct trc_edge_key {
    uint32_t caller;
    uint32_t callee;
} trc_edge_key;

/* The part of an edge that a running thread needs. 8 + 8 + 56 bytes. */
typedef struct trc_edge {
    trc_edge_key key;
    uint32_t id;     /* 0, 1, 2 ... in the order of first sight */
    uint32_t active; /* activations on the stack, where the table's user counts them */
    UT_hash_handle hh;
} trc_edge;

typedef struct trc_edge_block trc_edge_block;

typedef struct trc_edgetab {
    const trc_allocator *allocator;
    trc_edge *first; /* uthash head: all records, in the order of their ids */
    uint32_t count;
    trc_edge_block *newest; /* holds the records */
} trc_edgetab;

void trc_edgetab_init(trc_edgetab *table, const trc_allocator *allocator);
void trc_edgetab_free(trc_edgetab *table);

/* Returns the record of caller -> callee, and makes it when it is new. Returns NULL when memory is out. */
trc_edge *trc_edgetab_get(trc_edgetab *table, uint32_t caller, uint32_t callee);

#endif
