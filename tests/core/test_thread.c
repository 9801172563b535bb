/* thread.[ch]: scripts of calls, and the exact figures they must give. The scripts' language is in support.h. */
#include "suites.h"
#include "support.h"

START_TEST(a_call_has_its_time_and_its_callees)
{
    expect_played("1a2b3)4)5", NO_LIMIT,
                  "a 1/1 self 6 cum 9\n"
                  "b 1/1 self 3 cum 3\n"
                  "a>b 1/1 self 3 cum 3\n");
}
END_TEST

START_TEST(a_caller_may_call_again_and_others)
{
    expect_played("a1b2)b3)c4)5)", NO_LIMIT,
                  "a 1/1 self 6 cum 15\n"
                  "b 2/2 self 5 cum 5\n"
                  "c 1/1 self 4 cum 4\n"
                  "a>b 2/2 self 5 cum 5\n"
                  "a>c 1/1 self 4 cum 4\n");
}
END_TEST

START_TEST(recursion_counts_time_once)
{
    expect_played("a1a2a3a4)5)6)7)", NO_LIMIT,
                  "a 4/1 self 28 cum 28\n"
                  "a>a 3/1 self 20 cum 20\n");
}
END_TEST

START_TEST(mutual_recursion_counts_time_once)
{
    expect_played("a1b2a3b4)5)6)7)", NO_LIMIT,
                  "a 2/1 self 16 cum 28\n"
                  "b 2/1 self 12 cum 20\n"
                  "a>b 2/1 self 12 cum 20\n"
                  "b>a 1/1 self 8 cum 12\n");
}
END_TEST

START_TEST(recursion_through_another_has_both_its_edges)
{
    /* a > a > b > a: the first a calls the second, b calls the third. */
    expect_played("a1a1b1a1))))", NO_LIMIT,
                  "a 3/1 self 3 cum 4\n"
                  "b 1/1 self 1 cum 2\n"
                  "a>a 1/1 self 1 cum 3\n"
                  "a>b 1/1 self 1 cum 2\n"
                  "b>a 1/1 self 1 cum 1\n");
}
END_TEST

START_TEST(an_edge_is_outermost_on_its_own_terms)
{
    /* The second b is not outermost of b, but it is the first that c calls. */
    expect_played("a1b2c3b4))))", NO_LIMIT,
                  "a 1/1 self 1 cum 10\n"
                  "b 2/1 self 6 cum 9\n"
                  "c 1/1 self 3 cum 7\n"
                  "a>b 1/1 self 2 cum 9\n"
                  "b>c 1/1 self 3 cum 7\n"
                  "c>b 1/1 self 4 cum 4\n");
}
END_TEST

START_TEST(resumes_are_no_calls)
{
    expect_played("a1g2)3G4)5G6))", NO_LIMIT,
                  "a 1/1 self 9 cum 21\n"
                  "g 1/1 +2/2 self 12 cum 12\n"
                  "a>g 1/1 +2/2 self 12 cum 12\n");
}
END_TEST

START_TEST(a_resume_may_be_recursive)
{
    expect_played("g1G2))", NO_LIMIT, "g 1/1 +1/0 self 3 cum 3\ng>g 0/0 +1/1 self 2 cum 2\n");
}
END_TEST

START_TEST(a_leave_of_what_was_never_entered_is_ignored)
{
    expect_played("?1a2?3b4?5)6?)?7", NO_LIMIT,
                  "a 1/1 self 11 cum 20\n"
                  "b 1/1 self 9 cum 9\n"
                  "a>b 1/1 self 9 cum 9\n");
}
END_TEST

START_TEST(a_leave_of_a_deeper_frame_leaves_what_is_above)
{
    /* c and b are left at once; the time after that is a's. */
    expect_played("a1b2c3}4d5))", NO_LIMIT,
                  "a 1/1 self 5 cum 15\n"
                  "b 1/1 self 2 cum 5\n"
                  "c 1/1 self 3 cum 3\n"
                  "d 1/1 self 5 cum 5\n"
                  "a>b 1/1 self 2 cum 5\n"
                  "a>d 1/1 self 5 cum 5\n"
                  "b>c 1/1 self 3 cum 3\n");
}
END_TEST

START_TEST(what_runs_already_counts_nothing_but_time)
{
    for (long budget = 0; budget <= 5; budget++) { /* all overflowed ... nothing */
        expect_played("!a1!b2c3)4a5)b6))7)8", budget,
                      "a 1/0 self 13 cum 28\n"
                      "b 1/0 self 12 cum 20\n"
                      "c 1/1 self 3 cum 3\n"
                      "a>b 0/0 self 6 cum 20\n"
                      "b>a 1/1 self 5 cum 5\n"
                      "b>b 1/1 self 6 cum 6\n"
                      "b>c 1/1 self 3 cum 3\n");
    }
}
END_TEST

START_TEST(a_c_function_is_left_by_its_callers_name)
{
    /* x calls back, and its caller is left while x is on top of it. */
    expect_played("a1'x2b3)4)5'x6}7", NO_LIMIT,
                  "a 1/1 self 6 cum 21\n"
                  "b 1/1 self 3 cum 3\n"
                  "x 2/2 self 12 cum 15\n"
                  "a>x 2/2 self 12 cum 15\n"
                  "x>b 1/1 self 3 cum 3\n");
}
END_TEST

START_TEST(a_leave_of_a_c_function_that_was_never_entered_changes_nothing)
{
    for (long budget = 0; budget <= 3; budget++) {
        expect_played("1a-2b-3)4-5)", budget, "a 1/1 self 11 cum 14\nb 1/1 self 3 cum 3\na>b 1/1 self 3 cum 3\n");
    }
}
END_TEST

START_TEST(a_leave_of_a_c_function_looks_no_further_than_its_caller)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a1b2c3");
    trc_frame *frames = stage.thread.stack.frames;
    frames[1].id = frames[2].id + 1; /* where it cannot be: below the caller */
    trc_thread_leave(&stage.thread, frames[2].id + 1, stage.now);
    ck_assert_ptr_eq(stage.thread.stack.top, &frames[3]);
    trc_thread_leave(&stage.thread, frames[3].id + 1, stage.now);
    ck_assert_ptr_eq(stage.thread.stack.top, &frames[3]);
    trc_thread_leave(&stage.thread, 4711, stage.now); /* of a caller that is not there */
    ck_assert_ptr_eq(stage.thread.stack.top, &frames[3]);
    stage_close(&stage);
}
END_TEST

START_TEST(a_leave_of_no_activation_leaves_the_root_alone)
{
    for (long budget = 0; budget <= 1; budget++) {
        stage stage;
        ck_assert(stage_open(&stage, budget, 0, 0));
        trc_thread_leave(&stage.thread, 0, stage.now);
        trc_thread_leave(&stage.thread, 1, stage.now);
        ck_assert_ptr_eq(stage.thread.stack.top, stage.thread.stack.frames);
        stage_play(&stage, "a1");
        trc_thread_leave(&stage.thread, 0, stage.now);
        trc_thread_leave(&stage.thread, 1, stage.now);
        stage_play(&stage, "2)3");
        expect(&stage, "a 1/1 self 3 cum 3\n");
        stage_close(&stage);
    }
}
END_TEST

START_TEST(stopping_leaves_every_frame)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "1a2b3=");
    ck_assert_ptr_eq(stage.thread.stack.top, stage.thread.stack.frames);
    ck_assert_int_eq(stage.thread.tree.root->self, 1);
    expect(&stage, "a 1/1 self 2 cum 5\nb 1/1 self 3 cum 3\na>b 1/1 self 3 cum 3\n");
    stage_close(&stage);
}
END_TEST

START_TEST(time_between_stop_and_start_is_nobodys)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "1a2=9+3b4)=9+5a6=");
    ck_assert_int_eq(stage.thread.tree.root->self, 9);
    expect(&stage, "a 2/2 self 8 cum 8\nb 1/1 self 4 cum 4\n");
    ck_assert_int_eq(stage.traced, 21);
    stage_close(&stage);
}
END_TEST

START_TEST(paused_time_is_nobodys)
{
    for (long budget = 0; budget <= 2; budget++) { /* all overflowed, half of it, nothing */
        stage stage;
        ck_assert(stage_open(&stage, budget, 0, 0));
        stage_play(&stage, "a1b2<9");
        expect(&stage, "a 1/1 self 1 cum 3\nb 1/1 self 2 cum 2\na>b 1/1 self 2 cum 2\n");
        stage_play(&stage, "9>3)4<9>)");
        expect(&stage, "a 1/1 self 5 cum 10\nb 1/1 self 5 cum 5\na>b 1/1 self 5 cum 5\n");
        stage_close(&stage);
    }
}
END_TEST

START_TEST(a_frame_that_goes_on_is_seen_with_its_time)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a1b2a3");
    expect(&stage, "a 2/1 self 4 cum 6\nb 1/1 self 2 cum 5\na>b 1/1 self 2 cum 5\nb>a 1/1 self 3 cum 3\n");
    stage_play(&stage, "4"); /* no event since: the time is there all the same, and nothing was disturbed */
    expect(&stage, "a 2/1 self 8 cum 10\nb 1/1 self 2 cum 9\na>b 1/1 self 2 cum 9\nb>a 1/1 self 7 cum 7\n");
    stage_play(&stage, ")1))");
    expect(&stage, "a 2/1 self 8 cum 11\nb 1/1 self 3 cum 10\na>b 1/1 self 3 cum 10\nb>a 1/1 self 7 cum 7\n");
    stage_close(&stage);
}
END_TEST

START_TEST(the_stack_grows)
{
    enum { DEEP = 1000 };
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    for (int i = 0; i < DEEP; i++) {
        stage_play(&stage, "a1");
    }
    ck_assert_int_eq(stage.thread.stack.top - stage.thread.stack.frames, DEEP);
    for (int i = 0; i < DEEP; i++) {
        stage_play(&stage, "1)");
    }
    expect(&stage, "a 1000/1 self 2000 cum 2000\na>a 999/1 self 1998 cum 1998\n");
    stage_close(&stage);
}
END_TEST

START_TEST(a_call_that_finds_no_room_on_the_stack_is_lost_and_told)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    for (int i = 1; i < 64; i++) { /* 64 frames at first, one is the root's */
        stage_play(&stage, "a");
    }
    stage.memory.first_failure = stage.memory.requests + 1;
    stage.memory.last_failure = INT32_MAX;
    stage_play(&stage, "a3)");
    ck_assert_uint_eq(stage.thread.lost_calls, 1);
    stage.memory.last_failure = 0;
    stage_play(&stage, "a4)");
    for (int i = 1; i < 64; i++) {
        stage_play(&stage, ")");
    }
    expect(&stage, "a 64/1 self 7 cum 7\na>a 63/1 self 7 cum 7\n");
    ck_assert_uint_eq(stage.thread.lost_calls, 1);
    stage_close(&stage);
}
END_TEST

START_TEST(a_timer_may_say_anything)
{
    for (long budget = 0; budget < 3; budget++) {
        stage stage;
        ck_assert(stage_open(&stage, budget, 0, 0));
        stage.now = INT64_MAX;
        stage_play(&stage, "a");
        stage.now = INT64_MIN; /* one tick later, if one counts around */
        stage_play(&stage, "b1");
        expect(&stage, "a 1/1 self 1 cum 2\nb 1/1 self 1 cum 1\na>b 1/1 self 1 cum 1\n");
        stage_play(&stage, "))");
        expect(&stage, "a 1/1 self 1 cum 2\nb 1/1 self 1 cum 1\na>b 1/1 self 1 cum 1\n");
        stage_close(&stage);
    }
}
END_TEST

/* -- Overflow ----------------------------------------------------------------------------------------------------------- */

START_TEST(overflowed_calls_keep_their_figures)
{
    expect_at_every_budget("1a2b3)4)5", "a 1/1 self 6 cum 9\nb 1/1 self 3 cum 3\na>b 1/1 self 3 cum 3\n");
}
END_TEST

START_TEST(overflowed_recursion_keeps_its_figures)
{
    expect_at_every_budget("a1a2a3a4)5)6)7)", "a 4/1 self 28 cum 28\na>a 3/1 self 20 cum 20\n");
    expect_at_every_budget("a1b2a3b4)5)6)7)", "a 2/1 self 16 cum 28\n"
                                              "b 2/1 self 12 cum 20\n"
                                              "a>b 2/1 self 12 cum 20\n"
                                              "b>a 1/1 self 8 cum 12\n");
}
END_TEST

START_TEST(overflowed_resumes_keep_their_figures)
{
    expect_at_every_budget("a1g2H3)))G4g5G6)))", "a 1/1 self 1 cum 6\n"
                                                 "g 2/1 +2/1 self 17 cum 20\n"
                                                 "h 0/0 +1/1 self 3 cum 3\n"
                                                 "a>g 1/1 self 2 cum 5\n"
                                                 "g>g 1/1 +1/0 self 11 cum 11\n"
                                                 "g>h 0/0 +1/1 self 3 cum 3\n");
}
END_TEST

START_TEST(overflowed_frames_are_left_by_deeper_leaves_and_stops)
{
    expect_at_every_budget("a1b2c3}4d5?6=9+b7c8=", "a 1/1 self 5 cum 21\n"
                                                   "b 2/2 self 9 cum 20\n"
                                                   "c 2/2 self 11 cum 11\n"
                                                   "d 1/1 self 11 cum 11\n"
                                                   "a>b 1/1 self 2 cum 5\n"
                                                   "a>d 1/1 self 11 cum 11\n"
                                                   "b>c 2/2 self 11 cum 11\n");
}
END_TEST

START_TEST(overflowing_begins_in_the_middle_of_a_recursion)
{
    /* a, b, a are in the tree; from there on every context is new, and b and a are on the stack already. */
    stage stage;
    ck_assert(stage_open(&stage, 3, 0, 0));
    stage_play(&stage, "a1b1a1");
    ck_assert(!stage.thread.overflowing);
    stage_play(&stage, "b1c1a1");
    ck_assert(stage.thread.overflowing);
    ck_assert_uint_eq(stage.thread.tree.count, 7); /* the root, three nodes, the overflows a>b, b>c, c>a */
    stage_play(&stage, "))))))");
    expect(&stage, "a 3/1 self 3 cum 6\n"
                   "b 2/1 self 2 cum 5\n"
                   "c 1/1 self 1 cum 2\n"
                   "a>b 2/1 self 2 cum 5\n"
                   "b>a 1/1 self 1 cum 4\n"
                   "b>c 1/1 self 1 cum 2\n"
                   "c>a 1/1 self 1 cum 1\n");
    expect_nobody_active(&stage);
    stage_close(&stage);
}
END_TEST

START_TEST(known_paths_go_on_being_kept_while_others_overflow)
{
    stage stage;
    ck_assert(stage_open(&stage, 2, 0, 0));
    stage_play(&stage, "a1b1))c1b1))a1b1))");
    const trc_node *a = trc_thread_child(&stage.thread, key_of('a'));
    const trc_node *ab = trc_calltree_child(&stage.thread.tree, (trc_node *)a, key_of('b'));
    ck_assert(!ab->is_overflow);
    ck_assert_uint_eq(ab->calls, 2);
    const trc_node *c = trc_thread_child(&stage.thread, key_of('c'));
    ck_assert(c->is_overflow);
    ck_assert_int_eq(trc_cold(stage.thread.tree.root)->overflowed, 2);
    expect(&stage, "a 2/2 self 2 cum 4\n"
                   "b 3/3 self 3 cum 3\n"
                   "c 1/1 self 1 cum 2\n"
                   "a>b 2/2 self 2 cum 2\n"
                   "c>b 1/1 self 1 cum 1\n");
    stage_close(&stage);
}
END_TEST

/* -- Memory ------------------------------------------------------------------------------------------------------------ */

/* Every letter, contexts by the hundred, and a stack that grows twice. */
static void compose_hungry(char *script)
{
    char *end = script;
    for (char letter = 'a'; letter <= 'z'; letter++) {
        *end++ = letter;
        *end++ = '1';
        for (char other = 'a'; other <= 'z'; other++) {
            *end++ = other;
            *end++ = '2';
            *end++ = ')';
        }
    }
    for (int i = 0; i < 150; i++) {
        *end++ = (char)('a' + i % 3);
        *end++ = '1';
    }
    for (int i = 0; i < 160; i++) {
        *end++ = ')';
    }
    memcpy(end, "=", sizeof "=");
}

START_TEST(every_single_failure_is_survived_and_told)
{
    static char script[8192];
    static const long budgets[] = {NO_LIMIT, 300, 0};
    compose_hungry(script);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        long failing = 1;
        while (survives_shortage(script, budgets[i], failing, failing)) {
            failing++;
        }
        ck_assert_int_gt(failing, 40); /* each function, each table, each block of nodes, and their growth */
    }
}
END_TEST

START_TEST(a_lasting_shortage_is_survived_and_told)
{
    static char script[8192];
    compose_hungry(script);
    long failing = 1;
    while (survives_shortage(script, NO_LIMIT, failing, INT32_MAX)) {
        failing++;
    }
    ck_assert_int_gt(failing, 40);
    for (failing = 1; survives_shortage(script, 50, failing, failing + 100); failing += 5) {
    }
}
END_TEST

Suite *thread_suite(void)
{
    Suite *suite = suite_create("thread");
    TCase *tcase = tcase_create("thread");
    tcase_add_test(tcase, a_call_has_its_time_and_its_callees);
    tcase_add_test(tcase, a_caller_may_call_again_and_others);
    tcase_add_test(tcase, recursion_counts_time_once);
    tcase_add_test(tcase, mutual_recursion_counts_time_once);
    tcase_add_test(tcase, recursion_through_another_has_both_its_edges);
    tcase_add_test(tcase, an_edge_is_outermost_on_its_own_terms);
    tcase_add_test(tcase, resumes_are_no_calls);
    tcase_add_test(tcase, a_resume_may_be_recursive);
    tcase_add_test(tcase, a_leave_of_what_was_never_entered_is_ignored);
    tcase_add_test(tcase, a_leave_of_a_deeper_frame_leaves_what_is_above);
    tcase_add_test(tcase, what_runs_already_counts_nothing_but_time);
    tcase_add_test(tcase, a_c_function_is_left_by_its_callers_name);
    tcase_add_test(tcase, a_leave_of_a_c_function_that_was_never_entered_changes_nothing);
    tcase_add_test(tcase, a_leave_of_a_c_function_looks_no_further_than_its_caller);
    tcase_add_test(tcase, a_leave_of_no_activation_leaves_the_root_alone);
    tcase_add_test(tcase, stopping_leaves_every_frame);
    tcase_add_test(tcase, time_between_stop_and_start_is_nobodys);
    tcase_add_test(tcase, paused_time_is_nobodys);
    tcase_add_test(tcase, a_frame_that_goes_on_is_seen_with_its_time);
    tcase_add_test(tcase, the_stack_grows);
    tcase_add_test(tcase, a_call_that_finds_no_room_on_the_stack_is_lost_and_told);
    tcase_add_test(tcase, a_timer_may_say_anything);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("overflow");
    tcase_add_test(tcase, overflowed_calls_keep_their_figures);
    tcase_add_test(tcase, overflowed_recursion_keeps_its_figures);
    tcase_add_test(tcase, overflowed_resumes_keep_their_figures);
    tcase_add_test(tcase, overflowed_frames_are_left_by_deeper_leaves_and_stops);
    tcase_add_test(tcase, overflowing_begins_in_the_middle_of_a_recursion);
    tcase_add_test(tcase, known_paths_go_on_being_kept_while_others_overflow);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("memory");
    tcase_set_timeout(tcase, 60); /* under sanitizers */
    tcase_add_test(tcase, every_single_failure_is_survived_and_told);
    tcase_add_test(tcase, a_lasting_shortage_is_survived_and_told);
    suite_add_tcase(suite, tcase);
    return suite;
}
