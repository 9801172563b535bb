/* functab.[ch]: ids, owners, and what happens when memory is out. */
#include "suites.h"
#include "support.h"

#define MANY 5000 /* enough for the table to grow several times */
#define SOME 400  /* enough for it to grow once */

static const char keys[MANY];
static long released[MANY];

static void release(void *owner)
{
    ++*(long *)owner;
}

START_TEST(an_empty_table_has_nothing)
{
    heap memory;
    trc_functab table;
    heap_init(&memory);
    trc_functab_init(&table, &memory.allocator, release);
    ck_assert_ptr_null(trc_functab_find(&table, &keys[0]));
    ck_assert_uint_eq(table.count, 0);
    trc_functab_free(&table);
    ck_assert_int_eq(memory.requests, 0);
}
END_TEST

START_TEST(records_are_found_and_stay_where_they_are)
{
    static trc_func *made[MANY];
    heap memory;
    trc_functab table;
    heap_init(&memory);
    trc_functab_init(&table, &memory.allocator, release);
    for (int i = 0; i < MANY; i++) {
        ck_assert_ptr_null(trc_functab_find(&table, &keys[i]));
        made[i] = trc_functab_add(&table, &keys[i], &released[i]);
        ck_assert_ptr_nonnull(made[i]);
    }
    ck_assert_uint_eq(table.count, MANY);
    const trc_func *next = table.first;
    for (int i = 0; i < MANY; i++, next = next->hh.next) {
        const trc_func *func = trc_functab_find(&table, &keys[i]);
        ck_assert_ptr_eq(func, made[i]);
        ck_assert_ptr_eq(func, next); /* the list is in the order of the ids */
        ck_assert_ptr_eq(func->key, &keys[i]);
        ck_assert_ptr_eq(func->owner, &released[i]);
        ck_assert_uint_eq(func->id, i);
        ck_assert_uint_eq(func->active, 0);
        ck_assert_uint_eq(func->overflow_primitive_calls, 0);
        ck_assert_uint_eq(func->overflow_primitive_resumes, 0);
        ck_assert_int_eq(func->overflow_cumulative, 0);
        ck_assert_int_eq(func->extras[TRC_SUSPENDED], 0);
    }
    ck_assert_ptr_null(next);
    trc_functab_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_eq(released[i], 1);
    }
}
END_TEST

static trc_functab *reentered;

static void look_while_releasing(void *owner)
{
    ++*(long *)owner;
    ck_assert_ptr_null(trc_functab_find(reentered, &keys[0]));
    ck_assert_ptr_null(trc_functab_find(reentered, &keys[1]));
    ck_assert_uint_eq(reentered->count, 0);
    ck_assert_ptr_null(reentered->first);
}

START_TEST(whoever_is_released_sees_an_empty_table)
{
    heap memory;
    trc_functab table;
    long owners = 0;
    heap_init(&memory);
    reentered = &table;
    trc_functab_init(&table, &memory.allocator, look_while_releasing);
    trc_functab_add(&table, &keys[0], &owners);
    trc_functab_add(&table, &keys[1], &owners);
    trc_functab_free(&table);
    ck_assert_int_eq(owners, 2);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

/* Adds `count` functions while the n-th request fails: one is not added then, unless the request was for more buckets.
 * Returns whether so many requests were made. */
static bool add_with_failure(int count, long failing)
{
    heap memory;
    trc_functab table;
    long owners = 0, owned = 0;
    bool failed = false;
    heap_init(&memory);
    memory.first_failure = memory.last_failure = failing;
    trc_functab_init(&table, &memory.allocator, release);
    for (int i = 0; i < count; i++) {
        uint32_t before = table.count;
        trc_func *func = trc_functab_add(&table, &keys[i], &owners);
        if (func == NULL) {
            insist(!failed, "one request failed, and more than one add");
            failed = true;
            insist(table.count == before, "a function that was not added counts");
            insist(trc_functab_find(&table, &keys[i]) == NULL, "a function that was not added is found");
            func = trc_functab_add(&table, &keys[i], &owners);
        }
        insist(func != NULL && func->id == (uint32_t)i, "a function has a wrong id");
        owned++;
    }
    for (int i = 0; i < count; i++) {
        const trc_func *func = trc_functab_find(&table, &keys[i]);
        insist(func != NULL && func->id == (uint32_t)i, "a function was forgotten");
    }
    ck_assert_uint_gt(table.first->hh.tbl->num_buckets, HASH_INITIAL_NUM_BUCKETS); /* it did grow */
    trc_functab_free(&table);
    ck_assert_int_eq(owners, owned);
    ck_assert_int_eq(memory.blocks, 0);
    return memory.requests >= failing;
}

START_TEST(a_failed_add_leaves_the_table_as_it_was)
{
    long failing = 1;
    while (add_with_failure(SOME, failing)) {
        failing++;
    }
    ck_assert_int_gt(failing, SOME);
}
END_TEST

START_TEST(a_freed_table_is_empty_and_can_be_used)
{
    heap memory;
    trc_functab table;
    heap_init(&memory);
    trc_functab_init(&table, &memory.allocator, NULL);
    for (int round = 0; round < 2; round++) {
        ck_assert_uint_eq(trc_functab_add(&table, &keys[round], NULL)->id, 0);
        ck_assert_uint_eq(table.count, 1);
        trc_functab_free(&table);
    }
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

Suite *functab_suite(void)
{
    Suite *suite = suite_create("functab");
    TCase *tcase = tcase_create("functab");
    tcase_add_test(tcase, an_empty_table_has_nothing);
    tcase_add_test(tcase, records_are_found_and_stay_where_they_are);
    tcase_add_test(tcase, whoever_is_released_sees_an_empty_table);
    tcase_add_test(tcase, a_failed_add_leaves_the_table_as_it_was);
    tcase_add_test(tcase, a_freed_table_is_empty_and_can_be_used);
    suite_add_tcase(suite, tcase);
    return suite;
}
