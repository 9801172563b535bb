/* capture.[ch]: the flat records of a thread, number by number. test_rollup.c and test_thread.c show that they add up. */
#include "suites.h"
#include "support.h"

static void expect_node(const trc_capture *capture, uint32_t at, uint32_t parent, uint32_t func, uint64_t calls,
                        trc_tick self, trc_tick overflowed)
{
    const trc_node_record *record = &capture->nodes[at];
    ck_assert_uint_eq(record->parent, parent);
    ck_assert_uint_eq(record->func, func);
    ck_assert_uint_eq(record->calls, calls);
    ck_assert_uint_eq(record->resumes, 0);
    ck_assert_int_eq(record->self, self);
    ck_assert_int_eq(record->overflowed, overflowed);
}

static void expect_overflow(const trc_capture *capture, uint32_t at, uint32_t caller, uint32_t callee,
                            trc_figures figures)
{
    const trc_overflow_record *record = &capture->overflows[at];
    ck_assert_uint_eq(record->caller, caller);
    ck_assert_uint_eq(record->callee, callee);
    ck_assert_uint_eq(record->figures.calls, figures.calls);
    ck_assert_uint_eq(record->figures.resumes, figures.resumes);
    ck_assert_uint_eq(record->figures.primitive_calls, figures.primitive_calls);
    ck_assert_uint_eq(record->figures.primitive_resumes, figures.primitive_resumes);
    ck_assert_int_eq(record->figures.self, figures.self);
    ck_assert_int_eq(record->figures.cumulative, figures.cumulative);
}

static void expect_outermost(const trc_capture *capture, uint32_t func, uint64_t calls, uint64_t resumes,
                             trc_tick cumulative)
{
    const trc_outermost_record *record = &capture->outermost[func];
    ck_assert_uint_eq(record->func, func);
    ck_assert_uint_eq(record->reserved, 0);
    ck_assert_uint_eq(record->primitive_calls, calls);
    ck_assert_uint_eq(record->primitive_resumes, resumes);
    ck_assert_int_eq(record->cumulative, cumulative);
}

/* Whether only a script's ~ measures the extra here. */
static bool is_a_scripts(trc_extra extra)
{
    return trc_traits_of(extra)->merge == TRC_SUM;
}

/* Asserts that the list of each extra of scripts has here what steps ~ with these digits give. */
static void expect_measured(const trc_capture *capture, uint32_t at, uint32_t func, const char *digits)
{
    trc_tick ticks[TRC_EXTRA_COUNT] = {0};
    for (; *digits != '\0'; digits++) {
        measure(ticks, *digits);
    }
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT && is_a_scripts(extra); extra++) {
        const trc_extra_record *record = &capture->extras[extra][at];
        ck_assert_uint_eq(record->func, func);
        ck_assert_uint_eq(record->reserved, 0);
        ck_assert_int_eq(record->ticks, ticks[extra]);
    }
}

static void expect_extra_counts(const trc_capture *capture, uint32_t count)
{
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT && is_a_scripts(extra); extra++) {
        ck_assert_uint_eq(capture->extra_counts[extra], count);
    }
}

static void take(trc_capture *capture, const stage *stage)
{
    ck_assert(trc_capture_thread(capture, &stage->thread, stage->now, stage->tracing, TRC_NO_CPU));
}

START_TEST(a_silent_thread_is_a_root)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "5");
    take(&capture, &stage);
    ck_assert_uint_eq(capture.node_count, 1);
    ck_assert_uint_eq(capture.overflow_count, 0);
    ck_assert_uint_eq(capture.outermost_count, 0);
    expect_extra_counts(&capture, 0);
    expect_node(&capture, 0, 0, TRC_NO_FUNCTION, 0, 5, 0);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(nodes_come_after_their_parents)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "1a2b3)c4)5)b6)a7b8))");
    take(&capture, &stage);
    ck_assert_uint_eq(capture.node_count, 5);
    expect_node(&capture, 0, 0, TRC_NO_FUNCTION, 0, 1, 0);
    expect_node(&capture, 1, 0, 0, 2, 14, 0); /* a */
    expect_node(&capture, 2, 1, 1, 2, 11, 0); /* a > b */
    expect_node(&capture, 3, 1, 2, 1, 4, 0);  /* a > c */
    expect_node(&capture, 4, 0, 1, 1, 6, 0);  /* b */
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(time_goes_on_only_in_a_running_thread)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a2b3");
    ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now + 10, false, TRC_NO_CPU));
    expect_node(&capture, 1, 0, 0, 1, 2, 0);
    expect_node(&capture, 2, 1, 1, 1, 0, 0); /* entered, and no event since */
    trc_capture_free(&capture, &stage.memory.allocator);
    ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now + 10, true, TRC_NO_CPU));
    expect_node(&capture, 1, 0, 0, 1, 2, 0);
    expect_node(&capture, 2, 1, 1, 1, 13, 0);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(what_runs_already_is_a_node_without_calls)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "!a!b1a2");
    take(&capture, &stage);
    ck_assert_uint_eq(capture.node_count, 4);
    expect_node(&capture, 1, 0, 0, 0, 0, 0);
    expect_node(&capture, 2, 1, 1, 0, 1, 0);
    expect_node(&capture, 3, 2, 0, 1, 2, 0);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(extras_are_records_of_those_that_have_some)
{
    for (long budget = 0; budget <= 3; budget++) {
        stage stage;
        trc_capture capture;
        ck_assert(stage_open(&stage, budget, 0, 0));
        stage_play(&stage, "a1b2)c3))~c5~a7~c6"); /* ids: a 0, b 1, c 2 */
        take(&capture, &stage);
        expect_extra_counts(&capture, 2);
        expect_measured(&capture, 0, 0, "7");
        expect_measured(&capture, 1, 2, "56");
        trc_capture_free(&capture, &stage.memory.allocator);
        ck_assert_ptr_null(capture.extras[0]);
        expect_extra_counts(&capture, 0);
        ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now, false, TRC_NO_CPU)); /* running or not */
        expect_extra_counts(&capture, 2);
        trc_capture_free(&capture, &stage.memory.allocator);
        stage_close(&stage);
    }
}
END_TEST

/* Asserts that a stretch of the function is its longest, and began so long after the stage did. */
static void expect_longest(const trc_capture *capture, uint32_t at, uint32_t func, trc_tick ticks, trc_tick began)
{
    const trc_extra_record *longest = &capture->extras[TRC_LONGEST][at];
    const trc_extra_record *when = &capture->extras[TRC_LONGEST_AT][at];
    ck_assert_uint_eq(longest->func, func);
    ck_assert_uint_eq(when->func, func);
    ck_assert_int_eq(longest->ticks, ticks);
    ck_assert_int_eq(when->ticks, 1000 + began); /* the stage begins at 1000 */
}

START_TEST(the_longest_stretch_of_a_function_is_known_and_when_it_began)
{
    for (long budget = 0; budget <= 6; budget++) {
        stage stage;
        trc_capture capture;
        ck_assert(stage_open(&stage, budget, 0, 0));
        /* a is 9 ticks long, then 4; b 5 at the root, 2 below a, and, paused for 8, 6; c 0; d runs already. */
        stage_play(&stage, "a1b2)6)b5)a4)c)b3<8>3)!d2");
        take(&capture, &stage);
        ck_assert_uint_eq(capture.extra_counts[TRC_LONGEST], 3);
        ck_assert_uint_eq(capture.extra_counts[TRC_LONGEST_AT], 3);
        expect_longest(&capture, 0, 0, 9, 0);
        expect_longest(&capture, 1, 1, 6, 26); /* a pause moves the beginning on */
        expect_longest(&capture, 2, 3, 2, 32);
        trc_capture_free(&capture, &stage.memory.allocator);
        stage_close(&stage);
    }
}
END_TEST

START_TEST(a_stretch_under_way_lasts_until_now_or_until_its_stack_waits)
{
    for (long budget = 0; budget <= 3; budget++) {
        stage stage;
        trc_capture capture;
        ck_assert(stage_open(&stage, budget, 0, 0));
        stage_play(&stage, "@aa3@bb4c2");
        take(&capture, &stage);
        expect_longest(&capture, 0, 0, 3, 0);
        expect_longest(&capture, 1, 1, 6, 3);
        expect_longest(&capture, 2, 2, 2, 7);
        trc_capture_free(&capture, &stage.memory.allocator);
        ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now + 9, false, TRC_NO_CPU));
        expect_longest(&capture, 1, 1, 4, 3); /* its last event was c's call */
        ck_assert_uint_eq(capture.extra_counts[TRC_LONGEST], 2);
        trc_capture_free(&capture, &stage.memory.allocator);
        stage_close(&stage);
    }
}
END_TEST

START_TEST(a_resume_begins_a_stretch)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a2)4A3)");
    take(&capture, &stage);
    expect_longest(&capture, 0, 0, 3, 6);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

static void expect_wait(const trc_capture *capture, uint32_t at, uint32_t node, trc_tick ticks)
{
    ck_assert_uint_eq(capture->waits[at].node, node);
    ck_assert_uint_eq(capture->waits[at].reserved, 0);
    ck_assert_int_eq(capture->waits[at].ticks, ticks);
}

START_TEST(waits_are_records_of_functions_and_of_nodes)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_tell_waits(&stage);
    stage_play(&stage, "%9a1%4b2)%1b%3)c%2"); /* c waits still */
    ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now, true, stage_cpu(&stage)));
    ck_assert_uint_eq(capture.extra_counts[TRC_WAITED], 3);
    ck_assert_int_eq(capture.extras[TRC_WAITED][0].ticks, 5);
    ck_assert_int_eq(capture.extras[TRC_WAITED][1].ticks, 3);
    ck_assert_int_eq(capture.extras[TRC_WAITED][2].ticks, 2);
    ck_assert_uint_eq(capture.wait_count, 3);
    expect_wait(&capture, 0, 1, 5);
    expect_wait(&capture, 1, 2, 3);
    expect_wait(&capture, 2, 3, 2);
    trc_capture_free(&capture, &stage.memory.allocator);
    ck_assert_ptr_null(capture.waits);
    stage_play(&stage, ")a%1"); /* a waits once more */
    ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now, true, stage_cpu(&stage)));
    ck_assert_uint_eq(capture.wait_count, 4); /* a below a is a node of its own */
    trc_capture_free(&capture, &stage.memory.allocator);
    ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now, true, TRC_NO_CPU));
    ck_assert_uint_eq(capture.wait_count, 3);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(a_node_that_waited_before_waits_on_in_its_record)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_tell_waits(&stage);
    stage_play(&stage, "a%4b)%3");
    ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now, true, stage_cpu(&stage)));
    ck_assert_uint_eq(capture.wait_count, 1);
    expect_wait(&capture, 0, 1, 7);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(what_a_node_waits_may_be_more_than_can_be_counted)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_tell_waits(&stage);
    stage_play(&stage, "a%4b)%3");
    stage.thread.waits->nodes->ticks = INT64_MAX - 1;
    ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now, true, stage_cpu(&stage)));
    expect_wait(&capture, 0, 1, INT64_MIN + 1); /* as all sums of ticks */
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(what_an_overflow_node_waits_is_in_its_function_only)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, 0, 0, 0));
    stage_tell_waits(&stage);
    stage_play(&stage, "a%4)b%2");
    ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now, true, stage_cpu(&stage)));
    ck_assert_uint_eq(capture.wait_count, 0);
    ck_assert_int_eq(capture.extras[TRC_WAITED][0].ticks, 4);
    ck_assert_int_eq(capture.extras[TRC_WAITED][1].ticks, 2);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(unseen_calls_are_records_of_those_that_made_some)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a1b2)c3))");
    trc_functab_find(&stage.thread.funcs, key_of('c'))->unseen = 7;
    take(&capture, &stage);
    ck_assert_uint_eq(capture.unseen_count, 1);
    ck_assert_uint_eq(capture.unseen[0].func, 2);
    ck_assert_uint_eq(capture.unseen[0].reserved, 0);
    ck_assert_uint_eq(capture.unseen[0].calls, 7);
    trc_capture_free(&capture, &stage.memory.allocator);
    ck_assert_ptr_null(capture.unseen);
    stage_close(&stage);
}
END_TEST

START_TEST(overflows_and_outermost_are_records_of_their_own)
{
    /* a and a > b are in the tree; c, its callees and a > b > b are not. Ids: a 0, b 1, c 2. */
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, 2, 0, 0));
    stage_play(&stage, "a1b2b3)))c4A5b6)))");
    take(&capture, &stage);
    ck_assert_uint_eq(capture.node_count, 3);
    expect_node(&capture, 0, 0, TRC_NO_FUNCTION, 0, 0, 15);
    expect_node(&capture, 1, 0, 0, 1, 1, 0);
    expect_node(&capture, 2, 1, 1, 1, 2, 3);
    ck_assert_uint_eq(capture.overflow_count, 4);
    expect_overflow(&capture, 0, 1, 1, (trc_figures){1, 0, 1, 0, 3, 3});
    expect_overflow(&capture, 1, TRC_NO_FUNCTION, 2, (trc_figures){1, 0, 0, 0, 4, 0});
    expect_overflow(&capture, 2, 2, 0, (trc_figures){0, 1, 0, 1, 5, 11});
    expect_overflow(&capture, 3, 0, 1, (trc_figures){1, 0, 1, 0, 6, 6});
    ck_assert_uint_eq(capture.outermost_count, 3);
    expect_outermost(&capture, 0, 0, 1, 11);
    expect_outermost(&capture, 1, 1, 0, 6);
    expect_outermost(&capture, 2, 1, 0, 15);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(open_overflows_count_as_if_left_now)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, 1, 0, 0));
    stage_play(&stage, "a1b2a3b4"); /* in the tree: a. Ids: a 0, b 1. */
    take(&capture, &stage);
    ck_assert_uint_eq(capture.node_count, 2);
    expect_node(&capture, 1, 0, 0, 1, 1, 9);
    ck_assert_uint_eq(capture.overflow_count, 2);
    expect_overflow(&capture, 0, 0, 1, (trc_figures){2, 0, 1, 0, 6, 9});
    expect_overflow(&capture, 1, 1, 0, (trc_figures){1, 0, 1, 0, 3, 7});
    expect_outermost(&capture, 0, 0, 0, 0);
    expect_outermost(&capture, 1, 1, 0, 9);
    trc_capture_free(&capture, &stage.memory.allocator);
    /* Taking it changed nothing: the leaves give the same once more. */
    stage_play(&stage, "))))");
    take(&capture, &stage);
    expect_node(&capture, 1, 0, 0, 1, 1, 9);
    expect_overflow(&capture, 0, 0, 1, (trc_figures){2, 0, 1, 0, 6, 9});
    expect_overflow(&capture, 1, 1, 0, (trc_figures){1, 0, 1, 0, 3, 7});
    expect_outermost(&capture, 1, 1, 0, 9);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(open_overflows_of_a_thread_that_does_not_run_count_to_its_last_event)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, 1, 0, 0));
    stage_play(&stage, "a1b2a3b4"); /* in the tree: a. Ids: a 0, b 1. */
    ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now + 10, false, TRC_NO_CPU));
    expect_node(&capture, 1, 0, 0, 1, 1, 5);
    expect_overflow(&capture, 0, 0, 1, (trc_figures){2, 0, 1, 0, 2, 5});
    expect_overflow(&capture, 1, 1, 0, (trc_figures){1, 0, 1, 0, 3, 3});
    expect_outermost(&capture, 0, 0, 0, 0);
    expect_outermost(&capture, 1, 1, 0, 5);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(open_overflows_below_the_root_are_its_time)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, 0, 0, 0));
    stage_play(&stage, "1a2b3");
    take(&capture, &stage);
    ck_assert_uint_eq(capture.node_count, 1);
    expect_node(&capture, 0, 0, TRC_NO_FUNCTION, 0, 1, 5);
    expect_overflow(&capture, 0, TRC_NO_FUNCTION, 0, (trc_figures){1, 0, 0, 0, 2, 0});
    expect_overflow(&capture, 1, 0, 1, (trc_figures){1, 0, 1, 0, 3, 3});
    expect_outermost(&capture, 0, 1, 0, 5);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

/* a is in the tree; of a > b > c and, on another stack, b > a, all is overflowed. Ids: a 0, b 1, c 2. */
static void expect_two_stacks(const trc_capture *capture, trc_tick later)
{
    ck_assert_uint_eq(capture->node_count, 2);
    expect_node(capture, 0, 0, TRC_NO_FUNCTION, 0, 0, 7);
    expect_node(capture, 1, 0, 0, 1, 1, 7 + later);
    ck_assert_uint_eq(capture->overflow_count, 4);
    expect_overflow(capture, 0, 0, 1, (trc_figures){1, 0, 1, 0, 2, 7 + later});
    expect_overflow(capture, 1, TRC_NO_FUNCTION, 1, (trc_figures){1, 0, 0, 0, 3, 0});
    expect_overflow(capture, 2, 1, 0, (trc_figures){1, 0, 1, 0, 4, 4});
    expect_overflow(capture, 3, 1, 2, (trc_figures){1, 0, 1, 0, 5 + later, 5 + later});
    ck_assert_uint_eq(capture->outermost_count, 3);
    expect_outermost(capture, 0, 1, 0, 4);
    expect_outermost(capture, 1, 2, 0, 14 + later);
    expect_outermost(capture, 2, 1, 0, 5 + later);
}

START_TEST(overflows_on_stacks_that_wait_count_until_they_wait)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, 1, 0, 0));
    stage_play(&stage, "a1b2@cb3a4@ac5");
    for (trc_tick later = 0; later < 3; later++) { /* taking it changes nothing */
        ck_assert(trc_capture_thread(&capture, &stage.thread, stage.now + later, true, TRC_NO_CPU));
        expect_two_stacks(&capture, later);
        trc_capture_free(&capture, &stage.memory.allocator);
    }
    stage_play(&stage, "9))@c))@a)");
    take(&capture, &stage);
    expect_two_stacks(&capture, 9);
    trc_capture_free(&capture, &stage.memory.allocator);
    stage_close(&stage);
}
END_TEST

START_TEST(a_capture_without_memory_fails_and_can_be_freed)
{
    static const char *const scripts[] = {"a1b2)c3~a5", "a1b2a3b4c5@ba6b7@c~a5"};
    static const long budgets[] = {NO_LIMIT, 1};
    /* Positions, nodes, the extras of functions, each extra, waits, collections and unseen calls. The second has overflows, outermost and the bytes that mark what was seen on each of
     * three stacks, too. */
    static const long requests[] = {6 + TRC_EXTRA_COUNT, 6 + TRC_EXTRA_COUNT + 2 + 3};
    for (int i = 0; i < 2; i++) {
        stage stage;
        trc_capture capture;
        ck_assert(stage_open(&stage, budgets[i], 0, 0));
        stage_play(&stage, scripts[i]);
        long failing = 1;
        for (;; failing++) {
            long blocks = stage.memory.blocks;
            stage.memory.requests = 0;
            stage.memory.first_failure = stage.memory.last_failure = failing;
            bool taken = trc_capture_thread(&capture, &stage.thread, stage.now, true, TRC_NO_CPU);
            trc_capture_free(&capture, &stage.memory.allocator);
            ck_assert_int_eq(stage.memory.blocks, blocks);
            if (taken) {
                break;
            }
        }
        ck_assert_int_eq(failing, requests[i] + 1);
        stage_close(&stage);
    }
}
END_TEST

Suite *capture_suite(void)
{
    Suite *suite = suite_create("capture");
    TCase *tcase = tcase_create("capture");
    tcase_add_test(tcase, a_silent_thread_is_a_root);
    tcase_add_test(tcase, nodes_come_after_their_parents);
    tcase_add_test(tcase, time_goes_on_only_in_a_running_thread);
    tcase_add_test(tcase, what_runs_already_is_a_node_without_calls);
    tcase_add_test(tcase, extras_are_records_of_those_that_have_some);
    tcase_add_test(tcase, the_longest_stretch_of_a_function_is_known_and_when_it_began);
    tcase_add_test(tcase, a_stretch_under_way_lasts_until_now_or_until_its_stack_waits);
    tcase_add_test(tcase, a_resume_begins_a_stretch);
    tcase_add_test(tcase, waits_are_records_of_functions_and_of_nodes);
    tcase_add_test(tcase, a_node_that_waited_before_waits_on_in_its_record);
    tcase_add_test(tcase, what_a_node_waits_may_be_more_than_can_be_counted);
    tcase_add_test(tcase, what_an_overflow_node_waits_is_in_its_function_only);
    tcase_add_test(tcase, unseen_calls_are_records_of_those_that_made_some);
    tcase_add_test(tcase, overflows_and_outermost_are_records_of_their_own);
    tcase_add_test(tcase, open_overflows_count_as_if_left_now);
    tcase_add_test(tcase, open_overflows_of_a_thread_that_does_not_run_count_to_its_last_event);
    tcase_add_test(tcase, open_overflows_below_the_root_are_its_time);
    tcase_add_test(tcase, overflows_on_stacks_that_wait_count_until_they_wait);
    tcase_add_test(tcase, a_capture_without_memory_fails_and_can_be_freed);
    suite_add_tcase(suite, tcase);
    return suite;
}
