/* The blocks in which the logs of a profile's threads are written: a fixed number, given at the start. When none is
 * left, the store thins: it raises `least`, and leaves out every stretch that took less. A caller takes as long as its
 * callee, so what is left is the exact log of all stretches of at least `least`, and nests by itself.
 *
 * How far to rise is told by a histogram of a sample: one block in TRC_SAMPLE_EVERY, by sixteenths of an octave of the
 * time that the stretches took. About half of them go. (With quarters, chains of calls of almost one duration were all
 * in one class, and all went: a fifth of the budget was in use.) The blocks that are full are then written anew, up to
 * TRC_THIN_AT_ONCE each time that one is wanted; two of them give one, more or less. One block in 16 is kept in reserve
 * meanwhile. So no event waits for more than these few, also where most blocks give nothing.
 *
 * `least` does not rise where that would free next to nothing: each log keeps a block of its own at least. Then
 * stretches are lost.
 *
 * A ring (`is_ring`) does not thin: it takes the oldest block.
 *
 * The blocks are in memory of the caller's, which may be a file's: a process that is killed leaves what they hold. */
#ifndef TRC_STORE_H
#define TRC_STORE_H

#include "core/base/alloc.h"
#include "core/log/record.h"

#include <stdatomic.h>
#include <stddef.h>

#define TRC_NO_BLOCK UINT32_MAX
#define TRC_SAMPLE_EVERY 8 /* blocks */
#define TRC_TOOK_CLASSES 1024
#define TRC_THIN_AT_ONCE 20 /* blocks */

/* What a block is for. A reader of a killed process's memory takes the open and the full ones, as far as they are
 * `used`. */
typedef enum trc_block_state {
    TRC_BLOCK_FREE,
    TRC_BLOCK_OPEN,
    TRC_BLOCK_FULL,
    TRC_BLOCK_REWRITTEN, /* just now: its records may be half those of before */
} trc_block_state;

/* The head of a block; records follow. */
typedef struct trc_block {
    trc_tick base;  /* the end before the first record */
    uint32_t used;  /* bytes; of an open block as of the last time that its log noted it */
    uint32_t count; /* records */
    trc_tick least; /* stretches that took less are not in it */
    trc_tick end;   /* of the last record */
    uint32_t log;   /* number of the log */
    uint32_t next;  /* of a full block: the next one of its log, or TRC_NO_BLOCK; of a free block: the next free one */
    uint32_t state; /* a trc_block_state */
    uint32_t node;  /* of the last record */
    uint64_t order; /* full blocks: larger for one that was filled later */
    uint64_t unused;
} trc_block;

/* The full blocks of one log. */
typedef struct trc_chain {
    uint32_t first; /* TRC_NO_BLOCK: there are none */
    uint32_t last;
    uint32_t number; /* of the log */
    struct trc_chain *next;
} trc_chain;

typedef struct trc_store {
    const trc_allocator *allocator;
    uint8_t *memory; /* borrowed */
    uint32_t block_size;
    uint32_t block_count;
    uint32_t fresh; /* blocks from here on were never used */
    uint32_t free;  /* first of the free ones */
    uint32_t free_count;
    uint32_t full_count;
    bool is_ring;
    atomic_flag lock;                /* of all that follows, and of all full blocks */
    trc_tick least;                  /* see above */
    trc_tick since;                  /* of a ring: when the last stretch ended that was overwritten */
    bool has_overwritten;            /* `since` is one */
    uint64_t orders;                 /* how many blocks were filled */
    uint64_t lost;                   /* stretches for which there was no block */
    uint64_t lost_at;                /* `orders` when the last one was */
    uint64_t rewritten;              /* how many blocks were thinned */
    uint64_t took[TRC_TOOK_CLASSES]; /* the histogram */
    trc_chain *chains;               /* of all logs, the oldest first; borrowed */
    uint32_t chain_count;
    trc_chain *thinning; /* whose blocks are written anew just now; NULL: none is left to be */
    uint32_t thinned;    /* the last one that was; TRC_NO_BLOCK: none of this log yet */
    uint8_t *scratch;    /* owned: a block's records */
    /* Called when no block is free, before any is thinned: logs that nobody writes any more may be closed. */
    void (*reclaim)(void *context);
    void *context;
} trc_store;

/* Initializes a store over `size` bytes of zeroed memory, in blocks of `block_size` bytes: at least 512, a multiple
 * of 64. Returns false when memory is out. The store must be freed either way, after its logs. */
bool trc_store_init(trc_store *store, const trc_allocator *allocator, void *memory, size_t size, uint32_t block_size,
                    bool is_ring);
void trc_store_free(trc_store *store);

void trc_store_lock(trc_store *store);
void trc_store_unlock(trc_store *store);
bool trc_store_is_locked(trc_store *store); /* a contract: see core/base/contract.h */

static inline trc_block *trc_store_block(const trc_store *store, uint32_t block)
{
    return (trc_block *)(store->memory + (size_t)block * store->block_size);
}

static inline uint8_t *trc_block_records(const trc_block *block)
{
    return (uint8_t *)(uintptr_t)(block + 1);
}

/* Where records of a block may begin at the latest, relative to the first. */
static inline uint32_t trc_store_room(const trc_store *store)
{
    return store->block_size - (uint32_t)sizeof(trc_block) - TRC_LONGEST_RECORD;
}

/* Adds the chain of a new log, and takes one away: its blocks stay in use. */
void trc_store_add(trc_store *store, trc_chain *chain);
void trc_store_remove(trc_store *store, trc_chain *chain);

/* Takes a block, thinning others if none is free. Returns TRC_NO_BLOCK when none can be had. The lock is held. */
uint32_t trc_store_take(trc_store *store);

/* A block is full: it goes behind the others of its log. The lock is held. */
void trc_store_fill(trc_store *store, trc_chain *chain, uint32_t block);

/* The class of a time in the histogram, and the least time of a class. */
unsigned trc_took_class(trc_tick took);
trc_tick trc_took_of_class(unsigned class);

#endif
