/* What the logs of a recorder share: see timeline.h. */
#include "recorders/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK 16384
#define SMALL_BLOCK 4096 /* where there are few bytes, so that some threads can share them */
#define FEW_BYTES (4 << 20)
#define UNIT_NS 1000000
#define MEASURE_NS 20000 /* long enough to know a clock's rate to a few percent */

static void release_name(void *name)
{
    Py_DECREF((PyObject *)name);
}

static trc_tick measure_unit(const trc_clock *clock)
{
    trc_moment measured = {0, 0};
    if (clock->kind == TRC_CLOCK_COUNTER) {
        trc_moment first = trc_clock_moment(clock);
        while (measured.nanoseconds < MEASURE_NS) {
            measured = trc_moment_since(trc_clock_moment(clock), first);
        }
    }
    double ticks = trc_clock_ticks_per_ns(clock, measured) * UNIT_NS;
    return ticks < 1.0 ? 1 : ticks > 1e15 ? (trc_tick)1e15 : (trc_tick)ticks;
}

/* Sets `memory`, and returns where the blocks begin, or NULL. */
static uint8_t *map(trc_timeline *timeline, size_t budget, int file)
{
    timeline->is_file = file >= 0;
    timeline->size = budget + (timeline->is_file ? TRC_LOG_FILE_HEAD : 0);
    int flags = timeline->is_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void *memory = mmap(NULL, timeline->size, PROT_READ | PROT_WRITE, flags, file, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE /* 4 KiB at a time, the kernel takes 1 to 4 ns of each call to give the memory */
    if (!timeline->is_file) {
        madvise(memory, timeline->size, MADV_HUGEPAGE);
    }
#endif
    timeline->memory = memory;
    return (uint8_t *)memory + (timeline->is_file ? TRC_LOG_FILE_HEAD : 0);
}

trc_timeline *trc_timeline_new(const trc_clock *clock, size_t budget, bool is_ring, int file)
{
    trc_timeline *timeline = calloc(1, sizeof *timeline);
    if (timeline == NULL) {
        return NULL;
    }
    trc_tasks_init(&timeline->tasks, &trc_system_allocator, release_name);
    size_t room = budget / 16 * 3; /* of the usual budget, TRC_BIN_ROOM: who gives more wants narrower bins, too */
    atomic_init(&timeline->bin_room, room > TRC_BIN_ROOM ? (long)room : TRC_BIN_ROOM);
    timeline->unit = measure_unit(clock);
    uint8_t *blocks = map(timeline, budget, file);
    uint32_t size = budget < FEW_BYTES ? SMALL_BLOCK : BLOCK;
    if (blocks == NULL || !trc_store_init(&timeline->store, &trc_system_allocator, blocks, budget, size, is_ring)) {
        trc_timeline_free(timeline);
        return NULL;
    }
    return timeline;
}

void trc_timeline_begin(trc_timeline *timeline, trc_tick origin)
{
    if (timeline->is_file) {
        const trc_store *store = &timeline->store;
        trc_log_file *head = timeline->memory;
        bool was_used = head->version != 0; /* before the profile was cleared */
        for (uint32_t block = 0; was_used && block < store->block_count; block++) {
            trc_store_block(store, block)->state = TRC_BLOCK_FREE;
        }
        *head = (trc_log_file){.version = TRC_LOG_FILE_VERSION,
                               .block_size = store->block_size,
                               .block_count = store->block_count,
                               .origin = origin};
        memcpy(head->magic, TRC_LOG_FILE_MAGIC, sizeof head->magic);
    }
}

void trc_timeline_free(trc_timeline *timeline)
{
    if (timeline == NULL) {
        return;
    }
    trc_store_free(&timeline->store);
    if (timeline->memory != NULL) {
        munmap(timeline->memory, timeline->size);
    }
    trc_tasks_free(&timeline->tasks);
    trc_task_words_free(&timeline->words);
    free(timeline);
}

int trc_timeline_traverse(const trc_timeline *timeline, visitproc visit, void *arg)
{
    for (uint32_t i = 0; timeline != NULL && i < timeline->tasks.count; i++) {
        Py_VISIT((PyObject *)timeline->tasks.tasks[i].name);
    }
    return 0;
}

bool trc_timeline_add(trc_timeline *timeline, trc_thread *thread, trc_tick origin, trc_tick now)
{
    const trc_allocator *allocator = timeline->store.allocator;
    trc_bins *bins = trc_bins_new(allocator, &timeline->bin_room, origin, timeline->unit, now);
    trc_log *log = bins == NULL ? NULL : trc_log_new(&timeline->store, &timeline->tasks, now);
    if (log == NULL) {
        trc_bins_free(bins);
        return false;
    }
    trc_thread_write_log(thread, log, bins);
    return true;
}
