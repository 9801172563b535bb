/* paths.[ch]: the nodes, their order, and what the rollup puts into them. */
#include "suites.h"
#include "support.h"

#include <stdio.h>

/* Writes the paths in preorder, a line each: two blanks a level, then the row's letter, calls, resumes and own ticks. */
static void render_paths(const trc_paths *paths, char text[TEXT_SIZE])
{
    uint32_t order[TEXT_SIZE / 16], depth[TEXT_SIZE / 16];
    ck_assert_uint_lt(paths->count, TEXT_SIZE / 16);
    trc_paths_preorder(paths, order, depth);
    ck_assert(order[0] == 0 && depth[0] == 0 && paths->nodes[0].row == TRC_NO_PATH);
    text[0] = '\0';
    for (uint32_t k = 1; k < paths->count; k++) {
        const trc_path *path = &paths->nodes[order[k]];
        char row = path->row == LETTERS ? '*' : (char)('a' + path->row);
        sprintf(text + strlen(text), "%*s%c %d+%d self %d\n", 2 * (int)depth[k] - 2, "", row, (int)path->calls,
                (int)path->resumes, (int)path->self);
    }
}

static void expect_paths(const char *script, long budget, const char *labels, const char *expected)
{
    stage stage;
    trc_paths paths;
    trc_rollup rollup;
    char text[TEXT_SIZE];
    ck_assert(stage_open(&stage, budget, 0, 0));
    stage_play(&stage, script);
    ck_assert(trc_rollup_init(&rollup, &stage.memory.allocator, LETTERS));
    ck_assert(trc_paths_init(&paths, &stage.memory.allocator));
    rollup.paths = &paths;
    rollup.unkept = LETTERS;
    ck_assert_int_eq(stage_add(&stage, &rollup, labels), TRC_ROLLUP_OK);
    render_paths(&paths, text);
    ck_assert_str_eq(text, expected);
    trc_paths_free(&paths);
    trc_rollup_free(&rollup);
    stage_close(&stage);
}

START_TEST(nothing_is_the_root)
{
    expect_paths("", NO_LIMIT, "", "");
}
END_TEST

START_TEST(each_path_has_a_node)
{
    expect_paths("a1b2c3)4)b5)d6)7)d8)", NO_LIMIT, "",
                 "a 1+0 self 8\n"
                 "  b 2+0 self 11\n"
                 "    c 1+0 self 3\n"
                 "  d 1+0 self 6\n"
                 "d 1+0 self 8\n");
}
END_TEST

START_TEST(recursion_goes_down)
{
    expect_paths("a1a2a3))1)", NO_LIMIT, "", "a 1+0 self 2\n  a 1+0 self 2\n    a 1+0 self 3\n");
}
END_TEST

START_TEST(resumes_are_no_calls)
{
    expect_paths("a1b2)B3)B1))", NO_LIMIT, "", "a 1+0 self 1\n  b 1+2 self 6\n");
}
END_TEST

START_TEST(functions_of_one_row_share_a_node)
{
    expect_paths("a1b2)c3)b1))", NO_LIMIT, "cb", "a 1+0 self 1\n  b 3+0 self 6\n");
}
END_TEST

START_TEST(what_is_left_out_is_its_callers)
{
    expect_paths("a1b2c3))c4))", NO_LIMIT, "b-", "a 1+0 self 3\n  c 2+0 self 7\n");
    expect_paths("a1b2))", NO_LIMIT, "a-", "b 1+0 self 2\n");
}
END_TEST

START_TEST(overflowed_calls_are_a_child)
{
    expect_paths("a1b2c3)))", 2, "", "a 1+0 self 1\n  b 1+0 self 2\n    * 0+0 self 3\n");
    expect_paths("a1b2c3)))", 2, "b-", "a 1+0 self 3\n  * 0+0 self 3\n");
    expect_paths("a1)", 0, "", "* 0+0 self 1\n");
}
END_TEST

START_TEST(two_threads_are_one_tree)
{
    trc_paths paths;
    char text[TEXT_SIZE];
    ck_assert(trc_paths_init(&paths, &trc_system_allocator));
    const char *scripts[] = {"a1b2))", "a3c4)b5))"};
    for (int i = 0; i < 2; i++) {
        stage stage;
        trc_rollup rollup;
        ck_assert(stage_open(&stage, NO_LIMIT, 0, 0));
        stage_play(&stage, scripts[i]);
        ck_assert(trc_rollup_init(&rollup, &stage.memory.allocator, LETTERS));
        rollup.paths = &paths;
        ck_assert_int_eq(stage_add(&stage, &rollup, ""), TRC_ROLLUP_OK);
        trc_rollup_free(&rollup);
        stage_close(&stage);
    }
    render_paths(&paths, text);
    ck_assert_str_eq(text, "a 2+0 self 4\n  b 2+0 self 7\n  c 1+0 self 4\n");
    trc_paths_free(&paths);
}
END_TEST

START_TEST(many_children_keep_their_order)
{
    trc_paths paths;
    ck_assert(trc_paths_init(&paths, &trc_system_allocator));
    for (uint32_t row = 0; row < 1000; row++) {
        insist(trc_paths_step(&paths, 0, row) == 2 * row + 1, "a child is new");
        insist(trc_paths_step(&paths, 2 * row + 1, 7) == 2 * row + 2, "so is its child");
        insist(trc_paths_step(&paths, 0, row) == 2 * row + 1, "and is found again");
    }
    uint32_t *order = malloc(2001 * sizeof *order), *depth = malloc(2001 * sizeof *depth);
    ck_assert(order != NULL && depth != NULL);
    trc_paths_preorder(&paths, order, depth);
    for (uint32_t k = 0; k < 2001; k++) {
        insist(order[k] == k && depth[k] == (k == 0 ? 0 : 2 - k % 2), "in preorder");
    }
    free(order);
    free(depth);
    trc_paths_free(&paths);
}
END_TEST

START_TEST(no_memory_is_told)
{
    for (long failing = 1; failing < 200; failing++) {
        heap memory;
        heap_init(&memory);
        memory.first_failure = memory.last_failure = failing;
        trc_paths paths;
        bool well = trc_paths_init(&paths, &memory.allocator);
        for (uint32_t row = 0; well && row < 120; row++) {
            uint32_t step = trc_paths_step(&paths, row / 40, row); /* more than are gone through */
            if (step == TRC_NO_PATH) {
                step = trc_paths_step(&paths, row / 40, row); /* one request failed: the next does not */
            }
            insist(step == row + 1, "the step is made in the end");
        }
        trc_paths_free(&paths);
        ck_assert_int_eq(memory.blocks, 0);
    }
}
END_TEST

Suite *paths_suite(void)
{
    Suite *suite = suite_create("paths");
    TCase *tests = tcase_create("paths");
    tcase_add_test(tests, nothing_is_the_root);
    tcase_add_test(tests, each_path_has_a_node);
    tcase_add_test(tests, recursion_goes_down);
    tcase_add_test(tests, resumes_are_no_calls);
    tcase_add_test(tests, functions_of_one_row_share_a_node);
    tcase_add_test(tests, what_is_left_out_is_its_callers);
    tcase_add_test(tests, overflowed_calls_are_a_child);
    tcase_add_test(tests, two_threads_are_one_tree);
    tcase_add_test(tests, many_children_keep_their_order);
    tcase_add_test(tests, no_memory_is_told);
    suite_add_tcase(suite, tests);
    return suite;
}
