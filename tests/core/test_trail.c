/* trail.[ch]: entries keep their number, over many chunks, and memory that is out is told. */
#include "paper.h"
#include "suites.h"
#include "support.h"

#include <core/heap/trail.h>

#define MANY (3 * (1 << TRC_TRAIL_CHUNK_BITS) + 5)

static void *object_of(uintptr_t number)
{
    return (void *)(number * 16 + 16);
}

static void fill(trc_trail *trail)
{
    for (uint32_t i = 0; i < MANY; i++) {
        insist(trc_trail_add(trail, object_of(i), i / 2), "no room for an entry");
    }
}

START_TEST(entries_keep_their_number)
{
    for (int has_parents = 0; has_parents < 2; has_parents++) {
        paper paper;
        trc_trail trail;
        paper_init(&paper);
        trc_trail_init(&trail, &paper.pages, has_parents);
        fill(&trail);
        ck_assert_uint_eq(trail.count, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            insist(trc_trail_object(&trail, i) == object_of(i), "another object");
            insist(!has_parents || trc_trail_parent(&trail, i) == i / 2, "another parent");
        }
        trc_trail_free(&trail);
        ck_assert_int_eq(paper.mapped, 0);
    }
}
END_TEST

START_TEST(a_trail_that_begins_again_needs_no_more_memory)
{
    paper paper;
    trc_trail trail;
    paper_init(&paper);
    trc_trail_init(&trail, &paper.pages, true);
    fill(&trail);
    long requests = paper.requests;
    trc_trail_restart(&trail);
    ck_assert_uint_eq(trail.count, 0);
    fill(&trail);
    ck_assert_int_eq(paper.requests, requests);
    trc_trail_free(&trail);
    ck_assert_int_eq(paper.mapped, 0);
}
END_TEST

/* The tables and the first chunks are four requests: each fails once, and then there is room. */
START_TEST(no_memory_is_told)
{
    for (int failure = 1; failure <= 4; failure++) {
        paper paper;
        trc_trail trail;
        paper_init(&paper);
        paper.first_failure = paper.last_failure = failure;
        trc_trail_init(&trail, &paper.pages, true);
        ck_assert(!trc_trail_add(&trail, object_of(1), 7));
        ck_assert_uint_eq(trail.count, 0);
        ck_assert(trc_trail_add(&trail, object_of(2), 8));
        ck_assert_ptr_eq(trc_trail_object(&trail, 0), object_of(2));
        ck_assert_uint_eq(trc_trail_parent(&trail, 0), 8);
        trc_trail_free(&trail);
        ck_assert_int_eq(paper.mapped, 0);
    }
}
END_TEST

START_TEST(no_entry_has_the_number_of_nobody)
{
    trc_trail trail;
    trc_trail_init(&trail, &trc_system_pages, true);
    trail.count = (uint64_t)(TRC_TRAIL_CHUNKS - 1) << TRC_TRAIL_CHUNK_BITS;
    ck_assert(!trc_trail_add(&trail, object_of(1), 0));
    trc_trail_free(&trail);
}
END_TEST

Suite *trail_suite(void)
{
    Suite *suite = suite_create("trail");
    TCase *tests = tcase_create("trail");
    tcase_add_test(tests, entries_keep_their_number);
    tcase_add_test(tests, a_trail_that_begins_again_needs_no_more_memory);
    tcase_add_test(tests, no_memory_is_told);
    tcase_add_test(tests, no_entry_has_the_number_of_nobody);
    suite_add_tcase(suite, tests);
    return suite;
}
