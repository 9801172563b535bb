/* Calls and own time over time: bins end, widen, merge, and are written. */
#include "suites.h"
#include "support.h"

#include <core/report/slices.h>
#include <core/tree/thread.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES 400

/* Bins, and a tree with some nodes below the root: node 1, 2, ... */
typedef struct rack {
    heap memory;
    atomic_long budget;
    atomic_long room;
    trc_calltree tree;
    trc_functab funcs;
    char keys[NODES];
    trc_node *nodes[NODES + 1];
    trc_bins *bins;
} rack;

static void rack_open(rack *rack, trc_tick origin, trc_tick unit, trc_tick now)
{
    memset(rack, 0, sizeof *rack);
    heap_init(&rack->memory);
    atomic_init(&rack->budget, NO_LIMIT);
    atomic_init(&rack->room, TRC_BIN_ROOM);
    trc_functab_init(&rack->funcs, &rack->memory.allocator, NULL);
    ck_assert(trc_calltree_init(&rack->tree, &rack->memory.allocator, &rack->budget));
    for (int i = 1; i <= NODES; i++) {
        trc_func *func = trc_functab_add(&rack->funcs, &rack->keys[i - 1], NULL);
        rack->nodes[i] = trc_calltree_add(&rack->tree, rack->tree.root, func, false);
        insist(rack->nodes[i]->index == (uint32_t)i, "a node has another index");
    }
    rack->bins = trc_bins_new(&rack->memory.allocator, &rack->room, origin, unit, now);
    ck_assert_ptr_nonnull(rack->bins);
}

static void rack_close(rack *rack)
{
    trc_bins_free(rack->bins);
    trc_calltree_free(&rack->tree);
    trc_functab_free(&rack->funcs);
    ck_assert_int_eq(atomic_load(&rack->room), TRC_BIN_ROOM);
    ck_assert_int_eq(rack->memory.blocks, 0);
}

/* A node is called, and has own time, in the present bin. */
static void use(rack *rack, int node, trc_tick ticks)
{
    trc_bins_touch(rack->bins, rack->nodes[node]);
    rack->nodes[node]->calls++;
    trc_add_ticks(&rack->nodes[node]->self, ticks);
}

/* The sums of the units [first, last), as text: "1: 2 calls 30 ticks; ...". */
static const char *sums_of(const trc_bins *bins, const trc_node *root, uint64_t first, uint64_t last)
{
    static char text[1000];
    uint8_t *bytes = malloc(trc_bins_size(bins));
    size_t size = trc_bins_write(bins, bytes, root, 0, 0);
    trc_bin_sum all[NODES + 1] = {{0, 0}};
    ck_assert(trc_bins_add_up(all, NODES + 1, bytes, size, &(trc_bins_part){first, last, 1, 0, UINT64_MAX, true}));
    int used = 0;
    text[0] = '\0';
    for (int i = 0; i <= NODES && used < 900; i++) {
        if (all[i].calls != 0 || all[i].self != 0) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%d: %llu calls %lld ticks; ", i,
                             (unsigned long long)all[i].calls, (long long)all[i].self);
        }
    }
    free(bytes);
    return text;
}

static const char *sums(const rack *rack, uint64_t first, uint64_t last)
{
    return sums_of(rack->bins, rack->tree.root, first, last);
}

/* A thread that writes a log, and has bins of `unit` ticks. */
typedef struct logged {
    stage stage;
    atomic_long room;
    trc_store store;
    trc_tasks tasks;
    void *memory;
    trc_bins *bins;
} logged;

static void logged_open(logged *logged, trc_tick unit)
{
    ck_assert(stage_open(&logged->stage, NO_LIMIT, 0, 0));
    atomic_init(&logged->room, TRC_BIN_ROOM);
    logged->memory = calloc(8, 512);
    ck_assert(trc_store_init(&logged->store, &trc_system_allocator, logged->memory, 4096, 512, false));
    trc_tasks_init(&logged->tasks, &trc_system_allocator, NULL);
    logged->bins = trc_bins_new(&logged->stage.memory.allocator, &logged->room, 1000, unit, 1000);
    trc_thread_write_log(&logged->stage.thread, trc_log_new(&logged->store, &logged->tasks, 1000), logged->bins);
}

static void logged_close(logged *logged)
{
    stage_close(&logged->stage);
    trc_store_free(&logged->store);
    trc_tasks_free(&logged->tasks);
    free(logged->memory);
}

START_TEST(a_bin_has_what_came_between_its_begin_and_its_end)
{
    rack rack;
    rack_open(&rack, 1000, 10, 1000);
    ck_assert_int_eq(rack.bins->ends, 1010);
    use(&rack, 1, 4);
    use(&rack, 2, 3);
    use(&rack, 1, 3);
    ck_assert_str_eq(sums(&rack, 0, 1), "1: 2 calls 7 ticks; 2: 1 calls 3 ticks; ");
    trc_bins_end(rack.bins, &rack.tree);
    ck_assert_int_eq(rack.bins->ends, 1020);
    use(&rack, 2, 10);
    trc_bins_end(rack.bins, &rack.tree);
    trc_bins_end(rack.bins, &rack.tree); /* nothing was in it */
    ck_assert_uint_eq(rack.bins->count, 2);
    use(&rack, 3, -6); /* a clock that goes back */
    ck_assert_str_eq(sums(&rack, 0, 1), "1: 2 calls 7 ticks; 2: 1 calls 3 ticks; ");
    ck_assert_str_eq(sums(&rack, 1, 2), "2: 1 calls 10 ticks; ");
    ck_assert_str_eq(sums(&rack, 2, 3), "");
    ck_assert_str_eq(sums(&rack, 3, 4), "3: 1 calls -6 ticks; ");
    ck_assert_str_eq(sums(&rack, 0, 9), "1: 2 calls 7 ticks; 2: 2 calls 13 ticks; 3: 1 calls -6 ticks; ");
    rack_close(&rack);
}
END_TEST

START_TEST(at_their_limit_the_bins_become_twice_as_wide)
{
    rack rack;
    rack_open(&rack, 0, 10, 0);
    for (int i = 0; i < TRC_BIN_LIMIT; i++) {
        ck_assert_uint_eq(rack.bins->width, 1);
        use(&rack, 1 + i % 5, 2);
        trc_bins_end(rack.bins, &rack.tree);
    }
    ck_assert_uint_eq(rack.bins->width, 2);
    ck_assert_int_eq(rack.bins->ends, 10 * (TRC_BIN_LIMIT + 2));
    for (int i = 0; i < 400; i++) {
        use(&rack, 6, 1);
        trc_bins_end(rack.bins, &rack.tree);
    }
    ck_assert_uint_le(rack.bins->count, TRC_BIN_LIMIT);
    ck_assert_uint_ge(rack.bins->count, TRC_BIN_LIMIT / 2);
    ck_assert_str_eq(sums(&rack, 0, 2), "1: 1 calls 2 ticks; 2: 1 calls 2 ticks; ");
    ck_assert_str_eq(sums(&rack, 10, 12), "1: 1 calls 2 ticks; 2: 1 calls 2 ticks; ");
    ck_assert_str_eq(sums(&rack, 1024, 1026), "6: 1 calls 1 ticks; ");
    ck_assert_str_eq(sums(&rack, 0, UINT64_MAX),
                     "1: 205 calls 410 ticks; 2: 205 calls 410 ticks; 3: 205 calls 410 ticks; 4: 205 calls 410 ticks; "
                     "5: 204 calls 408 ticks; 6: 400 calls 400 ticks; ");
    rack_close(&rack);
}
END_TEST

START_TEST(bins_of_many_nodes_keep_to_their_room)
{
    rack rack;
    rack_open(&rack, 0, 10, 0);
    atomic_fetch_sub(&rack.room, TRC_BIN_ROOM - 20000);
    for (int i = 0; i < 5000; i++) {
        for (int node = 1; node <= NODES; node++) {
            use(&rack, node, 1);
        }
        if (10 * (trc_tick)(i + 1) == rack.bins->ends) {
            trc_bins_end(rack.bins, &rack.tree);
        }
        insist(atomic_load(&rack.room) > -5000, "the bins take more than their room");
    }
    ck_assert_uint_ge(rack.bins->count, 4);
    ck_assert_ptr_nonnull(strstr(sums(&rack, 0, UINT64_MAX), "11: 5000 calls 5000 ticks; "));
    atomic_fetch_add(&rack.room, TRC_BIN_ROOM - 20000);
    rack_close(&rack);
}
END_TEST

START_TEST(bins_that_begin_anew_keep_to_their_limit)
{
    /* A profile that is started and stopped over and over: no bin ends while it runs. */
    rack rack;
    rack_open(&rack, 0, 10, 0);
    for (int i = 0; i < 20000; i++) {
        trc_bins_begin(rack.bins, &rack.tree, 30 * (trc_tick)i);
        use(&rack, 1, 5);
        insist(rack.bins->count <= 2 * TRC_BIN_LIMIT, "there are too many bins");
        insist(rack.bins->ends > 30 * (trc_tick)i, "a bin that is over");
    }
    ck_assert_str_eq(sums(&rack, 0, UINT64_MAX), "1: 20000 calls 100000 ticks; ");
    ck_assert_uint_gt(rack.bins->width, 32);
    rack_close(&rack);
}
END_TEST

START_TEST(nodes_are_touched_anew_when_the_epochs_begin_again)
{
    rack rack;
    rack_open(&rack, 0, 10, 0);
    use(&rack, 1, 5);
    use(&rack, 2, 5);
    for (int i = 0; i < 65534; i++) {
        trc_bins_end(rack.bins, &rack.tree);
    }
    ck_assert_uint_eq(rack.bins->epoch, TRC_EPOCH_BITS);
    trc_bins_end(rack.bins, &rack.tree);
    ck_assert_uint_eq(rack.bins->epoch, TRC_FIRST_EPOCH); /* as it was when the nodes were touched */
    use(&rack, 1, 7);
    ck_assert_uint_eq(trc_node_calls(rack.nodes[1]), 2);
    ck_assert_str_eq(sums(&rack, 0, 1), "1: 1 calls 5 ticks; 2: 1 calls 5 ticks; ");
    ck_assert_str_eq(sums(&rack, 65535, 65536), "1: 1 calls 7 ticks; ");
    rack_close(&rack);
}
END_TEST

START_TEST(a_bin_that_is_wanted_in_part_counts_in_proportion)
{
    rack rack;
    rack_open(&rack, 0, 10, 0);
    use(&rack, 1, 1000003);
    uint8_t *bytes = malloc(trc_bins_size(rack.bins));
    size_t size = trc_bins_write(rack.bins, bytes, rack.tree.root, 0, 0);
    for (uint64_t step = 1; step <= 16; step++) {
        trc_bin_sum sums[NODES + 1] = {{0, 0}};
        for (uint64_t first = 0; first < 10; first += step) {
            trc_bins_part part = {first, first + step, 10, 2, 7, false};
            ck_assert(trc_bins_add_up(sums, NODES + 1, bytes, size, &part));
            ck_assert(first + step < 7 || sums[1].self == 1000003);
            ck_assert(first + step > 2 || sums[1].self == 0);
        }
        ck_assert_uint_eq(sums[1].calls, 1);
        ck_assert_int_eq(sums[1].self, 1000003);
    }
    trc_bin_sum half[NODES + 1] = {{0, 0}};
    ck_assert(trc_bins_add_up(half, NODES + 1, bytes, size, &(trc_bins_part){0, 4, 10, 0, 8, false}));
    ck_assert_int_eq(half[1].self, 500001);
    free(bytes);
    rack_close(&rack);
}
END_TEST

START_TEST(pending_time_of_the_top_is_written_up_to_now)
{
    rack rack;
    rack_open(&rack, 0, 10, 0);
    use(&rack, 1, 4);
    uint8_t *bytes = malloc(trc_bins_size(rack.bins));
    size_t size = trc_bins_write(rack.bins, bytes, rack.nodes[1], 4, 1000007);
    trc_bin_sum all[NODES + 1];
    uint64_t firsts[] = {0, 1, 99999, 100000, 0}, lasts[] = {1, 2, 100000, 100001, UINT64_MAX};
    for (int i = 0; i < 5; i++) {
        memset(all, 0, sizeof all);
        ck_assert(trc_bins_add_up(all, NODES + 1, bytes, size,
                                  &(trc_bins_part){firsts[i], lasts[i], 1, 0, UINT64_MAX, true}));
        ck_assert_int_eq(all[1].calls, i == 0 || i == 4);
        ck_assert_int_ge(all[1].self, i == 4 ? 1000007 : i == 3 ? 7 : 10);
    }
    ck_assert_int_eq(all[1].self, 1000007);
    free(bytes);
    rack_close(&rack);
}
END_TEST

START_TEST(a_long_time_without_an_event_is_in_few_bins)
{
    logged logged;
    logged_open(&logged, 10);
    stage_play(&logged.stage, "a5b");
    logged.stage.now = 1000 + 10 * 1027 + 3;
    stage_play(&logged.stage, ")2");
    /* unit 0; 10 bins of 1, 2, 4, ... 512 units up to unit 1024; those of 2 and of 1 up to the present one */
    ck_assert_uint_eq(logged.bins->count, 13);
    ck_assert_uint_eq(logged.bins->width, 1);
    ck_assert_int_eq(logged.bins->ends, 1000 + 10 * 1028);
    const trc_node *root = logged.stage.thread.tree.root;
    ck_assert_str_eq(sums_of(logged.bins, root, 0, 1), "1: 1 calls 5 ticks; 2: 1 calls 5 ticks; ");
    ck_assert_str_eq(sums_of(logged.bins, root, 1, 2), "2: 0 calls 10 ticks; ");
    ck_assert_str_eq(sums_of(logged.bins, root, 512, 1024), "2: 0 calls 5120 ticks; ");
    ck_assert_str_eq(sums_of(logged.bins, root, 1, 1027), "2: 0 calls 10260 ticks; ");
    ck_assert_str_eq(sums_of(logged.bins, root, 1027, 1028), "2: 0 calls 3 ticks; ");
    logged_close(&logged);
}
END_TEST

START_TEST(idle_time_is_in_no_bin_however_long_it_is)
{
    logged logged;
    logged_open(&logged, 1);
    stage_play(&logged.stage, "a5)");
    logged.stage.now = (trc_tick)1 << 61;
    stage_play(&logged.stage, "a)");
    ck_assert_uint_eq(logged.bins->count, 4); /* units 0; 1; 2 and 3; 4 */
    ck_assert_uint_eq(logged.bins->width, 1);
    ck_assert_int_eq(logged.bins->ends, ((trc_tick)1 << 61) + 1);
    ck_assert_str_eq(sums_of(logged.bins, logged.stage.thread.tree.root, 0, UINT64_MAX), "1: 2 calls 5 ticks; ");
    logged_close(&logged);
}
END_TEST

START_TEST(long_times_between_events_keep_to_the_limit)
{
    /* Most bins are wider than what new ones are, for some time. */
    logged logged;
    logged_open(&logged, 10);
    stage_play(&logged.stage, "a");
    for (int i = 1; i <= 5000; i++) {
        logged.stage.now = 1000 + (trc_tick)i * 1234567;
        stage_play(&logged.stage, "b)");
        insist(logged.bins->count <= TRC_BIN_LIMIT + 64, "there are too many bins");
        insist(logged.bins->ends > logged.stage.now, "a bin that is over");
    }
    ck_assert_uint_lt(logged.bins->width, 5000 * UINT64_C(123457) / 256);
    ck_assert_uint_ge(logged.bins->count, TRC_BIN_LIMIT / 4);
    ck_assert_str_eq(sums_of(logged.bins, logged.stage.thread.tree.root, 0, UINT64_MAX),
                     "1: 1 calls 6172835000 ticks; 2: 5000 calls 0 ticks; ");
    logged_close(&logged);
}
END_TEST

START_TEST(a_clock_that_jumps_far_ends_few_bins)
{
    logged logged;
    logged_open(&logged, 1);
    stage_play(&logged.stage, "a5b");
    logged.stage.now = (trc_tick)1 << 61;
    stage_play(&logged.stage, "))");
    ck_assert_int_eq(logged.bins->ends, ((trc_tick)1 << 61) + 1);
    ck_assert_uint_le(logged.bins->count, 128);
    logged.stage.now = INT64_MAX - 10;
    stage_play(&logged.stage, "c3d");
    ck_assert_int_eq(logged.bins->ends, INT64_MAX - 6); /* it began 3 ticks later */
    logged.stage.now = 50;                              /* and back */
    stage_play(&logged.stage, "4))2");
    ck_assert_uint_eq(logged.bins->lost, 0);
    logged_close(&logged);
}
END_TEST

START_TEST(a_clock_that_jumps_while_memory_is_out_loses_what_is_between)
{
    logged logged;
    logged_open(&logged, 1);
    stage_play(&logged.stage, "a5b");
    uint32_t count = logged.bins->count;
    logged.stage.memory.first_failure = logged.stage.memory.requests + 1;
    logged.stage.memory.last_failure = LONG_MAX;
    logged.stage.now = 1005 + 1024;
    stage_play(&logged.stage, "))");
    logged.stage.memory.first_failure = logged.stage.memory.last_failure = 0;
    ck_assert_uint_eq(logged.bins->count, count);
    /* `a` and `b` in unit 5; `b` in bins of 2, 8, 16, ... 512 units up to unit 1024, and of 4 and 1 behind it */
    ck_assert_uint_eq(logged.bins->lost, 12);
    ck_assert_int_eq(logged.bins->ends, 1005 + 1024 + 1);
    logged_close(&logged);
}
END_TEST

START_TEST(what_finds_no_memory_is_lost_and_counted)
{
    for (long failure = 1; failure < 12; failure++) {
        rack rack;
        rack_open(&rack, 0, 10, 0);
        rack.memory.first_failure = rack.memory.last_failure = rack.memory.requests + failure;
        uint64_t used = 0;
        for (int i = 0; i < 3000; i++) {
            use(&rack, 1 + i % 100, 2);
            used += 2;
            if (i % 2 == 1) {
                trc_bins_end(rack.bins, &rack.tree);
            }
        }
        uint8_t *bytes = malloc(trc_bins_size(rack.bins));
        size_t size = trc_bins_write(rack.bins, bytes, rack.tree.root, 0, 0);
        trc_bin_sum all[NODES + 1] = {{0, 0}};
        ck_assert(
            trc_bins_add_up(all, NODES + 1, bytes, size, &(trc_bins_part){0, UINT64_MAX, 1, 0, UINT64_MAX, true}));
        for (int i = 1; i <= 100; i++) {
            used -= (uint64_t)all[i].self;
        }
        ck_assert_uint_eq(used, 2 * rack.bins->lost);
        free(bytes);
        rack_close(&rack);
    }
}
END_TEST

Suite *bins_suite(void)
{
    Suite *suite = suite_create("bins");
    TCase *tcase = tcase_create("bins");
    tcase_add_test(tcase, a_bin_has_what_came_between_its_begin_and_its_end);
    tcase_add_test(tcase, at_their_limit_the_bins_become_twice_as_wide);
    tcase_add_test(tcase, bins_of_many_nodes_keep_to_their_room);
    tcase_add_test(tcase, bins_that_begin_anew_keep_to_their_limit);
    tcase_add_test(tcase, nodes_are_touched_anew_when_the_epochs_begin_again);
    tcase_add_test(tcase, a_bin_that_is_wanted_in_part_counts_in_proportion);
    tcase_add_test(tcase, pending_time_of_the_top_is_written_up_to_now);
    tcase_add_test(tcase, a_long_time_without_an_event_is_in_few_bins);
    tcase_add_test(tcase, idle_time_is_in_no_bin_however_long_it_is);
    tcase_add_test(tcase, long_times_between_events_keep_to_the_limit);
    tcase_add_test(tcase, a_clock_that_jumps_far_ends_few_bins);
    tcase_add_test(tcase, a_clock_that_jumps_while_memory_is_out_loses_what_is_between);
    tcase_add_test(tcase, what_finds_no_memory_is_lost_and_counted);
    suite_add_tcase(suite, tcase);
    return suite;
}
