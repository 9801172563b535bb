/* pacing.[ch]: how often samples are taken and counted, to the nanosecond. */
#include "suites.h"

#include <core/samples/pacing.h>

#define MS INT64_C(1000000)
#define AT_250_HZ (4 * MS)

START_TEST(it_begins_by_a_guess)
{
    static const struct {
        double limit;
        unsigned stride;
        int64_t interval;
    } cases[] = {
        {0.10, 1, 20 * MS}, {0.04, 1, 20 * MS}, {0.02, 1, 20 * MS}, {0.01, 2, 20 * MS}, {0.001, 16, 160 * MS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trc_pacing pacing;
        trc_pacing_init(&pacing, cases[i].limit, AT_250_HZ, TRC_ROOM_FOR_FRAMES);
        ck_assert_uint_eq(pacing.stride, cases[i].stride);
        ck_assert_int_eq(pacing.interval, cases[i].interval);
    }
}
END_TEST

START_TEST(without_a_limit_samples_come_at_their_rate)
{
    trc_pacing pacing;
    trc_pacing_init(&pacing, 0, AT_250_HZ, TRC_ROOM_FOR_FRAMES);
    for (int i = 1; i < 10; i++) { /* all the time is the handlers' */
        trc_pacing_decide(&pacing, &(trc_pacing_marks){i * 500 * MS, i * 100 * MS, i * 100 * MS, 0});
        ck_assert_uint_eq(pacing.stride, 1);
        ck_assert_int_eq(pacing.interval, TRC_INTERVAL_LEAST);
    }
}
END_TEST

START_TEST(dear_handlers_come_less_often)
{
    trc_pacing pacing;
    trc_pacing_marks now = {0, 0, 0, 0};
    trc_pacing_init(&pacing, 0.04, AT_250_HZ, TRC_ROOM_FOR_FRAMES); /* a hundredth for them, and for the visits */
    for (unsigned stride = 2; stride <= TRC_STRIDE_MOST; stride *= 2) {
        now.cpu += 99 * MS;
        now.handlers += 2 * MS;
        trc_pacing_decide(&pacing, &now); /* it is not time yet */
        ck_assert_uint_eq(pacing.stride, stride / 2);
        now.cpu += MS;
        trc_pacing_decide(&pacing, &now);
        ck_assert_uint_eq(pacing.stride, stride);
    }
    now.cpu += 100 * MS;
    now.handlers += 2 * MS;
    trc_pacing_decide(&pacing, &now);
    ck_assert_uint_eq(pacing.stride, TRC_STRIDE_MOST);
    for (unsigned stride = TRC_STRIDE_MOST; stride > 1; stride /= 2) {
        now.cpu += 100 * MS;
        now.handlers += MS / 4; /* as much as may be, and not less */
        trc_pacing_decide(&pacing, &now);
        ck_assert_uint_eq(pacing.stride, stride);
        now.cpu += 100 * MS;
        now.handlers += MS / 5;
        trc_pacing_decide(&pacing, &now);
        ck_assert_uint_eq(pacing.stride, stride / 2);
    }
    now.cpu += 100 * MS;
    trc_pacing_decide(&pacing, &now);
    ck_assert_uint_eq(pacing.stride, 1);
}
END_TEST

START_TEST(while_the_program_waits_rings_are_seldom_visited)
{
    trc_pacing pacing;
    trc_pacing_marks now = {0, 0, 0, 0};
    trc_pacing_init(&pacing, 0.10, AT_250_HZ, TRC_ROOM_FOR_FRAMES);
    int64_t expected[] = {40 * MS, 80 * MS, 100 * MS, 100 * MS};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        now.real += 500 * MS;
        now.cpu += 2 * MS; /* of the visits */
        now.visits += 2 * MS;
        trc_pacing_decide(&pacing, &now);
        ck_assert_int_eq(pacing.interval, expected[i]);
    }
    int64_t back[] = {50 * MS, 25 * MS, 20 * MS, 20 * MS};
    for (size_t i = 0; i < sizeof back / sizeof *back; i++) {
        now.real += 100 * MS;
        now.cpu += 100 * MS;
        now.visits += MS / 5;
        trc_pacing_decide(&pacing, &now);
        ck_assert_int_eq(pacing.interval, back[i]);
    }
}
END_TEST

START_TEST(more_samples_fill_a_ring_sooner)
{
    trc_pacing pacing;
    trc_pacing_marks now = {0, 0, 0, 0};
    trc_pacing_init(&pacing, 0.10, MS, TRC_ROOM_FOR_FRAMES); /* 1,000 a second */
    for (int i = 0; i < 4; i++) {
        now.real += 500 * MS;
        now.visits += 2 * MS;
        trc_pacing_decide(&pacing, &now);
        ck_assert_int_eq(pacing.interval, 25 * MS);
    }
}
END_TEST

START_TEST(rings_of_native_stacks_are_full_sooner)
{
    trc_pacing pacing;
    trc_pacing_marks now = {0, 0, 0, 0};
    trc_pacing_init(&pacing, 0.04, AT_250_HZ, TRC_ROOM_FOR_STACKS);
    int64_t expected[] = {40 * MS, 80 * MS, 160 * MS, 160 * MS}; /* at strides of 2, 4, 8, 16 */
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        now.cpu += 100 * MS;
        now.handlers += 2 * MS;
        now.visits += 2 * MS;
        trc_pacing_decide(&pacing, &now);
        ck_assert_int_eq(pacing.interval, expected[i]);
    }
}
END_TEST

START_TEST(a_rest_decides_nothing)
{
    trc_pacing pacing;
    trc_pacing_init(&pacing, 0.10, AT_250_HZ, TRC_ROOM_FOR_FRAMES);
    trc_pacing_go_on(&pacing, &(trc_pacing_marks){5000 * MS, 900 * MS, 500 * MS, 500 * MS});
    trc_pacing_decide(&pacing, &(trc_pacing_marks){5499 * MS, 999 * MS, 500 * MS, 500 * MS});
    ck_assert_uint_eq(pacing.stride, 1);
    ck_assert_int_eq(pacing.interval, 20 * MS);
}
END_TEST

Suite *pacing_suite(void)
{
    Suite *suite = suite_create("pacing");
    TCase *tests = tcase_create("pacing");
    tcase_add_test(tests, it_begins_by_a_guess);
    tcase_add_test(tests, without_a_limit_samples_come_at_their_rate);
    tcase_add_test(tests, dear_handlers_come_less_often);
    tcase_add_test(tests, while_the_program_waits_rings_are_seldom_visited);
    tcase_add_test(tests, more_samples_fill_a_ring_sooner);
    tcase_add_test(tests, rings_of_native_stacks_are_full_sooner);
    tcase_add_test(tests, a_rest_decides_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
