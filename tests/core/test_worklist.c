/* worklist.[ch]: entries keep their number, over many chunks, and memory that is out is told. */
#include "paper.h"
#include "suites.h"
#include "support.h"

#include <core/heap/worklist.h>

#define MANY (3 * (1 << TRC_WORKLIST_CHUNK_BITS) + 5)

static void *object_of(uintptr_t number)
{
    return (void *)(number * 16 + 16);
}

static void fill(trc_worklist *worklist)
{
    for (uint32_t i = 0; i < MANY; i++) {
        insist(trc_worklist_add(worklist, object_of(i), i / 2), "no room for an entry");
    }
}

START_TEST(entries_keep_their_number)
{
    for (int has_parents = 0; has_parents < 2; has_parents++) {
        paper paper;
        trc_worklist worklist;
        paper_init(&paper);
        trc_worklist_init(&worklist, &paper.pages, has_parents);
        fill(&worklist);
        ck_assert_uint_eq(worklist.count, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            insist(trc_worklist_object(&worklist, i) == object_of(i), "another object");
            insist(!has_parents || trc_worklist_parent(&worklist, i) == i / 2, "another parent");
        }
        trc_worklist_free(&worklist);
        ck_assert_int_eq(paper.mapped, 0);
    }
}
END_TEST

START_TEST(a_worklist_that_begins_again_needs_no_more_memory)
{
    paper paper;
    trc_worklist worklist;
    paper_init(&paper);
    trc_worklist_init(&worklist, &paper.pages, true);
    fill(&worklist);
    long requests = paper.requests;
    trc_worklist_restart(&worklist);
    ck_assert_uint_eq(worklist.count, 0);
    fill(&worklist);
    ck_assert_int_eq(paper.requests, requests);
    trc_worklist_free(&worklist);
    ck_assert_int_eq(paper.mapped, 0);
}
END_TEST

/* The tables and the first chunks are four requests: each fails once, and then there is room. */
START_TEST(no_memory_is_told)
{
    for (int failure = 1; failure <= 4; failure++) {
        paper paper;
        trc_worklist worklist;
        paper_init(&paper);
        paper.first_failure = paper.last_failure = failure;
        trc_worklist_init(&worklist, &paper.pages, true);
        ck_assert(!trc_worklist_add(&worklist, object_of(1), 7));
        ck_assert_uint_eq(worklist.count, 0);
        ck_assert(trc_worklist_add(&worklist, object_of(2), 8));
        ck_assert_ptr_eq(trc_worklist_object(&worklist, 0), object_of(2));
        ck_assert_uint_eq(trc_worklist_parent(&worklist, 0), 8);
        trc_worklist_free(&worklist);
        ck_assert_int_eq(paper.mapped, 0);
    }
}
END_TEST

START_TEST(no_entry_has_the_number_of_nobody)
{
    trc_worklist worklist;
    trc_worklist_init(&worklist, &trc_system_pages, true);
    worklist.count = (uint64_t)(TRC_WORKLIST_CHUNKS - 1) << TRC_WORKLIST_CHUNK_BITS;
    ck_assert(!trc_worklist_add(&worklist, object_of(1), 0));
    trc_worklist_free(&worklist);
}
END_TEST

Suite *worklist_suite(void)
{
    Suite *suite = suite_create("worklist");
    TCase *tests = tcase_create("worklist");
    tcase_add_test(tests, entries_keep_their_number);
    tcase_add_test(tests, a_worklist_that_begins_again_needs_no_more_memory);
    tcase_add_test(tests, no_memory_is_told);
    tcase_add_test(tests, no_entry_has_the_number_of_nobody);
    suite_add_tcase(suite, tests);
    return suite;
}
