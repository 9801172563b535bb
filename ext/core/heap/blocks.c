/* The live blocks of a process: see blocks.h. */
#include "core/heap/blocks.h"

#define BRANCH_COUNT (1 << (TRC_ADDRESS_BITS - TRC_LEAF_BITS - TRC_BRANCH_BITS))
#define LEAF_COUNT (1 << TRC_BRANCH_BITS)
#define LEAF_ENTRIES (1 << (TRC_LEAF_BITS - 4))
#define FIRST_SLOTS 1024
#define SIZE_BITS 41
#define LARGEST ((UINT64_C(1) << SIZE_BITS) - 1)

void trc_blocks_init(trc_blocks *blocks, const trc_pages *pages)
{
    *blocks = (trc_blocks){.pages = pages};
}

static void free_branch(const trc_blocks *blocks, trc_branch *branch)
{
    for (int i = 0; branch != NULL && i < LEAF_COUNT; i++) {
        trc_unmap(blocks->pages, branch->leaves[i], LEAF_ENTRIES * sizeof(uint32_t));
    }
    trc_unmap(blocks->pages, branch, sizeof *branch);
}

void trc_blocks_free(trc_blocks *blocks)
{
    for (int i = 0; blocks->branches != NULL && i < BRANCH_COUNT; i++) {
        free_branch(blocks, blocks->branches[i]);
    }
    trc_unmap(blocks->pages, blocks->branches, BRANCH_COUNT * sizeof *blocks->branches);
    trc_unmap(blocks->pages, blocks->slots, blocks->slot_count * sizeof *blocks->slots);
    trc_blocks_init(blocks, blocks->pages);
}

/* Makes the leaf of an address, where it has none. Returns false when there can be none. */
static bool make_leaf(trc_blocks *blocks, uintptr_t address)
{
    if (address >> TRC_ADDRESS_BITS != 0 || address % 16 != 0) {
        return false;
    }
    if (blocks->branches == NULL) {
        blocks->branches = trc_map(blocks->pages, BRANCH_COUNT * sizeof *blocks->branches);
    }
    if (blocks->branches == NULL) {
        return false;
    }
    trc_branch **branch = &blocks->branches[address >> (TRC_LEAF_BITS + TRC_BRANCH_BITS)];
    if (*branch == NULL) {
        *branch = trc_map(blocks->pages, sizeof **branch);
    }
    if (*branch == NULL) {
        return false;
    }
    uint32_t **leaf = &(*branch)->leaves[(address >> TRC_LEAF_BITS) % LEAF_COUNT];
    if (*leaf == NULL) {
        *leaf = trc_map(blocks->pages, LEAF_ENTRIES * sizeof **leaf);
        blocks->leaf_count += *leaf != NULL;
    }
    return *leaf != NULL;
}

/* -- Large blocks -- */

static uint64_t home_of(const trc_blocks *blocks, uintptr_t address)
{
    uint64_t bits = (uint64_t)address * UINT64_C(0x9E3779B97F4A7C15);
    return ((bits >> 32) * blocks->slot_count) >> 32;
}

static uint64_t after(const trc_blocks *blocks, uint64_t slot)
{
    return slot + 1 == blocks->slot_count ? 0 : slot + 1;
}

/* How many slots a probe goes on from one to the other. */
static uint64_t distance(const trc_blocks *blocks, uint64_t from, uint64_t to)
{
    return to >= from ? to - from : to + blocks->slot_count - from;
}

/* The slot that holds the address, or the empty one where it belongs. */
static trc_large_block *find_slot(const trc_blocks *blocks, uintptr_t address)
{
    uint64_t slot = home_of(blocks, address);
    while (blocks->slots[slot].address != 0 && blocks->slots[slot].address != address) {
        slot = after(blocks, slot);
    }
    return &blocks->slots[slot];
}

/* Makes room for one more large block. From 8 of 15 to 4 of 5 slots are in use: with 16 bytes each, a block takes 30
 * bytes at most. Returns false when memory is out. */
static bool reserve(trc_blocks *blocks)
{
    if (blocks->large_count < blocks->slot_count / 5 * 4) {
        return true;
    }
    trc_large_block *old = blocks->slots;
    uint64_t old_count = blocks->slot_count;
    uint64_t new_count = old_count == 0 ? FIRST_SLOTS : old_count / 2 * 3;
    trc_large_block *slots = new_count > UINT32_MAX ? NULL : trc_map(blocks->pages, new_count * sizeof *slots);
    if (slots == NULL) {
        return blocks->large_count + 1 < old_count; /* the probes get longer */
    }
    blocks->slots = slots;
    blocks->slot_count = new_count;
    for (uint64_t i = 0; i < old_count; i++) {
        if (old[i].address != 0) {
            *find_slot(blocks, old[i].address) = old[i];
        }
    }
    trc_unmap(blocks->pages, old, old_count * sizeof *old);
    return true;
}

static trc_live_block block_of(const trc_large_block *slot)
{
    return (trc_live_block){(uint32_t)(slot->entry >> SIZE_BITS), slot->entry & LARGEST};
}

/* Empties a slot, and moves up the blocks that a probe would no longer reach. */
static void empty(trc_blocks *blocks, uint64_t hole)
{
    for (uint64_t slot = after(blocks, hole); blocks->slots[slot].address != 0; slot = after(blocks, slot)) {
        uint64_t home = home_of(blocks, blocks->slots[slot].address);
        if (distance(blocks, home, slot) >= distance(blocks, hole, slot)) {
            blocks->slots[hole] = blocks->slots[slot];
            hole = slot;
        }
    }
    blocks->slots[hole].address = 0;
    blocks->large_count--;
}

/* The slot of an address, or NULL where it has none. */
static const trc_large_block *slot_of(const trc_blocks *blocks, uintptr_t address)
{
    if (blocks->large_count == 0 || address == 0) {
        return NULL;
    }
    const trc_large_block *slot = find_slot(blocks, address);
    return slot->address == 0 ? NULL : slot;
}

trc_live_block trc_blocks_find_large(const trc_blocks *blocks, uintptr_t address)
{
    const trc_large_block *slot = slot_of(blocks, address);
    return slot == NULL ? (trc_live_block){0, 0} : block_of(slot);
}

trc_live_block trc_blocks_take_large(trc_blocks *blocks, uintptr_t address)
{
    const trc_large_block *slot = slot_of(blocks, address);
    if (slot == NULL) {
        return (trc_live_block){0, 0};
    }
    trc_live_block block = block_of(slot);
    empty(blocks, (uint64_t)(slot - blocks->slots));
    return block;
}

static bool put_large(trc_blocks *blocks, uintptr_t address, trc_live_block block)
{
    if (!reserve(blocks)) {
        return false;
    }
    uint64_t size = block.size > LARGEST ? LARGEST : block.size;
    *find_slot(blocks, address) = (trc_large_block){address, (uint64_t)block.site << SIZE_BITS | size};
    blocks->large_count++;
    return true;
}

bool trc_blocks_put_slowly(trc_blocks *blocks, uintptr_t address, trc_live_block block, trc_live_block *missed)
{
    *missed = trc_blocks_take(blocks, address);
    if (block.size - 1 < TRC_SMALL_BLOCK && make_leaf(blocks, address)) {
        *trc_blocks_entry(blocks, address) = trc_blocks_small(block.site, block.size);
        return true;
    }
    return put_large(blocks, address, block);
}

/* -- All of them -- */

static void each_in_leaf(const uint32_t *leaf, uintptr_t address,
                         void (*visit)(void *context, uintptr_t address, trc_live_block block), void *context)
{
    for (uintptr_t i = 0; i < LEAF_ENTRIES; i++) {
        if (leaf[i] != 0) {
            visit(context, address + i * 16, trc_blocks_of_small(leaf[i]));
        }
    }
}

void trc_blocks_each(const trc_blocks *blocks, void (*visit)(void *context, uintptr_t address, trc_live_block block),
                     void *context)
{
    for (uintptr_t i = 0; blocks->branches != NULL && i < BRANCH_COUNT; i++) {
        const trc_branch *branch = blocks->branches[i];
        for (uintptr_t j = 0; branch != NULL && j < LEAF_COUNT; j++) {
            if (branch->leaves[j] != NULL) {
                each_in_leaf(branch->leaves[j], (i << TRC_BRANCH_BITS | j) << TRC_LEAF_BITS, visit, context);
            }
        }
    }
    for (uint64_t i = 0; i < blocks->slot_count; i++) {
        if (blocks->slots[i].address != 0) {
            visit(context, blocks->slots[i].address, block_of(&blocks->slots[i]));
        }
    }
}
