/* rollup.[ch]: rows that are merged, left out or of several threads, and records that lie. test_thread.c checks the
 * figures of plain rows. */
#include "suites.h"
#include "support.h"

static void expect_script(const char *script, const char *labels, const char *expected)
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, script);
    expect_labelled(&stage, labels, expected);
    stage_close(&stage);
}

START_TEST(nothing_is_no_rows)
{
    expect_script("", "", "");
    trc_rollup rollup;
    ck_assert(trc_rollup_init(&rollup, &trc_system_allocator, 0));
    trc_capture nothing = {0};
    ck_assert_int_eq(trc_rollup_add(&rollup, &nothing, NULL, 0), TRC_ROLLUP_OK);
    ck_assert_uint_eq(rollup.edge_count, 0);
    trc_rollup_free(&rollup);
}
END_TEST

START_TEST(functions_that_share_a_row_are_one_function)
{
    /* b counts as a: a > b is recursion, and c's callers are one. */
    expect_script("a1b2c3)))b4c5))", "ba",
                  "a 3/2 self 7 cum 15\n"
                  "c 2/2 self 8 cum 8\n"
                  "a>a 1/1 self 2 cum 5\n"
                  "a>c 2/2 self 8 cum 8\n");
}
END_TEST

START_TEST(edges_are_found_only_where_they_are_wanted)
{
    stage stage;
    trc_rollup rollup;
    char text[TEXT_SIZE];
    ck_assert(stage_open(&stage, 3, 0, 0));
    stage_play(&stage, "a1b2c3)))a1b2c3d4))))");
    ck_assert(trc_rollup_init(&rollup, &stage.memory.allocator, LETTERS));
    rollup.is_without_edges = true;
    ck_assert_int_eq(stage_add(&stage, &rollup, ""), TRC_ROLLUP_OK);
    render(&rollup, text);
    ck_assert_str_eq(text, "a 2/2 self 2 cum 16\nb 2/2 self 4 cum 14\nc 2/2 self 6 cum 10\nd 1/1 self 4 cum 4\n");
    trc_rollup_free(&rollup);
    stage_close(&stage);
}
END_TEST

START_TEST(what_is_left_out_is_its_callers)
{
    /* b's own time is a's, and c counts as called by a; b's recursion makes no difference. */
    expect_script("a1b2c3)b4c5))6)7)", "b-",
                  "a 1/1 self 20 cum 28\n"
                  "c 2/2 self 8 cum 8\n"
                  "a>c 2/2 self 8 cum 8\n");
}
END_TEST

START_TEST(what_is_left_out_at_the_root_takes_its_time_away)
{
    expect_script("a1b2c3)))", "a-", "b 1/1 self 2 cum 5\nc 1/1 self 3 cum 3\nb>c 1/1 self 3 cum 3\n");
    expect_script("a1b2c3)))", "a-b-", "c 1/1 self 3 cum 3\n");
    expect_script("a1b2c3)))", "a-b-c-", "");
}
END_TEST

START_TEST(leaving_out_what_is_between_makes_recursion)
{
    expect_script("a1b2a3)))", "b-", "a 2/1 self 6 cum 6\na>a 1/1 self 3 cum 3\n");
}
END_TEST

START_TEST(time_of_what_is_left_out_and_overflowed_is_its_callers)
{
    for (long budget = 0; budget < 4; budget++) {
        stage stage;
        ck_assert(stage_open(&stage, budget, 0, 0));
        stage_play(&stage, "a1b2)3)");
        char text[TEXT_SIZE];
        trc_rollup rollup;
        ck_assert(trc_rollup_init(&rollup, &stage.memory.allocator, LETTERS));
        ck_assert_int_eq(stage_add(&stage, &rollup, "b-"), TRC_ROLLUP_OK);
        render(&rollup, text);
        ck_assert_str_eq(text, "a 1/1 self 6 cum 6\n");
        trc_rollup_free(&rollup);
        stage_close(&stage);
    }
}
END_TEST

/* A call of a, b or c costs the callee 2 ticks and the caller 1; when it is not the first from an activation of the
 * caller, 1 and 0. A call of another function costs 30 and 30. A resume costs 3 and 1. */
static const trc_call_costs some_calls[] = {{{2, 1}, {1, 0}}, {{30, 30}, {30, 30}}};

/* As with these costs; `unseen` are calls of a of what has no row. */
static void expect_taken_out(trc_compensation compensation, uint64_t unseen, const char *script, long budget,
                             const char *labels, const char *expected, trc_tick taken_out, trc_tick kept)
{
    stage stage;
    char text[TEXT_SIZE];
    uint8_t kinds[LETTERS];
    trc_rollup rollup;
    ck_assert(stage_open(&stage, budget, 0, 0));
    stage_play(&stage, script);
    for (const trc_func *func = stage.thread.funcs.first; func != NULL; func = func->hh.next) {
        kinds[func->id] = func->key > key_of('c');
    }
    if (unseen > 0) {
        trc_functab_find(&stage.thread.funcs, key_of('a'))->unseen = unseen;
    }
    compensation.kind_of = kinds;
    ck_assert(trc_rollup_init(&rollup, &stage.memory.allocator, LETTERS));
    rollup.compensation = &compensation;
    ck_assert_int_eq(stage_add(&stage, &rollup, labels), TRC_ROLLUP_OK);
    render(&rollup, text);
    ck_assert_str_eq(text, expected);
    ck_assert_int_eq(rollup.taken_out, taken_out);
    ck_assert_int_eq(rollup.kept, kept);
    trc_rollup_free(&rollup);
    stage_close(&stage);
}

static void expect_compensated(const char *script, long budget, const char *labels, const char *expected,
                               trc_tick taken_out, trc_tick kept)
{
    expect_taken_out((trc_compensation){NULL, some_calls, {3, 1}, 0, false}, 0, script, budget, labels, expected,
                     taken_out, kept);
}

START_TEST(costs_are_taken_out_of_all_that_ran)
{
    expect_compensated("a9b5)9b6)9)", NO_LIMIT, "",
                       "a 1/1 self 23 cum 32\n"
                       "b 2/2 self 9 cum 9\n"
                       "a>b 2/2 self 9 cum 9\n",
                       6, 0);
    expect_compensated("a9b5)9b6)9)a9b5)9)", NO_LIMIT, "",
                       "a 2/2 self 38 cum 51\n"
                       "b 3/3 self 13 cum 13\n"
                       "a>b 3/3 self 13 cum 13\n",
                       10, 0);
    expect_compensated("!a9b5)9b6)9)", NO_LIMIT, "",
                       "a 0/0 self 24 cum 34\n"
                       "b 2/2 self 10 cum 10\n"
                       "a>b 2/2 self 10 cum 10\n",
                       4, 0);
    /* The root's part of a's cost is in no row. */
    expect_compensated("a5a5a5)))", NO_LIMIT, "", "a 3/1 self 6 cum 6\na>a 2/1 self 4 cum 4\n", 8, 0);
    expect_compensated("a9A9)9)", NO_LIMIT, "", "a 1/1 +1/0 self 21 cum 21\na>a 0/0 +1/1 self 7 cum 7\n", 6, 0);
}
END_TEST

START_TEST(calls_among_others_are_no_loop)
{
    /* Of the six calls that a makes, b has four. So two of its three later calls cost less: its overhead is 2 * 2 + 2 * 1. */
    const char *script = "a9b9)b9)b9)b9)c9)a9))";
    expect_taken_out((trc_compensation){NULL, some_calls, {3, 1}, 0, true}, 0, script, NO_LIMIT, "",
                     "a 2/1 self 14 cum 48\n"
                     "b 4/4 self 27 cum 27\n"
                     "c 1/1 self 7 cum 7\n"
                     "a>a 1/1 self 7 cum 7\n"
                     "a>b 4/4 self 27 cum 27\n"
                     "a>c 1/1 self 7 cum 7\n",
                     16, 0);
    /* By an old file's costs, all three. */
    expect_compensated(script, NO_LIMIT, "",
                       "a 2/1 self 14 cum 49\n"
                       "b 4/4 self 28 cum 28\n"
                       "c 1/1 self 7 cum 7\n"
                       "a>a 1/1 self 7 cum 7\n"
                       "a>b 4/4 self 28 cum 28\n"
                       "a>c 1/1 self 7 cum 7\n",
                       14, 0);
    /* A loop of nothing else. */
    expect_taken_out((trc_compensation){NULL, some_calls, {3, 1}, 0, true}, 0, "a9b9)b9))", NO_LIMIT, "",
                     "a 1/1 self 7 cum 21\n"
                     "b 2/2 self 14 cum 14\n"
                     "a>b 2/2 self 14 cum 14\n",
                     6, 0);
}
END_TEST

START_TEST(calls_without_a_row_are_spread_by_entries)
{
    static const trc_call_costs free[] = {{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}};
    /* Six calls at 2 ticks: a third of them in the context that was entered once. */
    expect_taken_out((trc_compensation){NULL, free, {0, 0}, 2, true}, 6, "a9)b9a9)a9))", NO_LIMIT, "",
                     "a 3/3 self 18 cum 18\n"
                     "b 1/1 self 6 cum 18\n"
                     "b>a 2/2 self 12 cum 12\n",
                     12, 0);
    /* What ran before tracing began was entered, too. */
    expect_taken_out((trc_compensation){NULL, free, {0, 0}, 2, true}, 3, "!a9)", NO_LIMIT, "", "a 0/0 self 3 cum 3\n",
                     6, 0);
    expect_taken_out((trc_compensation){NULL, free, {0, 0}, 2, true}, 6, "a9)", NO_LIMIT, "", "a 1/1 self 0 cum 0\n",
                     12, 3);
    /* Half of the entries are in an overflow node, whose overhead is not known. */
    expect_taken_out((trc_compensation){NULL, free, {0, 0}, 2, true}, 6, "a9)b9a9)9)", 1, "",
                     "a 2/2 self 16 cum 17\n"
                     "b 1/1 self 15 cum 27\n"
                     "b>a 1/1 self 8 cum 9\n",
                     6, 0);
}
END_TEST

START_TEST(no_more_is_taken_out_than_there_is)
{
    expect_compensated("a9d8)8)", NO_LIMIT, "", "a 1/1 self 0 cum 0\nd 1/1 self 0 cum 0\na>d 1/1 self 0 cum 0\n", 62,
                       37);
}
END_TEST

START_TEST(costs_of_what_is_left_out_are_taken_out_too)
{
    /* a has 2 for its own call and 1 for b's, b has 2 and 1, c has 2. What is left of b's 9 is a's. */
    expect_compensated("a9b9c9)))", NO_LIMIT, "b-", "a 1/1 self 12 cum 18\nc 1/1 self 6 cum 6\na>c 1/1 self 6 cum 6\n",
                       8, 0);
}
END_TEST

START_TEST(of_overflowed_calls_their_own_time_is_corrected)
{
    expect_compensated("a9b9)9)", 1, "", "a 1/1 self 15 cum 24\nb 1/1 self 8 cum 9\na>b 1/1 self 8 cum 9\n", 4, 0);
}
END_TEST

START_TEST(threads_are_added_up)
{
    static const char *const scripts[] = {"1a2b3))", "b4a5))", "a6a7c8"};
    static const long budgets[] = {NO_LIMIT, 0, NO_LIMIT}; /* the second overflows */
    char text[TEXT_SIZE];
    heap memory;
    trc_rollup rollup;
    heap_init(&memory);
    ck_assert(trc_rollup_init(&rollup, &memory.allocator, LETTERS));
    for (int i = 0; i < 3; i++) {
        stage stage;
        ck_assert(stage_open(&stage, budgets[i], 0, 0));
        stage_play(&stage, scripts[i]);
        ck_assert_int_eq(stage_add(&stage, &rollup, ""), TRC_ROLLUP_OK);
        stage_close(&stage);
    }
    render(&rollup, text);
    ck_assert_str_eq(text, "a 4/3 self 20 cum 31\n"
                           "b 2/2 self 7 cum 12\n"
                           "c 1/1 self 8 cum 8\n"
                           "a>a 1/1 self 7 cum 15\n"
                           "a>b 1/1 self 3 cum 3\n"
                           "a>c 1/1 self 8 cum 8\n"
                           "b>a 1/1 self 5 cum 5\n");
    trc_rollup_free(&rollup);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

START_TEST(a_row_is_present_when_something_of_it_was_seen)
{
    for (long budget = 0; budget <= 4; budget++) {
        stage stage;
        trc_rollup rollup;
        ck_assert(stage_open(&stage, budget, 0, 0));
        stage_play(&stage, "!a!bc!d)))!e"); /* that took no time: only c has figures */
        ck_assert(trc_rollup_init(&rollup, &stage.memory.allocator, LETTERS));
        ck_assert_int_eq(stage_add(&stage, &rollup, "b-dx"), TRC_ROLLUP_OK);
        for (int row = 0; row < LETTERS; row++) {
            ck_assert_int_eq(rollup.present[row], strchr("acex", 'a' + row) != NULL);
        }
        trc_rollup_free(&rollup);
        stage_close(&stage);
    }
}
END_TEST

/* Adds a script, and asserts that each extra of rows a, b and c is what steps ~ with these digits give. */
static void expect_extras(trc_rollup *rollup, const char *script, const char *labels, const char *const digits[3])
{
    stage stage;
    ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
    stage_play(&stage, script);
    ck_assert_int_eq(stage_add(&stage, rollup, labels), TRC_ROLLUP_OK);
    for (int row = 0; row < 3; row++) {
        trc_tick ticks[TRC_EXTRA_COUNT] = {0};
        for (const char *digit = digits[row]; *digit != '\0'; digit++) {
            measure(ticks, *digit);
        }
        for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
            ck_assert_int_eq(rollup->extras[row][extra], ticks[extra]);
        }
    }
    stage_close(&stage);
}

START_TEST(extras_are_merged_by_row)
{
    trc_rollup rollup;
    ck_assert(trc_rollup_init(&rollup, &trc_system_allocator, LETTERS));
    expect_extras(&rollup, "abcd~a1~b2~c3~d4", "", (const char *const[]){"1", "2", "3"});
    expect_extras(&rollup, "dbca~d4~b5~c6~a7", "ba", (const char *const[]){"157", "2", "36"}); /* b's are a's */
    /* What is left out leaves its extras to nobody. */
    expect_extras(&rollup, "abc~a1~b2~c9", "a-b-", (const char *const[]){"157", "2", "369"});
    expect_extras(&rollup, "b~b8", "", (const char *const[]){"157", "28", "369"});
    trc_rollup_free(&rollup);
}
END_TEST

/* -- Records that lie -------------------------------------------------------------------------------------------------- */

/* A good capture of two functions: root > 0 > 1, an overflow 1 -> 0, an outer record and one of each extra. */
typedef struct forgery {
    trc_node_record nodes[3];
    trc_overflow_record overflow;
    trc_outermost_record outer;
    trc_extra_record extras[TRC_EXTRA_COUNT];
    trc_capture capture;
    uint32_t row_of[2];
} forgery;

static void forge(forgery *good)
{
    memset(good, 0, sizeof *good);
    good->nodes[0].func = TRC_NO_FUNCTION;
    good->nodes[1] = (trc_node_record){.parent = 0, .func = 0, .calls = 1, .self = 2};
    good->nodes[2] = (trc_node_record){.parent = 1, .func = 1, .calls = 1, .self = 3, .overflowed = 4};
    good->overflow = (trc_overflow_record){.caller = 1, .callee = 0};
    good->overflow.figures = (trc_figures){.calls = 1, .primitive_calls = 1, .self = 4, .cumulative = 4};
    good->row_of[1] = 1;
    good->capture = (trc_capture){.nodes = good->nodes, .overflows = &good->overflow, .outermost = &good->outer};
    good->capture.node_count = 3;
    good->capture.overflow_count = good->capture.outermost_count = 1;
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        good->extras[extra] = (trc_extra_record){.func = 1, .ticks = 9};
        good->capture.extras[extra] = &good->extras[extra];
        good->capture.extra_counts[extra] = 1;
    }
}

static trc_rollup_result add_forgery(const forgery *forgery, char text[TEXT_SIZE])
{
    trc_rollup rollup;
    heap memory;
    heap_init(&memory);
    ck_assert(trc_rollup_init(&rollup, &memory.allocator, 2));
    trc_rollup_result result = trc_rollup_add(&rollup, &forgery->capture, forgery->row_of, 2);
    render(&rollup, text);
    trc_rollup_free(&rollup);
    ck_assert_int_eq(memory.blocks, 0);
    return result;
}

START_TEST(a_good_capture_is_good)
{
    forgery good;
    char text[TEXT_SIZE];
    forge(&good);
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        good.capture.extra_counts[extra] = extra == TRC_SUSPENDED;
    }
    ck_assert_int_eq(add_forgery(&good, text), TRC_ROLLUP_OK);
    ck_assert_str_eq(text, "a 2/1 self 6 cum 9\n"
                           "b 1/1 self 3 cum 7 suspended 9\n"
                           "a>b 1/1 self 3 cum 7\n"
                           "b>a 1/1 self 4 cum 4\n");
}
END_TEST

static void expect_damaged(const forgery *bad)
{
    char text[TEXT_SIZE];
    ck_assert_int_eq(add_forgery(bad, text), TRC_ROLLUP_DAMAGED);
}

START_TEST(the_root_must_be_a_root)
{
    forgery bad;
    forge(&bad);
    bad.nodes[0].func = 0;
    expect_damaged(&bad);
}
END_TEST

START_TEST(the_parent_of_the_root_is_nobody)
{
    forgery odd;
    char text[TEXT_SIZE];
    forge(&odd);
    odd.nodes[0].parent = UINT32_MAX;
    ck_assert_int_eq(add_forgery(&odd, text), TRC_ROLLUP_OK);
}
END_TEST

START_TEST(a_parent_must_come_first)
{
    forgery bad;
    forge(&bad);
    bad.nodes[2].parent = 2; /* itself */
    expect_damaged(&bad);
    bad.nodes[2].parent = 3;
    expect_damaged(&bad);
    bad.nodes[2].parent = UINT32_MAX;
    expect_damaged(&bad);
    forge(&bad);
    bad.nodes[1].parent = 2; /* a ring */
    expect_damaged(&bad);
}
END_TEST

START_TEST(a_function_must_be_there)
{
    forgery bad;
    trc_unseen_record unseen = {.func = 2, .calls = 1};
    forge(&bad);
    bad.capture.unseen = &unseen;
    bad.capture.unseen_count = 1;
    expect_damaged(&bad);
    forge(&bad);
    bad.nodes[1].func = 2;
    expect_damaged(&bad);
    bad.nodes[1].func = TRC_NO_FUNCTION; /* only the root may */
    expect_damaged(&bad);
    forge(&bad);
    bad.overflow.callee = 2;
    expect_damaged(&bad);
    bad.overflow.callee = TRC_NO_FUNCTION;
    expect_damaged(&bad);
    forge(&bad);
    bad.overflow.caller = 2;
    expect_damaged(&bad);
    forge(&bad);
    bad.outer.func = 2;
    expect_damaged(&bad);
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        forge(&bad);
        bad.extras[extra].func = 2;
        expect_damaged(&bad);
        bad.extras[extra].func = TRC_NO_FUNCTION;
        expect_damaged(&bad);
    }
}
END_TEST

START_TEST(a_row_must_be_there)
{
    forgery bad;
    forge(&bad);
    bad.row_of[1] = 2;
    expect_damaged(&bad);
    bad.capture.node_count = 0; /* now the overflow's caller shows it */
    expect_damaged(&bad);
    bad.overflow.caller = 0;
    bad.overflow.callee = 1;
    expect_damaged(&bad);
    bad.row_of[0] = TRC_LEFT_OUT;
    expect_damaged(&bad);
    forge(&bad);
    bad.row_of[0] = TRC_LEFT_OUT; /* the row that gets a left-out overflow's time must be there as well */
    bad.row_of[1] = 2;
    bad.capture.node_count = 0;
    bad.capture.outermost_count = 0;
    expect_damaged(&bad);
    bad.capture.overflow_count = 0;
    bad.capture.outermost_count = 1;
    bad.outer.func = 1;
    expect_damaged(&bad);
    bad.capture.outermost_count = 0;
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        expect_damaged(&bad);
        bad.capture.extra_counts[extra] = 0;
    }
    char text[TEXT_SIZE];
    ck_assert_int_eq(add_forgery(&bad, text), TRC_ROLLUP_OK);
}
END_TEST

START_TEST(sums_of_any_ticks_are_defined)
{
    forgery wild;
    char text[TEXT_SIZE];
    forge(&wild);
    for (int i = 0; i < 3; i++) {
        wild.nodes[i].calls = UINT64_MAX;
        wild.nodes[i].self = wild.nodes[i].overflowed = INT64_MAX;
    }
    wild.overflow.figures = (trc_figures){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, INT64_MIN, INT64_MIN};
    wild.outer.cumulative = INT64_MIN;
    trc_extra_record most[3] = {{1, 0, INT64_MAX}, {1, 0, INT64_MAX}, {1, 0, INT64_MAX}};
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        wild.capture.extras[extra] = most;
        wild.capture.extra_counts[extra] = 3;
    }
    ck_assert_int_eq(add_forgery(&wild, text), TRC_ROLLUP_OK);
}
END_TEST

/* -- Memory ------------------------------------------------------------------------------------------------------------ */

START_TEST(a_rollup_without_memory_says_so_and_can_be_freed)
{
    /* More edges than there is room for at first, and a thread that overflows. */
    stage whole, overflowed;
    heap memory;
    ck_assert(stage_open(&whole, NO_LIMIT, 0, 0) && stage_open(&overflowed, 3, 0, 0));
    for (char letter = 'a'; letter < 'm'; letter++) {
        for (char other = 'a'; other < 'm'; other++) {
            char script[] = {letter, '1', other, '2', ')', ')', '\0'};
            stage_play(&whole, script);
            stage_play(&overflowed, script);
        }
    }
    long failing = 1, without_rows = 0, without_edges = 0;
    for (;; failing++) {
        trc_rollup rollup;
        heap_init(&memory);
        memory.first_failure = memory.last_failure = failing;
        if (!trc_rollup_init(&rollup, &memory.allocator, LETTERS)) {
            without_rows++;
        }
        else if (stage_add(&whole, &rollup, "") != TRC_ROLLUP_OK ||
                 stage_add(&overflowed, &rollup, "") != TRC_ROLLUP_OK) {
            without_edges++;
        }
        trc_rollup_free(&rollup);
        ck_assert_int_eq(memory.blocks, 0);
        if (memory.requests < failing) {
            break;
        }
    }
    ck_assert_int_eq(without_rows, 4);   /* their figures, activations, extras and presence */
    ck_assert_int_gt(without_edges, 10); /* their tables and blocks */
    stage_close(&whole);
    stage_close(&overflowed);
}
END_TEST

START_TEST(overflows_too_find_no_memory)
{
    forgery good;
    forge(&good);
    good.capture.node_count = 0;
    for (long failing = 1; failing <= 4; failing++) { /* a record, its table, the table's buckets; the edge's figures */
        trc_rollup rollup;
        heap memory;
        heap_init(&memory);
        ck_assert(trc_rollup_init(&rollup, &memory.allocator, 2));
        memory.first_failure = memory.last_failure = memory.requests + failing;
        ck_assert_int_eq(trc_rollup_add(&rollup, &good.capture, good.row_of, 2), TRC_ROLLUP_NO_MEMORY);
        trc_rollup_free(&rollup);
        ck_assert_int_eq(memory.blocks, 0);
    }
}
END_TEST

Suite *rollup_suite(void)
{
    Suite *suite = suite_create("rollup");
    TCase *tcase = tcase_create("rollup");
    tcase_add_test(tcase, nothing_is_no_rows);
    tcase_add_test(tcase, functions_that_share_a_row_are_one_function);
    tcase_add_test(tcase, edges_are_found_only_where_they_are_wanted);
    tcase_add_test(tcase, what_is_left_out_is_its_callers);
    tcase_add_test(tcase, what_is_left_out_at_the_root_takes_its_time_away);
    tcase_add_test(tcase, leaving_out_what_is_between_makes_recursion);
    tcase_add_test(tcase, time_of_what_is_left_out_and_overflowed_is_its_callers);
    tcase_add_test(tcase, costs_are_taken_out_of_all_that_ran);
    tcase_add_test(tcase, calls_among_others_are_no_loop);
    tcase_add_test(tcase, calls_without_a_row_are_spread_by_entries);
    tcase_add_test(tcase, no_more_is_taken_out_than_there_is);
    tcase_add_test(tcase, costs_of_what_is_left_out_are_taken_out_too);
    tcase_add_test(tcase, of_overflowed_calls_their_own_time_is_corrected);
    tcase_add_test(tcase, threads_are_added_up);
    tcase_add_test(tcase, a_row_is_present_when_something_of_it_was_seen);
    tcase_add_test(tcase, extras_are_merged_by_row);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("damage");
    tcase_add_test(tcase, a_good_capture_is_good);
    tcase_add_test(tcase, the_root_must_be_a_root);
    tcase_add_test(tcase, the_parent_of_the_root_is_nobody);
    tcase_add_test(tcase, a_parent_must_come_first);
    tcase_add_test(tcase, a_function_must_be_there);
    tcase_add_test(tcase, a_row_must_be_there);
    tcase_add_test(tcase, sums_of_any_ticks_are_defined);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("memory");
    tcase_add_test(tcase, a_rollup_without_memory_says_so_and_can_be_freed);
    tcase_add_test(tcase, overflows_too_find_no_memory);
    suite_add_tcase(suite, tcase);
    return suite;
}
