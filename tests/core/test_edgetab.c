/* edgetab.[ch]: one record a pair, made once; and what happens when memory is out. */
#include "suites.h"
#include "support.h"

#define SIDE 25 /* numbers on each side of an edge */

START_TEST(a_pair_has_one_record_and_a_direction)
{
    heap memory;
    trc_edgetab table;
    heap_init(&memory);
    trc_edgetab_init(&table, &memory.allocator);
    trc_edge *there = trc_edgetab_get(&table, 1, 2);
    trc_edge *back = trc_edgetab_get(&table, 2, 1);
    trc_edge *self = trc_edgetab_get(&table, 1, 1);
    ck_assert_ptr_nonnull(there);
    ck_assert_ptr_ne(there, back);
    ck_assert_ptr_ne(there, self);
    ck_assert_ptr_eq(trc_edgetab_get(&table, 1, 2), there);
    ck_assert_ptr_eq(trc_edgetab_get(&table, 2, 1), back);
    ck_assert_uint_eq(there->key.caller, 1);
    ck_assert_uint_eq(there->key.callee, 2);
    ck_assert_uint_eq(there->id, 0);
    ck_assert_uint_eq(back->id, 1);
    ck_assert_uint_eq(self->id, 2);
    ck_assert_uint_eq(table.count, 3);
    trc_edgetab_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

START_TEST(numbers_use_all_their_bits)
{
    heap memory;
    trc_edgetab table;
    heap_init(&memory);
    trc_edgetab_init(&table, &memory.allocator);
    const trc_edge *high = trc_edgetab_get(&table, UINT32_MAX, 0);
    const trc_edge *low = trc_edgetab_get(&table, 0, UINT32_MAX);
    const trc_edge *both = trc_edgetab_get(&table, UINT32_MAX, UINT32_MAX);
    ck_assert_uint_eq(high->id, 0);
    ck_assert_uint_eq(low->id, 1);
    ck_assert_uint_eq(both->id, 2);
    trc_edgetab_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

START_TEST(a_freed_table_is_empty_and_can_be_used)
{
    heap memory;
    trc_edgetab table;
    heap_init(&memory);
    trc_edgetab_init(&table, &memory.allocator);
    for (uint32_t round = 0; round < 2; round++) {
        ck_assert_uint_eq(trc_edgetab_get(&table, round, 7)->id, 0);
        ck_assert_uint_eq(table.count, 1);
        trc_edgetab_free(&table);
    }
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

/* Makes SIDE * SIDE edges while the n-th request fails: one is not made then, unless the request was for more buckets.
 * Returns whether so many requests were made. */
static bool get_with_failure(long failing)
{
    heap memory;
    trc_edgetab table;
    bool failed = false;
    heap_init(&memory);
    memory.first_failure = memory.last_failure = failing;
    trc_edgetab_init(&table, &memory.allocator);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        trc_edge *edge = trc_edgetab_get(&table, i / SIDE, i % SIDE);
        if (edge == NULL) {
            insist(!failed, "one request failed, and more than one get");
            failed = true;
            insist(table.count == i, "an edge that was not made counts");
            edge = trc_edgetab_get(&table, i / SIDE, i % SIDE);
        }
        insist(edge != NULL && edge->id == i, "an edge has a wrong id");
    }
    const trc_edge *next = table.first;
    for (uint32_t i = 0; i < SIDE * SIDE; i++, next = next->hh.next) {
        insist(trc_edgetab_get(&table, i / SIDE, i % SIDE) == next, "an edge was forgotten");
    }
    ck_assert_uint_eq(table.count, SIDE * SIDE);
    trc_edgetab_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
    return memory.requests >= failing;
}

START_TEST(a_failed_get_leaves_the_table_as_it_was)
{
    long failing = 1;
    while (get_with_failure(failing)) {
        failing++;
    }
    ck_assert_int_gt(failing, 10); /* the table, its growth, and every block of records */
}
END_TEST

START_TEST(records_lie_in_few_blocks_and_stay_where_they_are)
{
    heap memory;
    trc_edgetab table;
    trc_edge *made[8 * SIDE];
    heap_init(&memory);
    trc_edgetab_init(&table, &memory.allocator);
    for (uint32_t i = 0; i < 8 * SIDE; i++) {
        made[i] = trc_edgetab_get(&table, 1, i);
        ck_assert_uint_eq(made[i]->active, 0);
        made[i]->active = i;
    }
    ck_assert_int_le(memory.blocks, 8);
    for (uint32_t i = 0; i < 8 * SIDE; i++) {
        ck_assert_ptr_eq(trc_edgetab_get(&table, 1, i), made[i]);
        ck_assert_uint_eq(made[i]->active, i);
    }
    trc_edgetab_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

Suite *edgetab_suite(void)
{
    Suite *suite = suite_create("edgetab");
    TCase *tcase = tcase_create("edgetab");
    tcase_add_test(tcase, a_pair_has_one_record_and_a_direction);
    tcase_add_test(tcase, numbers_use_all_their_bits);
    tcase_add_test(tcase, a_freed_table_is_empty_and_can_be_used);
    tcase_add_test(tcase, a_failed_get_leaves_the_table_as_it_was);
    tcase_add_test(tcase, records_lie_in_few_blocks_and_stay_where_they_are);
    suite_add_tcase(suite, tcase);
    return suite;
}
