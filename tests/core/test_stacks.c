/* stacks.[ch]: who has a record, and who owns the frames. test_switching.c tests going from stack to stack. */
#include "suites.h"
#include "support.h"

#define MANY 2000 /* enough for the table to grow several times */
#define SOME 400  /* enough for it to grow once */

static const char owners[MANY];

static trc_waiting *add_with_frames(trc_stacks *table, const void *owner)
{
    trc_waiting *waiting = trc_stacks_add(table, owner);
    insist(waiting != NULL, "a record found no memory");
    waiting->stack.frames = trc_alloc(table->allocator, sizeof *waiting->stack.frames);
    return waiting;
}

START_TEST(an_empty_table_has_nobody)
{
    heap memory;
    trc_stacks table;
    heap_init(&memory);
    trc_stacks_init(&table, &memory.allocator);
    ck_assert_ptr_null(trc_stacks_find(&table, &owners[0]));
    trc_stacks_free(&table);
    ck_assert_int_eq(memory.requests, 0);
}
END_TEST

START_TEST(a_new_record_has_no_stack)
{
    heap memory;
    trc_stacks table;
    heap_init(&memory);
    trc_stacks_init(&table, &memory.allocator);
    trc_waiting *waiting = trc_stacks_add(&table, &owners[0]);
    ck_assert_ptr_eq(waiting->owner, &owners[0]);
    ck_assert_ptr_null(waiting->stack.frames);
    ck_assert_ptr_eq(trc_stacks_find(&table, &owners[0]), waiting);
    ck_assert_ptr_null(trc_stacks_find(&table, &owners[1]));
    ck_assert_ptr_null(trc_stacks_find(&table, NULL));
    trc_stacks_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

START_TEST(records_go_with_their_frames_in_any_order)
{
    heap memory;
    trc_stacks table;
    heap_init(&memory);
    trc_stacks_init(&table, &memory.allocator);
    static const int steps[] = {1, 3, 1999}; /* forwards, in leaps, backwards; each time down to the last, and again */
    for (size_t way = 0; way < sizeof steps / sizeof *steps; way++) {
        for (int i = 0; i < MANY; i++) {
            insist(trc_stacks_find(&table, &owners[i]) == NULL, "a removed record is found");
            add_with_frames(&table, &owners[i]);
        }
        for (int i = 0; i < MANY; i++) {
            const void *owner = &owners[i * steps[way] % MANY];
            trc_waiting *waiting = trc_stacks_find(&table, owner);
            insist(waiting != NULL && waiting->owner == owner, "a record was forgotten");
            trc_stacks_remove(&table, waiting);
            insist(trc_stacks_find(&table, owner) == NULL, "a removed record is found");
        }
        ck_assert_ptr_null(table.first);
        ck_assert_int_eq(memory.blocks, 0);
    }
}
END_TEST

START_TEST(freeing_the_table_frees_every_stack)
{
    heap memory;
    trc_stacks table;
    heap_init(&memory);
    trc_stacks_init(&table, &memory.allocator);
    for (int i = 0; i < MANY; i++) {
        add_with_frames(&table, &owners[i]);
    }
    trc_stacks_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
    ck_assert_ptr_null(trc_stacks_find(&table, &owners[0]));
    add_with_frames(&table, &owners[0]); /* it can be used again */
    trc_stacks_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

/* Adds many while the n-th request fails. Returns whether one could not be added. */
static bool add_with_failure(long failing)
{
    heap memory;
    trc_stacks table;
    bool failed = false;
    heap_init(&memory);
    memory.first_failure = memory.last_failure = failing;
    trc_stacks_init(&table, &memory.allocator);
    for (int i = 0; i < SOME; i++) {
        trc_waiting *waiting = trc_stacks_add(&table, &owners[i]);
        if (waiting == NULL) {
            insist(!failed, "one request failed, and more than one add");
            failed = true;
            insist(trc_stacks_find(&table, &owners[i]) == NULL, "an owner that was not added is found");
            waiting = trc_stacks_add(&table, &owners[i]);
        }
        insist(waiting != NULL, "an owner cannot be added");
    }
    for (int i = 0; i < SOME; i++) {
        insist(trc_stacks_find(&table, &owners[i]) != NULL, "an owner was forgotten");
    }
    ck_assert_uint_gt(table.first->hh.tbl->num_buckets, HASH_INITIAL_NUM_BUCKETS); /* it did grow */
    trc_stacks_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
    return failed;
}

START_TEST(a_failed_add_leaves_the_table_as_it_was)
{
    int refused = 0;
    for (long failing = 1; failing <= SOME + 20; failing++) {
        refused += add_with_failure(failing);
    }
    /* Each record, the table and its first buckets; but not more buckets: without them the table is slower. */
    ck_assert_int_eq(refused, SOME + 2);
}
END_TEST

Suite *stacks_suite(void)
{
    Suite *suite = suite_create("stacks");
    TCase *tcase = tcase_create("stacks");
    tcase_add_test(tcase, an_empty_table_has_nobody);
    tcase_add_test(tcase, a_new_record_has_no_stack);
    tcase_add_test(tcase, records_go_with_their_frames_in_any_order);
    tcase_add_test(tcase, freeing_the_table_frees_every_stack);
    tcase_add_test(tcase, a_failed_add_leaves_the_table_as_it_was);
    suite_add_tcase(suite, tcase);
    return suite;
}
