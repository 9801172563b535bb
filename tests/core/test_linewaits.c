/* linethread.[ch]: which line gets what the thread waited, worked out by hand. test_waits.c shows how a wait is found, and
 * test_linerandom.c has random scripts. A tick is a second here, so every event looks. */
#include "desk.h"
#include "suites.h"

static const trc_linecosts no_costs;

/* A desk, and the time of its thread. */
typedef struct watch {
    desk desk;
    trc_clock clock;
    trc_tick now;
    trc_tick waited; /* of `now` */
} watch;

static trc_tick read_watch(void *context)
{
    return ((const watch *)context)->now;
}

static int64_t read_cpu_of_watch(void *context)
{
    const watch *w = context;
    return 1000000000 * (w->now - w->waited);
}

static int64_t read_no_cpu(void *context)
{
    (void)context;
    return TRC_NO_CPU;
}

static void open_watch(watch *w, bool sees_calls)
{
    desk_open(&w->desk, sees_calls, no_costs);
    w->now = 1000;
    w->waited = 0;
    w->clock = trc_clock_injected(read_watch, w, 1.0);
    w->clock.read_cpu = read_cpu_of_watch;
    trc_linethread_tell_waits(&w->desk.thread, &w->clock);
}

static void pass(watch *w, trc_tick works, trc_tick waits)
{
    w->now += works + waits;
    w->waited += waits;
}

static void expect_waited(const watch *w, long number, trc_tick ticks)
{
    ck_assert_int_eq(record(&w->desk, number)->waited, ticks);
}

START_TEST(a_line_waits_while_the_thread_does_not_run)
{
    for (int sees_calls = 0; sees_calls < 2; sees_calls++) {
        watch w;
        open_watch(&w, sees_calls);
        line(&w.desk, 2, 10, w.now);
        pass(&w, 3, 4);
        line(&w.desk, 2, 11, w.now);
        pass(&w, 5, 0);
        line(&w.desk, 2, 10, w.now);
        pass(&w, 0, 6);
        trc_linethread_leave(&w.desk.thread, 2, w.now);
        expect_waited(&w, 10, 4 + 6);
        expect_waited(&w, 11, 0);
        expect_line(&w.desk, 10, 2, 3 + 4 + 6);
        desk_close(&w.desk);
    }
}
END_TEST

START_TEST(what_c_callables_wait_is_of_the_line_that_calls_them)
{
    for (int sees_calls = 0; sees_calls < 2; sees_calls++) {
        watch w;
        open_watch(&w, sees_calls);
        line(&w.desk, 2, 10, w.now);
        pass(&w, 1, 2);
        trc_linethread_enter_c(&w.desk.thread, 2, w.now);
        pass(&w, 1, 8);
        trc_linethread_leave_c(&w.desk.thread, 2, w.now);
        pass(&w, 1, 16);
        line(&w.desk, 2, 11, w.now);
        expect_waited(&w, 10, 2 + 8 + 16);
        expect_waited(&w, 11, 0);
        desk_close(&w.desk);
    }
}
END_TEST

START_TEST(a_callee_whose_lines_are_timed_waits_itself)
{
    for (int sees_calls = 0; sees_calls < 2; sees_calls++) {
        watch w;
        open_watch(&w, sees_calls);
        line(&w.desk, 2, 10, w.now);
        pass(&w, 0, 1);
        if (sees_calls) {
            trc_linethread_enter(&w.desk.thread, 4, &g, w.now);
        }
        line(&w.desk, 4, 20, w.now);
        pass(&w, 1, 2);
        line(&w.desk, 4, 21, w.now);
        pass(&w, 1, 4);
        trc_linethread_leave(&w.desk.thread, 4, w.now);
        pass(&w, 1, 8);
        line(&w.desk, 2, 11, w.now);
        expect_waited(&w, 10, 1 + 8);
        expect_waited(&w, 20, 2);
        expect_waited(&w, 21, 4);
        desk_close(&w.desk);
    }
}
END_TEST

START_TEST(what_other_callees_wait_is_of_the_line_below_them)
{
    watch w;
    open_watch(&w, true);
    line(&w.desk, 2, 10, w.now);
    trc_linethread_enter(&w.desk.thread, 4, &untimed, w.now);
    pass(&w, 1, 2);
    trc_linethread_enter(&w.desk.thread, 6, &untimed, w.now);
    pass(&w, 1, 4);
    trc_linethread_leave(&w.desk.thread, 6, w.now);
    pass(&w, 1, 8);
    trc_linethread_leave(&w.desk.thread, 4, w.now);
    pass(&w, 1, 16);
    line(&w.desk, 2, 11, w.now);
    expect_waited(&w, 10, 2 + 4 + 8 + 16);
    ck_assert_int_eq(record(&w.desk, 10)->own, 1 + 16);
    desk_close(&w.desk);
}
END_TEST

START_TEST(where_calls_are_not_seen_an_unknown_end_changes_nothing)
{
    watch w;
    open_watch(&w, false);
    line(&w.desk, 2, 10, w.now);
    pass(&w, 0, 1);
    trc_linethread_leave(&w.desk.thread, 4, w.now); /* an exception in a function whose lines are not timed */
    pass(&w, 0, 2);
    line(&w.desk, 2, 11, w.now);
    expect_waited(&w, 10, 3);
    desk_close(&w.desk);
}
END_TEST

START_TEST(while_a_generator_is_suspended_its_caller_waits)
{
    for (int sees_calls = 0; sees_calls < 2; sees_calls++) {
        watch w;
        open_watch(&w, sees_calls);
        line(&w.desk, 2, 10, w.now);
        trc_linethread_enter(&w.desk.thread, 4, &g, w.now);
        line(&w.desk, 4, 20, w.now);
        pass(&w, 0, 1);
        trc_linethread_suspend(&w.desk.thread, 4, w.now);
        pass(&w, 0, 2);
        line(&w.desk, 2, 11, w.now);
        pass(&w, 0, 4);
        trc_linethread_resume(&w.desk.thread, 4, &g, w.now);
        pass(&w, 0, 8);
        trc_linethread_leave(&w.desk.thread, 4, w.now);
        pass(&w, 0, 16);
        trc_linethread_leave(&w.desk.thread, 2, w.now);
        expect_waited(&w, 10, 2);
        expect_waited(&w, 11, 4 + 16);
        expect_waited(&w, 20, 1 + 8);
        ck_assert_int_eq(record(&w.desk, 20)->suspended, 2 + 4);
        desk_close(&w.desk);
    }
}
END_TEST

START_TEST(outside_of_all_lines_nobody_waits)
{
    watch w;
    open_watch(&w, false);
    line(&w.desk, 2, 10, w.now);
    trc_linethread_leave(&w.desk.thread, 2, w.now);
    pass(&w, 0, 9);
    line(&w.desk, 2, 11, w.now);
    pass(&w, 0, 2);
    line(&w.desk, 2, 10, w.now);
    expect_waited(&w, 10, 0);
    expect_waited(&w, 11, 2);
    desk_close(&w.desk);
}
END_TEST

START_TEST(a_line_that_recurses_waits_no_longer_than_it_takes)
{
    watch w;
    open_watch(&w, false);
    for (trc_activation id = 2; id <= 20; id += 2) {
        line(&w.desk, id, 10, w.now);
        pass(&w, 1, 3);
    }
    for (trc_activation id = 20; id >= 2; id -= 2) {
        trc_linethread_leave(&w.desk.thread, id, w.now);
        pass(&w, 0, 1);
    }
    expect_waited(&w, 10, 10 * 3 + 9 * 1);
    expect_line(&w.desk, 10, 10, 10 * 4 + 9 * 1);
    desk_close(&w.desk);
}
END_TEST

START_TEST(a_snapshot_has_the_wait_under_way)
{
    watch w;
    open_watch(&w, false);
    line(&w.desk, 2, 10, w.now);
    pass(&w, 1, 5);
    trc_linethread_catch_up(&w.desk.thread, w.now, read_cpu_of_watch(&w));
    expect_waited(&w, 10, 5);
    expect_line(&w.desk, 10, 1, 6);
    pass(&w, 1, 7);
    trc_linethread_catch_up(&w.desk.thread, w.now, TRC_NO_CPU);
    expect_waited(&w, 10, 5);
    ck_assert_int_eq(record(&w.desk, 10)->ticks, 14);
    desk_close(&w.desk);
}
END_TEST

START_TEST(what_passes_unrecorded_is_no_wait)
{
    watch w;
    open_watch(&w, false);
    line(&w.desk, 2, 10, w.now);
    pass(&w, 0, 2);
    trc_linethread_catch_up(&w.desk.thread, w.now, read_cpu_of_watch(&w));
    trc_linethread_forget(&w.desk.thread); /* recording ends */
    pass(&w, 0, 50);
    w.waited += 200; /* it begins again in another thread, which ran less */
    line(&w.desk, 2, 10, w.now);
    ck_assert_int_eq(w.desk.thread.meter.carried, 0);
    pass(&w, 0, 3);
    trc_linethread_leave(&w.desk.thread, 2, w.now);
    expect_waited(&w, 10, 5);
    desk_close(&w.desk);
}
END_TEST

START_TEST(a_rest_is_no_wait)
{
    watch w;
    open_watch(&w, false);
    line(&w.desk, 2, 10, w.now);
    pass(&w, 0, 2);
    trc_linethread_catch_up(&w.desk.thread, w.now, read_cpu_of_watch(&w));
    trc_linethread_rest(&w.desk.thread, w.now);
    ck_assert_uint_eq(w.desk.thread.frame_count, 0);
    pass(&w, 10, 50);
    line(&w.desk, 2, 10, w.now);
    ck_assert_int_eq(w.desk.thread.meter.carried, 0);
    pass(&w, 1, 3);
    trc_linethread_leave(&w.desk.thread, 2, w.now);
    expect_waited(&w, 10, 5);
    desk_close(&w.desk);
}
END_TEST

START_TEST(without_cpu_time_nothing_waits)
{
    for (int tells = 0; tells < 2; tells++) {
        watch w;
        open_watch(&w, true);
        w.clock.read_cpu = read_no_cpu;
        trc_linethread_tell_waits(&w.desk.thread, tells ? &w.clock : NULL);
        line(&w.desk, 2, 10, w.now);
        pass(&w, 0, 9);
        line(&w.desk, 2, 11, w.now);
        ck_assert_int_eq(w.desk.thread.meter.due, TRC_NEVER);
        expect_waited(&w, 10, 0);
        desk_close(&w.desk);
    }
}
END_TEST

START_TEST(callers_in_a_circle_end_the_search)
{
    watch w;
    open_watch(&w, true);
    trc_linethread_enter(&w.desk.thread, 2, &untimed, w.now);
    trc_linethread_enter(&w.desk.thread, 4, &untimed, w.now);
    trc_lineframe *first = trc_linethread_search(&w.desk.thread, 2);
    ck_assert_uint_eq(first->below, 0);
    first->below = 4; /* as when names are used again */
    pass(&w, 0, 9);
    line(&w.desk, 6, 10, w.now);
    expect_waited(&w, 10, 0);
    desk_close(&w.desk);
}
END_TEST

Suite *linewaits_suite(void)
{
    Suite *suite = suite_create("linewaits");
    TCase *tcase = tcase_create("linewaits");
    tcase_add_test(tcase, a_line_waits_while_the_thread_does_not_run);
    tcase_add_test(tcase, what_c_callables_wait_is_of_the_line_that_calls_them);
    tcase_add_test(tcase, a_callee_whose_lines_are_timed_waits_itself);
    tcase_add_test(tcase, what_other_callees_wait_is_of_the_line_below_them);
    tcase_add_test(tcase, where_calls_are_not_seen_an_unknown_end_changes_nothing);
    tcase_add_test(tcase, while_a_generator_is_suspended_its_caller_waits);
    tcase_add_test(tcase, outside_of_all_lines_nobody_waits);
    tcase_add_test(tcase, a_line_that_recurses_waits_no_longer_than_it_takes);
    tcase_add_test(tcase, a_snapshot_has_the_wait_under_way);
    tcase_add_test(tcase, what_passes_unrecorded_is_no_wait);
    tcase_add_test(tcase, a_rest_is_no_wait);
    tcase_add_test(tcase, without_cpu_time_nothing_waits);
    tcase_add_test(tcase, callers_in_a_circle_end_the_search);
    suite_add_tcase(suite, tcase);
    return suite;
}
