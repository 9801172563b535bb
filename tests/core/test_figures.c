/* figures.h: how extras are merged, and that each can be told from the others. The suites of captures and rollups show
 * that extras go through those. */
#include "suites.h"
#include "support.h"

#include <string.h>

START_TEST(extras_differ_in_name_and_key)
{
    for (trc_extra one = 0; one < TRC_EXTRA_COUNT; one++) {
        for (trc_extra other = 0; other < one; other++) {
            ck_assert_str_ne(trc_traits_of(one)->name, trc_traits_of(other)->name);
            ck_assert_str_ne(trc_traits_of(one)->key, trc_traits_of(other)->key);
        }
    }
    ck_assert_str_eq(trc_traits_of(TRC_SUSPENDED)->name, "suspended");
    ck_assert_str_eq(trc_traits_of(TRC_SUSPENDED)->key, "waits"); /* the key that files have */
}
END_TEST

START_TEST(an_extra_is_added_by_its_own_rule)
{
    trc_tick extras[TRC_EXTRA_COUNT] = {0};
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        trc_add_extra(extras, extra, 7, 70);
        trc_add_extra(extras, extra, 4, 40);
        trc_add_extra(extras, extra, 7, 71);
    }
    ck_assert_int_eq(extras[TRC_SUSPENDED], 18);
    ck_assert_int_eq(extras[TRC_WAITED], 18);
    ck_assert_int_eq(extras[TRC_LONGEST], 7);
    ck_assert_int_eq(extras[TRC_LONGEST_AT], 70); /* the first of the longest */
}
END_TEST

START_TEST(a_sum_of_extras_wraps)
{
    trc_tick extras[TRC_EXTRA_COUNT] = {[TRC_SUSPENDED] = 8};
    trc_add_extra(extras, TRC_SUSPENDED, INT64_MAX, 0);
    ck_assert_int_eq(extras[TRC_SUSPENDED], INT64_MIN + 7);
}
END_TEST

Suite *figures_suite(void)
{
    Suite *suite = suite_create("figures");
    TCase *tcase = tcase_create("figures");
    tcase_add_test(tcase, a_sum_of_extras_wraps);
    tcase_add_test(tcase, extras_differ_in_name_and_key);
    tcase_add_test(tcase, an_extra_is_added_by_its_own_rule);
    suite_add_tcase(suite, tcase);
    return suite;
}
