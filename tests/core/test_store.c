/* The blocks of logs: taken, filled, thinned in place, overwritten in a ring. */
#include "suites.h"
#include "support.h"

#include <core/log/log.h>
#include <stdlib.h>

/* A store, and logs that write into it. */
#define LOGS 40

typedef struct shelf {
    heap memory;
    trc_store store;
    trc_tasks tasks;
    void *blocks;
    trc_log *logs[LOGS];
    trc_tick now;
} shelf;

static void release_nothing(void *name)
{
    (void)name;
}

static void shelf_open(shelf *shelf, uint32_t blocks, uint32_t block_size, bool is_ring, int logs)
{
    memset(shelf, 0, sizeof *shelf);
    heap_init(&shelf->memory);
    shelf->blocks = calloc(blocks, block_size);
    size_t size = (size_t)blocks * block_size;
    ck_assert(trc_store_init(&shelf->store, &shelf->memory.allocator, shelf->blocks, size, block_size, is_ring));
    trc_tasks_init(&shelf->tasks, &shelf->memory.allocator, release_nothing);
    for (int i = 0; i < logs; i++) {
        shelf->logs[i] = trc_log_new(&shelf->store, &shelf->tasks, 0);
        ck_assert_ptr_nonnull(shelf->logs[i]);
    }
}

static void shelf_close(shelf *shelf)
{
    for (int i = 0; i < LOGS; i++) {
        trc_log_free(shelf->logs[i]);
    }
    trc_store_free(&shelf->store);
    trc_tasks_free(&shelf->tasks);
    free(shelf->blocks);
    ck_assert_int_eq(shelf->memory.blocks, 0);
}

/* One stretch of this length, which begins when the one before ended. */
static void write(shelf *shelf, int log, uint32_t node, trc_tick took)
{
    shelf->now += took;
    trc_log_stretch(shelf->logs[log], node, shelf->now - took, shelf->now);
}

/* A stretch that takes three bytes, as these do, fills a block of 512 with 138: 64 of its bytes are the head, and none
 * begins where 35 may not follow. */
#define IN_A_BLOCK 138

static uint32_t free_blocks(const shelf *shelf)
{
    uint32_t count = shelf->store.block_count - shelf->store.fresh;
    for (uint32_t block = shelf->store.free; block != TRC_NO_BLOCK;
         block = trc_store_block(&shelf->store, block)->next) {
        count++;
    }
    return count;
}

/* How many stretches the full blocks of a log have, of at least `least`. */
static uint64_t stretches_of(const shelf *shelf, int log, trc_tick least)
{
    uint64_t count = 0;
    uint32_t next = shelf->logs[log]->full.first;
    for (; next != TRC_NO_BLOCK; next = trc_store_block(&shelf->store, next)->next) {
        const trc_block *block = trc_store_block(&shelf->store, next);
        trc_record_place place = {block->base, 0};
        const uint8_t *at = trc_block_records(block);
        for (uint32_t i = 0; i < block->count; i++) {
            count += trc_get_record(&at, &place).took >= least;
        }
        insist(at == trc_block_records(block) + block->used, "a block has another number of bytes");
        insist(place.end == block->end && place.node == block->node, "a block ends elsewhere");
    }
    return count;
}

START_TEST(a_class_of_lengths_is_a_sixteenth_of_an_octave)
{
    ck_assert_int_eq(trc_took_of_class(trc_took_class(-5)), 0);
    for (trc_tick took = 0; took < 32; took++) {
        ck_assert_int_eq(trc_took_of_class(trc_took_class(took)), took);
    }
    ck_assert_int_eq(trc_took_of_class(trc_took_class(33)), 32);
    ck_assert_int_eq(trc_took_of_class(trc_took_class(34)), 34);
    ck_assert_int_eq(trc_took_of_class(trc_took_class(1000)), 992);
    ck_assert_int_eq(trc_took_of_class(trc_took_class(1023)), 992);
    ck_assert_int_eq(trc_took_of_class(trc_took_class(1024)), 1024);
    ck_assert_int_eq(trc_took_of_class(trc_took_class(INT64_MAX)), (INT64_MAX >> 58) << 58);
    ck_assert_uint_lt(trc_took_class(INT64_MAX), TRC_TOOK_CLASSES);
    for (unsigned class = 0; class < trc_took_class(INT64_MAX); class++) {
        insist(trc_took_of_class(class) < trc_took_of_class(class + 1), "classes out of order");
        insist(trc_took_class(trc_took_of_class(class)) == class, "a class that begins elsewhere");
    }
    ck_assert_int_eq(trc_took_of_class(TRC_TOOK_CLASSES - 1), INT64_MAX);
}
END_TEST

START_TEST(blocks_are_taken_in_order_and_filled_one_by_one)
{
    shelf shelf;
    shelf_open(&shelf, 8, 512, false, 1);
    ck_assert_uint_eq(free_blocks(&shelf), 8);
    for (int i = 0; i < IN_A_BLOCK; i++) {
        write(&shelf, 0, 1, 9);
    }
    ck_assert_uint_eq(free_blocks(&shelf), 7);
    ck_assert_uint_eq(shelf.logs[0]->full.first, TRC_NO_BLOCK);
    write(&shelf, 0, 1, 9);
    ck_assert_uint_eq(free_blocks(&shelf), 6);
    const trc_block *block = trc_store_block(&shelf.store, 0);
    ck_assert_uint_eq(shelf.logs[0]->full.first, 0);
    ck_assert_uint_eq(shelf.logs[0]->full.last, 0);
    ck_assert_int_eq(block->base, 0);
    ck_assert_int_eq(block->end, 9 * IN_A_BLOCK);
    ck_assert_uint_eq(block->count, IN_A_BLOCK);
    ck_assert_uint_eq(block->used, 3 * IN_A_BLOCK);
    ck_assert_uint_eq(block->state, TRC_BLOCK_FULL);
    ck_assert_int_eq(trc_store_block(&shelf.store, 1)->base, 9 * IN_A_BLOCK);
    ck_assert_uint_eq(trc_store_block(&shelf.store, 1)->state, TRC_BLOCK_OPEN);
    ck_assert_uint_eq(shelf.store.took[trc_took_class(9)], IN_A_BLOCK); /* the first block is in the sample */
    for (int i = 0; i < IN_A_BLOCK; i++) {
        write(&shelf, 0, 1, 9);
    }
    ck_assert_uint_eq(shelf.store.took[trc_took_class(9)], IN_A_BLOCK); /* the second is not */
    shelf_close(&shelf);
}
END_TEST

START_TEST(half_of_the_stretches_go_when_no_block_is_free)
{
    shelf shelf;
    shelf_open(&shelf, 4, 512, false, 1);
    for (int i = 0; i < 4 * IN_A_BLOCK; i++) {
        write(&shelf, 0, 1, i % 2 == 0 ? 10 : 20);
    }
    ck_assert_int_eq(shelf.store.least, 0);
    ck_assert_uint_eq(free_blocks(&shelf), 0);
    write(&shelf, 0, 1, 20);
    ck_assert_int_eq(shelf.store.least, 11);
    ck_assert_int_eq(shelf.logs[0]->least, 11);
    /* The first two blocks are one now; the third may not be thinned yet. */
    ck_assert_uint_eq(stretches_of(&shelf, 0, 11), 4 * IN_A_BLOCK / 2);
    ck_assert_uint_eq(trc_store_block(&shelf.store, 0)->count, IN_A_BLOCK);
    ck_assert_int_eq(trc_store_block(&shelf.store, 0)->least, 11);
    write(&shelf, 0, 1, 10); /* is too short */
    ck_assert_uint_eq(shelf.logs[0]->count, 1);
    ck_assert_uint_eq(shelf.store.lost, 0);
    shelf_close(&shelf);
}
END_TEST

START_TEST(no_event_waits_for_more_than_a_few_blocks)
{
    /* What the run begins with are long stretches, which all stay: only later blocks give room. */
    shelf shelf;
    shelf_open(&shelf, 256, 512, false, 1);
    uint64_t written = 0, most = 0;
    for (uint64_t i = 0; i < 1000 * IN_A_BLOCK; i++) {
        uint64_t before = shelf.store.rewritten;
        bool is_long = i < 50 * IN_A_BLOCK;
        write(&shelf, 0, 1, is_long ? 7000 : 10 + (trc_tick)(i % 6000));
        written += is_long;
        uint64_t now = shelf.store.rewritten - before;
        most = now > most ? now : most;
    }
    ck_assert_uint_gt(shelf.store.rewritten, 256);
    ck_assert_uint_le(most, 2 * TRC_THIN_AT_ONCE);
    ck_assert_int_gt(shelf.store.least, 10);
    ck_assert_int_le(shelf.store.least, 7000);
    ck_assert_uint_eq(shelf.store.lost, 0);
    ck_assert_uint_eq(stretches_of(&shelf, 0, 7000), written);
    shelf_close(&shelf);
}
END_TEST

START_TEST(a_quarter_of_the_budget_is_in_use_once_t_is_up)
{
    shelf shelf;
    shelf_open(&shelf, 200, 512, false, 1);
    uint32_t seed = 1, fewest = 200;
    for (int i = 0; i < 1000000; i++) {
        seed = seed * 1664525 + 1013904223;
        trc_tick took = (trc_tick)((uint64_t)1 << (seed >> 16) % 10) + (seed >> 8 & 31);
        write(&shelf, 0, 1 + (seed >> 20) % 50, took);
        uint32_t used = 200 - free_blocks(&shelf);
        fewest = shelf.store.least > 0 && used < fewest ? used : fewest;
    }
    ck_assert_int_gt(shelf.store.least, 100);
    ck_assert_uint_ge(fewest, 50);
    shelf_close(&shelf);
}
END_TEST

START_TEST(t_does_not_rise_where_that_frees_nothing)
{
    /* Forty logs for thirty blocks: each of the first thirty keeps its own, and the others lose what they have. */
    shelf shelf;
    shelf_open(&shelf, 30, 512, false, LOGS);
    for (int i = 0; i < LOGS; i++) {
        write(&shelf, i, 1, 50);
        write(&shelf, i, 1, 60);
    }
    ck_assert_int_eq(shelf.store.least, 0);
    ck_assert_uint_eq(shelf.store.lost, 20);
    for (int i = 0; i < LOGS; i++) {
        ck_assert_uint_eq(shelf.logs[i]->count, i < 30 ? 2 : 0);
    }
    shelf_close(&shelf);
}
END_TEST

static void close_first_log(void *context)
{
    shelf *shelf = context;
    trc_log_close_held(shelf->logs[0]);
}

START_TEST(a_log_that_nobody_writes_any_more_is_closed_before_t_rises)
{
    shelf shelf;
    shelf_open(&shelf, 2, 512, true, 3);
    shelf.store.reclaim = close_first_log;
    shelf.store.context = &shelf;
    write(&shelf, 0, 1, 50);
    write(&shelf, 1, 1, 50);
    write(&shelf, 2, 1, 50);
    ck_assert_uint_eq(shelf.store.lost, 0);
    ck_assert_uint_eq(shelf.logs[0]->open, TRC_NO_BLOCK);
    ck_assert_uint_eq(shelf.logs[2]->open, 0);
    ck_assert(shelf.store.has_overwritten);
    ck_assert_int_eq(shelf.store.since, 50);
    shelf_close(&shelf);
}
END_TEST

START_TEST(a_ring_takes_the_block_that_was_filled_first)
{
    shelf shelf;
    shelf_open(&shelf, 4, 512, true, 2);
    for (int i = 0; i <= IN_A_BLOCK; i++) { /* fills block 0, opens block 1 */
        write(&shelf, 0, 1, 9);
    }
    for (int i = 0; i <= IN_A_BLOCK; i++) { /* fills block 2, opens block 3 */
        write(&shelf, 1, 1, 9);
    }
    for (int i = 0; i < IN_A_BLOCK; i++) { /* fills block 1, and takes block 0 */
        write(&shelf, 0, 1, 9);
    }
    ck_assert_uint_eq(shelf.logs[0]->full.first, 1);
    ck_assert_uint_eq(shelf.logs[0]->open, 0);
    ck_assert_uint_eq(shelf.logs[1]->full.first, 2);
    ck_assert_int_eq(shelf.store.since, 9 * IN_A_BLOCK);
    ck_assert_int_eq(shelf.store.least, 0);
    for (int i = 0; i < IN_A_BLOCK; i++) {
        write(&shelf, 1, 1, 9);
    }
    ck_assert_uint_eq(shelf.logs[1]->full.first, 3); /* block 2 was filled before block 1 */
    ck_assert_int_eq(shelf.store.since, 9 * (2 * IN_A_BLOCK + 1));
    shelf_close(&shelf);
}
END_TEST

START_TEST(a_record_goes_to_the_block_before_with_its_place)
{
    /* A clock that goes back, nodes far apart, and what is left of each block goes into the one before. */
    shelf shelf;
    shelf_open(&shelf, 4, 512, false, 1);
    for (int i = 0; i < 400; i++) {
        shelf.now += i % 7 == 0 ? -5000 : 3000;
        trc_tick took = i % 3 == 0 ? 2000 : 100;
        uint32_t node = i % 2 == 0 ? 1 : 500000000;
        trc_log_stretch(shelf.logs[0], node, trc_ticks_since(shelf.now, took), shelf.now);
    }
    ck_assert_int_gt(shelf.store.least, 100);
    ck_assert_int_le(shelf.store.least, 2000);
    uint64_t kept = stretches_of(&shelf, 0, 2000) + shelf.logs[0]->count;
    ck_assert_uint_eq(kept, 133); /* the first ends before the log begins */
    shelf_close(&shelf);
}
END_TEST

START_TEST(a_log_that_is_freed_leaves_the_others_to_be_thinned)
{
    shelf shelf;
    shelf_open(&shelf, 8, 512, false, 3);
    for (int i = 0; i < 2 * IN_A_BLOCK + 1; i++) {
        for (int log = 0; log < 3; log++) {
            write(&shelf, log, 1, i % 2 == 0 ? 10 : 20);
        }
    }
    trc_log *first = shelf.logs[0];
    ck_assert_ptr_eq(shelf.store.thinning, &first->full);
    trc_log_free(first);
    shelf.logs[0] = NULL;
    ck_assert_ptr_eq(shelf.store.thinning, &shelf.logs[1]->full);
    for (int i = 0; i < 3 * IN_A_BLOCK; i++) {
        write(&shelf, 1, 1, 20);
        write(&shelf, 2, 1, 20);
    }
    shelf_close(&shelf);
}
END_TEST

START_TEST(without_memory_there_is_no_store_and_no_log)
{
    shelf shelf;
    shelf_open(&shelf, 2, 512, false, 0);
    shelf.memory.first_failure = 1;
    shelf.memory.last_failure = 1000;
    trc_store other;
    ck_assert(!trc_store_init(&other, &shelf.memory.allocator, shelf.blocks, 1024, 512, false));
    trc_store_free(&other);
    ck_assert_ptr_null(trc_log_new(&shelf.store, &shelf.tasks, 0));
    ck_assert_ptr_null(shelf.store.chains);
    shelf_close(&shelf);
}
END_TEST

Suite *store_suite(void)
{
    Suite *suite = suite_create("store");
    TCase *tcase = tcase_create("store");
    tcase_add_test(tcase, a_class_of_lengths_is_a_sixteenth_of_an_octave);
    tcase_add_test(tcase, blocks_are_taken_in_order_and_filled_one_by_one);
    tcase_add_test(tcase, half_of_the_stretches_go_when_no_block_is_free);
    tcase_add_test(tcase, no_event_waits_for_more_than_a_few_blocks);
    tcase_add_test(tcase, a_quarter_of_the_budget_is_in_use_once_t_is_up);
    tcase_add_test(tcase, t_does_not_rise_where_that_frees_nothing);
    tcase_add_test(tcase, a_log_that_nobody_writes_any_more_is_closed_before_t_rises);
    tcase_add_test(tcase, a_ring_takes_the_block_that_was_filled_first);
    tcase_add_test(tcase, a_record_goes_to_the_block_before_with_its_place);
    tcase_add_test(tcase, a_log_that_is_freed_leaves_the_others_to_be_thinned);
    tcase_add_test(tcase, without_memory_there_is_no_store_and_no_log);
    suite_add_tcase(suite, tcase);
    return suite;
}
