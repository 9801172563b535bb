/* resident.[ch]: what the system tells, whatever the program does with its descriptors. */
#define _GNU_SOURCE /* mkstemp */
#include "suites.h"

#include <core/base/resident.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__linux__)
/* Puts a file of the program's in the place of a descriptor, and returns that. */
static int replace(int descriptor)
{
    char path[] = "/tmp/residentXXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(write(file, "1 0 0\n", 6), 6);
    ck_assert_int_eq(dup2(file, descriptor), descriptor);
    ck_assert_int_eq(close(file), 0);
    return descriptor;
}

static bool is_open(int descriptor)
{
    return fcntl(descriptor, F_GETFD) >= 0;
}

START_TEST(it_is_read_and_its_descriptor_is_closed)
{
    trc_resident resident;
    trc_resident_open(&resident);
    int file = resident.file;
    ck_assert(is_open(file));
    ck_assert_uint_gt(trc_resident_read(&resident), 0);
    trc_resident_close(&resident);
    ck_assert(!is_open(file));
    trc_resident_close(&resident); /* once more: nothing */
    ck_assert_uint_eq(trc_resident_read(&resident), 0);
}
END_TEST

START_TEST(a_file_of_the_programs_is_neither_read_nor_closed)
{
    trc_resident resident;
    trc_resident_open(&resident);
    int program = replace(resident.file);
    ck_assert_uint_gt(trc_resident_read(&resident), 0);
    ck_assert_int_ne(resident.file, program);
    int file = resident.file;
    trc_resident_close(&resident);
    ck_assert(is_open(program));
    ck_assert(!is_open(file));
    ck_assert_int_eq(close(program), 0);
}
END_TEST

START_TEST(a_file_of_the_programs_is_not_closed_at_the_end)
{
    trc_resident resident;
    trc_resident_open(&resident);
    int program = replace(resident.file);
    trc_resident_close(&resident);
    ck_assert(is_open(program));
    ck_assert_int_eq(close(program), 0);
}
END_TEST

START_TEST(a_descriptor_that_the_program_closed_is_opened_again)
{
    trc_resident resident;
    trc_resident_open(&resident);
    ck_assert_int_eq(close(resident.file), 0);
    ck_assert_uint_gt(trc_resident_read(&resident), 0);
    trc_resident_close(&resident);
}
END_TEST
#endif

Suite *resident_suite(void)
{
    Suite *suite = suite_create("resident");
    TCase *tests = tcase_create("resident");
#if defined(__linux__)
    tcase_add_test(tests, it_is_read_and_its_descriptor_is_closed);
    tcase_add_test(tests, a_file_of_the_programs_is_neither_read_nor_closed);
    tcase_add_test(tests, a_file_of_the_programs_is_not_closed_at_the_end);
    tcase_add_test(tests, a_descriptor_that_the_program_closed_is_opened_again);
#endif
    suite_add_tcase(suite, tests);
    return suite;
}
