/* blocks.[ch]: what is put can be taken once, with its size, wherever in memory it is. Random steps are held against a
 * plain array. */
#include "paper.h"
#include "suites.h"
#include "support.h"

#include <core/heap/blocks.h>

static void put(trc_blocks *blocks, uintptr_t address, uint32_t site, uint64_t size)
{
    trc_live_block missed;
    insist(trc_blocks_put(blocks, address, (trc_live_block){site, size}, &missed), "no room for a block");
    insist(missed.site == 0, "a block was missed");
}

static void take(trc_blocks *blocks, uintptr_t address, uint32_t site, uint64_t size)
{
    trc_live_block found = trc_blocks_find(blocks, address);
    trc_live_block block = trc_blocks_take(blocks, address);
    insist(block.site == site && (site == 0 || block.size == size), "another block was taken");
    insist(found.site == site && (site == 0 || found.size == size), "another block was found");
}

START_TEST(an_empty_table_has_nothing)
{
    paper paper;
    trc_blocks blocks;
    paper_init(&paper);
    trc_blocks_init(&blocks, &paper.pages);
    take(&blocks, 0, 0, 0);
    take(&blocks, 16, 0, 0);
    take(&blocks, UINTPTR_MAX, 0, 0);
    ck_assert_int_eq(paper.requests, 0);
    trc_blocks_free(&blocks);
}
END_TEST

/* The places in the address space, and the sizes, at which another part of the table has the block. */
START_TEST(a_block_is_taken_once)
{
    static const uintptr_t addresses[] = {16,
                                          1 << 21,
                                          (1 << 21) - 16,
                                          (uintptr_t)1 << 34,
                                          ((uintptr_t)1 << 34) - 16,
                                          ((uintptr_t)1 << 48) - 16,
                                          (uintptr_t)1 << 48,
                                          UINTPTR_MAX,
                                          17,
                                          1};
    static const uint64_t sizes[] = {0, 1, 2, 111, 112, 113, 128, 129, 512, UINT64_C(1) << 32, (UINT64_C(1) << 41) - 1};
    static const uint32_t sites[] = {1, 2, 1 << 22, TRC_SITE_LIMIT - 1};
    paper paper;
    trc_blocks blocks;
    paper_init(&paper);
    trc_blocks_init(&blocks, &paper.pages);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t j = 0; j < sizeof addresses / sizeof *addresses; j++) {
            put(&blocks, addresses[j], sites[(i + j) % 4], sizes[i]);
        }
        for (size_t j = 0; j < sizeof addresses / sizeof *addresses; j++) {
            take(&blocks, addresses[j], sites[(i + j) % 4], sizes[i]);
            take(&blocks, addresses[j], 0, 0);
        }
    }
    ck_assert_uint_eq(blocks.large_count, 0);
    trc_blocks_free(&blocks);
    ck_assert_int_eq(paper.mapped, 0);
}
END_TEST

START_TEST(a_size_past_the_largest_is_the_largest)
{
    trc_blocks blocks;
    trc_blocks_init(&blocks, &trc_system_pages);
    put(&blocks, 16, 7, UINT64_MAX);
    take(&blocks, 16, 7, (UINT64_C(1) << 41) - 1);
    trc_blocks_free(&blocks);
}
END_TEST

START_TEST(a_block_whose_end_was_not_seen_is_told)
{
    static const uint64_t sizes[] = {8, 4000};
    for (int i = 0; i < 4; i++) {
        trc_blocks blocks;
        trc_live_block missed;
        trc_blocks_init(&blocks, &trc_system_pages);
        put(&blocks, 8192, 5, 8); /* so that there is a leaf */
        put(&blocks, 4096, 5, sizes[i % 2]);
        ck_assert(trc_blocks_put(&blocks, 4096, (trc_live_block){6, sizes[i / 2]}, &missed));
        bool is_seen = i != 1; /* a small block over a large one: nobody looks, for it would cost each small block */
        ck_assert_uint_eq(missed.site, is_seen ? 5 : 0);
        take(&blocks, 4096, 6, sizes[i / 2]);
        trc_blocks_free(&blocks);
    }
}
END_TEST

START_TEST(a_table_without_memory_says_so)
{
    for (long failure = 1; failure <= 4; failure++) {
        paper paper;
        trc_blocks blocks;
        trc_live_block missed;
        paper_init(&paper);
        paper.first_failure = failure;
        paper.last_failure = 1000;
        trc_blocks_init(&blocks, &paper.pages);
        bool put = trc_blocks_put(&blocks, 4096, (trc_live_block){5, 8}, &missed);
        ck_assert_int_eq(put, failure > 3);
        take(&blocks, 4096, put ? 5 : 0, 8);
        put = trc_blocks_put(&blocks, 4096, (trc_live_block){5, 8000}, &missed);
        ck_assert(!put);
        trc_blocks_free(&blocks);
        ck_assert_int_eq(paper.mapped, 0);
    }
}
END_TEST

START_TEST(large_blocks_are_found_when_their_table_cannot_grow)
{
    paper paper;
    trc_blocks blocks;
    trc_live_block missed;
    paper_init(&paper);
    trc_blocks_init(&blocks, &paper.pages);
    put(&blocks, 4096, 1, 4096);
    paper.first_failure = 1;
    paper.last_failure = 1000;
    uintptr_t count = 1;
    while (trc_blocks_put(&blocks, (count + 1) * 4096, (trc_live_block){1, 4096 + count}, &missed)) {
        count++;
    }
    ck_assert_uint_eq(count, 1023);
    for (uintptr_t i = 0; i < count; i++) {
        take(&blocks, (i + 1) * 4096, 1, 4096 + i);
    }
    take(&blocks, (count + 1) * 4096, 0, 0);
    trc_blocks_free(&blocks);
}
END_TEST

#define PLACES 4096

static void count(void *context, uintptr_t address, trc_live_block block)
{
    (void)address;
    *(uint64_t *)context += block.site + block.size;
}

START_TEST(random_steps_are_as_in_an_array)
{
    static trc_live_block model[PLACES];
    uint32_t seed = (uint32_t)_i;
    trc_blocks blocks;
    trc_blocks_init(&blocks, &trc_system_pages);
    memset(model, 0, sizeof model);
    for (int step = 0; step < 200000; step++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t place = (seed >> 8) % PLACES;
        uintptr_t address = (uintptr_t)place * 48 + ((uintptr_t)(place % 7) << 20) + 16;
        if (model[place].site != 0) {
            take(&blocks, address, model[place].site, model[place].size);
            model[place].site = 0;
        }
        else if (seed % 3 != 0) {
            model[place] = (trc_live_block){seed % (TRC_SITE_LIMIT - 1) + 1, seed % 900};
            put(&blocks, address, model[place].site, model[place].size);
        }
        else {
            take(&blocks, address, 0, 0);
        }
    }
    uint64_t expected = 0, found = 0;
    for (int i = 0; i < PLACES; i++) {
        expected += model[i].site == 0 ? 0 : model[i].site + model[i].size;
    }
    trc_blocks_each(&blocks, count, &found);
    ck_assert_uint_eq(found, expected);
    trc_blocks_free(&blocks);
}
END_TEST

Suite *blocks_suite(void)
{
    Suite *suite = suite_create("blocks");
    TCase *tests = tcase_create("blocks");
    tcase_add_test(tests, an_empty_table_has_nothing);
    tcase_add_test(tests, a_block_is_taken_once);
    tcase_add_test(tests, a_size_past_the_largest_is_the_largest);
    tcase_add_test(tests, a_block_whose_end_was_not_seen_is_told);
    tcase_add_test(tests, a_table_without_memory_says_so);
    tcase_add_test(tests, large_blocks_are_found_when_their_table_cannot_grow);
    tcase_add_loop_test(tests, random_steps_are_as_in_an_array, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
