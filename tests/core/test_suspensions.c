/* suspensions.[ch]: what is put can be taken once, whatever came before. Random steps are held against a plain array. */
#include "suites.h"
#include "support.h"

#include <core/tree/suspensions.h>

#define FIRST_SLOTS 64 /* of a table; half of them are used */

static const char functions[3], threads[2];

/* Makes a suspension from a number, so that a test can recognize it. */
static trc_suspension made_of(trc_activation id, uint32_t number)
{
    return (trc_suspension){
        .id = id, .key = &functions[number % 3], .thread = &threads[number % 2], .since = (trc_tick)number};
}

static void put(trc_suspensions *table, trc_activation id, uint32_t number)
{
    *trc_suspensions_place(table, id) = made_of(id, number);
}

static bool takes(trc_suspensions *table, trc_activation id, uint32_t number)
{
    trc_suspension expected = made_of(id, number);
    const trc_suspension *taken = trc_suspensions_take(table, id);
    return taken != NULL && taken->key == expected.key && taken->thread == expected.thread &&
           taken->since == expected.since;
}

static bool lacks(trc_suspensions *table, trc_activation id)
{
    return trc_suspensions_take(table, id) == NULL;
}

/* The entries of the table, with those in front of it. */
static uint32_t count_of(const trc_suspensions *table)
{
    uint32_t count = table->count;
    for (int i = 0; i < TRC_FRONT; i++) {
        count += table->front[i].id != 0;
    }
    return count;
}

/* Makes a number the id of an activation whose place in front is the first. */
static trc_activation behind(trc_activation number)
{
    trc_activation id = number << 10;
    return id | (number % TRC_FRONT) << 4;
}

START_TEST(an_empty_table_has_nothing)
{
    heap memory;
    trc_suspensions table;
    heap_init(&memory);
    trc_suspensions_init(&table, &memory.allocator);
    ck_assert(lacks(&table, 2));
    trc_suspensions_free(&table);
    ck_assert_int_eq(memory.requests, 0);
}
END_TEST

START_TEST(a_suspension_is_taken_once)
{
    heap memory;
    trc_suspensions table;
    heap_init(&memory);
    trc_suspensions_init(&table, &memory.allocator);
    put(&table, 2, 5);
    put(&table, 4, 6);
    ck_assert(lacks(&table, 6));
    ck_assert(takes(&table, 2, 5));
    ck_assert(lacks(&table, 2));
    ck_assert(takes(&table, 4, 6));
    ck_assert(lacks(&table, 4));
    ck_assert_uint_eq(table.count, 0);
    trc_suspensions_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

START_TEST(a_later_suspension_takes_the_place_of_an_earlier_one)
{
    heap memory;
    trc_suspensions table;
    heap_init(&memory);
    trc_suspensions_init(&table, &memory.allocator);
    put(&table, 2, 5);
    put(&table, 2, 8);
    ck_assert_uint_eq(count_of(&table), 1);
    ck_assert(takes(&table, 2, 8));
    ck_assert(lacks(&table, 2));
    trc_suspensions_free(&table);
}
END_TEST

START_TEST(the_latest_of_a_place_stands_in_front)
{
    heap memory;
    trc_suspensions table;
    heap_init(&memory);
    trc_suspensions_init(&table, &memory.allocator);
    trc_activation first = behind(1), second = behind(2);
    put(&table, first, 5);
    ck_assert_int_eq(memory.requests, 0);
    put(&table, second, 6);
    ck_assert_uint_eq(table.count, 1);
    ck_assert_uint_eq(table.front[0].id, second);
    put(&table, first, 7); /* it changes places, and is in one only */
    ck_assert_uint_eq(table.count, 1);
    ck_assert_uint_eq(table.front[0].id, first);
    ck_assert(takes(&table, first, 7));
    put(&table, second, 8); /* the place in front is free, the table is not */
    ck_assert_uint_eq(table.count, 0);
    ck_assert(takes(&table, second, 8));
    ck_assert(lacks(&table, first));
    ck_assert(lacks(&table, second));
    trc_suspensions_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

START_TEST(a_table_that_was_freed_is_empty_and_can_be_used)
{
    heap memory;
    trc_suspensions table;
    heap_init(&memory);
    trc_suspensions_init(&table, &memory.allocator);
    put(&table, 2, 5);
    trc_suspensions_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
    ck_assert(lacks(&table, 2));
    put(&table, 2, 9);
    ck_assert(takes(&table, 2, 9));
    trc_suspensions_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

/* The n-th id whose place in a table of FIRST_SLOTS is `home`. All these have one place in front. */
static trc_activation id_at_home(uint32_t home, uint32_t n)
{
    trc_activation number = 0;
    while (n > 0) {
        number++;
        n -= (trc_hash(behind(number)) & (FIRST_SLOTS - 1)) == home;
    }
    return behind(number);
}

/* Whether a table of FIRST_SLOTS would give the suspension. */
static bool holds(const trc_suspensions *table, trc_activation id, uint32_t number)
{
    trc_suspension slots[FIRST_SLOTS];
    trc_suspensions copy = *table;
    memcpy(slots, table->slots, sizeof slots);
    copy.slots = slots;
    return takes(&copy, id, number);
}

#define CLUSTER 7

/* Puts a cluster and takes it again in the order that a number says. */
static void take_cluster(const trc_activation ids[CLUSTER], uint32_t order)
{
    trc_suspensions table;
    bool left[CLUSTER];
    trc_suspensions_init(&table, &trc_system_allocator);
    for (uint32_t i = 0; i < CLUSTER; i++) {
        put(&table, ids[i], i);
        left[i] = true;
    }
    put(&table, behind(1000000), 0); /* which stands in front of them all */
    insist(table.slot_count == FIRST_SLOTS, "the table is of another size than the test");
    for (uint32_t count = CLUSTER; count > 0; count--) {
        uint32_t skip = order % count, i = 0;
        order /= count;
        while (!left[i] || skip-- > 0) {
            i++;
        }
        left[i] = false;
        insist(takes(&table, ids[i], i), "a suspension of a cluster was lost");
        insist(table.count == count - 1, "the count is wrong");
        for (uint32_t other = 0; other < CLUSTER; other++) {
            insist(holds(&table, ids[other], other) == left[other], "a cluster is broken");
        }
    }
    trc_suspensions_free(&table);
}

START_TEST(clusters_stay_whole_around_the_end_of_the_table)
{
    /* The homes of colliding ids: all in the last slot; before it, so that they go over the table's end; and some homes
     * beyond the end. */
    static const uint32_t homes[][CLUSTER] = {
        {63, 63, 63, 63, 63, 63, 63}, {61, 61, 62, 62, 63, 63, 63}, {62, 63, 62, 0, 1, 62, 0},
        {63, 0, 63, 1, 63, 2, 3},     {60, 62, 60, 63, 61, 60, 2},  {0, 63, 1, 62, 0, 61, 62},
    };
    enum { ORDERS = 5040 };
    for (size_t row = 0; row < sizeof homes / sizeof *homes; row++) {
        trc_activation ids[CLUSTER];
        for (uint32_t i = 0; i < CLUSTER; i++) {
            ids[i] = id_at_home(homes[row][i], i + 1); /* each differs, even with the same home */
        }
        for (uint32_t order = 0; order < ORDERS; order++) {
            take_cluster(ids, order);
        }
    }
}
END_TEST

#define IDS 3000

START_TEST(random_steps_agree_with_a_plain_array)
{
    static uint32_t numbers[IDS]; /* 0: not suspended */
    trc_suspensions table;
    heap memory;
    heap_init(&memory);
    trc_suspensions_init(&table, &memory.allocator);
    uint32_t seed = 1, count = 0, replaced = 0;
    for (uint32_t step = 1; step <= 60000; step++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t tide = step / 6000 % 2 == 0 ? 10 : 6; /* of 16: the table fills, and becomes almost empty again */
        uint32_t i = (seed >> 8) % (step < 30000 ? 40 : IDS);
        trc_activation id = 4096 + 16 * (trc_activation)i; /* as addresses are */
        if (seed >> 28 < tide) {
            replaced += numbers[i] != 0;
            count += numbers[i] == 0;
            numbers[i] = step;
            put(&table, id, step);
        }
        else {
            insist(numbers[i] != 0 ? takes(&table, id, numbers[i]) : lacks(&table, id), "a take went wrong");
            count -= numbers[i] != 0;
            numbers[i] = 0;
        }
        insist(count_of(&table) == count, "the count is wrong");
        insist(table.count <= table.slot_count / 2, "the table is too full");
    }
    ck_assert_uint_gt(replaced, 1000);
    ck_assert_uint_gt(table.slot_count, 8 * FIRST_SLOTS); /* it did grow */
    for (uint32_t i = 0; i < IDS; i++) {
        trc_activation id = 4096 + 16 * (trc_activation)i;
        insist(numbers[i] != 0 ? takes(&table, id, numbers[i]) : lacks(&table, id), "a suspension was lost");
    }
    ck_assert_uint_eq(table.count, 0);
    trc_suspensions_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

/* -- Memory ------------------------------------------------------------------------------------------------------------ */

/* Puts what makes the table grow twice while the n-th request fails. Returns whether one did. */
static bool put_with_failure(long failing)
{
    enum { COUNT = 2 * FIRST_SLOTS };
    heap memory;
    trc_suspensions table;
    trc_activation missing = 0;
    heap_init(&memory);
    memory.first_failure = memory.last_failure = failing;
    trc_suspensions_init(&table, &memory.allocator);
    for (trc_activation number = 1; number <= COUNT; number++) {
        put(&table, behind(number), (uint32_t)number);
        missing = missing == 0 && memory.requests >= failing ? number - 1 : missing; /* which stood in front */
    }
    ck_assert_uint_eq(count_of(&table), COUNT - (missing != 0));
    for (trc_activation number = 1; number <= COUNT; number++) {
        trc_activation id = behind(number);
        insist(number == missing ? lacks(&table, id) : takes(&table, id, (uint32_t)number), "another one is missing");
    }
    trc_suspensions_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
    return missing != 0;
}

START_TEST(a_suspension_without_memory_is_lost)
{
    long failing = 1;
    while (put_with_failure(failing)) {
        failing++;
    }
    ck_assert_int_eq(failing, 4); /* the first slots, twice as many, and twice as many */
}
END_TEST

START_TEST(a_later_suspension_takes_the_place_of_an_earlier_one_without_memory)
{
    heap memory;
    trc_suspensions table;
    heap_init(&memory);
    trc_suspensions_init(&table, &memory.allocator);
    trc_activation last = FIRST_SLOTS / 2 + 1;
    for (trc_activation number = 1; number <= last; number++) { /* half of the slots: one more, and it grows */
        put(&table, behind(number), 1);
    }
    memory.first_failure = memory.requests + 1;
    memory.last_failure = INT32_MAX;
    put(&table, behind(3), 2); /* leaves its slot, into which goes what stood in front */
    ck_assert(takes(&table, behind(3), 2));
    ck_assert(takes(&table, behind(last), 1));
    ck_assert(takes(&table, behind(1), 1));
    trc_suspensions_free(&table);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

Suite *suspensions_suite(void)
{
    Suite *suite = suite_create("suspensions");
    TCase *tcase = tcase_create("suspensions");
    tcase_add_test(tcase, an_empty_table_has_nothing);
    tcase_add_test(tcase, a_suspension_is_taken_once);
    tcase_add_test(tcase, a_later_suspension_takes_the_place_of_an_earlier_one);
    tcase_add_test(tcase, the_latest_of_a_place_stands_in_front);
    tcase_add_test(tcase, a_table_that_was_freed_is_empty_and_can_be_used);
    tcase_add_test(tcase, clusters_stay_whole_around_the_end_of_the_table);
    tcase_add_test(tcase, random_steps_agree_with_a_plain_array);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("memory");
    tcase_add_test(tcase, a_suspension_without_memory_is_lost);
    tcase_add_test(tcase, a_later_suspension_takes_the_place_of_an_earlier_one_without_memory);
    suite_add_tcase(suite, tcase);
    return suite;
}
