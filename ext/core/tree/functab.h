/* The functions of a thread or of a whole profile: an opaque key each, and a value that the layer above keeps for it. A
 * record is made once and does not move until the table is freed. */
#ifndef TRC_FUNCTAB_H
#define TRC_FUNCTAB_H

#include "core/tree/figures.h"
#include "core/base/hash.h"

#include <stdbool.h>

typedef struct trc_func {
    const void *key;
    void *owner;     /* the layer above's knowledge of the function; the table owns it where it has a `release` */
    uint32_t id;     /* 0, 1, 2 ... in the order of first sight */
    uint32_t active; /* activations on the stack; kept only while the thread overflows */
    bool is_coroutine;
    /* Of the calls in overflowed contexts, those that were outermost of this function (see thread.h). */
    uint64_t overflow_primitive_calls;
    uint64_t overflow_primitive_resumes;
    trc_tick overflow_cumulative;
    trc_tick extras[TRC_EXTRA_COUNT];
    uint64_t unseen; /* its calls of what has no row, estimated; see capture.h */
    UT_hash_handle hh;
} trc_func;

typedef struct trc_functab {
    const trc_allocator *allocator;
    void (*release)(void *owner); /* NULL: owners are borrowed */
    trc_func *first;              /* uthash head: all records, in the order of their ids */
    uint32_t count;
} trc_functab;

/* What a node of the function keeps of the function's longest stretch: the ticks, or the most that fit. */
static inline uint32_t trc_longest_filter(const trc_func *func)
{
    trc_tick longest = func->extras[TRC_LONGEST];
    return longest < UINT32_MAX ? (uint32_t)longest : UINT32_MAX;
}

void trc_functab_init(trc_functab *table, const trc_allocator *allocator, void (*release)(void *owner));

/* Releases every owner and frees every record. */
void trc_functab_free(trc_functab *table);

/* Returns the record of `key`, or NULL. */
trc_func *trc_functab_find(const trc_functab *table, const void *key);

/* Adds a record for a `key` that has none, and takes over `owner`. Returns NULL when memory is out: then `owner` stays
 * the caller's. */
trc_func *trc_functab_add(trc_functab *table, const void *key, void *owner);

#endif
