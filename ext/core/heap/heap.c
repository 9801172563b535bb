/* What memory is attributed to: see heap.h. */
#include "core/heap/heap.h"

#include <string.h>

#define SITE_PAGES (TRC_SITE_LIMIT / TRC_SITES_A_PAGE)
#define FIRST_ROOM 1024 /* nodes of a thread */

/* -- Sites -- */

/* Returns a new site of a place, or TRC_SITE_OTHER. */
static uint32_t make_site(trc_heap *heap, trc_place place)
{
    uint32_t number = heap->site_count;
    if (number == TRC_SITE_LIMIT) {
        return TRC_SITE_OTHER;
    }
    trc_site **page = &heap->sites[number / TRC_SITES_A_PAGE];
    if (*page == NULL) {
        *page = trc_map(heap->pages, TRC_SITES_A_PAGE * sizeof **page);
    }
    if (*page == NULL) {
        return TRC_SITE_OTHER;
    }
    heap->site_count++;
    trc_heap_at(heap, number)->place = place;
    return number;
}

bool trc_heap_init(trc_heap *heap, const trc_pages *pages)
{
    *heap = (trc_heap){.pages = pages, .site_count = TRC_SITE_OUTSIDE, .epoch = 1, .high = UINT64_MAX};
    trc_blocks_init(&heap->blocks, pages);
    heap->sites = trc_map(pages, SITE_PAGES * sizeof *heap->sites);
    if (heap->sites == NULL) {
        return false;
    }
    heap->sites[0] = trc_map(pages, TRC_SITES_A_PAGE * sizeof **heap->sites);
    if (heap->sites[0] == NULL) {
        return false;
    }
    trc_place none = {TRC_NO_PLACE, TRC_NO_PLACE, TRC_NO_PLACE};
    make_site(heap, none);
    make_site(heap, none);
    return true;
}

void trc_heap_free(trc_heap *heap)
{
    trc_blocks_free(&heap->blocks);
    for (uint32_t i = 0; heap->sites != NULL && i < SITE_PAGES && heap->sites[i] != NULL; i++) {
        trc_unmap(heap->pages, heap->sites[i], TRC_SITES_A_PAGE * sizeof **heap->sites);
    }
    trc_unmap(heap->pages, heap->sites, SITE_PAGES * sizeof *heap->sites);
    heap->sites = NULL;
}

void trc_heap_thread_init(trc_heap_thread *thread, uint32_t index)
{
    *thread = (trc_heap_thread){.index = index};
}

void trc_heap_thread_free(trc_heap *heap, trc_heap_thread *thread)
{
    if (heap->latest.thread == thread) {
        trc_heap_flush(heap);
        heap->latest.thread = NULL;
    }
    trc_unmap(heap->pages, thread->sites, thread->room * sizeof *thread->sites);
    thread->sites = NULL;
    thread->room = 0;
}

/* Makes room for the first site of a node. Returns false when memory is out. */
static bool reserve(const trc_heap *heap, trc_heap_thread *thread, uint32_t node)
{
    uint32_t room = thread->room == 0 ? FIRST_ROOM : thread->room;
    while (room <= node) {
        room *= 2;
    }
    uint32_t *sites = trc_map(heap->pages, room * sizeof *sites);
    if (sites == NULL) {
        return false;
    }
    if (thread->sites != NULL) {
        memcpy(sites, thread->sites, thread->room * sizeof *sites);
        trc_unmap(heap->pages, thread->sites, thread->room * sizeof *sites);
    }
    thread->sites = sites;
    thread->room = room;
    return true;
}

/* The first site of a node is that of no line. */
uint32_t trc_heap_site(trc_heap *heap, trc_heap_thread *thread, uint32_t node, uint32_t line)
{
    if (node >= thread->room && !reserve(heap, thread, node)) {
        return TRC_SITE_OTHER;
    }
    uint32_t *link = &thread->sites[node];
    if (*link == 0 && line != 0 && trc_heap_site(heap, thread, node, 0) == TRC_SITE_OTHER) {
        return TRC_SITE_OTHER;
    }
    while (*link != 0 && trc_heap_at(heap, *link)->place.line != line) {
        link = &trc_heap_at(heap, *link)->next;
    }
    if (*link == 0) {
        uint32_t made = make_site(heap, (trc_place){thread->index, node, line});
        if (made == TRC_SITE_OTHER) {
            return made;
        }
        *link = made;
    }
    return *link;
}

/* -- Figures -- */

/* Blocks of a site are over whose ends were not seen. */
static void miss(trc_heap *heap, trc_site *site, trc_amount amount)
{
    if (heap->is_rising) {
        heap->is_rising = false;
        heap->epoch++;
    }
    trc_heap_save(heap, site);
    site->live.bytes -= amount.bytes;
    site->live.blocks -= amount.blocks;
    heap->live.bytes -= amount.bytes;
    heap->live.blocks -= amount.blocks;
    heap->missed.bytes += amount.bytes;
    heap->missed.blocks += amount.blocks;
}

void trc_heap_flush_slowly(trc_heap *heap, trc_latest latest)
{
    trc_live_block missed;
    bool is_put = trc_blocks_put(&heap->blocks, latest.address, (trc_live_block){latest.site, latest.size}, &missed);
    if (missed.site != 0) {
        miss(heap, trc_heap_at(heap, missed.site), (trc_amount){missed.size, 1});
    }
    if (is_put) {
        trc_heap_count_latest(heap);
    }
    else {
        heap->lost++;
    }
    if (latest.thread != NULL) {
        latest.thread->latest = is_put ? latest.address : 0;
    }
    heap->latest.address = 0;
}

void trc_heap_put_back(trc_heap *heap, const void *block, trc_live_block taken)
{
    trc_live_block none;
    if (taken.site != 0 && !trc_blocks_put(&heap->blocks, (uintptr_t)block, taken, &none)) {
        miss(heap, trc_heap_at(heap, taken.site), (trc_amount){taken.size, 1});
    }
}

void trc_heap_drop_blocks(trc_heap *heap)
{
    trc_heap_flush(heap);
    for (uint32_t number = TRC_SITE_OUTSIDE; number < heap->site_count; number++) {
        trc_site *site = trc_heap_at(heap, number);
        if (site->live.blocks > 0) {
            miss(heap, site, site->live);
        }
    }
    trc_blocks_free(&heap->blocks);
}
