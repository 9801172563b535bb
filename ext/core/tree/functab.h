/* Functions, of a thread or of a whole profile: an opaque key each, and what the layer above keeps for it.
 * Records are made once and stay where they are until the table is freed. */
#ifndef TRC_FUNCTAB_H
#define TRC_FUNCTAB_H

#include "core/tree/figures.h"
#include "core/base/hash.h"

#include <stdbool.h>

typedef struct trc_func {
    const void *key;
    void *owner;     /* the layer above's, owned where the table has a `release`: what it knows of the function */
    uint32_t id;     /* 0, 1, 2 ... in the order of first sight */
    uint32_t active; /* activations on the stack; kept only while the thread overflows */
    /* Of calls in overflowed contexts, those that were outermost of this function (see thread.h). */
    uint64_t overflow_primitive_calls;
    uint64_t overflow_primitive_resumes;
    trc_tick overflow_cumulative;
    trc_tick extras[TRC_EXTRA_COUNT];
    UT_hash_handle hh;
} trc_func;

typedef struct trc_functab {
    const trc_allocator *allocator;
    void (*release)(void *owner); /* NULL: owners are borrowed */
    trc_func *first;              /* uthash head: all records, in the order of their ids */
    uint32_t count;
} trc_functab;

void trc_functab_init(trc_functab *table, const trc_allocator *allocator, void (*release)(void *owner));

/* Releases every owner and frees every record. */
void trc_functab_free(trc_functab *table);

/* The record of `key`, or NULL. */
trc_func *trc_functab_find(const trc_functab *table, const void *key);

/* Adds a record for a `key` that has none and takes over `owner`. NULL when memory is out: `owner` stays the
 * caller's. */
trc_func *trc_functab_add(trc_functab *table, const void *key, void *owner);

#endif
