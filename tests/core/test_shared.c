/* What the threads of a profile share, with several of them at work on it at once: budgets, tasks, the blocks of logs,
 * the heap. Whatever comes first, the counts add up. */
#include "suites.h"
#include "support.h"

#include <core/base/biased_lock.h>
#include <core/base/periodic_thread.h>
#include <core/base/resident.h>
#include <core/heap/curve.h>
#include <core/heap/heap.h>
#include <core/report/slices.h>
#include <core/tree/thread.h>

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define THREADS 4

/* Calls work(each of them) in a thread of its own, and returns when all have ended. `all`: THREADS things of a size. */
static void run_all(void *(*work)(void *each), void *all, size_t size)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, (char *)all + (size_t)i * size), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
}

/* -- The budget of nodes, and the room of bins -- */

#define KEYS 64
#define BUDGET 50001
#define LITTLE_ROOM 30000
#define UNITS 2000
#define EVENTS_A_UNIT 20

static const char keys[KEYS];

/* The tree of one thread, and its bins. */
typedef struct grower {
    trc_calltree tree;
    trc_functab funcs;
    trc_bins *bins;
} grower;

static void growers_open(grower growers[THREADS], atomic_long *budget, atomic_long *room)
{
    for (int i = 0; i < THREADS; i++) {
        trc_functab_init(&growers[i].funcs, &trc_system_allocator, NULL);
        ck_assert(trc_calltree_init(&growers[i].tree, &trc_system_allocator, budget));
        growers[i].bins = trc_bins_new(&trc_system_allocator, room, 0, 1, 0);
        ck_assert_ptr_nonnull(growers[i].bins);
        for (int key = 0; key < KEYS; key++) {
            ck_assert_ptr_nonnull(trc_functab_add(&growers[i].funcs, &keys[key], NULL));
        }
    }
}

static void growers_close(grower growers[THREADS])
{
    for (int i = 0; i < THREADS; i++) {
        trc_bins_free(growers[i].bins);
        trc_calltree_free(&growers[i].tree);
        trc_functab_free(&growers[i].funcs);
    }
}

static trc_node *add_child(grower *self, trc_node *parent, int key)
{
    return trc_calltree_add(&self->tree, parent, trc_functab_find(&self->funcs, &keys[key % KEYS]), false);
}

static void *grow_until_none_is_left(void *context)
{
    grower *self = context;
    trc_node *node = self->tree.root;
    for (int key = 0; node != NULL; key++) {
        node = add_child(self, node, key);
    }
    return NULL;
}

START_TEST(threads_spend_one_budget_of_nodes)
{
    grower growers[THREADS];
    atomic_long budget = BUDGET, room = LITTLE_ROOM;
    growers_open(growers, &budget, &room);
    run_all(grow_until_none_is_left, growers, sizeof *growers);
    long made = 0;
    for (int i = 0; i < THREADS; i++) {
        made += (long)growers[i].tree.count - 1; /* the root costs nothing */
    }
    ck_assert_int_eq(made + atomic_load(&budget), BUDGET);
    ck_assert_int_le(atomic_load(&budget), 0);
    ck_assert_int_gt(atomic_load(&budget), -THREADS); /* each of the others may have looked before the last was taken */
    growers_close(growers);
}
END_TEST

/* So many bins that those before are merged for want of room. */
static void *fill_bins(void *context)
{
    grower *self = context;
    trc_node *nodes[KEYS];
    for (int key = 0; key < KEYS; key++) {
        nodes[key] = add_child(self, self->tree.root, key);
    }
    for (trc_tick now = 1; now <= UNITS; now++) {
        for (int i = 0; i < EVENTS_A_UNIT; i++) {
            trc_node *node = nodes[(now + 7 * i) % KEYS];
            trc_bins_touch(self->bins, node);
            node->calls++;
            trc_add_ticks(&node->self, 3);
        }
        if (now >= self->bins->ends) {
            trc_bins_end(self->bins, &self->tree);
        }
    }
    return NULL;
}

static void expect_all_in_bins(const grower *grower)
{
    uint8_t *bytes = malloc(trc_bins_size(grower->bins));
    size_t size = trc_bins_write(grower->bins, bytes, grower->tree.root, 0, 0);
    trc_bin_sum sums[KEYS + 1] = {{0, 0}};
    trc_bins_part everything = {0, UINT64_MAX, 1, 0, UINT64_MAX, true};
    ck_assert(trc_bins_add_up(sums, KEYS + 1, bytes, size, &everything));
    uint64_t calls = 0;
    trc_tick ticks = 0;
    for (int i = 0; i <= KEYS; i++) {
        calls += sums[i].calls;
        ticks += sums[i].self;
    }
    ck_assert_uint_eq(calls, UNITS * EVENTS_A_UNIT);
    ck_assert_int_eq(ticks, 3 * UNITS * EVENTS_A_UNIT);
    free(bytes);
}

START_TEST(bins_of_threads_share_their_room_and_give_it_back)
{
    grower growers[THREADS];
    atomic_long budget = NO_LIMIT, room = LITTLE_ROOM;
    growers_open(growers, &budget, &room);
    run_all(fill_bins, growers, sizeof *growers);
    ck_assert_int_lt(atomic_load(&room), LITTLE_ROOM);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_uint_lt(growers[i].bins->count, UNITS);
        expect_all_in_bins(&growers[i]);
    }
    growers_close(growers);
    ck_assert_int_eq(atomic_load(&room), LITTLE_ROOM);
}
END_TEST

/* -- Tasks -- */

#define TASKS 3000

typedef struct tasker {
    trc_tasks *tasks; /* of all */
    uint32_t index;
    atomic_int *released;
} tasker;

static void count_released(void *name)
{
    atomic_fetch_add((atomic_int *)name, 1);
}

/* Every other task ends. */
static void *run_tasks(void *context)
{
    const tasker *self = context;
    for (uint32_t i = 0; i < TASKS; i++) {
        trc_activation id = 8 * (1 + (trc_activation)self->index * TASKS + i);
        uint32_t number = trc_tasks_begin(self->tasks, id, self->index, i, i);
        insist(trc_tasks_find(self->tasks, id) == number, "a task is found");
        insist(trc_tasks_of_resumed(self->tasks, id, self->index, i, i) == number, "it goes on under its number");
        trc_tasks_name(self->tasks, number, self->released);
        trc_tasks_name(self->tasks, number, self->released); /* the second name is released */
        if (i % 2 == 0) {
            trc_tasks_end(self->tasks, number, id, i + 1);
            insist(trc_tasks_find(self->tasks, id) == 0, "a task that has ended is none");
        }
    }
    return NULL;
}

START_TEST(tasks_of_threads_have_a_number_each)
{
    trc_tasks tasks;
    tasker taskers[THREADS];
    atomic_int released = 0;
    uint32_t begun[THREADS] = {0}, ended = 0;
    trc_tasks_init(&tasks, &trc_system_allocator, count_released);
    for (uint32_t i = 0; i < THREADS; i++) {
        taskers[i] = (tasker){&tasks, i, &released};
    }
    run_all(run_tasks, taskers, sizeof *taskers);
    ck_assert_uint_eq(tasks.count, THREADS * TASKS);
    ck_assert_uint_eq(tasks.dropped, 0);
    ck_assert_int_eq(atomic_load(&released), THREADS * TASKS);
    for (uint32_t i = 0; i < tasks.count; i++) {
        const trc_task *task = &tasks.tasks[i];
        insist(task->node == begun[task->log]++, "those of a thread are in their order");
        ended += task->end == (trc_tick)task->node + 1;
    }
    ck_assert_uint_eq(ended, THREADS * TASKS / 2);
    trc_tasks_free(&tasks);
    ck_assert_int_eq(atomic_load(&released), 2 * THREADS * TASKS);
}
END_TEST

/* -- Logs -- */

#define STRETCHES 40000
#define BLOCKS 12 /* so few that none is thinned in advance: the logs of threads that have ended are asked for */
#define BLOCK_SIZE 512

/* A log and its thread. The node of a stretch tells which one it is: 1 is the first. */
typedef struct scribe {
    trc_log *log;
    uint32_t index;
    uint32_t count;        /* of stretches that it writes */
    atomic_bool *awaited;  /* half of them come only then; or NULL */
    atomic_bool is_over;   /* nobody writes the log any more */
    uint32_t closed_count; /* by others, under the store's lock */
} scribe;

/* They become longer and longer, so `least` rises until the end. */
static trc_tick took_of(uint32_t index, uint32_t stretch)
{
    return 1 + trc_hash((uint64_t)index << 32 | stretch) % (10 + stretch);
}

static void *write_log(void *context)
{
    scribe *self = context;
    trc_tick now = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        while (i == self->count / 2 && self->awaited != NULL && !atomic_load(self->awaited)) {
            sched_yield();
        }
        trc_tick took = took_of(self->index, i);
        trc_log_stretch(self->log, i + 1, now, now + took);
        now += took;
    }
    atomic_store(&self->is_over, true);
    return NULL;
}

/* As a profile closes the logs of threads that have ended. */
static void close_those_that_are_over(void *context)
{
    scribe *scribes = context;
    for (int i = 0; i < THREADS; i++) {
        if (atomic_load(&scribes[i].is_over) && scribes[i].log->open != TRC_NO_BLOCK) {
            trc_log_close_held(scribes[i].log);
            scribes[i].closed_count++;
        }
    }
}

/* Asserts that the blocks of a log have stretches of its own alone, in their order, and returns how many of at least
 * `least`. `first`: the number of the first. */
static uint32_t count_kept(const trc_store *store, const scribe *scribe, trc_tick least, uint32_t *first)
{
    uint32_t kept = 0, latest = 0;
    uint32_t next = scribe->log->full.first;
    for (; next != TRC_NO_BLOCK; next = trc_store_block(store, next)->next) {
        const trc_block *block = trc_store_block(store, next);
        trc_record_place place = {block->base, 0};
        const uint8_t *at = trc_block_records(block);
        for (uint32_t i = 0; i < block->count; i++) {
            trc_record record = trc_get_record(&at, &place);
            insist(record.node > latest && record.node <= scribe->count, "a stretch comes once, in its place");
            insist(record.took == took_of(scribe->index, record.node - 1), "a stretch of another thread, or torn");
            *first = kept == 0 ? record.node : *first;
            latest = record.node;
            kept += record.took >= least;
        }
    }
    return kept;
}

typedef struct desk {
    trc_store store;
    trc_tasks tasks;
    void *blocks;
    scribe scribes[THREADS];
} desk;

static void desk_open(desk *desk, bool is_ring)
{
    *desk = (struct desk){.blocks = calloc(BLOCKS, BLOCK_SIZE)};
    size_t size = (size_t)BLOCKS * BLOCK_SIZE;
    ck_assert(trc_store_init(&desk->store, &trc_system_allocator, desk->blocks, size, BLOCK_SIZE, is_ring));
    trc_tasks_init(&desk->tasks, &trc_system_allocator, count_released);
    desk->store.reclaim = close_those_that_are_over;
    desk->store.context = desk->scribes;
    for (uint32_t i = 0; i < THREADS; i++) {
        trc_log *log = trc_log_new(&desk->store, &desk->tasks, 0);
        ck_assert_ptr_nonnull(log);
        desk->scribes[i] = (scribe){.log = log, .index = i, .count = STRETCHES};
    }
}

static void write_all(desk *desk)
{
    run_all(write_log, desk->scribes, sizeof *desk->scribes);
    for (int i = 0; i < THREADS; i++) {
        trc_log_close(desk->scribes[i].log);
    }
    ck_assert_uint_eq(desk->store.lost, 0);
}

static void desk_close(desk *desk)
{
    for (int i = 0; i < THREADS; i++) {
        trc_log_free(desk->scribes[i].log);
    }
    trc_store_free(&desk->store);
    trc_tasks_free(&desk->tasks);
    free(desk->blocks);
}

START_TEST(logs_of_threads_keep_every_stretch_of_at_least_t)
{
    desk desk;
    desk_open(&desk, false);
    desk.scribes[0].count = STRETCHES / 10;
    for (int i = 1; i < THREADS; i++) {
        desk.scribes[i].awaited = &desk.scribes[0].is_over;
    }
    write_all(&desk);
    trc_tick least = desk.store.least;
    ck_assert_int_gt(least, STRETCHES / 10); /* more than the first thread has: it has nothing left */
    for (int i = 0; i < THREADS; i++) {
        const scribe *scribe = &desk.scribes[i];
        uint32_t expected = 0, first = 0;
        for (uint32_t stretch = 0; stretch < scribe->count; stretch++) {
            expected += took_of(scribe->index, stretch) >= least;
        }
        ck_assert_uint_eq(count_kept(&desk.store, scribe, least, &first), expected);
    }
    ck_assert_uint_eq(desk.scribes[0].closed_count, 1); /* when another next wanted blocks */
    desk_close(&desk);
}
END_TEST

START_TEST(logs_of_threads_in_a_ring_keep_the_latest)
{
    desk desk;
    desk_open(&desk, true);
    write_all(&desk);
    ck_assert(desk.store.has_overwritten);
    uint32_t all = 0;
    for (int i = 0; i < THREADS; i++) {
        uint32_t first = STRETCHES + 1;
        uint32_t kept = count_kept(&desk.store, &desk.scribes[i], 0, &first);
        ck_assert_uint_eq(kept, STRETCHES + 1 - first);
        all += kept;
    }
    ck_assert_uint_gt(all, 0);
    ck_assert_uint_lt(all, THREADS * STRETCHES);
    ck_assert_uint_eq(desk.store.full_count + desk.store.free_count, BLOCKS);
    desk_close(&desk);
}
END_TEST

/* -- The heap, which a periodic thread looks at -- */

#define ALLOCATIONS 20000

/* As a profile with memory has them: all else is under the lock. */
typedef struct store_room {
    trc_biased_lock lock;
    trc_heap heap;
    trc_curve curve;
    trc_resident resident;
    trc_tick looks;
    pthread_t favoured; /* the thread that is, once the lock has its bias */
    uint32_t threads;
} store_room;

static void allocate(store_room *room, bool is_favoured, trc_heap_thread *thread, int first, int last)
{
    for (int i = first; i < last; i++) {
        const void *block = (const char *)thread + (i % 8) * 16; /* nobody else has these addresses */
        bool was_favoured = trc_lock_as(&room->lock, is_favoured);
        uint32_t site = trc_heap_site(&room->heap, thread, (uint32_t)(i % KEYS), 0);
        trc_heap_end(&room->heap, thread, site, block);
        trc_heap_add(&room->heap, thread, site, block, (uint64_t)(i % 100 + 1));
        trc_unlock(&room->lock, was_favoured);
    }
}

static void *be_another(void *context)
{
    store_room *room = context;
    trc_heap_thread thread;
    trc_lock(&room->lock);
    trc_heap_thread_init(&thread, ++room->threads);
    trc_unlock(&room->lock, false);
    allocate(room, false, &thread, 0, ALLOCATIONS);
    trc_lock(&room->lock);
    trc_heap_thread_free(&room->heap, &thread);
    trc_unlock(&room->lock, false);
    return NULL;
}

static void look(void *context)
{
    store_room *room = context;
    trc_lock(&room->lock);
    uint64_t resident = trc_resident_read(&room->resident);
    insist(resident > 0 || room->resident.file < 0, "it is told while others allocate");
    trc_curve_add(&room->curve, ++room->looks, room->heap.live.bytes, resident);
    trc_unlock(&room->lock, false);
}

START_TEST(a_heap_is_looked_at_while_threads_allocate_and_one_becomes_favoured)
{
    static store_room room;
    trc_heap_thread thread;
    trc_periodic_thread periodic;
    pthread_t others[THREADS];
    ck_assert(trc_heap_init(&room.heap, &trc_system_pages));
    trc_heap_thread_init(&thread, 0);
    trc_curve_begin(&room.curve, 1);
    trc_resident_open(&room.resident);
    trc_periodic_thread_start(&periodic, 100000, look, &room);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&others[i], NULL, be_another, &room), 0);
    }
    allocate(&room, false, &thread, 0, ALLOCATIONS / 2);
    trc_bias_lock(&room.lock);
    allocate(&room, true, &thread, ALLOCATIONS / 2, ALLOCATIONS);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(others[i], NULL), 0);
    }
    trc_periodic_thread_stop(&periodic);
    look(&room);
    trc_heap_thread_free(&room.heap, &thread);
    uint64_t allocated = 0, live = 0, blocks = 0;
    for (uint32_t i = 1; i < room.heap.site_count; i++) {
        const trc_site *site = trc_heap_at(&room.heap, i);
        allocated += site->allocated.blocks;
        live += site->live.bytes;
        blocks += site->live.blocks;
    }
    ck_assert_uint_eq(allocated, (THREADS + 1) * ALLOCATIONS);
    ck_assert_uint_eq(room.heap.live.bytes, live);
    ck_assert_uint_eq(blocks, (THREADS + 1) * 8 - room.heap.missed.blocks); /* a stack may lie where one ended */
    const trc_curve_point *last = &room.curve.points[room.curve.count - 1];
    ck_assert_uint_le(last->last, room.heap.peak.bytes);
    trc_resident_close(&room.resident);
    trc_heap_free(&room.heap);
}
END_TEST

Suite *shared_suite(void)
{
    Suite *suite = suite_create("shared");
    TCase *tests = tcase_create("shared");
    tcase_set_tags(tests, "threads");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, threads_spend_one_budget_of_nodes);
    tcase_add_test(tests, bins_of_threads_share_their_room_and_give_it_back);
    tcase_add_test(tests, tasks_of_threads_have_a_number_each);
    tcase_add_test(tests, logs_of_threads_keep_every_stretch_of_at_least_t);
    tcase_add_test(tests, logs_of_threads_in_a_ring_keep_the_latest);
    tcase_add_test(tests, a_heap_is_looked_at_while_threads_allocate_and_one_becomes_favoured);
    suite_add_tcase(suite, tests);
    return suite;
}
