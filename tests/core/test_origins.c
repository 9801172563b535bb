/* origins.[ch]: each kind and site has its own count. Random objects are held against a plain array. */
#include "paper.h"
#include "suites.h"
#include "support.h"

#include <core/heap/origins.h>

static const char kinds[8];

static void expect_origin(trc_origins *origins, int kind, uint32_t site, uint64_t count, uint64_t bytes)
{
    const trc_origin *origin = trc_origins_at(origins, &kinds[kind], site);
    insist(origin != NULL && origin->kind == &kinds[kind] && origin->site == site, "another entry was found");
    insist(origin->count == count && origin->bytes == bytes, "a count is wrong");
}

START_TEST(each_kind_and_site_has_its_count)
{
    paper paper;
    trc_origins origins;
    paper_init(&paper);
    trc_origins_init(&origins, &paper.pages);
    for (int round = 0; round < 2; round++) {
        ck_assert_uint_eq(origins.count, 0);
        ck_assert(trc_origins_add(&origins, &kinds[0], 7, 100));
        ck_assert(trc_origins_add(&origins, &kinds[0], 7, 50));
        ck_assert(trc_origins_add(&origins, &kinds[1], 7, 1));
        ck_assert(trc_origins_add(&origins, &kinds[0], 0, 2));
        ck_assert(trc_origins_add(&origins, &kinds[0], 7, 0));
        ck_assert_uint_eq(origins.count, 3);
        expect_origin(&origins, 0, 7, 3, 150);
        expect_origin(&origins, 1, 7, 1, 1);
        expect_origin(&origins, 0, 0, 1, 2);
        ck_assert_uint_eq(origins.count, 3);
        trc_origins_free(&origins);
        ck_assert_int_eq(paper.mapped, 0);
    }
}
END_TEST

/* The table cannot be made, or cannot grow: what is in it stays right. */
START_TEST(no_memory_is_told)
{
    paper paper;
    trc_origins origins;
    paper_init(&paper);
    trc_origins_init(&origins, &paper.pages);
    paper.first_failure = paper.last_failure = 1;
    ck_assert(!trc_origins_add(&origins, &kinds[0], 1, 5));
    uint32_t site = 1;
    paper.first_failure = paper.last_failure = 3;
    while (trc_origins_add(&origins, &kinds[0], site, 5)) {
        site++;
    }
    ck_assert_uint_gt(site, 1000);
    ck_assert_uint_eq(origins.count, site - 1);
    ck_assert(trc_origins_add(&origins, &kinds[0], site, 6));
    for (uint32_t i = 1; i < site; i++) {
        expect_origin(&origins, 0, i, 1, 5);
    }
    expect_origin(&origins, 0, site, 1, 6);
    trc_origins_free(&origins);
    ck_assert_int_eq(paper.mapped, 0);
}
END_TEST

#define SITES 5000

START_TEST(random_objects_are_as_in_an_array)
{
    static uint64_t counts[8][SITES], bytes[8][SITES];
    trc_origins origins;
    uint64_t state = 7;
    trc_origins_init(&origins, &trc_system_pages);
    for (int i = 0; i < 500000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t kind = (uint32_t)(state >> 61), site = (uint32_t)(state >> 33) % SITES;
        insist(trc_origins_add(&origins, &kinds[kind], site, state % 1000), "no room");
        counts[kind][site]++;
        bytes[kind][site] += state % 1000;
    }
    uint64_t pairs = 0;
    for (uint32_t kind = 0; kind < 8; kind++) {
        for (uint32_t site = 0; site < SITES; site++) {
            pairs += counts[kind][site] != 0;
        }
    }
    ck_assert_uint_eq(origins.count, pairs);
    for (int kind = 0; kind < 8; kind++) {
        for (uint32_t site = 0; site < SITES; site++) {
            expect_origin(&origins, kind, site, counts[kind][site], bytes[kind][site]);
        }
    }
    trc_origins_free(&origins);
}
END_TEST

Suite *origins_suite(void)
{
    Suite *suite = suite_create("origins");
    TCase *tests = tcase_create("origins");
    tcase_add_test(tests, each_kind_and_site_has_its_count);
    tcase_add_test(tests, no_memory_is_told);
    tcase_add_test(tests, random_objects_are_as_in_an_array);
    suite_add_tcase(suite, tests);
    return suite;
}
