/* hash.[ch]: when a table grows, that tables grow side by side, and what happens when memory is out. */
#include "suites.h"
#include "support.h"

#define MANY 100000
#define FEW 200 /* enough for a table to grow once */

static const char keys[MANY];

/* The counts of records at which a table was seen to have moved them. */
typedef struct growths {
    unsigned buckets;
    uint32_t moments[16];
    int count;
} growths;

static void look(growths *seen, const UT_hash_table *table, uint32_t records)
{
    if (seen->buckets != 0 && seen->buckets != table->num_buckets) {
        insist(seen->count < 16, "a table grew too often");
        seen->moments[seen->count++] = records;
    }
    seen->buckets = table->num_buckets;
}

static int beyond(const growths *seen, uint32_t records)
{
    int found = 0;
    for (int i = 0; i < seen->count; i++) {
        found += seen->moments[i] > records;
    }
    return found;
}

START_TEST(tables_grow_seldom_and_side_by_side)
{
    trc_functab funcs;
    trc_edgetab edges;
    growths of_funcs = {0}, of_edges = {0};
    trc_functab_init(&funcs, &trc_system_allocator, NULL);
    trc_edgetab_init(&edges, &trc_system_allocator);
    for (uint32_t i = 0; i < MANY; i++) {
        insist(trc_functab_add(&funcs, &keys[i], NULL) != NULL, "memory is out");
        insist(trc_edgetab_get(&edges, 7, i) != NULL, "memory is out");
        look(&of_funcs, funcs.first->hh.tbl, i + 1);
        look(&of_edges, edges.first->hh.tbl, i + 1);
    }
    static const uint32_t expected[] = {128, 512, 2048, 8192, 32768};
    ck_assert_int_eq(of_funcs.count, 5);
    ck_assert_mem_eq(of_funcs.moments, expected, sizeof expected);
    ck_assert_int_eq(of_edges.count, 5);
    ck_assert_mem_eq(of_edges.moments, expected, sizeof expected);
    ck_assert_int_le(beyond(&of_funcs, 1000), 3); /* what growth.py's goal of three bursts rests on */
    trc_functab_free(&funcs);
    trc_edgetab_free(&edges);
}
END_TEST

START_TEST(every_bucket_knows_its_records)
{
    trc_functab funcs;
    trc_functab_init(&funcs, &trc_system_allocator, NULL);
    for (int i = 0; i < MANY; i++) {
        insist(trc_functab_add(&funcs, &keys[i], NULL) != NULL, "memory is out");
    }
    const UT_hash_table *table = funcs.first->hh.tbl;
    ck_assert_uint_eq(table->num_items, MANY);
    ck_assert_uint_eq(table->num_buckets, 32768);
    ck_assert_uint_eq(1U << table->log2_num_buckets, table->num_buckets);
    unsigned found = 0;
    for (unsigned i = 0; i < table->num_buckets; i++) {
        unsigned here = 0;
        const UT_hash_handle *before = NULL;
        for (const UT_hash_handle *record = table->buckets[i].hh_head; record != NULL; record = record->hh_next) {
            insist(record->hh_prev == before, "a record names another as the one before");
            insist((record->hashv & (table->num_buckets - 1)) == i, "a record is in a bucket of others");
            before = record;
            here++;
        }
        insist(table->buckets[i].count == here, "a bucket has a wrong count");
        found += here;
    }
    ck_assert_uint_eq(found, MANY);
    trc_functab_free(&funcs);
}
END_TEST

START_TEST(a_table_that_cannot_grow_takes_records_and_grows_later)
{
    heap memory;
    trc_functab funcs;
    heap_init(&memory);
    trc_functab_init(&funcs, &memory.allocator, NULL);
    for (int i = 0; i < FEW; i++) {
        if (i == 127) { /* of two requests, the second is for the buckets */
            memory.first_failure = memory.last_failure = memory.requests + 2;
        }
        ck_assert_ptr_nonnull(trc_functab_add(&funcs, &keys[i], NULL));
        ck_assert_uint_eq(funcs.first->hh.tbl->num_buckets, i < 128 ? 32 : 128);
    }
    ck_assert_int_gt(memory.requests, memory.last_failure);
    for (int i = 0; i < FEW; i++) {
        const trc_func *func = trc_functab_find(&funcs, &keys[i]);
        ck_assert_ptr_nonnull(func);
        ck_assert_uint_eq(func->id, i);
    }
    trc_functab_free(&funcs);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

Suite *hash_suite(void)
{
    Suite *suite = suite_create("hash");
    TCase *tcase = tcase_create("hash");
    tcase_add_test(tcase, tables_grow_seldom_and_side_by_side);
    tcase_add_test(tcase, every_bucket_knows_its_records);
    tcase_add_test(tcase, a_table_that_cannot_grow_takes_records_and_grows_later);
    suite_add_tcase(suite, tcase);
    return suite;
}
