/* The live blocks of a process: which site allocated each, and how large it is. A site is a number that heap.h gives
 * out; this file knows only the blocks.
 *
 * Small blocks are nearly all. They stand in leaves, an entry of 4 bytes for each 16 bytes of the address space:
 * neighbours in memory are neighbours here, so an allocation touches a line that was touched lately. A hash scatters
 * them over its whole table. All other blocks are in such a hash, where a block takes 20 to 30 bytes, the empty slots
 * included. In a leaf it takes a quarter of what it takes itself: 28 bytes where it is of the largest size. A row of
 * `make bench-memory` measures both as resident memory: 28.6 bytes at 112, and 27.3 at any size above.
 *
 * Nothing here takes a lock. */
#ifndef TRC_BLOCKS_H
#define TRC_BLOCKS_H

#include "core/base/pages.h"

#include <stdbool.h>
#include <stdint.h>

#define TRC_SITE_LIMIT (UINT32_C(1) << 23) /* sites are less than this; 0 is none */
#define TRC_SMALL_BLOCK 112                /* the most bytes of a block in a leaf */
#define TRC_SMALL_SIZE_BITS 7

typedef struct trc_live_block {
    uint32_t site; /* 0: there is no such block */
    uint64_t size;
} trc_live_block;

typedef struct trc_large_block {
    uintptr_t address; /* 0: an empty slot */
    uint64_t entry;    /* the site above the size */
} trc_large_block;

#define TRC_LEAF_BITS 21 /* of an address: a leaf is for 2 MiB */
#define TRC_BRANCH_BITS 13
#define TRC_ADDRESS_BITS 48

typedef struct trc_branch {
    uint32_t *leaves[1 << TRC_BRANCH_BITS];
} trc_branch;

typedef struct trc_blocks {
    const trc_pages *pages;
    trc_branch **branches;  /* owned; NULL before the first block */
    trc_large_block *slots; /* owned: open addressing by address */
    uint64_t slot_count;    /* less than 2**32 */
    uint64_t large_count;
    uint64_t leaf_count;
} trc_blocks;

void trc_blocks_init(trc_blocks *blocks, const trc_pages *pages);

/* Removes all blocks. The table can be used again. */
void trc_blocks_free(trc_blocks *blocks);

/* The entry of an address in its leaf, or NULL where there is no such leaf. */
static inline uint32_t *trc_blocks_entry(const trc_blocks *blocks, uintptr_t address)
{
    const int above = TRC_LEAF_BITS + TRC_BRANCH_BITS;
    if (address >> TRC_ADDRESS_BITS != 0 || address % 16 != 0 || blocks->branches == NULL) {
        return NULL;
    }
    const trc_branch *branch = blocks->branches[address >> above];
    uint32_t *leaf = branch == NULL ? NULL : branch->leaves[(address >> TRC_LEAF_BITS) % (1 << TRC_BRANCH_BITS)];
    return leaf == NULL ? NULL : &leaf[(address % (1 << TRC_LEAF_BITS)) / 16];
}

/* What a leaf holds of a small block. */
static inline uint32_t trc_blocks_small(uint32_t site, uint64_t size)
{
    return site << TRC_SMALL_SIZE_BITS | (uint32_t)(size - 1);
}

/* The rare half of trc_blocks_put(). */
bool trc_blocks_put_slowly(trc_blocks *blocks, uintptr_t address, trc_live_block block, trc_live_block *missed);

/* Notes a block, whose site is not 0. `*missed`: the block that was noted at this address before, whose end was not seen,
 * if there was one. Returns false when memory is out. */
static inline bool trc_blocks_put(trc_blocks *blocks, uintptr_t address, trc_live_block block, trc_live_block *missed)
{
    uint32_t *entry = block.size - 1 < TRC_SMALL_BLOCK ? trc_blocks_entry(blocks, address) : NULL;
    if (entry == NULL || *entry != 0) {
        return trc_blocks_put_slowly(blocks, address, block, missed);
    }
    *entry = trc_blocks_small(block.site, block.size);
    missed->site = 0;
    return true;
}

trc_live_block trc_blocks_take_large(trc_blocks *blocks, uintptr_t address);

static inline trc_live_block trc_blocks_of_small(uint32_t entry)
{
    return (trc_live_block){entry >> TRC_SMALL_SIZE_BITS, entry % (1 << TRC_SMALL_SIZE_BITS) + 1};
}

/* Removes the block at an address and returns it. */
static inline trc_live_block trc_blocks_take(trc_blocks *blocks, uintptr_t address)
{
    uint32_t *entry = trc_blocks_entry(blocks, address);
    if (entry == NULL || *entry == 0) {
        return trc_blocks_take_large(blocks, address);
    }
    trc_live_block block = trc_blocks_of_small(*entry);
    *entry = 0;
    return block;
}

/* The rare half of trc_blocks_find(). */
trc_live_block trc_blocks_find_large(const trc_blocks *blocks, uintptr_t address);

/* The block at an address, which stays where it is. */
static inline trc_live_block trc_blocks_find(const trc_blocks *blocks, uintptr_t address)
{
    const uint32_t *entry = trc_blocks_entry(blocks, address);
    return entry == NULL || *entry == 0 ? trc_blocks_find_large(blocks, address) : trc_blocks_of_small(*entry);
}

/* Calls visit(context, block) for each block. */
void trc_blocks_each(const trc_blocks *blocks, void (*visit)(void *context, uintptr_t address, trc_live_block block),
                     void *context);

#endif
