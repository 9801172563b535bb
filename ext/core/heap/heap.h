/* What the memory of a process is attributed to, exactly and in any thread. A *site* is where memory is allocated: a node
 * of a thread's call tree, with lines a node and a line. Each allocation is attributed to the site where its thread is;
 * when the block is freed, wherever that is, its site is known (blocks.h).
 *
 * The peak. The figures of all sites at the moment when the most memory was live are known without a copy of them. The
 * first decrease after a new maximum begins a new *epoch*. A site that changes for the first time in an epoch first saves
 * its live figures: these are those at the peak. So are the present ones of a site that did not change in this epoch, and
 * those of every site while no decrease has come yet.
 *
 * Threads allocate without the GIL: whoever uses a heap holds a lock. Nothing in here allocates through an allocator that
 * is watched. */
#ifndef TRC_HEAP_H
#define TRC_HEAP_H

#include "core/heap/blocks.h"

/* The sites that every heap has: of what no node has, and of the sites past the limit or for which memory was out. */
#define TRC_SITE_OUTSIDE 1
#define TRC_SITE_OTHER 2
#define TRC_FIRST_SITE 3

#define TRC_NO_PLACE UINT32_MAX /* for the thread, node or line of a site that has none */

typedef struct trc_amount {
    uint64_t bytes;
    uint64_t blocks;
} trc_amount;

/* Where memory is allocated. `line`: a number of the caller's choice. */
typedef struct trc_place {
    uint32_t thread;
    uint32_t node;
    uint32_t line;
} trc_place;

typedef struct trc_site {
    trc_amount allocated;
    trc_amount live;
    trc_amount saved; /* `live` when the present epoch of the site began */
    uint64_t epoch;
    trc_amount temporary; /* freed as the latest allocation of its thread */
    uint64_t resident;    /* the most resident memory of the process that was seen here, or 0 */
    uint64_t freed_here;  /* bytes of any site's blocks that are freed while a thread is here */
    trc_place place;
    uint32_t next; /* the next site of the same node, for another line; 0: there is none */
} trc_site;

#define TRC_SITES_A_PAGE 1024

typedef struct trc_heap trc_heap;

/* A thread, as far as the heap knows it. */
typedef struct trc_heap_thread {
    uint32_t index;
    uint32_t *sites;  /* owned: the first site of each node, by the node's index; 0: it has none yet */
    uint32_t room;    /* of `sites` */
    uintptr_t latest; /* the latest allocation of its own, if that is live and not the heap's latest; or 0 */
    int64_t net;      /* bytes that it allocated, less those that it freed, without the heap's latest */
} trc_heap_thread;

/* The latest allocation. It is in no table and no figure before the next one, or its own end. Half of all allocations
 * end first. And what the interpreter makes only to tell of an event can be forgotten as if it had never been. */
typedef struct trc_latest {
    uintptr_t address; /* 0: there is none */
    uint64_t size;
    uint32_t site;
    trc_heap_thread *thread; /* or NULL */
} trc_latest;

struct trc_heap {
    trc_latest latest;
    trc_amount live;
    trc_amount peak;
    uint64_t epoch;
    bool is_rising;   /* nothing was freed since the latest maximum */
    uint64_t low;     /* `moved` is to be called when the live bytes are less than this, ... */
    uint64_t high;    /* ... or more than this */
    trc_site **sites; /* owned, by TRC_SITES_A_PAGE */
    trc_blocks blocks;
    uint32_t site_count;
    trc_amount missed; /* blocks whose end was not seen: another one began at their address */
    uint64_t lost;     /* allocations for which memory was out: they are in no figure */
    const trc_pages *pages;
    void (*moved)(trc_heap *heap, uint32_t here, void *context); /* calls trc_heap_set_band() */
    uint64_t (*resident)(bool anew,
                         void *context); /* bytes of the process: as they are now, or as they were read last */
    void *context;
};

/* Initializes an empty heap, which must not move. Returns false when memory is out. The heap must be freed either
 * way. */
bool trc_heap_init(trc_heap *heap, const trc_pages *pages);
void trc_heap_free(trc_heap *heap);

void trc_heap_thread_init(trc_heap_thread *thread, uint32_t index);

/* The heap knows nothing of the thread any more: its latest allocation is flushed. */
void trc_heap_thread_free(trc_heap *heap, trc_heap_thread *thread);

static inline trc_site *trc_heap_at(const trc_heap *heap, uint32_t site)
{
    return &heap->sites[site / TRC_SITES_A_PAGE][site % TRC_SITES_A_PAGE];
}

/* The site of a place in the thread. */
uint32_t trc_heap_site(trc_heap *heap, trc_heap_thread *thread, uint32_t node, uint32_t line);

/* The same for no line, 0: which is the first site of a node. */
static inline uint32_t trc_heap_site_of_node(trc_heap *heap, trc_heap_thread *thread, uint32_t node)
{
    uint32_t site = node < thread->room ? thread->sites[node] : 0;
    return site != 0 ? site : trc_heap_site(heap, thread, node, 0);
}

/* The rare halves of trc_heap_flush() and trc_heap_take(). */
void trc_heap_flush_slowly(trc_heap *heap, trc_latest latest);

static inline void trc_heap_save(const trc_heap *heap, trc_site *site)
{
    if (site->epoch != heap->epoch) {
        site->epoch = heap->epoch;
        site->saved = site->live;
    }
}

/* Puts the latest allocation into the figures. */
static inline void trc_heap_count_latest(trc_heap *heap)
{
    trc_latest *latest = &heap->latest;
    trc_site *site = trc_heap_at(heap, latest->site);
    trc_heap_save(heap, site);
    site->allocated.bytes += latest->size;
    site->allocated.blocks++;
    site->live.bytes += latest->size;
    site->live.blocks++;
    heap->live.bytes += latest->size;
    heap->live.blocks++;
    if (heap->is_rising || heap->live.bytes > heap->peak.bytes) { /* a block of no bytes rises, too */
        heap->peak = heap->live;
        heap->is_rising = true;
    }
    if (latest->thread != NULL) {
        latest->thread->net += (int64_t)latest->size;
    }
}

/* Puts the latest allocation, if there is one, into the table and the figures. */
static inline void trc_heap_flush(trc_heap *heap)
{
    trc_latest *latest = &heap->latest;
    if (latest->address == 0) {
        return;
    }
    uint32_t *entry = latest->size - 1 < TRC_SMALL_BLOCK ? trc_blocks_entry(&heap->blocks, latest->address) : NULL;
    if (entry == NULL || *entry != 0) {
        trc_heap_flush_slowly(heap, *latest);
        return;
    }
    *entry = trc_blocks_small(latest->site, latest->size);
    trc_heap_count_latest(heap);
    if (latest->thread != NULL) {
        latest->thread->latest = latest->address;
    }
    latest->address = 0;
}

/* The thread, which may be NULL, has allocated a block at the site. */
static inline void trc_heap_add(trc_heap *heap, trc_heap_thread *thread, uint32_t site, const void *block,
                                uint64_t size)
{
    trc_heap_flush(heap);
    heap->latest = (trc_latest){(uintptr_t)block, size, site, thread};
}

/* Takes a block out of the table, before it is freed or moved. `*is_temporary`: it is the thread's latest allocation. */
static inline trc_live_block trc_heap_take(trc_heap *heap, trc_heap_thread *thread, const void *block,
                                           bool *is_temporary)
{
    uintptr_t address = (uintptr_t)block;
    trc_latest *latest = &heap->latest;
    if (address == latest->address) {
        trc_heap_count_latest(heap);
        trc_live_block taken = {latest->site, latest->size};
        *is_temporary = thread != NULL && latest->thread == thread;
        if (latest->thread != NULL) {
            latest->thread->latest = 0;
        }
        latest->address = 0;
        return taken;
    }
    *is_temporary = false;
    if (thread != NULL && thread->latest == address) {
        *is_temporary = latest->address == 0 || latest->thread != thread;
        thread->latest = 0;
    }
    return trc_blocks_take(&heap->blocks, address);
}

/* The thread, which may be NULL, has freed the taken block at the site. */
static inline void trc_heap_remove(trc_heap *heap, trc_heap_thread *thread, uint32_t here, trc_live_block taken,
                                   bool is_temporary)
{
    trc_heap_flush(heap); /* the peak may be now */
    trc_site *site = trc_heap_at(heap, taken.site);
    if (heap->is_rising) {
        heap->is_rising = false;
        heap->epoch++;
    }
    trc_heap_save(heap, site);
    site->live.bytes -= taken.size;
    site->live.blocks--;
    site->temporary.bytes += is_temporary ? taken.size : 0;
    site->temporary.blocks += is_temporary;
    heap->live.bytes -= taken.size;
    heap->live.blocks--;
    trc_heap_at(heap, here)->freed_here += taken.size;
    if (thread != NULL) {
        thread->net -= (int64_t)taken.size;
    }
}

/* The thread is about to free a block at the site. What was allocated last is freed first, mostly: where no maximum comes
 * of that block, its coming and going changes nothing of what is live. Returns whether it is so, and all is done. */
static inline bool trc_heap_end_at_once(trc_heap *heap, trc_heap_thread *thread, uint32_t here, const void *block)
{
    trc_latest *latest = &heap->latest;
    if (latest->address != (uintptr_t)block || latest->thread != thread || heap->is_rising ||
        heap->live.bytes + latest->size > heap->peak.bytes) {
        return false;
    }
    trc_site *site = trc_heap_at(heap, latest->site);
    site->allocated.bytes += latest->size;
    site->allocated.blocks++;
    site->temporary.bytes += latest->size;
    site->temporary.blocks++;
    trc_heap_at(heap, here)->freed_here += latest->size;
    latest->address = thread->latest = 0;
    return true;
}

/* The thread, which may be NULL, is about to free a block at the site. */
static inline void trc_heap_end(trc_heap *heap, trc_heap_thread *thread, uint32_t here, const void *block)
{
    if (thread != NULL && trc_heap_end_at_once(heap, thread, here, block)) {
        return;
    }
    bool is_temporary;
    trc_live_block taken = trc_heap_take(heap, thread, block, &is_temporary);
    if (taken.site != 0) {
        trc_heap_remove(heap, thread, here, taken, is_temporary);
    }
}

/* The site that allocated the live block at an address, and its size; of site 0 where none is known. */
static inline trc_live_block trc_heap_find(const trc_heap *heap, const void *block)
{
    const trc_latest *latest = &heap->latest;
    if ((uintptr_t)block == latest->address && block != NULL) {
        return (trc_live_block){latest->site, latest->size};
    }
    return trc_blocks_find(&heap->blocks, (uintptr_t)block);
}

/* The taken block was not moved, for memory was out. */
void trc_heap_put_back(trc_heap *heap, const void *block, trc_live_block taken);

/* If the latest allocation is the thread's, and the block that holds `object`, it is in no figure. For what the
 * interpreter makes only to tell of an event. Returns where the block is if it was so, else NULL. */
static inline const void *trc_heap_forget(trc_heap *heap, const trc_heap_thread *thread, const void *object)
{
    trc_latest *latest = &heap->latest;
    if (latest->address == 0 || latest->thread != thread || (uintptr_t)object - latest->address >= latest->size) {
        return NULL;
    }
    const void *block = (const void *)latest->address;
    latest->address = 0;
    return block;
}

/* Forgets which blocks are live: nobody will see their ends. They stay in the figures of what was allocated, and are in
 * `missed`. */
void trc_heap_drop_blocks(trc_heap *heap);

#define TRC_LEAST_MOVE (64 << 10) /* bytes */
#define TRC_MOVES_OF_PEAK 256

/* `moved` is not to be called before the live bytes have gone up or down by a 256th of the peak, and by 64 KiB. */
static inline void trc_heap_set_band(trc_heap *heap)
{
    uint64_t span = heap->peak.bytes / TRC_MOVES_OF_PEAK;
    span = span < TRC_LEAST_MOVE ? TRC_LEAST_MOVE : span;
    heap->low = heap->live.bytes < span ? 0 : heap->live.bytes - span;
    heap->high = heap->live.bytes + span;
}

/* `here`: the site where the thread is. */
static inline void trc_heap_tell_if_moved(trc_heap *heap, uint32_t here)
{
    if (heap->live.bytes - heap->low > heap->high - heap->low) {
        heap->moved(heap, here, heap->context);
    }
}

/* What the site had live when the most memory was live. The latest allocation must be flushed. */
static inline trc_amount trc_heap_at_peak(const trc_heap *heap, const trc_site *site)
{
    return heap->is_rising || site->epoch != heap->epoch ? site->live : site->saved;
}

#endif
