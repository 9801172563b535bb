/* linethread.[ch]: hits and times of lines, worked out by hand from the times of the events. test_linesums.c has the
 * times in C, own times and costs; test_linerandom.c has random scripts. */
#include "desk.h"
#include "suites.h"

#include <limits.h>

static const trc_linecosts no_costs;

/* -- Lines ------------------------------------------------------------------------------------------------------------- */

START_TEST(a_line_lasts_until_the_next_or_the_end)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    ck_assert(line(&desk, 2, 10, 100));
    ck_assert(line(&desk, 2, 11, 103));
    ck_assert(line(&desk, 2, 10, 110));
    ck_assert(line(&desk, 2, 11, 111));
    trc_linethread_leave(&desk.thread, 2, 150);
    expect_line(&desk, 10, 2, 3 + 1);
    expect_line(&desk, 11, 2, 7 + 39);
    expect_line(&desk, 12, 0, 0);
    expect_nobody_on_a_line(&desk);
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    desk_close(&desk);
}
END_TEST

START_TEST(a_line_that_is_told_again_is_hit_again)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 10, 1);
    line(&desk, 2, 10, 4);
    line(&desk, 2, 10, 5);
    trc_linethread_leave(&desk.thread, 2, 9);
    expect_line(&desk, 10, 3, 8);
    desk_close(&desk);
}
END_TEST

START_TEST(a_statement_of_several_lines_is_hit_once)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 11, 0);
    line(&desk, 2, 12, 1); /* begins */
    line(&desk, 2, 13, 2); /* its arguments */
    line(&desk, 2, 12, 3); /* back for the call */
    line(&desk, 2, 14, 7);
    line(&desk, 2, 12, 10); /* a loop: another run */
    line(&desk, 2, 12, 11); /* and one that is told of its first line only */
    line(&desk, 2, 13, 12);
    line(&desk, 2, 13, 13);
    trc_linethread_leave(&desk.thread, 2, 20);
    expect_line(&desk, 12, 3, 6 + 10);
    expect_line(&desk, 11, 1, 1);
    expect_line(&desk, 14, 1, 3);
    desk_close(&desk);
}
END_TEST

START_TEST(a_statement_may_begin_in_its_middle)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 13, 5);
    trc_linethread_leave(&desk.thread, 2, 6);
    expect_line(&desk, 12, 1, 1);
    desk_close(&desk);
}
END_TEST

START_TEST(lines_that_the_code_object_has_not_are_not_there)
{
    static const long elsewhere[] = {9, 15, 0, -1, 19, INT32_MAX, INT32_MIN, LONG_MAX, LONG_MIN};
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 11, 5);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        ck_assert(trc_linethread_line(&desk.thread, 2, &f, elsewhere[i], 6));
    }
    line(&desk, 2, 12, 9);
    expect_line(&desk, 11, 1, 4);
    desk_close(&desk);
}
END_TEST

START_TEST(code_without_a_table_is_asked_for_and_not_lost)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    ck_assert(!trc_linethread_line(&desk.thread, 2, &untimed, 1, 5));
    ck_assert_uint_eq(desk.thread.lost, 0);
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    desk_close(&desk);
}
END_TEST

START_TEST(what_names_no_activation_does_no_harm)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    trc_linethread_leave(&desk.thread, 0, 1);
    trc_linethread_suspend(&desk.thread, 0, 1);
    trc_linethread_resume(&desk.thread, 0, &f, 1);
    trc_linethread_leave(&desk.thread, 0, 1);
    trc_linethread_enter_c(&desk.thread, 0, 1);
    trc_linethread_leave_c(&desk.thread, 0, 1);
    line(&desk, 0, 10, 1);
    trc_linethread_leave(&desk.thread, 0, 3);
    trc_linethread_leave(&desk.thread, 0, 4);
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    desk_close(&desk);
}
END_TEST

/* -- Activations ------------------------------------------------------------------------------------------------------- */

START_TEST(each_activation_has_a_line_of_its_own)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 10, 0);
    line(&desk, 4, 20, 3); /* called from there */
    line(&desk, 4, 21, 4);
    trc_linethread_leave(&desk.thread, 4, 6);
    line(&desk, 2, 11, 10);
    trc_linethread_leave(&desk.thread, 2, 11);
    expect_line(&desk, 10, 1, 10);
    expect_line(&desk, 11, 1, 1);
    expect_line(&desk, 20, 1, 1);
    expect_line(&desk, 21, 1, 2);
    desk_close(&desk);
}
END_TEST

START_TEST(a_line_that_recurses_takes_as_long_as_its_outermost_activation)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    for (trc_activation id = 2; id <= 20; id += 2) {
        line(&desk, id, 10, (trc_tick)id);
        line(&desk, id, 11, (trc_tick)id + 1);
    }
    for (trc_activation id = 20; id >= 2; id -= 2) {
        line(&desk, id, 14, 100 - (trc_tick)id);
        trc_linethread_leave(&desk.thread, id, 101 - (trc_tick)id);
    }
    expect_line(&desk, 10, 10, 10);
    expect_line(&desk, 11, 10, 98 - 3);
    expect_line(&desk, 14, 10, 10);
    expect_nobody_on_a_line(&desk);
    desk_close(&desk);
}
END_TEST

START_TEST(activations_that_take_turns_are_on_a_line_from_the_first_to_the_last)
{
    /* As greenlets do: the one that came first may leave first. */
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 11, 10);
    line(&desk, 4, 11, 15);
    line(&desk, 2, 14, 20);
    line(&desk, 4, 14, 30);
    trc_linethread_leave(&desk.thread, 2, 31);
    trc_linethread_leave(&desk.thread, 4, 40);
    expect_line(&desk, 11, 2, 20);
    expect_line(&desk, 14, 2, 20);
    expect_nobody_on_a_line(&desk);
    desk_close(&desk);
}
END_TEST

START_TEST(the_end_of_what_is_not_known_changes_nothing)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 10, 1);
    trc_linethread_leave(&desk.thread, 8, 2);
    trc_linethread_leave_c(&desk.thread, 8, 2);
    trc_linethread_leave_c(&desk.thread, 2, 2);
    trc_linethread_suspend(&desk.thread, 8, 2);
    trc_linethread_resume(&desk.thread, 8, &f, 2);
    trc_linethread_resume(&desk.thread, 2, &f, 2);
    trc_linethread_leave(&desk.thread, 2, 5);
    expect_line(&desk, 10, 1, 4);
    ck_assert_int_eq(record(&desk, 10)->suspended, 0);
    ck_assert_int_eq(record(&desk, 10)->c_ticks, 0);
    desk_close(&desk);
}
END_TEST

START_TEST(a_name_that_is_used_again_names_a_new_activation)
{
    /* The end of the first activation was not seen, so how long its last line took is not known. */
    desk desk;
    desk_open(&desk, true, no_costs);
    line(&desk, 2, 10, 1);
    trc_linethread_enter_c(&desk.thread, 2, 2);
    line(&desk, 2, 20, 5);
    trc_linethread_leave(&desk.thread, 2, 7);
    expect_line(&desk, 10, 1, 0);
    expect_line(&desk, 20, 1, 2);
    expect_nobody_on_a_line(&desk);
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    desk_close(&desk);
}
END_TEST

START_TEST(many_activations_at_once)
{
    enum { COUNT = 3000 };
    desk desk;
    desk_open(&desk, false, no_costs);
    for (trc_activation i = 1; i <= COUNT; i++) {
        line(&desk, 64 * i, 10, (trc_tick)i);
    }
    ck_assert_uint_eq(desk.thread.frame_count, COUNT);
    ck_assert_uint_ge(desk.thread.bucket_count, COUNT);
    for (trc_activation i = 1; i <= COUNT; i++) {
        line(&desk, 64 * i, 11, COUNT + (trc_tick)i);
    }
    long blocks = desk.memory.blocks;
    for (trc_activation i = 1; i <= COUNT; i++) {
        trc_linethread_leave(&desk.thread, 64 * i, 3 * COUNT);
    }
    expect_line(&desk, 10, COUNT, 2 * COUNT - 1);
    expect_line(&desk, 11, COUNT, 2 * COUNT - 1);
    for (trc_activation i = 1; i <= COUNT; i++) { /* what is over leaves room for others */
        line(&desk, 64 * i + 8, 12, 3 * COUNT);
    }
    ck_assert_int_eq(desk.memory.blocks, blocks);
    desk_close(&desk);
}
END_TEST

/* -- Suspension -------------------------------------------------------------------------------------------------------- */

START_TEST(what_waits_is_on_no_line_until_it_goes_on)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 10, 0);
    line(&desk, 2, 11, 1);
    trc_linethread_suspend(&desk.thread, 2, 4);
    trc_linethread_resume(&desk.thread, 2, &f, 50);
    line(&desk, 2, 14, 52);
    trc_linethread_suspend(&desk.thread, 2, 53);
    trc_linethread_resume(&desk.thread, 2, &f, 60);
    trc_linethread_leave(&desk.thread, 2, 61);
    expect_line(&desk, 11, 1, 3 + 2);
    ck_assert_int_eq(record(&desk, 11)->suspended, 46);
    expect_line(&desk, 14, 1, 1 + 1);
    ck_assert_int_eq(record(&desk, 14)->suspended, 7);
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    desk_close(&desk);
}
END_TEST

START_TEST(generators_in_turns)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 10, 0);
    line(&desk, 4, 11, 2); /* one after the other, each called from 10 */
    trc_linethread_suspend(&desk.thread, 4, 3);
    line(&desk, 6, 11, 4);
    trc_linethread_suspend(&desk.thread, 6, 8);
    trc_linethread_resume(&desk.thread, 4, &f, 10);
    trc_linethread_leave(&desk.thread, 4, 11);
    trc_linethread_resume(&desk.thread, 6, &f, 20);
    trc_linethread_leave(&desk.thread, 6, 24);
    trc_linethread_leave(&desk.thread, 2, 30);
    expect_line(&desk, 10, 1, 30);
    expect_line(&desk, 11, 2, 1 + 4 + 1 + 4);
    ck_assert_int_eq(record(&desk, 11)->suspended, 7 + 12);
    expect_nobody_on_a_line(&desk);
    desk_close(&desk);
}
END_TEST

START_TEST(what_waits_and_ends_unseen_leaves_its_name)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 10, 0);
    trc_linethread_suspend(&desk.thread, 2, 3);
    line(&desk, 2, 10, 50); /* another generator, where the first was */
    line(&desk, 2, 11, 52);
    trc_linethread_suspend(&desk.thread, 2, 53);
    trc_linethread_resume(&desk.thread, 2, &g, 60); /* and now one of other code */
    ck_assert_int_eq(record(&desk, 11)->suspended, 0);
    trc_linethread_leave(&desk.thread, 2, 61);
    expect_line(&desk, 10, 2, 3 + 2);
    expect_line(&desk, 11, 1, 1);
    ck_assert_int_eq(record(&desk, 10)->suspended, 0);
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    desk_close(&desk);
}
END_TEST

START_TEST(what_waits_may_end_without_going_on)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    trc_linethread_enter(&desk.thread, 2, &f, 0);
    line(&desk, 2, 10, 1);
    trc_linethread_suspend(&desk.thread, 2, 3);
    trc_linethread_leave(&desk.thread, 2, 9);
    expect_line(&desk, 10, 1, 2);
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    expect_nobody_on_a_line(&desk);
    desk_close(&desk);
}
END_TEST

START_TEST(what_waits_may_go_on_unseen)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    desk.thread.goes_on_unseen = true;
    line(&desk, 2, 10, 0);
    trc_linethread_suspend(&desk.thread, 2, 3);
    line(&desk, 2, 11, 50);
    trc_linethread_suspend(&desk.thread, 2, 52);
    trc_linethread_suspend(&desk.thread, 2, 60);
    trc_linethread_leave(&desk.thread, 2, 65);
    expect_line(&desk, 10, 1, 3);
    ck_assert_int_eq(record(&desk, 10)->suspended, 47);
    expect_line(&desk, 11, 1, 2);
    ck_assert_int_eq(record(&desk, 11)->suspended, 8 + 5);
    expect_nobody_on_a_line(&desk);

    line(&desk, 2, 10, 100);
    trc_linethread_suspend(&desk.thread, 2, 101);
    trc_linethread_enter(&desk.thread, 2, &f, 200); /* another one */
    line(&desk, 2, 10, 201);
    trc_linethread_suspend(&desk.thread, 2, 202);
    line(&desk, 2, 20, 300); /* and one of other code */
    trc_linethread_leave(&desk.thread, 2, 301);
    expect_line(&desk, 10, 3, 5);
    ck_assert_int_eq(record(&desk, 10)->suspended, 47);
    expect_line(&desk, 20, 1, 1);
    expect_nobody_on_a_line(&desk);
    desk_close(&desk);
}
END_TEST

START_TEST(what_is_on_no_line_is_not_known_to_wait)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    trc_linethread_enter(&desk.thread, 2, &untimed, 0);
    trc_linethread_suspend(&desk.thread, 2, 3);
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    desk_close(&desk);
}
END_TEST

/* -- Memory ------------------------------------------------------------------------------------------------------------ */

/* Enters a hundred activations within each other while some requests fail. Returns whether one did. */
static bool survives(long first_failure, long last_failure)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    long before = desk.memory.requests;
    desk.memory.first_failure = before + first_failure;
    desk.memory.last_failure = before + last_failure;
    for (trc_activation id = 2; id <= 200; id += 2) {
        trc_linethread_enter(&desk.thread, id, &f, (trc_tick)id);
        line(&desk, id, 10, (trc_tick)id);
        line(&desk, id, 11, (trc_tick)id + 1);
    }
    bool failed = desk.memory.requests >= desk.memory.first_failure;
    for (trc_activation id = 200; id >= 2; id -= 2) {
        trc_linethread_leave(&desk.thread, id, 1000);
    }
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    expect_nobody_on_a_line(&desk);
    insist(failed == (desk.thread.lost > 0) || first_failure < last_failure || desk.thread.lost == 0,
           "something was lost while there was memory");
    insist(record(&desk, 10)->hits + desk.thread.lost >= 100, "something was lost, and not told");
    insist(record(&desk, 11)->hits <= 100 && record(&desk, 11)->ticks <= 997, "something was told twice");
    desk_close(&desk);
    return failed;
}

START_TEST(any_one_request_may_fail)
{
    long failing = 1;
    while (survives(failing, failing)) {
        failing++;
    }
    ck_assert_int_eq(failing, 2 + 100 + 1); /* the buckets, twice; the activations */
}
END_TEST

START_TEST(all_requests_may_fail_from_one_on)
{
    for (long failing = 1; failing <= 102; failing++) {
        ck_assert(survives(failing, LONG_MAX / 2));
    }
}
END_TEST

Suite *linethread_suite(void)
{
    Suite *suite = suite_create("linethread");
    TCase *tcase = tcase_create("lines");
    tcase_add_test(tcase, a_line_lasts_until_the_next_or_the_end);
    tcase_add_test(tcase, a_line_that_is_told_again_is_hit_again);
    tcase_add_test(tcase, a_statement_of_several_lines_is_hit_once);
    tcase_add_test(tcase, a_statement_may_begin_in_its_middle);
    tcase_add_test(tcase, lines_that_the_code_object_has_not_are_not_there);
    tcase_add_test(tcase, code_without_a_table_is_asked_for_and_not_lost);
    tcase_add_test(tcase, what_names_no_activation_does_no_harm);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("activations");
    tcase_add_test(tcase, each_activation_has_a_line_of_its_own);
    tcase_add_test(tcase, a_line_that_recurses_takes_as_long_as_its_outermost_activation);
    tcase_add_test(tcase, activations_that_take_turns_are_on_a_line_from_the_first_to_the_last);
    tcase_add_test(tcase, the_end_of_what_is_not_known_changes_nothing);
    tcase_add_test(tcase, a_name_that_is_used_again_names_a_new_activation);
    tcase_add_test(tcase, many_activations_at_once);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("suspension");
    tcase_add_test(tcase, what_waits_is_on_no_line_until_it_goes_on);
    tcase_add_test(tcase, generators_in_turns);
    tcase_add_test(tcase, what_waits_and_ends_unseen_leaves_its_name);
    tcase_add_test(tcase, what_waits_may_end_without_going_on);
    tcase_add_test(tcase, what_waits_may_go_on_unseen);
    tcase_add_test(tcase, what_is_on_no_line_is_not_known_to_wait);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("memory");
    tcase_add_test(tcase, any_one_request_may_fail);
    tcase_add_test(tcase, all_requests_may_fail_from_one_on);
    suite_add_tcase(suite, tcase);
    return suite;
}
