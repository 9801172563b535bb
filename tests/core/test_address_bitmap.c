/* address_bitmap.[ch]: an address is new once, wherever in memory it is. Random addresses are held against a plain array. */
#include "paper.h"
#include "suites.h"
#include "support.h"

#include <core/heap/address_bitmap.h>

static const uintptr_t addresses[] = {
    0,
    16,
    24, /* the 16 bytes of 16 */
    32,
    1024,
    (1 << 21) - 16,
    1 << 21,
    ((uintptr_t)1 << 34) - 16,
    (uintptr_t)1 << 34,
    ((uintptr_t)1 << 48) - 16,
};
#define COUNT (sizeof addresses / sizeof *addresses)

START_TEST(an_address_is_new_once)
{
    paper paper;
    trc_bitmap bitmap;
    paper_init(&paper);
    trc_bitmap_init(&bitmap, &paper.pages);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            trc_marked expected = addresses[i] == 24 ? TRC_MARKED_BEFORE : TRC_MARKED_NOW;
            ck_assert_int_eq(trc_bitmap_set(&bitmap, addresses[i]), expected);
        }
        for (size_t i = 0; i < COUNT; i++) {
            ck_assert_int_eq(trc_bitmap_set(&bitmap, addresses[i]), TRC_MARKED_BEFORE);
        }
        trc_bitmap_free(&bitmap);
        ck_assert_int_eq(paper.mapped, 0);
    }
}
END_TEST

START_TEST(an_address_of_more_than_48_bits_has_no_place)
{
    paper paper;
    trc_bitmap bitmap;
    paper_init(&paper);
    trc_bitmap_init(&bitmap, &paper.pages);
    ck_assert_int_eq(trc_bitmap_set(&bitmap, (uintptr_t)1 << 48), TRC_MARKED_FAILED);
    ck_assert_int_eq(trc_bitmap_set(&bitmap, UINTPTR_MAX), TRC_MARKED_FAILED);
    ck_assert_int_eq(paper.requests, 0);
    trc_bitmap_free(&bitmap);
}
END_TEST

/* Each of the three levels fails once; then the mark is made. */
START_TEST(no_memory_is_told)
{
    for (int failure = 1; failure <= 3; failure++) {
        paper paper;
        trc_bitmap bitmap;
        paper_init(&paper);
        paper.first_failure = paper.last_failure = failure;
        trc_bitmap_init(&bitmap, &paper.pages);
        ck_assert_int_eq(trc_bitmap_set(&bitmap, 4096), TRC_MARKED_FAILED);
        ck_assert_int_eq(trc_bitmap_set(&bitmap, 4096), TRC_MARKED_NOW);
        ck_assert_int_eq(trc_bitmap_set(&bitmap, 4096), TRC_MARKED_BEFORE);
        trc_bitmap_free(&bitmap);
        ck_assert_int_eq(paper.mapped, 0);
    }
}
END_TEST

#define PLACES (1 << 20)

START_TEST(random_addresses_are_each_new_once)
{
    static bool model[PLACES];
    paper paper;
    trc_bitmap bitmap;
    uint64_t state = 7;
    paper_init(&paper);
    trc_bitmap_init(&bitmap, &paper.pages);
    for (int i = 0; i < 2000000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t place = (size_t)(state >> 40) % PLACES;
        trc_marked marked = trc_bitmap_set(&bitmap, place * 16 * 67); /* over 1 GiB */
        insist(marked == (model[place] ? TRC_MARKED_BEFORE : TRC_MARKED_NOW), "a mark is wrong");
        model[place] = true;
    }
    trc_bitmap_free(&bitmap);
    ck_assert_int_eq(paper.mapped, 0);
}
END_TEST

Suite *address_bitmap_suite(void)
{
    Suite *suite = suite_create("address_bitmap");
    TCase *tests = tcase_create("bitmap");
    tcase_add_test(tests, an_address_is_new_once);
    tcase_add_test(tests, an_address_of_more_than_48_bits_has_no_place);
    tcase_add_test(tests, no_memory_is_told);
    tcase_add_test(tests, random_addresses_are_each_new_once);
    suite_add_tcase(suite, tests);
    return suite;
}
