/* The memory that one Profile records: see memory.h. */
#include "recorders/memory.h"

#include "core/base/clock.h"
#include "sources/allocators.h"

#include <stdlib.h>

#define INTERVAL_NS 1000000 /* between two points of the curve, and two looks at resident memory */
#define LOOK_NS 10000000

static void put_point(trc_memory *memory)
{
    int64_t now = trc_clock_monotonic();
    if (memory->curve.count == 0 || now - memory->read_at >= INTERVAL_NS) {
        memory->read_at = now;
        memory->latest_resident = trc_resident_read(&memory->resident);
        if (memory->latest_resident > memory->most_resident) {
            memory->most_resident = memory->latest_resident;
        }
    }
    uint64_t peak = memory->heap.peak.bytes;
    if (peak > memory->highest && peak > memory->heap.live.bytes) { /* so the peak is in the stretch that ends now */
        trc_curve_raise(&memory->curve, peak);
    }
    memory->highest = peak;
    trc_curve_add(&memory->curve, now - memory->began, memory->heap.live.bytes, memory->latest_resident);
}

static void moved(trc_heap *heap, uint32_t here, void *context)
{
    trc_heap_set_band(heap);
    trc_memory *memory = context;
    put_point(memory);
    trc_site *site = trc_heap_at(heap, here);
    if (site->place.line != TRC_NO_PLACE && site->place.line != 0) {
        return; /* what counts of a line is how it is left: now its block may not be touched yet, or not be free */
    }
    site->resident = memory->latest_resident > site->resident ? memory->latest_resident : site->resident;
}

static uint64_t resident(bool anew, void *context)
{
    trc_memory *memory = context;
    if (anew) {
        trc_memory_mark(memory);
    }
    return memory->latest_resident;
}

trc_memory *trc_memory_new(void)
{
    trc_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL) {
        return NULL;
    }
    memory->resident.file = memory->cut_off = -1;
    if (!trc_heap_init(&memory->heap, &trc_system_pages)) {
        trc_memory_free(memory);
        return NULL;
    }
    trc_resident_open(&memory->resident);
    memory->heap.moved = moved;
    memory->heap.resident = resident;
    memory->heap.context = memory;
    return memory;
}

void trc_memory_free(trc_memory *memory)
{
    if (memory != NULL) {
        trc_periodic_thread_stop(&memory->periodic);
        trc_resident_close(&memory->resident);
        trc_heap_free(&memory->heap);
        free(memory);
    }
}

void trc_memory_begin(trc_memory *memory)
{
    if (memory->curve.count == 0) {
        memory->began = trc_clock_monotonic();
        trc_curve_begin(&memory->curve, INTERVAL_NS);
    }
    trc_heap_drop_blocks(&memory->heap);
    moved(&memory->heap, TRC_SITE_OUTSIDE, memory);
}

void trc_memory_check(trc_memory *memory, bool is_told)
{
    if (!is_told && memory->cut_off < 0) {
        memory->cut_off = trc_clock_monotonic() - memory->began;
    }
}

static void look(void *context)
{
    trc_memory *memory = context;
    trc_allocators_lock();
    put_point(memory);
    trc_allocators_unlock();
}

void trc_memory_watch(trc_memory *memory)
{
    if (memory->resident.file >= 0 && !memory->periodic.is_running) {
        trc_periodic_thread_start(&memory->periodic, LOOK_NS, look, memory);
    }
}

void trc_memory_rest(trc_memory *memory)
{
    trc_periodic_thread_stop(&memory->periodic);
}

void trc_memory_mark(trc_memory *memory)
{
    trc_heap_flush(&memory->heap);
    memory->read_at = 0;
    put_point(memory);
}

static trc_memory_record record_of(const trc_heap *heap, const trc_site *site)
{
    return (trc_memory_record){
        .node = site->place.node,
        .line = site->place.line == TRC_NO_PLACE ? 0 : site->place.line,
        .allocated = site->allocated,
        .live = site->live,
        .at_peak = trc_heap_at_peak(heap, site),
        .temporary = site->temporary,
        .freed_here = site->freed_here,
        .resident = site->resident,
    };
}

/* Goes over a tree in the order in which its nodes become records (core/report/capture.h). */
typedef struct copier {
    const trc_heap *heap;
    const trc_heap_thread *thread;
    trc_memory_record *records;
    uint32_t count;
    uint32_t nodes;
    uint32_t overflows;
} copier;

static void copy_node(void *context, const trc_node *node)
{
    copier *to = context;
    uint32_t position = node->is_overflow ? to->overflows++ : to->nodes++;
    uint32_t number = node->index < to->thread->room ? to->thread->sites[node->index] : 0;
    while (number != 0) {
        const trc_site *site = trc_heap_at(to->heap, number);
        trc_memory_record record = record_of(to->heap, site);
        record.node = position;
        record.is_overflow = node->is_overflow;
        to->records[to->count++] = record;
        number = site->next;
    }
}

bool trc_memory_copy(const trc_memory *memory, const trc_heap_thread *thread, const trc_calltree *tree,
                     trc_memory_record **records, uint32_t *count)
{
    assert(trc_allocators_are_locked());
    size_t room = 1;
    for (uint32_t node = 0; node < thread->room; node++) {
        for (uint32_t number = thread->sites[node]; number != 0; number = trc_heap_at(&memory->heap, number)->next) {
            room++;
        }
    }
    copier to = {.heap = &memory->heap, .thread = thread, .records = malloc(room * sizeof *to.records)};
    if (to.records != NULL) {
        trc_calltree_each(tree, copy_node, &to);
    }
    *records = to.records;
    *count = to.count;
    return to.records != NULL;
}

bool trc_memory_copy_sums(const trc_memory *memory, trc_memory_sums *sums)
{
    assert(trc_allocators_are_locked());
    const trc_heap *heap = &memory->heap;
    *sums = (trc_memory_sums){
        .live = heap->live,
        .peak = heap->peak,
        .missed = heap->missed,
        .lost = heap->lost,
        .outside = record_of(heap, trc_heap_at(heap, TRC_SITE_OUTSIDE)),
        .other = record_of(heap, trc_heap_at(heap, TRC_SITE_OTHER)),
        .began = memory->began,
        .cut_off = memory->cut_off,
        .most_resident = memory->most_resident,
        .curve = malloc(sizeof *sums->curve),
    };
    if (sums->curve != NULL) {
        *sums->curve = memory->curve;
    }
    return sums->curve != NULL;
}
