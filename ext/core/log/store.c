/* The blocks of a profile's logs: see store.h. */
#include "core/log/store.h"

#include <assert.h>
#include <sched.h>
#include <string.h>

_Static_assert(sizeof(trc_block) == 64, "the head of a block is written to files as it is");

bool trc_store_init(trc_store *store, const trc_allocator *allocator, void *memory, size_t size, uint32_t block_size,
                    bool is_ring)
{
    assert(block_size >= 512 && block_size % 64 == 0);
    memset(store, 0, sizeof *store);
    atomic_flag_clear(&store->lock);
    store->allocator = allocator;
    store->memory = memory;
    store->block_size = block_size;
    size_t count = size / block_size;
    store->block_count = count < TRC_NO_BLOCK ? (uint32_t)count : TRC_NO_BLOCK - 1;
    store->free = store->thinned = TRC_NO_BLOCK;
    store->is_ring = is_ring;
    store->scratch = trc_alloc(allocator, block_size);
    return store->scratch != NULL;
}

void trc_store_free(trc_store *store)
{
    trc_free(store->allocator, store->scratch);
    store->scratch = NULL;
}

void trc_store_lock(trc_store *store)
{
    while (atomic_flag_test_and_set_explicit(&store->lock, memory_order_acquire)) {
        sched_yield();
    }
}

void trc_store_unlock(trc_store *store)
{
    atomic_flag_clear_explicit(&store->lock, memory_order_release);
}

bool trc_store_is_locked(trc_store *store)
{
    bool is_locked = atomic_flag_test_and_set(&store->lock);
    if (!is_locked) {
        atomic_flag_clear(&store->lock);
    }
    return is_locked;
}

void trc_store_add(trc_store *store, trc_chain *chain)
{
    trc_store_lock(store);
    *chain = (trc_chain){TRC_NO_BLOCK, TRC_NO_BLOCK, store->chain_count++, NULL};
    trc_chain **link = &store->chains; /* the newest last: thinning goes on behind what it has done */
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = chain;
    trc_store_unlock(store);
}

void trc_store_remove(trc_store *store, trc_chain *chain)
{
    trc_store_lock(store);
    trc_chain **link = &store->chains;
    while (*link != chain) {
        link = &(*link)->next;
    }
    *link = chain->next;
    if (store->thinning == chain) {
        store->thinning = chain->next;
        store->thinned = TRC_NO_BLOCK;
    }
    trc_store_unlock(store);
}

/* -- How long stretches take -- */

#define PARTS 16 /* classes in an octave */
#define PARTS_BITS 4

unsigned trc_took_class(trc_tick took)
{
    if (took < PARTS) {
        return took < 0 ? 0 : (unsigned)took;
    }
    unsigned octave = 63 - (unsigned)__builtin_clzll((unsigned long long)took);
    return PARTS * (octave - PARTS_BITS + 1) + (unsigned)((uint64_t)took >> (octave - PARTS_BITS) & (PARTS - 1));
}

trc_tick trc_took_of_class(unsigned class)
{
    if (class < PARTS) {
        return class;
    }
    unsigned octave = class / PARTS + PARTS_BITS - 1;
    return octave > 62 ? INT64_MAX : (trc_tick)((uint64_t)(PARTS + class % PARTS) << (octave - PARTS_BITS));
}

static void sample(trc_store *store, const trc_block *block)
{
    trc_record_place place = {block->base, 0};
    const uint8_t *at = trc_block_records(block);
    for (uint32_t i = 0; i < block->count; i++) {
        store->took[trc_took_class(trc_get_record(&at, &place).took)]++;
    }
}

/* Whether blocks would be free if there were fewer stretches: each log keeps one. */
static bool may_give(const trc_store *store)
{
    uint32_t kept = 0;
    for (const trc_chain *chain = store->chains; chain != NULL; chain = chain->next) {
        kept += chain->first != TRC_NO_BLOCK;
    }
    return store->full_count > kept + store->block_count / 8;
}

/* The class with which the upper half of the sample begins; where that would be less than a quarter, because one class
 * has so many, the class below, if at least an eighth goes. */
static unsigned first_class_to_stay(const trc_store *store, uint64_t total)
{
    uint64_t below = 0;
    unsigned class = 0;
    while (class < TRC_TOOK_CLASSES - 1) {
        bool is_higher = trc_took_of_class(class) > store->least;
        uint64_t with_class = below + store->took[class];
        if (is_higher && (below >= (total + 1) / 2 || (with_class > total - total / 4 && below >= total / 8))) {
            break;
        }
        below = with_class;
        class++;
    }
    return class;
}

/* Raises `least` so far that about half of the stretches go. Returns false where it cannot rise, or need not. */
static bool raise_least(trc_store *store)
{
    if (!may_give(store)) {
        return false;
    }
    uint64_t total = 0;
    for (unsigned class = 0; class < TRC_TOOK_CLASSES; class++) {
        total += store->took[class];
    }
    trc_tick least = store->least > INT64_MAX / 2 ? INT64_MAX : 2 * store->least + 1;
    if (total > 0) {
        unsigned class = first_class_to_stay(store, total);
        least = trc_took_of_class(class);
        memset(store->took, 0, class * sizeof *store->took);
    }
    if (least <= store->least) {
        return false;
    }
    store->least = least;
    store->thinning = store->chains;
    store->thinned = TRC_NO_BLOCK;
    return true;
}

/* -- Writing a block anew -- */

/* Takes the block behind `before` (the first one: TRC_NO_BLOCK) out of a log. */
static void unlink_block(trc_store *store, trc_chain *chain, uint32_t before, uint32_t block)
{
    uint32_t next = trc_store_block(store, block)->next;
    *(before == TRC_NO_BLOCK ? &chain->first : &trc_store_block(store, before)->next) = next;
    if (chain->last == block) {
        chain->last = before;
    }
    store->full_count--;
}

/* What a killed process leaves must make sense at any moment: the order of these stores is kept. */
static void set_state(trc_block *block, trc_block_state state)
{
    atomic_signal_fence(memory_order_seq_cst);
    *(volatile uint32_t *)&block->state = state;
    atomic_signal_fence(memory_order_seq_cst);
}

static void free_block(trc_store *store, uint32_t block)
{
    trc_block *head = trc_store_block(store, block);
    set_state(head, TRC_BLOCK_FREE);
    head->next = store->free;
    store->free = block;
    store->free_count++;
}

/* Where the records of a block that is written anew go: into the block before, as long as there is room, then into the
 * scratch, which becomes the block. */
typedef struct writer {
    uint8_t *at;
    const uint8_t *limit;
    trc_record_place place;
    uint32_t count;
} writer;

static writer behind(const trc_store *store, const trc_block *block)
{
    uint8_t *records = trc_block_records(block);
    return (writer){records + block->used, records + trc_store_room(store), {block->end, block->node}, block->count};
}

static void finish(trc_block *block, const writer *to, trc_tick least)
{
    block->used = (uint32_t)(to->at - trc_block_records(block));
    block->count = to->count;
    block->end = to->place.end;
    block->node = to->place.node;
    block->least = least;
}

/* Leaves out of a block what took less than `least`. Returns false when nothing is left: then the block is free. */
static bool write_anew(trc_store *store, trc_block *before, trc_block *block)
{
    writer to = {NULL, NULL, {block->base, 0}, 0};
    set_state(block, TRC_BLOCK_REWRITTEN); /* some of its records go into the block before */
    if (before != NULL) {
        to = behind(store, before);
    }
    bool in_scratch = false;
    trc_tick base = block->base;
    trc_record_place place = {block->base, 0};
    const uint8_t *at = trc_block_records(block);
    for (uint32_t i = 0; i < block->count; i++) {
        trc_tick end_before = place.end;
        trc_record record = trc_get_record(&at, &place);
        if (record.took < store->least) {
            continue;
        }
        if (!in_scratch && to.at >= to.limit) {
            if (before != NULL) {
                finish(before, &to, store->least);
            }
            base = end_before;
            to = (writer){store->scratch, NULL, {base, 0}, 0};
            in_scratch = true;
        }
        to.at = trc_put_any_record(to.at, &to.place, &record);
        to.count++;
    }
    if (!in_scratch) {
        if (before != NULL) {
            finish(before, &to, store->least);
        }
        return false;
    }
    size_t used = (size_t)(to.at - store->scratch);
    memcpy(trc_block_records(block), store->scratch, used);
    to.at = trc_block_records(block) + used;
    block->base = base;
    finish(block, &to, store->least);
    set_state(block, TRC_BLOCK_FULL);
    return true;
}

/* Writes one more block anew. Returns false when none is left that has stretches shorter than `least`. */
static bool thin(trc_store *store)
{
    trc_chain *chain = store->thinning;
    while (chain != NULL) {
        uint32_t before = store->thinned;
        uint32_t block = before == TRC_NO_BLOCK ? chain->first : trc_store_block(store, before)->next;
        if (block != TRC_NO_BLOCK && trc_store_block(store, block)->least < store->least) {
            trc_block *into = before == TRC_NO_BLOCK ? NULL : trc_store_block(store, before);
            store->rewritten++;
            if (write_anew(store, into, trc_store_block(store, block))) {
                store->thinned = block;
            }
            else {
                unlink_block(store, chain, before, block);
                free_block(store, block);
            }
            store->thinning = chain;
            return true;
        }
        chain = chain->next;
        store->thinned = TRC_NO_BLOCK;
    }
    store->thinning = NULL;
    return false;
}

/* Frees the block of all logs that was filled first. Returns false when there is none. */
static bool drop_oldest(trc_store *store)
{
    trc_chain *oldest = NULL;
    for (trc_chain *chain = store->chains; chain != NULL; chain = chain->next) {
        if (chain->first != TRC_NO_BLOCK && (oldest == NULL || trc_store_block(store, chain->first)->order <
                                                                   trc_store_block(store, oldest->first)->order)) {
            oldest = chain;
        }
    }
    if (oldest == NULL) {
        return false;
    }
    uint32_t block = oldest->first;
    trc_tick end = trc_store_block(store, block)->end;
    store->since = store->has_overwritten && store->since > end ? store->since : end;
    store->has_overwritten = true;
    unlink_block(store, oldest, TRC_NO_BLOCK, block);
    free_block(store, block);
    return true;
}

/* Thins a few blocks, before the last one is taken. */
static void thin_in_advance(trc_store *store)
{
    uint32_t left = store->block_count - store->fresh + store->free_count;
    if (store->thinning == NULL && (left >= store->block_count / 16 || !raise_least(store))) {
        return;
    }
    for (int i = 0; i < TRC_THIN_AT_ONCE && thin(store); i++) {
    }
}

/* Makes a block free: one event waits for all that it takes. */
static bool make_room(trc_store *store)
{
    if (store->is_ring ? drop_oldest(store) : thin(store)) {
        return true;
    }
    if (store->reclaim != NULL) {
        store->reclaim(store->context);
    }
    return store->is_ring ? drop_oldest(store) : raise_least(store);
}

/* While nothing has changed since there was no block, an event that wants one asks in vain, but for a few: a thread may
 * have ended. */
static bool asks_in_vain(trc_store *store)
{
    return store->lost > 0 && store->lost_at == store->orders && store->lost % 64 != 0 && store->free == TRC_NO_BLOCK &&
           store->fresh == store->block_count;
}

uint32_t trc_store_take(trc_store *store)
{
    assert(trc_store_is_locked(store));
    if (asks_in_vain(store)) {
        store->lost++;
        return TRC_NO_BLOCK;
    }
    if (!store->is_ring) {
        thin_in_advance(store);
    }
    while (store->free == TRC_NO_BLOCK) {
        if (store->fresh < store->block_count) {
            return store->fresh++;
        }
        if (!make_room(store)) {
            store->lost++;
            store->lost_at = store->orders;
            return TRC_NO_BLOCK;
        }
    }
    uint32_t block = store->free;
    store->free = trc_store_block(store, block)->next;
    store->free_count--;
    return block;
}

void trc_store_fill(trc_store *store, trc_chain *chain, uint32_t block)
{
    assert(trc_store_is_locked(store));
    trc_block *head = trc_store_block(store, block);
    head->next = TRC_NO_BLOCK;
    head->order = store->orders++;
    set_state(head, TRC_BLOCK_FULL);
    *(chain->last == TRC_NO_BLOCK ? &chain->first : &trc_store_block(store, chain->last)->next) = block;
    chain->last = block;
    store->full_count++;
    if (head->order % TRC_SAMPLE_EVERY == 0) {
        sample(store, head);
    }
}
