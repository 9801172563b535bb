/* uthash as the core uses it: memory from the table's allocator, no exit() when memory is out, and a hash made
 * for the eight-byte keys that all our tables have. A function that adds to or deletes from a table must have the
 * table in a variable called `table`, with a field `allocator`; after HASH_ADD the record's hh.tbl is NULL when
 * memory ran out. */
#ifndef TRC_HASH_H
#define TRC_HASH_H

#include "core/base/alloc.h"

#include <stdint.h>
#include <string.h>

/* Multiply and take the high half, which every bit of a pointer reaches; uthash's own hash is made for strings. */
static inline uint32_t trc_hash(uint64_t bits)
{
    bits *= UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(bits >> 32);
}

static inline uint32_t trc_hash_key(const void *key)
{
    uint64_t bits;
    memcpy(&bits, key, sizeof bits);
    return trc_hash(bits);
}

#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION(keyptr, keylen, hashv) ((void)(keylen), (hashv) = trc_hash_key(keyptr))
#define uthash_malloc(size) trc_alloc(table->allocator, size)
#define uthash_free(block, size) trc_free(table->allocator, block)
#define uthash_nonfatal_oom(record) ((void)(record))

#include <uthash.h>

_Static_assert(sizeof(void *) == 8, "the keys are pointers, and the hash takes eight bytes");

#endif
