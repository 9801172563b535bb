/* slow_lines.[ch]: whose lines are to be told of no more. */
#include "suites.h"

#include <core/samples/slow_lines.h>

static void add(trc_slow_lines *lines, uint64_t code, bool in_event, unsigned times)
{
    trc_noted_sample sample = {.weight = 2, .line_code = code, .is_in_event = in_event};
    for (unsigned i = 0; i < times; i++) {
        trc_slow_lines_add(lines, &sample);
    }
}

START_TEST(nothing_is_chosen_within_the_limit)
{
    trc_slow_lines lines = {.limit = 0.1};
    add(&lines, 0, false, 910);
    add(&lines, 64, false, 90);
    ck_assert(!trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(trc_slow_lines_beyond(&lines), 180);
    add(&lines, 64, false, 11); /* 202 of 2022 */
    ck_assert(!trc_slow_lines_decide(&lines));
    add(&lines, 64, false, 1);
    ck_assert(trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(atomic_load(&lines.chosen), 64);
}
END_TEST

START_TEST(few_samples_decide_nothing)
{
    trc_slow_lines lines = {.limit = 0.1};
    add(&lines, 64, false, TRC_SLOW_LEAST / 2 - 1);
    ck_assert(!trc_slow_lines_decide(&lines));
    add(&lines, 64, false, 1);
    ck_assert(trc_slow_lines_decide(&lines));
}
END_TEST

START_TEST(the_dearest_goes_then_the_next)
{
    trc_slow_lines lines = {.limit = 0.1};
    add(&lines, 64, false, 30);
    add(&lines, 128, false, 50);
    add(&lines, 192, false, 9);
    add(&lines, 0, false, 11);
    ck_assert(trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(atomic_load(&lines.chosen), 128);
    ck_assert(trc_slow_lines_decide(&lines)); /* nobody has seen to it yet */
    ck_assert_uint_eq(atomic_exchange(&lines.chosen, 0), 128);
    ck_assert(trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(atomic_exchange(&lines.chosen, 0), 64);
    ck_assert(!trc_slow_lines_decide(&lines));                /* 9 of 100 */
    ck_assert_uint_eq(trc_slow_lines_beyond(&lines), 2 * 89); /* what they have taken stays */
}
END_TEST

START_TEST(what_told_events_take_at_their_places_is_theirs)
{
    trc_slow_lines lines = {.limit = 0.1};
    add(&lines, 0, true, 100);
    add(&lines, 64, false, 129);
    ck_assert(!trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(trc_slow_lines_beyond(&lines), 0);
    add(&lines, 64, false, 60);
    ck_assert(trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(trc_slow_lines_beyond(&lines), 118);
}
END_TEST

START_TEST(of_many_the_cheapest_are_forgotten)
{
    trc_slow_lines lines = {.limit = 0.1};
    add(&lines, 64, false, 100);
    for (uint64_t code = 1; code <= 10 * TRC_SLOW_CODES; code++) {
        add(&lines, 1000 + code, false, 2);
    }
    ck_assert(trc_slow_lines_decide(&lines));
    ck_assert_uint_eq(atomic_exchange(&lines.chosen, 0), 64);
}
END_TEST

Suite *slow_lines_suite(void)
{
    Suite *suite = suite_create("slow_lines");
    TCase *tests = tcase_create("slow_lines");
    tcase_add_test(tests, nothing_is_chosen_within_the_limit);
    tcase_add_test(tests, few_samples_decide_nothing);
    tcase_add_test(tests, the_dearest_goes_then_the_next);
    tcase_add_test(tests, what_told_events_take_at_their_places_is_theirs);
    tcase_add_test(tests, of_many_the_cheapest_are_forgotten);
    suite_add_tcase(suite, tests);
    return suite;
}
