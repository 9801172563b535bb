/* heap.[ch] and curve.[ch] over a long run: the tables stay as large as they are, the curve is bounded, and no figure
 * wraps. Here 10^7 allocations take the hour in which benchmarks/core/replay_heap.c makes 10^10. */
#include "heapplay.h"
#include "suites.h"

#define HOUR INT64_C(3600000000000) /* ns */
#define PERIODS 100
#define NEAR ((UINT64_C(1) << 32) - 5000)

static heapplay play; /* 800 KB */

START_TEST(an_hour_takes_no_more_memory_than_its_first_periods)
{
    ck_assert(heapplay_open(&play, HOUR / PERIODS / HEAPPLAY_ALLOCATIONS));
    heapplay_period(&play, false);
    ck_assert_ptr_eq(heapplay_wrong(&play), NULL);
    ck_assert_uint_eq(play.heap.live.bytes, 0);
    ck_assert(play.heap.peak.bytes > 4000000 && play.heap.peak.bytes < HEAPPLAY_BURST);
    long mapped = play.paper.mapped;
    uint32_t sites = play.heap.site_count;
    heapplay_age(&play, NEAR);
    for (int period = 1; period < PERIODS; period++) {
        heapplay_period(&play, period == PERIODS / 2);
    }
    const char *wrong = heapplay_wrong(&play);
    ck_assert_msg(wrong == NULL, "%s", wrong);
    ck_assert_int_eq(play.paper.mapped, mapped);
    ck_assert_uint_eq(play.heap.site_count, sites);
    ck_assert_uint_eq(play.heap.blocks.large_count, 0);
    ck_assert(play.curve.count > TRC_CURVE_POINTS / 2);
    ck_assert(play.curve.points[play.curve.count - 1].at > HOUR - 3 * play.curve.interval);
    ck_assert_int_eq(play.now / 1000000000, HOUR / 1000000000);
    ck_assert(play.moves > 50 * PERIODS);
    ck_assert_uint_eq(play.looks, (uint64_t)HOUR / 10000000);
    heapplay_close(&play);
    ck_assert_int_eq(play.paper.mapped, 0);
}
END_TEST

START_TEST(epochs_go_past_32_bits)
{
    const char *wrong = heapplay_climb(10001, NEAR);
    ck_assert_msg(wrong == NULL, "%s", wrong);
    wrong = heapplay_climb(200000, 1);
    ck_assert_msg(wrong == NULL, "%s", wrong);
}
END_TEST

Suite *heaplong_suite(void)
{
    Suite *suite = suite_create("heaplong");
    TCase *tests = tcase_create("heaplong");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, an_hour_takes_no_more_memory_than_its_first_periods);
    tcase_add_test(tests, epochs_go_past_32_bits);
    suite_add_tcase(suite, tests);
    return suite;
}
