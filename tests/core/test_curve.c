/* curve.[ch]: a bounded number of points, in which no extreme is lost. */
#include "suites.h"

#include <core/heap/curve.h>

static trc_curve curve; /* 160 KB */

static void expect_point(uint32_t number, trc_tick at, uint64_t least, uint64_t most, uint64_t last, uint64_t resident)
{
    const trc_curve_point *point = &curve.points[number];
    ck_assert_int_eq(point->at, at);
    ck_assert_uint_eq(point->least, least);
    ck_assert_uint_eq(point->most, most);
    ck_assert_uint_eq(point->last, last);
    ck_assert_uint_eq(point->resident, resident);
}

START_TEST(values_that_are_close_are_one_point)
{
    trc_curve_begin(&curve, 10);
    trc_curve_add(&curve, 100, 5, 50);
    trc_curve_add(&curve, 109, 9, 40);
    trc_curve_add(&curve, 109, 2, 60);
    trc_curve_add(&curve, 109, 3, 10);
    trc_curve_add(&curve, 110, 7, 30);
    ck_assert_uint_eq(curve.count, 2);
    expect_point(0, 100, 2, 9, 3, 60);
    expect_point(1, 110, 7, 7, 7, 30);
}
END_TEST

START_TEST(each_two_points_become_one)
{
    trc_curve_begin(&curve, 0);
    for (trc_tick now = 0; now < TRC_CURVE_POINTS; now++) {
        trc_curve_add(&curve, now, (uint64_t)(now % 3), (uint64_t)now);
    }
    ck_assert_uint_eq(curve.count, TRC_CURVE_POINTS);
    trc_curve_add(&curve, TRC_CURVE_POINTS, 77, 1);
    ck_assert_uint_eq(curve.count, TRC_CURVE_POINTS / 2 + 1);
    ck_assert_int_eq(curve.interval, 2);
    expect_point(0, 0, 0, 1, 1, 1);
    expect_point(1, 2, 0, 2, 0, 3);
    expect_point(2, 4, 1, 2, 2, 5);
    expect_point(TRC_CURVE_POINTS / 2, TRC_CURVE_POINTS, 77, 77, 77, 1);
    trc_curve_add(&curve, TRC_CURVE_POINTS + 1, 70, 2);
    expect_point(TRC_CURVE_POINTS / 2, TRC_CURVE_POINTS, 70, 77, 70, 2);
}
END_TEST

START_TEST(what_was_between_two_points_raises_the_first)
{
    trc_curve_begin(&curve, 10);
    trc_curve_add(&curve, 0, 5, 0);
    trc_curve_raise(&curve, 8);
    trc_curve_raise(&curve, 7);
    trc_curve_add(&curve, 10, 4, 0);
    trc_curve_raise(&curve, 3);
    ck_assert_uint_eq(curve.count, 2);
    expect_point(0, 0, 5, 8, 5, 0);
    expect_point(1, 10, 4, 4, 4, 0);
}
END_TEST

START_TEST(a_long_curve_keeps_its_extremes)
{
    trc_curve_begin(&curve, 3);
    for (trc_tick now = 0; now < 10000000; now++) {
        trc_curve_add(&curve, now, now == 7654321 ? 1000 : now == 1234567 ? 1 : 500, now == 5 ? 9 : 8);
    }
    uint64_t most = 0, least = 500, resident = 0;
    for (uint32_t i = 0; i < curve.count; i++) {
        most = curve.points[i].most > most ? curve.points[i].most : most;
        least = curve.points[i].least < least ? curve.points[i].least : least;
        resident = curve.points[i].resident > resident ? curve.points[i].resident : resident;
        ck_assert(i == 0 || curve.points[i].at > curve.points[i - 1].at);
    }
    ck_assert_uint_eq(most, 1000);
    ck_assert_uint_eq(least, 1);
    ck_assert_uint_eq(resident, 9);
    ck_assert(curve.count > TRC_CURVE_POINTS / 2);
}
END_TEST

Suite *curve_suite(void)
{
    Suite *suite = suite_create("curve");
    TCase *tests = tcase_create("curve");
    tcase_add_test(tests, values_that_are_close_are_one_point);
    tcase_add_test(tests, each_two_points_become_one);
    tcase_add_test(tests, what_was_between_two_points_raises_the_first);
    tcase_add_test(tests, a_long_curve_keeps_its_extremes);
    suite_add_tcase(suite, tests);
    return suite;
}
