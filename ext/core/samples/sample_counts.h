/* How many samples of a thread fell in each node, chain and kind. */
#ifndef TRC_SAMPLE_COUNTS_H
#define TRC_SAMPLE_COUNTS_H

#include "core/base/hash.h"

#include <stdbool.h>

/* The kinds of samples: in the program; in tracer's own code, or in the interpreter's that calls it; and looks at a thread
 * that waited. */
enum { TRC_IN_PROGRAM, TRC_IN_OVERHEAD, TRC_IN_WAIT };

/* As a profile file holds it, where `node` is a position: see docs/reference/file-format.md. */
typedef struct trc_sample_count_record {
    uint32_t node;
    uint32_t is_overflow;
    uint32_t chain;
    uint32_t kind;
    uint64_t weight;
} trc_sample_count_record;

typedef struct trc_sample_count {
    uint64_t key;
    uint64_t weight;
    UT_hash_handle hh;
} trc_sample_count;

typedef struct trc_sample_counts {
    const trc_allocator *allocator;
    trc_sample_count *first; /* uthash head; in the order in which they came */
    uint64_t weight;         /* of all of them, without looks */
    uint64_t squares;        /* the sum of the squares of the weights of those in the program */
} trc_sample_counts;

void trc_sample_counts_init(trc_sample_counts *sample_counts, const trc_allocator *allocator);
void trc_sample_counts_free(trc_sample_counts *sample_counts);

/* Returns false when memory is out. */
bool trc_sample_counts_add(trc_sample_counts *sample_counts, uint32_t node, uint32_t chain, uint32_t kind,
                           uint64_t weight);

/* The record of a count; `node` is a node's index. */
trc_sample_count_record trc_sample_count_as_record(const trc_sample_count *sample_count);

#endif
