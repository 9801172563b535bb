/* linethread.[ch]: which part of a line's time is its own, in C, or spent by recording; and figures that are taken in the
 * middle. The numbers were worked out by hand from the times of the events. */
#include "desk.h"
#include "suites.h"

static const trc_linecosts no_costs;

/* -- C callables ------------------------------------------------------------------------------------------------------- */

START_TEST(time_in_c_callables_is_part_of_the_line)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 10, 0);
    trc_linethread_enter_c(&desk.thread, 2, 3);
    trc_linethread_leave_c(&desk.thread, 2, 8);
    trc_linethread_enter_c(&desk.thread, 2, 10);
    trc_linethread_leave_c(&desk.thread, 2, 11);
    line(&desk, 2, 11, 20);
    trc_linethread_enter_c(&desk.thread, 2, 21);
    trc_linethread_leave_c(&desk.thread, 2, 25);
    trc_linethread_leave(&desk.thread, 2, 26);
    expect_line(&desk, 10, 1, 20);
    ck_assert_int_eq(record(&desk, 10)->c_ticks, 6);
    expect_line(&desk, 11, 1, 6);
    ck_assert_int_eq(record(&desk, 11)->c_ticks, 4);
    desk_close(&desk);
}
END_TEST

START_TEST(a_c_callable_whose_end_was_not_seen_ends_with_the_line)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 10, 0);
    trc_linethread_enter_c(&desk.thread, 2, 3);
    line(&desk, 2, 11, 7);
    trc_linethread_enter_c(&desk.thread, 2, 8);
    trc_linethread_enter_c(&desk.thread, 2, 9); /* the same one, still */
    trc_linethread_leave(&desk.thread, 2, 10);
    ck_assert_int_eq(record(&desk, 10)->c_ticks, 4);
    ck_assert_int_eq(record(&desk, 11)->c_ticks, 2);
    expect_nobody_on_a_line(&desk);
    desk_close(&desk);
}
END_TEST

START_TEST(recursion_through_c_counts_once)
{
    desk desk;
    desk_open(&desk, false, no_costs);
    line(&desk, 2, 10, 0);
    trc_linethread_enter_c(&desk.thread, 2, 1);
    line(&desk, 4, 10, 5);
    trc_linethread_enter_c(&desk.thread, 4, 6);
    trc_linethread_leave_c(&desk.thread, 4, 8);
    trc_linethread_leave(&desk.thread, 4, 9);
    trc_linethread_leave_c(&desk.thread, 2, 20);
    trc_linethread_leave(&desk.thread, 2, 30);
    expect_line(&desk, 10, 2, 30);
    ck_assert_int_eq(record(&desk, 10)->c_ticks, 19);
    desk_close(&desk);
}
END_TEST

START_TEST(c_callables_called_on_no_line_are_nobodys)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    trc_linethread_enter_c(&desk.thread, 2, 1); /* an unknown activation */
    trc_linethread_enter(&desk.thread, 4, &f, 2);
    trc_linethread_enter_c(&desk.thread, 4, 3); /* not on a line yet */
    trc_linethread_leave_c(&desk.thread, 4, 4);
    line(&desk, 4, 10, 5);
    trc_linethread_suspend(&desk.thread, 4, 6);
    trc_linethread_enter_c(&desk.thread, 4, 7); /* it waits */
    trc_linethread_leave_c(&desk.thread, 4, 8);
    ck_assert_int_eq(record(&desk, 10)->c_ticks, 0);
    expect_nobody_on_a_line(&desk);
    desk_close(&desk);
}
END_TEST

/* -- Own time ---------------------------------------------------------------------------------------------------------- */

START_TEST(own_time_is_neither_in_c_nor_in_python_callees)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    trc_linethread_enter(&desk.thread, 2, &f, 0);
    line(&desk, 2, 10, 1);
    trc_linethread_enter_c(&desk.thread, 2, 3);
    trc_linethread_leave_c(&desk.thread, 2, 8);
    trc_linethread_enter(&desk.thread, 4, &g, 10);
    line(&desk, 4, 20, 12);
    trc_linethread_enter(&desk.thread, 6, &untimed, 15);
    trc_linethread_leave(&desk.thread, 6, 22);
    line(&desk, 4, 21, 25);
    trc_linethread_leave(&desk.thread, 4, 31);
    trc_linethread_leave(&desk.thread, 2, 40);
    expect_line(&desk, 10, 1, 39);
    ck_assert_int_eq(record(&desk, 10)->c_ticks, 5);
    ck_assert_int_eq(record(&desk, 10)->own, 39 - 5 - 21);
    expect_line(&desk, 20, 1, 13);
    ck_assert_int_eq(record(&desk, 20)->own, 3 + 3);
    ck_assert_int_eq(record(&desk, 21)->own, 6);
    desk_close(&desk);
}
END_TEST

START_TEST(python_called_by_c_is_no_own_time_of_who_called_that)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    trc_linethread_enter(&desk.thread, 2, &f, 0);
    line(&desk, 2, 10, 0);
    trc_linethread_enter_c(&desk.thread, 2, 2);
    trc_linethread_enter(&desk.thread, 4, &g, 5);
    line(&desk, 4, 20, 5);
    trc_linethread_leave(&desk.thread, 4, 9);
    trc_linethread_leave_c(&desk.thread, 2, 12);
    trc_linethread_leave(&desk.thread, 2, 15);
    ck_assert_int_eq(record(&desk, 10)->own, 2 + 3);
    ck_assert_int_eq(record(&desk, 10)->c_ticks, 10);
    ck_assert_int_eq(record(&desk, 20)->own, 4);
    desk_close(&desk);
}
END_TEST

START_TEST(own_time_of_all_activations_of_a_recursion)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    for (trc_activation id = 2; id <= 8; id += 2) {
        trc_linethread_enter(&desk.thread, id, &f, (trc_tick)id);
        line(&desk, id, 10, (trc_tick)id);
    }
    for (trc_activation id = 8; id >= 2; id -= 2) {
        trc_linethread_leave(&desk.thread, id, 20 - (trc_tick)id);
    }
    expect_line(&desk, 10, 4, 16);
    ck_assert_int_eq(record(&desk, 10)->own, 16);
    desk_close(&desk);
}
END_TEST

START_TEST(who_resumes_a_generator_goes_on_when_that_waits)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    trc_linethread_enter(&desk.thread, 2, &f, 0);
    line(&desk, 2, 10, 0);
    trc_linethread_enter(&desk.thread, 4, &g, 1);
    line(&desk, 4, 20, 1);
    trc_linethread_suspend(&desk.thread, 4, 3);
    trc_linethread_enter(&desk.thread, 6, &f, 7); /* another activation resumes it */
    line(&desk, 6, 11, 7);
    trc_linethread_resume(&desk.thread, 4, &g, 9);
    trc_linethread_leave(&desk.thread, 4, 14);
    trc_linethread_leave(&desk.thread, 6, 16);
    trc_linethread_leave(&desk.thread, 2, 20);
    ck_assert_int_eq(record(&desk, 10)->own, 1 + 4 + 4);
    ck_assert_int_eq(record(&desk, 20)->own, 2 + 5);
    ck_assert_int_eq(record(&desk, 20)->suspended, 6);
    ck_assert_int_eq(record(&desk, 11)->own, 2 + 2);
    expect_line(&desk, 11, 1, 9);
    desk_close(&desk);
}
END_TEST

START_TEST(what_runs_already_is_known_from_its_first_line_on)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    line(&desk, 2, 10, 5); /* its beginning was not seen */
    trc_linethread_enter(&desk.thread, 4, &g, 7);
    trc_linethread_leave(&desk.thread, 4, 9);
    trc_linethread_leave(&desk.thread, 2, 12); /* now an unknown activation runs */
    trc_linethread_enter(&desk.thread, 4, &f, 20);
    line(&desk, 4, 11, 20);
    trc_linethread_leave(&desk.thread, 4, 21);
    ck_assert_int_eq(record(&desk, 10)->own, 2 + 3);
    expect_line(&desk, 10, 1, 7);
    ck_assert_int_eq(record(&desk, 11)->own, 1);
    desk_close(&desk);
}
END_TEST

/* -- Costs ------------------------------------------------------------------------------------------------------------- */

START_TEST(what_recording_took_is_told_of_each_line)
{
    desk desk;
    desk_open(&desk, true, (trc_linecosts){.line = 1, .call = 10, .c = 100});
    trc_linethread_enter(&desk.thread, 2, &f, 0);
    line(&desk, 2, 10, 0);
    line(&desk, 2, 10, 0);
    line(&desk, 2, 11, 0);
    trc_linethread_enter_c(&desk.thread, 2, 0);
    trc_linethread_leave_c(&desk.thread, 2, 0);
    line(&desk, 2, 12, 0);
    trc_linethread_enter(&desk.thread, 4, &g, 0);
    line(&desk, 4, 20, 0);
    trc_linethread_suspend(&desk.thread, 4, 0);
    trc_linethread_resume(&desk.thread, 4, &g, 0);
    trc_linethread_leave(&desk.thread, 4, 0);
    trc_linethread_leave(&desk.thread, 2, 0);
    ck_assert_int_eq(record(&desk, 10)->cost, 2);
    ck_assert_int_eq(record(&desk, 11)->cost, 101);
    ck_assert_int_eq(record(&desk, 20)->cost, 1 + 10 + 10 + 10);
    ck_assert_int_eq(record(&desk, 12)->cost, 1 + 10 + 31 + 10);
    desk_close(&desk);
}
END_TEST

START_TEST(the_cost_of_a_recursion_is_that_within_its_outermost_activation)
{
    desk desk;
    desk_open(&desk, false, (trc_linecosts){.line = 1, .call = 10});
    line(&desk, 2, 10, 0);
    line(&desk, 4, 10, 0);
    line(&desk, 4, 11, 0);
    trc_linethread_leave(&desk.thread, 4, 0);
    line(&desk, 2, 11, 0);
    trc_linethread_leave(&desk.thread, 2, 0);
    ck_assert_int_eq(record(&desk, 10)->cost, 1 + 1 + 1 + 10);
    ck_assert_int_eq(record(&desk, 11)->cost, 1 + 10 + 1 + 10);
    desk_close(&desk);
}
END_TEST

/* -- In between, and at the end ---------------------------------------------------------------------------------------- */

START_TEST(catching_up_tells_of_what_is_going_on_and_changes_no_sum)
{
    for (int often = 0; often < 2; often++) {
        desk desk;
        desk_open(&desk, true, (trc_linecosts){.line = 1, .call = 10, .c = 100});
        trc_tick now = 0;
#define AND_LOOK                                                \
    if (often) {                                                \
        trc_linethread_catch_up(&desk.thread, now, TRC_NO_CPU); \
        now += 1;                                               \
        trc_linethread_catch_up(&desk.thread, now, TRC_NO_CPU); \
        now += 1;                                               \
    }                                                           \
    else {                                                      \
        now += 2;                                               \
    }
        trc_linethread_enter(&desk.thread, 2, &f, now);
        AND_LOOK
        line(&desk, 2, 10, now);
        AND_LOOK
        trc_linethread_enter_c(&desk.thread, 2, now);
        AND_LOOK
        trc_linethread_enter(&desk.thread, 4, &f, now);
        AND_LOOK
        line(&desk, 4, 10, now);
        AND_LOOK
        trc_linethread_enter_c(&desk.thread, 4, now);
        AND_LOOK
        trc_linethread_leave_c(&desk.thread, 4, now);
        AND_LOOK
        trc_linethread_suspend(&desk.thread, 4, now);
        AND_LOOK
        trc_linethread_resume(&desk.thread, 4, &f, now);
        AND_LOOK
        line(&desk, 4, 11, now);
        AND_LOOK
        trc_linethread_leave(&desk.thread, 4, now);
        AND_LOOK
        trc_linethread_leave_c(&desk.thread, 2, now);
        AND_LOOK
        trc_linethread_leave(&desk.thread, 2, now);
        AND_LOOK
#undef AND_LOOK
        expect_line(&desk, 10, 2, 22);
        ck_assert_int_eq(record(&desk, 10)->c_ticks, 18);
        ck_assert_int_eq(record(&desk, 10)->own, 2 + 2 + 2 + 2 + 2);
        ck_assert_int_eq(record(&desk, 10)->suspended, 2);
        ck_assert_int_eq(record(&desk, 10)->cost, 1 + 100 + 10 + 1 + 100 + 10 + 10 + 1 + 10 + 10);
        expect_line(&desk, 11, 1, 2);
        ck_assert_int_eq(record(&desk, 11)->own, 2);
        ck_assert_int_eq(record(&desk, 11)->cost, 11);
        expect_nobody_on_a_line(&desk);
        desk_close(&desk);
    }
}
END_TEST

START_TEST(the_figures_in_the_middle)
{
    desk desk;
    desk_open(&desk, true, (trc_linecosts){.line = 1, .call = 10, .c = 100});
    trc_linethread_enter(&desk.thread, 2, &f, 0);
    line(&desk, 2, 10, 1);
    trc_linethread_enter(&desk.thread, 4, &f, 4);
    line(&desk, 4, 10, 6);
    trc_linethread_enter_c(&desk.thread, 4, 9);
    trc_linethread_catch_up(&desk.thread, 15, TRC_NO_CPU);
    expect_line(&desk, 10, 2, 14);
    ck_assert_int_eq(record(&desk, 10)->own, 3 + 3);
    ck_assert_int_eq(record(&desk, 10)->c_ticks, 6);
    ck_assert_int_eq(record(&desk, 10)->cost, 1 + 10 + 1 + 100);
    trc_linethread_catch_up(&desk.thread, 15, TRC_NO_CPU);
    expect_line(&desk, 10, 2, 14);
    desk_close(&desk);
}
END_TEST

START_TEST(what_is_forgotten_is_on_no_line)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    trc_linethread_enter(&desk.thread, 2, &f, 0);
    line(&desk, 2, 10, 1);
    trc_linethread_enter_c(&desk.thread, 2, 2);
    trc_linethread_enter(&desk.thread, 4, &g, 3);
    line(&desk, 4, 20, 3);
    trc_linethread_suspend(&desk.thread, 4, 4);
    trc_linethread_catch_up(&desk.thread, 5, TRC_NO_CPU);
    trc_linethread_forget(&desk.thread);
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    expect_nobody_on_a_line(&desk);
    trc_linethread_forget(&desk.thread);
    trc_linethread_leave_c(&desk.thread, 2, 8);
    trc_linethread_leave(&desk.thread, 2, 9);
    line(&desk, 2, 10, 20); /* it is enabled again, in the same activation */
    trc_linethread_leave(&desk.thread, 2, 22);
    expect_line(&desk, 10, 2, 4 + 2);
    ck_assert_int_eq(record(&desk, 10)->c_ticks, 3);
    ck_assert_int_eq(record(&desk, 20)->suspended, 0);
    desk_close(&desk);
}
END_TEST

START_TEST(what_waits_goes_on_when_what_runs_is_forgotten)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    trc_linethread_enter(&desk.thread, 2, &f, 0);
    line(&desk, 2, 10, 1);
    trc_linethread_enter(&desk.thread, 4, &g, 3);
    line(&desk, 4, 20, 3);
    trc_linethread_suspend(&desk.thread, 4, 4);
    trc_linethread_enter(&desk.thread, 6, &f, 5);
    line(&desk, 6, 10, 5);
    trc_linethread_enter_c(&desk.thread, 6, 6);
    trc_linethread_catch_up(&desk.thread, 7, TRC_NO_CPU);
    trc_linethread_forget_running(&desk.thread);
    ck_assert_uint_eq(desk.thread.frame_count, 1);
    expect_nobody_on_a_line(&desk);
    trc_linethread_resume(&desk.thread, 4, &g, 20);
    trc_linethread_leave(&desk.thread, 4, 23);
    trc_linethread_catch_up(&desk.thread, 30, TRC_NO_CPU);
    expect_line(&desk, 10, 2, 6);
    ck_assert_int_eq(record(&desk, 10)->c_ticks, 1);
    expect_line(&desk, 20, 1, 1 + 3);
    ck_assert_int_eq(record(&desk, 20)->suspended, 16);
    ck_assert_uint_eq(desk.thread.frame_count, 0);
    desk_close(&desk);
}
END_TEST

START_TEST(a_thread_that_was_freed_is_empty)
{
    desk desk;
    desk_open(&desk, true, no_costs);
    line(&desk, 2, 10, 1);
    trc_linethread_free(&desk.thread);
    ck_assert_int_eq(desk.memory.blocks, 0);
    ck_assert(!line(&desk, 2, 10, 1)); /* it asks for the table again */
    ck_assert(desk.thread.sees_calls);
    desk_close(&desk);
}
END_TEST

Suite *linesums_suite(void)
{
    Suite *suite = suite_create("linesums");
    TCase *tcase = tcase_create("C callables");
    tcase_add_test(tcase, time_in_c_callables_is_part_of_the_line);
    tcase_add_test(tcase, a_c_callable_whose_end_was_not_seen_ends_with_the_line);
    tcase_add_test(tcase, recursion_through_c_counts_once);
    tcase_add_test(tcase, c_callables_called_on_no_line_are_nobodys);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("own time");
    tcase_add_test(tcase, own_time_is_neither_in_c_nor_in_python_callees);
    tcase_add_test(tcase, python_called_by_c_is_no_own_time_of_who_called_that);
    tcase_add_test(tcase, own_time_of_all_activations_of_a_recursion);
    tcase_add_test(tcase, who_resumes_a_generator_goes_on_when_that_waits);
    tcase_add_test(tcase, what_runs_already_is_known_from_its_first_line_on);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("costs");
    tcase_add_test(tcase, what_recording_took_is_told_of_each_line);
    tcase_add_test(tcase, the_cost_of_a_recursion_is_that_within_its_outermost_activation);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("in between");
    tcase_add_test(tcase, catching_up_tells_of_what_is_going_on_and_changes_no_sum);
    tcase_add_test(tcase, the_figures_in_the_middle);
    tcase_add_test(tcase, what_is_forgotten_is_on_no_line);
    tcase_add_test(tcase, what_waits_goes_on_when_what_runs_is_forgotten);
    tcase_add_test(tcase, a_thread_that_was_freed_is_empty);
    suite_add_tcase(suite, tcase);
    return suite;
}
