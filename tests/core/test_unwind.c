/* unwind.[ch] on stacks of this process: the frames are those that backtrace() of the C library finds. */
#define _GNU_SOURCE /* __GLIBC__ is told by the headers */
#include "captured.h"
#include "suites.h"

#ifdef __GLIBC__
#include <stdlib.h>

static loaded here;
static captured found;

static int capturing_compare(const void *left, const void *right)
{
    if (found.expected_count == 0) {
        capture(&found);
    }
    return *(const int *)left - *(const int *)right;
}

START_TEST(a_callback_of_qsort_is_found)
{
    int numbers[] = {3, 1, 2};
    loaded_read(&here);
    qsort(numbers, 3, sizeof *numbers, capturing_compare);
    expect_as_backtrace(&here, &found);
}
END_TEST

Suite *unwind_suite(void)
{
    Suite *suite = suite_create("unwind");
    TCase *stacks = tcase_create("stacks");
    tcase_add_test(stacks, a_callback_of_qsort_is_found);
    suite_add_tcase(suite, stacks);
    return suite;
}

#else

Suite *unwind_suite(void)
{
    return suite_create("unwind");
}

#endif
