/* linetab.[ch]: which record a line has, whatever a map is told of statements; and how tables are found by code
 * object. */
#include "suites.h"
#include "support.h"

#include <core/lines/linetab.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/* -- Maps -------------------------------------------------------------------------------------------------------------- */

/* Asserts that a map of these lines has these places: a line's row, or -1 - row if the line goes on with a statement. */
static void expect_places(int32_t first, uint32_t count, const int32_t *first_lines, const int32_t *places)
{
    heap memory;
    trc_linemap map;
    heap_init(&memory);
    ck_assert(trc_linemap_init(&map, &memory.allocator, first, count, first_lines));
    ck_assert_int_eq(map.first, first);
    ck_assert_uint_eq(map.count, count);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool continues = places[i] < 0;
        uint32_t row = (uint32_t)(continues ? -1 - places[i] : places[i]);
        ck_assert_uint_eq(map.places[i], row * 2 + continues);
        if (!continues) {
            ck_assert_uint_eq(row, rows);
            ck_assert_int_eq(map.lines[row], first + (int32_t)i);
            rows++;
        }
    }
    ck_assert_uint_eq(map.row_count, rows);
    trc_linemap_free(&map, &memory.allocator);
    ck_assert_int_eq(memory.blocks, 0);
}

START_TEST(without_first_lines_each_line_has_a_row)
{
    expect_places(7, 4, NULL, (const int32_t[]){0, 1, 2, 3});
    expect_places(INT32_MAX - 1, 2, NULL, (const int32_t[]){0, 1});
    expect_places(5, 0, NULL, NULL);
}
END_TEST

START_TEST(lines_of_a_statement_share_the_row_of_its_first)
{
    static const int32_t first_lines[] = {10, 11, 11, 11, 14, 14};
    static const int32_t places[] = {0, 1, -2, -2, 2, -3};
    expect_places(10, COUNT_OF(first_lines), first_lines, places);
}
END_TEST

START_TEST(a_line_said_to_go_on_with_one_that_goes_on_itself_belongs_to_its_statement)
{
    static const int32_t first_lines[] = {10, 10, 11, 12};
    static const int32_t places[] = {0, -1, -1, -1};
    expect_places(10, COUNT_OF(first_lines), first_lines, places);
}
END_TEST

START_TEST(statements_may_lie_in_one_another)
{
    /* A lambda over two lines, within a call over four. The lambda's second line goes on with the lambda; then the call
     * goes on. */
    static const int32_t first_lines[] = {10, 11, 11, 10, 14};
    static const int32_t places[] = {0, 1, -2, -1, 2};
    expect_places(10, COUNT_OF(first_lines), first_lines, places);
}
END_TEST

START_TEST(nonsense_is_a_statement_of_its_own)
{
    /* Before the first line, after itself, far off either way. */
    static const int32_t first_lines[] = {9, 12, INT32_MIN, INT32_MAX, 0, -1, 16};
    static const int32_t places[] = {0, 1, 2, 3, 4, 5, 6};
    expect_places(10, COUNT_OF(first_lines), first_lines, places);
    static const int32_t at_the_end[] = {INT32_MIN, INT32_MAX - 1, INT32_MAX - 2};
    expect_places(INT32_MAX - 2, COUNT_OF(at_the_end), at_the_end, (const int32_t[]){0, 1, -1});
}
END_TEST

START_TEST(a_map_without_memory_is_no_map)
{
    for (long failing = 1; failing <= 2; failing++) {
        heap memory;
        trc_linemap map;
        heap_init(&memory);
        memory.first_failure = memory.last_failure = failing;
        ck_assert(!trc_linemap_init(&map, &memory.allocator, 1, 3, NULL));
        ck_assert_int_eq(memory.blocks, 0);
        trc_linemap_free(&map, &memory.allocator); /* what is left is empty */
        ck_assert_int_eq(memory.blocks, 0);
    }
}
END_TEST

/* -- Tables ------------------------------------------------------------------------------------------------------------ */

static const char keys[200];

START_TEST(a_table_is_found_by_its_code_object)
{
    heap memory;
    trc_linetabs tables;
    trc_linemap map;
    heap_init(&memory);
    ck_assert(trc_linemap_init(&map, &memory.allocator, 1, 3, (const int32_t[]){1, 1, 3}));
    trc_linetabs_init(&tables, &memory.allocator);
    ck_assert_ptr_null(trc_linetabs_find(&tables, &keys[0]));
    for (uint32_t i = 0; i < COUNT_OF(keys); i++) {
        trc_linetab *added = trc_linetabs_add(&tables, &keys[i], &map);
        ck_assert_ptr_nonnull(added);
        ck_assert_ptr_eq(added->map, &map);
        for (uint32_t row = 0; row < map.row_count; row++) {
            const trc_line nothing = {.number = 2 * i + row + 1};
            ck_assert(memcmp(&added->lines[row], &nothing, sizeof nothing) == 0);
            added->lines[row].hits = i;
        }
    }
    for (uint32_t i = 0; i < COUNT_OF(keys); i++) {
        const trc_linetab *found = trc_linetabs_find(&tables, &keys[i]);
        ck_assert_ptr_nonnull(found);
        ck_assert_ptr_eq(found->key, &keys[i]);
        ck_assert_uint_eq(found->lines[1].hits, i);
    }
    trc_linetabs_free(&tables);
    ck_assert_ptr_null(trc_linetabs_find(&tables, &keys[0]));
    ck_assert_ptr_nonnull(trc_linetabs_add(&tables, &keys[0], &map)); /* it can be used again */
    trc_linetabs_free(&tables);
    trc_linemap_free(&map, &memory.allocator);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

START_TEST(a_table_of_no_line)
{
    heap memory;
    trc_linetabs tables;
    trc_linemap map;
    heap_init(&memory);
    ck_assert(trc_linemap_init(&map, &memory.allocator, 1, 0, NULL));
    trc_linetabs_init(&tables, &memory.allocator);
    ck_assert_ptr_nonnull(trc_linetabs_add(&tables, &keys[0], &map));
    trc_linetabs_free(&tables);
    trc_linemap_free(&map, &memory.allocator);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

/* Adds all tables while the n-th request fails. Returns whether one did. */
static bool add_with_failure(const trc_linemap *map, long failing)
{
    heap memory;
    trc_linetabs tables;
    bool missing[COUNT_OF(keys)] = {false};
    heap_init(&memory);
    memory.first_failure = memory.last_failure = failing;
    trc_linetabs_init(&tables, &memory.allocator);
    for (uint32_t i = 0; i < COUNT_OF(keys); i++) {
        missing[i] = trc_linetabs_add(&tables, &keys[i], map) == NULL;
        insist(!missing[i] || memory.requests >= failing, "a table is missing while there is memory");
    }
    for (uint32_t i = 0; i < COUNT_OF(keys); i++) {
        insist((trc_linetabs_find(&tables, &keys[i]) == NULL) == missing[i], "another one is missing");
    }
    trc_linetabs_free(&tables);
    ck_assert_int_eq(memory.blocks, 0);
    return memory.requests >= failing;
}

START_TEST(a_table_without_memory_is_missing_and_no_other)
{
    trc_linemap map;
    ck_assert(trc_linemap_init(&map, &trc_system_allocator, 1, 3, NULL));
    long failing = 1;
    while (add_with_failure(&map, failing)) {
        failing++;
    }
    ck_assert_int_gt(failing, 2 * (long)COUNT_OF(keys));
    trc_linemap_free(&map, &trc_system_allocator);
}
END_TEST

Suite *linetab_suite(void)
{
    Suite *suite = suite_create("linetab");
    TCase *tcase = tcase_create("maps");
    tcase_add_test(tcase, without_first_lines_each_line_has_a_row);
    tcase_add_test(tcase, lines_of_a_statement_share_the_row_of_its_first);
    tcase_add_test(tcase, a_line_said_to_go_on_with_one_that_goes_on_itself_belongs_to_its_statement);
    tcase_add_test(tcase, statements_may_lie_in_one_another);
    tcase_add_test(tcase, nonsense_is_a_statement_of_its_own);
    tcase_add_test(tcase, a_map_without_memory_is_no_map);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("tables");
    tcase_add_test(tcase, a_table_is_found_by_its_code_object);
    tcase_add_test(tcase, a_table_of_no_line);
    tcase_add_test(tcase, a_table_without_memory_is_missing_and_no_other);
    suite_add_tcase(suite, tcase);
    return suite;
}
