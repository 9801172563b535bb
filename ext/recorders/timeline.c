/* What the logs of a recorder share: see timeline.h. */
#include "recorders/timeline.h"

#include <stdlib.h>
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

trc_timeline *trc_timeline_new(const trc_clock *clock, size_t budget, bool is_ring)
{
    trc_timeline *timeline = calloc(1, sizeof *timeline);
    if (timeline == NULL) {
        return NULL;
    }
    trc_tasks_init(&timeline->tasks, &trc_system_allocator, release_name);
    atomic_init(&timeline->bin_room, TRC_BIN_ROOM);
    timeline->unit = measure_unit(clock);
    timeline->size = budget;
    timeline->memory = mmap(NULL, budget, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (timeline->memory == MAP_FAILED) {
        timeline->memory = NULL;
        timeline->size = 0;
    }
    uint32_t block = budget < FEW_BYTES ? SMALL_BLOCK : BLOCK;
    bool is_made =
        trc_store_init(&timeline->store, &trc_system_allocator, timeline->memory, timeline->size, block, is_ring);
    if (!is_made || timeline->memory == NULL) {
        trc_timeline_free(timeline);
        return NULL;
    }
    return timeline;
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
