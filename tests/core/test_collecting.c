/* collecting.[ch], as thread.[ch] uses it: what garbage collections take, and of which node; and their records. */
#include "suites.h"
#include "support.h"

static void begin(stage *stage)
{
    trc_thread_begin_collection(&stage->thread, stage->now);
}

static void end(stage *stage)
{
    trc_thread_end_collection(&stage->thread, stage->now);
}

/* A collection within which this is played. */
static void collect(stage *stage, const char *script)
{
    begin(stage);
    stage_play(stage, script);
    end(stage);
}

static void take(trc_capture *capture, const stage *stage)
{
    ck_assert(trc_capture_thread(capture, &stage->thread, stage->now, true, TRC_NO_CPU));
}

static void give_back(trc_capture *capture, stage *stage)
{
    trc_capture_free(capture, &stage->memory.allocator);
    ck_assert_ptr_null(capture->collections);
}

static void expect_record(const trc_capture *capture, uint32_t at, trc_collections_record expected)
{
    const trc_collections_record *record = &capture->collections[at];
    ck_assert_uint_lt(at, capture->collection_count);
    ck_assert_uint_eq(record->node, expected.node);
    ck_assert_uint_eq(record->is_overflow, expected.is_overflow);
    ck_assert_uint_eq(record->count, expected.count);
    ck_assert_int_eq(record->ticks, expected.ticks);
    ck_assert_int_eq(record->longest, expected.longest);
}

/* Asserts that these are the collections now, all of one node. */
static void expect_one(stage *stage, trc_collections_record expected)
{
    trc_capture capture;
    take(&capture, stage);
    ck_assert_uint_eq(capture.collection_count, 1);
    expect_record(&capture, 0, expected);
    give_back(&capture, stage);
}

static void expect_none(stage *stage)
{
    trc_capture capture;
    take(&capture, stage);
    ck_assert_uint_eq(capture.collection_count, 0);
    give_back(&capture, stage);
}

START_TEST(collections_are_added_up_by_node)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    collect(&stage, "9"); /* where no function runs: the root's */
    stage_play(&stage, "a1b2");
    collect(&stage, "3");
    collect(&stage, "5");
    collect(&stage, "4");
    stage_play(&stage, ")1");
    collect(&stage, "2");
    stage_play(&stage, "c");
    collect(&stage, "");
    take(&capture, &stage);
    ck_assert_uint_eq(capture.collection_count, 4);
    expect_record(&capture, 0, (trc_collections_record){0, 0, 1, 9, 9});
    expect_record(&capture, 1, (trc_collections_record){2, 0, 3, 12, 5});
    expect_record(&capture, 2, (trc_collections_record){1, 0, 1, 2, 2});
    expect_record(&capture, 3, (trc_collections_record){3, 0, 1, 0, 0});
    ck_assert_int_eq(capture.nodes[1].self, 4);
    ck_assert_int_eq(capture.nodes[2].self, 14);
    give_back(&capture, &stage);
    stage_close(&stage);
}
END_TEST

START_TEST(what_is_called_within_has_its_own_time)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a1");
    collect(&stage, "2f4g1))3");
    expect_one(&stage, (trc_collections_record){1, 0, 1, 5, 5});
    stage_play(&stage, "f");
    collect(&stage, "1a7)1"); /* the function in which it began is called: in another context */
    stage_play(&stage, ")");
    trc_capture capture;
    take(&capture, &stage);
    expect_record(&capture, 1, (trc_collections_record){2, 0, 1, 2, 2});
    give_back(&capture, &stage);
    stage_close(&stage);
}
END_TEST

START_TEST(a_pause_within_is_no_time)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a1");
    collect(&stage, "2<6>1");
    expect_one(&stage, (trc_collections_record){1, 0, 1, 3, 3});
    stage_close(&stage);
}
END_TEST

START_TEST(another_greenlet_within_has_its_own_time)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "@aa1");
    collect(&stage, "2@bb5@a1");
    expect_one(&stage, (trc_collections_record){1, 0, 1, 3, 3});
    stage_close(&stage);
}
END_TEST

START_TEST(a_collection_counts_when_it_is_over)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a1");
    begin(&stage);
    stage_play(&stage, "4");
    expect_none(&stage);
    end(&stage);
    expect_one(&stage, (trc_collections_record){1, 0, 1, 4, 4});
    stage_close(&stage);
}
END_TEST

START_TEST(one_that_has_not_begun_or_not_ended_counts_nowhere)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a1");
    end(&stage);
    expect_none(&stage);
    begin(&stage); /* whose end nobody told */
    stage_play(&stage, "5");
    collect(&stage, "2");
    expect_one(&stage, (trc_collections_record){1, 0, 1, 2, 2});
    end(&stage);
    expect_one(&stage, (trc_collections_record){1, 0, 1, 2, 2});
    stage_close(&stage);
}
END_TEST

START_TEST(one_in_which_tracing_ends_counts_nowhere)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a1");
    collect(&stage, "2=3+a1");
    expect_none(&stage);
    stage_close(&stage);
}
END_TEST

START_TEST(overflow_nodes_have_collections_too)
{
    stage stage;
    ck_assert(stage_open(&stage, 0, 0, 0));
    stage_play(&stage, "a1b2");
    collect(&stage, "3f4)");
    expect_one(&stage, (trc_collections_record){1, 1, 1, 3, 3});
    stage_close(&stage);
}
END_TEST

START_TEST(a_timer_may_say_anything)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a");
    trc_thread_begin_collection(&stage.thread, 0);
    trc_thread_end_collection(&stage.thread, -3);
    expect_one(&stage, (trc_collections_record){1, 0, 1, -3, -3});
    trc_thread_begin_collection(&stage.thread, INT64_MAX);
    trc_thread_end_collection(&stage.thread, INT64_MIN);
    expect_one(&stage, (trc_collections_record){1, 0, 2, -2, 1});
    stage_close(&stage);
}
END_TEST

START_TEST(without_memory_a_collection_counts_nowhere)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, "a1");
    long failing = 1;
    for (; stage.thread.collecting.nodes == NULL; failing++) {
        expect_none(&stage);
        stage.memory.requests = 0;
        stage.memory.first_failure = stage.memory.last_failure = failing;
        collect(&stage, "2");
        stage.memory.first_failure = stage.memory.last_failure = 0;
    }
    ck_assert_int_eq(failing, 5); /* the record, the table, its buckets; then all is there */
    expect_one(&stage, (trc_collections_record){1, 0, 1, 2, 2});
    stage_close(&stage);
}
END_TEST

START_TEST(many_nodes)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    for (uint32_t depth = 1; depth <= 1000; depth++) {
        stage_play(&stage, "a");
        collect(&stage, "1");
    }
    take(&capture, &stage);
    ck_assert_uint_eq(capture.collection_count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        expect_record(&capture, i, (trc_collections_record){i + 1, 0, 1, 1, 1});
    }
    give_back(&capture, &stage);
    stage_close(&stage);
}
END_TEST

static trc_rollup_result add(const trc_capture *capture)
{
    static const uint32_t rows[] = {0, 1};
    trc_rollup rollup;
    ck_assert(trc_rollup_init(&rollup, &trc_system_allocator, 2));
    trc_rollup_result result = trc_rollup_add(&rollup, capture, rows, 2);
    trc_rollup_free(&rollup);
    return result;
}

START_TEST(the_node_must_be_there)
{
    stage stage;
    trc_capture capture;
    ck_assert(stage_open(&stage, 1, 0, 0));
    stage_play(&stage, "a1b2"); /* b is past the limit */
    collect(&stage, "3");
    take(&capture, &stage);
    const uint32_t counts[] = {capture.node_count, capture.overflow_count};
    ck_assert_uint_ne(counts[0], counts[1]);
    for (uint32_t is_overflow = 0; is_overflow < 2; is_overflow++) {
        capture.collections[0].is_overflow = is_overflow;
        capture.collections[0].node = counts[is_overflow] - 1;
        ck_assert_int_eq(add(&capture), TRC_ROLLUP_OK);
        capture.collections[0].node = counts[is_overflow];
        ck_assert_int_eq(add(&capture), TRC_ROLLUP_DAMAGED);
    }
    give_back(&capture, &stage);
    stage_close(&stage);
}
END_TEST

Suite *collecting_suite(void)
{
    Suite *suite = suite_create("collecting");
    TCase *tcase = tcase_create("collecting");
    tcase_add_test(tcase, collections_are_added_up_by_node);
    tcase_add_test(tcase, what_is_called_within_has_its_own_time);
    tcase_add_test(tcase, a_pause_within_is_no_time);
    tcase_add_test(tcase, another_greenlet_within_has_its_own_time);
    tcase_add_test(tcase, a_collection_counts_when_it_is_over);
    tcase_add_test(tcase, one_that_has_not_begun_or_not_ended_counts_nowhere);
    tcase_add_test(tcase, one_in_which_tracing_ends_counts_nowhere);
    tcase_add_test(tcase, overflow_nodes_have_collections_too);
    tcase_add_test(tcase, a_timer_may_say_anything);
    tcase_add_test(tcase, without_memory_a_collection_counts_nowhere);
    tcase_add_test(tcase, many_nodes);
    tcase_add_test(tcase, the_node_must_be_there);
    suite_add_tcase(suite, tcase);
    return suite;
}
