/* uthash as the core uses it: the table's allocator gives the memory, and the hash is made for the eight-byte keys of
 * our tables. A function that adds to a table or deletes from it must hold the table in a variable called `table`, with a
 * field `allocator`. */
#ifndef TRC_HASH_H
#define TRC_HASH_H

#include "core/base/alloc.h"

#include <stdint.h>
#include <string.h>

/* Multiplies and takes the high half, which every bit of a pointer reaches. uthash's own hash is made for strings. */
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

/* Files a record, which its table's allocator made, by a field of eight bytes. When memory is out, uthash does not call
 * exit(): the record is freed then, and `record` becomes NULL. */
#define TRC_HASH_ADD(head, field, record)                         \
    do {                                                          \
        HASH_ADD(hh, head, field, sizeof(record)->field, record); \
        if ((record)->hh.tbl == NULL) {                           \
            trc_free(table->allocator, record);                   \
            (record) = NULL;                                      \
        }                                                         \
        else {                                                    \
            trc_hash_grow(&(head)->hh, table->allocator);         \
        }                                                         \
    } while (0)

/* Takes all records out, and frees them. */
#define TRC_HASH_FREE(head)                   \
    do {                                      \
        void *next = head;                    \
        HASH_CLEAR(hh, head);                 \
        while (next != NULL) {                \
            (head) = next;                    \
            next = (head)->hh.next;           \
            trc_free(table->allocator, head); \
        }                                     \
        (head) = NULL;                        \
    } while (0)

/* Lets a table grow: a table has 32 buckets, and four times as many once it has four
 * records for each. By itself, uthash doubles the buckets when ten records meet in one. That moves all records about
 * ten times until a table has 100,000, and each table at moments of its own. This rule counts records: tables that
 * grow side by side move theirs at the same calls, at 128, 512, 2,048, 8,192 and 32,768 records. When memory is out,
 * the table stays as it is, which is slower but right, and the next call tries again. */
void trc_hash_grow(UT_hash_handle *first, const trc_allocator *allocator);

_Static_assert(sizeof(void *) == 8, "the keys are pointers, and the hash takes eight bytes");

#endif
