/* thread.[ch], where a thread goes from stack to stack, as one with greenlets does: the owners' stacks wait with all that
 * is on them. The scripts' language is in support.h. */
#include "suites.h"
#include "support.h"

START_TEST(a_stack_that_waits_has_no_time)
{
    /* a>b waits while c runs, and goes on; c too. */
    expect_at_every_budget("a1b2@b3c4@a5)6@b7)8@a9)", "a 1/1 self 16 cum 23\n"
                                                      "b 1/1 self 7 cum 7\n"
                                                      "c 1/1 self 11 cum 11\n"
                                                      "a>b 1/1 self 7 cum 7\n");
}
END_TEST

START_TEST(each_stack_has_its_own_callers_and_recursion)
{
    /* The second a is called by nobody, and is outermost, although another one waits. */
    expect_at_every_budget("a1b2@ba3b4a5@a6a7@b8)@a9)))", "a 4/2 self 33 cum 45\n"
                                                          "b 2/2 self 12 cum 41\n"
                                                          "a>b 2/2 self 12 cum 41\n"
                                                          "b>a 2/2 self 29 cum 29\n");
}
END_TEST

START_TEST(an_unknown_owner_has_an_empty_stack)
{
    for (long budget = 0; budget <= 2; budget += 2) {
        stage stage;
        ck_assert(stage_open(&stage, budget, 0, 0));
        stage_play(&stage, "a1b2");
        ck_assert(!stage_switch(&stage, 'b'));
        ck_assert_ptr_eq(stage.thread.stack.top, stage.thread.stack.frames);
        ck_assert(stage_switch(&stage, 'a'));
        ck_assert_int_eq(stage.thread.stack.top - stage.thread.stack.frames, 2);
        ck_assert_uint_eq(stage.thread.stack.top->id, stage.last_id);
        ck_assert(stage_switch(&stage, 'a')); /* to itself */
        ck_assert_int_eq(stage.thread.stack.top - stage.thread.stack.frames, 2);
        stage_play(&stage, "4))");
        expect(&stage, "a 1/1 self 1 cum 7\nb 1/1 self 6 cum 6\na>b 1/1 self 6 cum 6\n");
        stage_close(&stage);
    }
}
END_TEST

START_TEST(an_owner_whose_stack_is_empty_is_forgotten)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    const trc_stacks *others = &stage.thread.others;
    stage_play(&stage, "@b@c"); /* nothing was ever on them */
    ck_assert_ptr_null(others->first);
    stage_play(&stage, "a@d");
    ck_assert_ptr_nonnull(trc_stacks_find(others, &stage.scenes[2]));
    stage_play(&stage, "b@c"); /* now both are known */
    ck_assert_uint_eq(HASH_COUNT(others->first), 2);
    stage_play(&stage, ")@d"); /* c has ended */
    ck_assert_ptr_null(trc_stacks_find(others, &stage.scenes[2]));
    stage_play(&stage, ")@c"); /* and d: that was the last */
    ck_assert_ptr_null(others->first);
    stage_close(&stage);
}
END_TEST

START_TEST(a_switch_that_was_not_told_makes_all_stacks_unknown)
{
    /* The thread goes from a over d to b, then unseen from b to a, and on to c. The stacks of all are unknown then, but
     * no time may be lost or there twice. */
    for (long budget = 0; budget <= 4; budget++) {
        stage stage;
        ck_assert(stage_open(&stage, budget, 0, 0));
        const scene *scenes = stage.scenes;
        stage_play(&stage, "a1@dd4@bb2c3");
        ck_assert(!trc_thread_switch(&stage.thread, &scenes[0], false, &scenes[2], stage.now));
        ck_assert_ptr_eq(stage.thread.stack.top, stage.thread.stack.frames);
        ck_assert_ptr_null(stage.thread.others.first);
        stage.now += 5;
        ck_assert(!trc_thread_switch(&stage.thread, &scenes[2], false, &scenes[0], stage.now));
        ck_assert(!trc_thread_switch(&stage.thread, &scenes[0], false, &scenes[1], stage.now));
        ck_assert(!trc_thread_switch(&stage.thread, &scenes[1], false, &scenes[3], stage.now));
        stage.now += 5;
        expect(&stage, "a 1/1 self 1 cum 1\nb 1/1 self 2 cum 5\nc 1/1 self 3 cum 3\n"
                       "d 1/1 self 4 cum 4\nb>c 1/1 self 3 cum 3\n");
        stage_close(&stage);

        ck_assert(stage_open(&stage, budget, 0, 0)); /* the same, but b's stack is empty by then */
        stage_play(&stage, "a1@bb2)3");
        ck_assert(!trc_thread_switch(&stage.thread, &scenes[0], false, &scenes[2], stage.now));
        ck_assert(!trc_thread_switch(&stage.thread, &scenes[2], false, &scenes[0], stage.now));
        expect(&stage, "a 1/1 self 1 cum 1\nb 1/1 self 2 cum 2\n");
        stage_close(&stage);
    }
}
END_TEST

START_TEST(what_is_over_leaves_no_stack_behind)
{
    /* b's leaves go unseen. Then its owner is over, and another owner has the same name. */
    for (long budget = 0; budget <= 4; budget++) {
        stage stage;
        ck_assert(stage_open(&stage, budget, 0, 0));
        const scene *scenes = stage.scenes;
        stage_play(&stage, "a1@bb2c3");
        ck_assert(trc_thread_switch(&stage.thread, &scenes[1], true, &scenes[0], stage.now));
        ck_assert_ptr_null(trc_stacks_find(&stage.thread.others, &scenes[1]));
        stage.now += 4;
        ck_assert(!trc_thread_switch(&stage.thread, &scenes[0], false, &scenes[1], stage.now));
        ck_assert_ptr_eq(stage.thread.stack.top, stage.thread.stack.frames);
        expect(&stage, "a 1/1 self 5 cum 5\nb 1/1 self 2 cum 5\nc 1/1 self 3 cum 3\nb>c 1/1 self 3 cum 3\n");
        stage_close(&stage);
    }
}
END_TEST

START_TEST(the_owner_that_the_thread_was_on_has_no_stack_aside)
{
    /* The thread is on b, whose record is kept. It leaves b unseen, and is then seen to come to b. */
    for (int from = 0; from <= 2; from += 2) { /* from one whose stack waits, and from one that is unknown */
        stage stage;
        ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
        stage_play(&stage, "a1@bb2@a@b");
        ck_assert(!trc_thread_switch(&stage.thread, &stage.scenes[from], false, &stage.scenes[1], stage.now));
        ck_assert_ptr_eq(stage.thread.stack.top, stage.thread.stack.frames);
        stage.scene->depth = 0;
        stage_play(&stage, "!b3)=");
        expect(&stage, "a 1/1 self 1 cum 1\nb 1/1 self 5 cum 5\n");
        stage_close(&stage);
    }
}
END_TEST

START_TEST(stopping_leaves_the_stacks_that_wait)
{
    for (long budget = 0; budget <= 6; budget++) {
        stage stage;
        ck_assert(stage_open(&stage, budget, 0, 0));
        stage_play(&stage, "a1b2@ba3@cc4b5@d6=");
        ck_assert_ptr_null(stage.thread.others.first);
        ck_assert_ptr_eq(stage.thread.stack.top, stage.thread.stack.frames);
        expect_nobody_active(&stage);
        stage_play(&stage, "9+7@a@b8a9)@c1=");
        expect(&stage, "a 3/3 self 13 cum 15\n"
                       "b 2/2 self 7 cum 7\n"
                       "c 1/1 self 4 cum 9\n"
                       "a>b 1/1 self 2 cum 2\n"
                       "c>b 1/1 self 5 cum 5\n");
        stage_close(&stage);
    }
}
END_TEST

START_TEST(a_thread_that_is_freed_frees_the_stacks_that_wait)
{
    stage stage;
    ck_assert(stage_open(&stage, 1, 0, 0));
    stage_play(&stage, "a1b2@ba3@cc4@d5");
    stage_close(&stage);
}
END_TEST

START_TEST(pauses_may_span_switches)
{
    expect_at_every_budget("a1<2@b3>4b5<6@a7>8)9", "a 1/1 self 9 cum 9\nb 1/1 self 5 cum 5\n");
}
END_TEST

START_TEST(overflowing_begins_while_stacks_wait)
{
    stage stage;
    ck_assert(stage_open(&stage, 2, 0, 0));
    stage_play(&stage, "a1b2@ba3");
    ck_assert(!stage.thread.overflowing);
    stage_play(&stage, "c4@a5b6"); /* new are a > c and b > b */
    ck_assert(stage.thread.overflowing);
    expect(&stage, "a 2/2 self 4 cum 21\n"
                   "b 2/1 self 13 cum 13\n"
                   "c 1/1 self 4 cum 4\n"
                   "a>b 1/1 self 7 cum 13\n"
                   "a>c 1/1 self 4 cum 4\n"
                   "b>b 1/1 self 6 cum 6\n");
    stage_play(&stage, ")7@b8))@a9))");
    expect(&stage, "a 2/2 self 4 cum 45\n"
                   "b 2/1 self 29 cum 29\n"
                   "c 1/1 self 12 cum 12\n"
                   "a>b 1/1 self 23 cum 29\n"
                   "a>c 1/1 self 12 cum 12\n"
                   "b>b 1/1 self 6 cum 6\n");
    expect_nobody_active(&stage);
    stage_close(&stage);
}
END_TEST

START_TEST(stacks_grow_apart)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    for (int i = 0; i < 200; i++) {
        stage_play(&stage, "@aa1@bb2@aa3");
    }
    ck_assert_int_eq(stage.thread.stack.top - stage.thread.stack.frames, 400);
    stage_play(&stage, "@b");
    ck_assert_int_eq(stage.thread.stack.top - stage.thread.stack.frames, 200);
    for (int i = 0; i < 200; i++) {
        stage_play(&stage, "@a1))@b1)");
    }
    expect(&stage, "a 400/1 self 1000 cum 1000\nb 200/1 self 600 cum 600\n"
                   "a>a 399/1 self 999 cum 999\nb>b 199/1 self 597 cum 597\n");
    stage_close(&stage);
}
END_TEST

/* -- Memory ------------------------------------------------------------------------------------------------------------ */

START_TEST(a_switch_that_finds_no_memory_leaves_the_stack)
{
    for (long budget = 0; budget <= 3; budget++) {
        for (long failing = 1; failing <= 4;
             failing++) { /* frames, a record, the first record's table and its buckets */
            stage stage;
            ck_assert(stage_open(&stage, budget, 0, 0));
            stage_play(&stage, "a1b2");
            stage.memory.first_failure = stage.memory.last_failure = stage.memory.requests + failing;
            stage_play(&stage, "@bc3");
            ck_assert_int_ge(stage.memory.requests, stage.memory.first_failure);
            ck_assert_ptr_null(stage.thread.others.first);
            ck_assert(!stage_switch(&stage, 'a')); /* what was on it may be entered again */
            stage.scene->depth = 0;
            stage_play(&stage, "!a!b4)5)");
            expect(&stage, "a 1/1 self 6 cum 12\n"
                           "b 1/1 self 6 cum 6\n"
                           "c 1/1 self 3 cum 3\n"
                           "a>b 1/1 self 6 cum 6\n");
            ck_assert_uint_eq(stage.thread.lost_calls, 0);
            stage_close(&stage);
        }
    }
}
END_TEST

START_TEST(every_single_failure_is_survived_and_told)
{
    static const char script[] = "a1b2@bc3d4@ab5c6@cd7a1@b)2)3@c4@da5b6@b7d8c9@a1))2@c3))@d4)c5@b6a=+7a8@cb9@aa1@bc2=";
    for (long budget = 0; budget <= 16; budget += 2) {
        long failing = 1;
        while (survives_shortage(script, budget, failing, failing)) {
            failing++;
        }
        ck_assert_int_gt(failing, 20);
        for (failing = 1; survives_shortage(script, budget, failing, failing + 3); failing++) {
        }
        for (failing = 1; survives_shortage(script, budget, failing, INT32_MAX); failing++) {
        }
    }
}
END_TEST

Suite *switching_suite(void)
{
    Suite *suite = suite_create("switching");
    TCase *tcase = tcase_create("switching");
    tcase_add_test(tcase, a_stack_that_waits_has_no_time);
    tcase_add_test(tcase, each_stack_has_its_own_callers_and_recursion);
    tcase_add_test(tcase, an_unknown_owner_has_an_empty_stack);
    tcase_add_test(tcase, an_owner_whose_stack_is_empty_is_forgotten);
    tcase_add_test(tcase, a_switch_that_was_not_told_makes_all_stacks_unknown);
    tcase_add_test(tcase, what_is_over_leaves_no_stack_behind);
    tcase_add_test(tcase, the_owner_that_the_thread_was_on_has_no_stack_aside);
    tcase_add_test(tcase, stopping_leaves_the_stacks_that_wait);
    tcase_add_test(tcase, a_thread_that_is_freed_frees_the_stacks_that_wait);
    tcase_add_test(tcase, pauses_may_span_switches);
    tcase_add_test(tcase, overflowing_begins_while_stacks_wait);
    tcase_add_test(tcase, stacks_grow_apart);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("memory");
    tcase_add_test(tcase, a_switch_that_finds_no_memory_leaves_the_stack);
    tcase_add_test(tcase, every_single_failure_is_survived_and_told);
    suite_add_tcase(suite, tcase);
    return suite;
}
