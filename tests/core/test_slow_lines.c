/* slow_lines.[ch]: whose lines are to be told of no more. */
#include "suites.h"

#include <core/samples/slow_lines.h>

/* Samples of weight 2. */
static void add(trc_slow_lines *lines, uint64_t code, bool in_event, unsigned times)
{
    trc_noted_sample sample = {.weight = 2, .line_code = code, .is_in_event = in_event};
    for (unsigned i = 0; i < times; i++) {
        trc_slow_lines_add(lines, &sample);
    }
}

static uint64_t taken(trc_slow_lines *lines, trc_line_answer answer)
{
    uint64_t code = trc_slow_lines_take(lines);
    trc_slow_lines_answer(lines, answer);
    return code;
}

START_TEST(nothing_is_chosen_within_the_limit)
{
    trc_slow_lines lines = {.limit = 0.1, .is_sure = true};
    add(&lines, 0, false, 1400);
    add(&lines, 64, false, 100); /* of the whole of which two thirds are seen: 300 of 3000 */
    ck_assert(!trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(trc_slow_lines_take(&lines), 0);
    add(&lines, 64, false, 1);
    ck_assert(trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(taken(&lines, TRC_LINES_ENDED), 64);
    ck_assert(!trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(trc_slow_lines_cost(&lines), 303);
}
END_TEST

START_TEST(few_samples_decide_nothing_whatever_they_weigh)
{
    trc_slow_lines lines = {.limit = 0.01, .is_sure = true};
    trc_noted_sample heavy = {.weight = 16, .line_code = 64};
    for (int i = 1; i < TRC_SLOW_LEAST; i++) {
        trc_slow_lines_add(&lines, &heavy);
    }
    ck_assert(!trc_slow_lines_decide(&lines));
    trc_slow_lines_add(&lines, &heavy);
    ck_assert(trc_slow_lines_decide(&lines));
}
END_TEST

START_TEST(the_dearest_goes_then_the_next)
{
    trc_slow_lines lines = {.limit = 0.2, .is_sure = true};
    add(&lines, 64, false, 30);
    add(&lines, 128, false, 50);
    add(&lines, 192, false, 9);
    add(&lines, 0, false, 511);
    ck_assert(trc_slow_lines_decide(&lines)); /* 22% */
    ck_assert(trc_slow_lines_decide(&lines)); /* nobody has seen to it yet */
    ck_assert_uint_eq(trc_slow_lines_take(&lines), 128);
    ck_assert(!trc_slow_lines_decide(&lines)); /* somebody does */
    trc_slow_lines_answer(&lines, TRC_LINES_ENDED);
    ck_assert(trc_slow_lines_decide(&lines)); /* what it took counts on */
    ck_assert_uint_eq(taken(&lines, TRC_LINES_ENDED), 64);
    ck_assert(trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(taken(&lines, TRC_LINES_ENDED), 192);
    ck_assert(!trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(trc_slow_lines_take(&lines), 0);
    ck_assert_uint_eq(trc_slow_lines_cost(&lines), 3 * 89);
}
END_TEST

START_TEST(stops_of_events_that_are_told_are_theirs)
{
    trc_slow_lines lines = {.limit = 0.1, .is_sure = true};
    add(&lines, 0, true, 100);
    add(&lines, 64, false, 110);
    add(&lines, 0, false, 290);
    ck_assert(!trc_slow_lines_decide(&lines));
    add(&lines, 64, false, 10);
    ck_assert(trc_slow_lines_decide(&lines));
}
END_TEST

START_TEST(code_that_another_tool_makes_slow_is_left_alone)
{
    trc_slow_lines lines = {.limit = 0.001, .is_sure = true};
    for (uint64_t code = 64; code < 64 + 10 * TRC_SLOW_CODES; code++) {
        add(&lines, code, false, 10);
        ck_assert(trc_slow_lines_decide(&lines));
        ck_assert_uint_eq(taken(&lines, TRC_LINES_OF_OTHERS), code);
        add(&lines, code, false, 10);
        ck_assert(!trc_slow_lines_decide(&lines));
    }
    ck_assert_uint_eq(trc_slow_lines_cost(&lines), 0);
    add(&lines, 1, false, 100);
    ck_assert(trc_slow_lines_decide(&lines)); /* of ours */
    ck_assert_uint_eq(taken(&lines, TRC_LINES_ENDED), 1);
}
END_TEST

START_TEST(of_many_the_cheapest_are_forgotten_with_their_weight)
{
    trc_slow_lines lines = {.limit = 0.1, .is_sure = true};
    for (uint64_t code = 1; code <= 200; code++) {
        add(&lines, 1000 + code, false, 5);
        ck_assert(!trc_slow_lines_decide(&lines));
    }
    add(&lines, 64, false, 100);
    ck_assert(trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(taken(&lines, TRC_LINES_ENDED), 64);
    add(&lines, 0, false, 10000);
    add(&lines, 65, false, 10);
    ck_assert(!trc_slow_lines_decide(&lines));
}
END_TEST

Suite *slow_lines_suite(void)
{
    Suite *suite = suite_create("slow_lines");
    TCase *tests = tcase_create("slow_lines");
    tcase_add_test(tests, nothing_is_chosen_within_the_limit);
    tcase_add_test(tests, few_samples_decide_nothing_whatever_they_weigh);
    tcase_add_test(tests, the_dearest_goes_then_the_next);
    tcase_add_test(tests, stops_of_events_that_are_told_are_theirs);
    tcase_add_test(tests, code_that_another_tool_makes_slow_is_left_alone);
    tcase_add_test(tests, of_many_the_cheapest_are_forgotten_with_their_weight);
    suite_add_tcase(suite, tests);
    return suite;
}
