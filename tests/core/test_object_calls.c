/* object_calls.[ch]: calls of objects add up by caller and callee, and end in the order of their names. */
#include "suites.h"
#include "support.h"

#include <core/tree/object_calls.h>

static const char objects[200], types[2];
static trc_node nodes[200];

/* Makes the place of an object right, as the layer above does. */
static trc_object_place *place_of(trc_object_table *table, int node, int object, uint32_t caller, uint32_t callee)
{
    trc_object_place *place = trc_object_table_place(table, &nodes[node], &objects[object]);
    trc_object_place what = {&nodes[node], &objects[object], &types[0], NULL, NULL};
    if (place == NULL || trc_object_place_is(place, &what)) {
        return place;
    }
    return trc_object_table_put(table, place, &what, caller, callee) ? place : NULL;
}

static const trc_object_calls *find(const trc_object_table *table, uint32_t caller, uint32_t callee)
{
    const trc_object_calls *found = table->first;
    while (found != NULL && found->key != ((uint64_t)caller << 32 | callee)) {
        found = found->hh.next;
    }
    return found;
}

START_TEST(calls_of_one_pair_are_one_record)
{
    heap memory;
    trc_object_table table;
    heap_init(&memory);
    trc_object_table_init(&table, &memory.allocator);
    trc_object_calls *calls = place_of(&table, 0, 0, 1, 2)->calls;
    ck_assert_ptr_eq(place_of(&table, 0, 0, 1, 2)->calls, calls);
    ck_assert_ptr_eq(place_of(&table, 1, 0, 1, 2)->calls, calls); /* another context of the caller */
    ck_assert_ptr_eq(place_of(&table, 1, 9, 1, 2)->calls, calls); /* another instance of the type */
    ck_assert_ptr_ne(place_of(&table, 0, 1, 1, 3)->calls, calls);
    ck_assert_ptr_ne(place_of(&table, 2, 0, 2, 1)->calls, calls);
    ck_assert_uint_eq(HASH_CNT(hh, table.first), 3);
    trc_object_table_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

START_TEST(a_place_is_of_one_type)
{
    trc_object_table table;
    trc_object_table_init(&table, &trc_system_allocator);
    const trc_object_place *place = place_of(&table, 0, 0, 1, 2);
    const trc_object_place same = {&nodes[0], &objects[0], &types[0], NULL, NULL};
    ck_assert(trc_object_place_is(place, &same));
    const trc_object_place others[] = {/* at an address that was another's */
                                       {&nodes[0], &objects[0], &types[1], NULL, NULL},
                                       {&nodes[0], &objects[0], &types[0], &types[1], NULL},
                                       {&nodes[1], &objects[0], &types[0], NULL, NULL}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert(!trc_object_place_is(place, &others[i]));
    }
    trc_object_table_free(&table);
}
END_TEST

START_TEST(places_that_are_taken_over_lose_nothing)
{
    trc_object_table table;
    trc_object_table_init(&table, &trc_system_allocator);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 200; i++) { /* more than there are places */
            place_of(&table, i, i, (uint32_t)i, 1000)->calls->calls++;
        }
    }
    for (uint32_t i = 0; i < 200; i++) {
        ck_assert_uint_eq(find(&table, i, 1000)->calls, 2);
    }
    trc_object_table_free(&table);
}
END_TEST

START_TEST(calls_end_in_the_order_of_their_names)
{
    trc_object_table table;
    trc_object_table_init(&table, &trc_system_allocator);
    ck_assert_ptr_null(trc_object_table_end(&table, 1));
    for (uint32_t i = 1; i <= 40; i++) {
        trc_object_table_begin(&table, place_of(&table, 0, (int)i, 0, i), i, 100 * i);
    }
    const trc_running_object *ended = trc_object_table_end(&table, 40);
    ck_assert_int_eq(ended->own, 4000);
    ck_assert_ptr_eq(ended->node, &nodes[0]);
    ck_assert_ptr_null(trc_object_table_end(&table, 40));
    ck_assert_int_eq(trc_object_table_end(&table, 7)->own, 700); /* those within it were left behind */
    ck_assert_uint_eq(table.depth, 6);
    ck_assert_ptr_null(trc_object_table_end(&table, 39));
    trc_object_table_free(&table);
    ck_assert_uint_eq(table.depth, 0);
    ck_assert_ptr_null(trc_object_table_end(&table, 1));
}
END_TEST

START_TEST(without_memory_calls_are_lost)
{
    for (long failing = 1; failing <= 4; failing++) { /* the places; the record, its table; what runs */
        heap memory;
        trc_object_table table;
        heap_init(&memory);
        memory.first_failure = memory.last_failure = failing;
        trc_object_table_init(&table, &memory.allocator);
        trc_object_place *place = place_of(&table, 0, 0, 1, 2);
        if (place != NULL) {
            trc_object_table_begin(&table, place, 1, 0);
        }
        ck_assert_ptr_null(trc_object_table_end(&table, 1));
        ck_assert_ptr_nonnull(place_of(&table, 0, 0, 1, 2)); /* the next is not */
        trc_object_table_free(&table);
        ck_assert_int_eq(memory.blocks, 0);
    }
}
END_TEST

Suite *object_calls_suite(void)
{
    Suite *suite = suite_create("object_calls");
    TCase *tests = tcase_create("object_calls");
    tcase_add_test(tests, calls_of_one_pair_are_one_record);
    tcase_add_test(tests, a_place_is_of_one_type);
    tcase_add_test(tests, places_that_are_taken_over_lose_nothing);
    tcase_add_test(tests, calls_end_in_the_order_of_their_names);
    tcase_add_test(tests, without_memory_calls_are_lost);
    suite_add_tcase(suite, tests);
    return suite;
}
