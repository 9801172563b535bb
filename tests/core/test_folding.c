/* folding.[ch]: which node each context goes to, and with which figures. */
#include "suites.h"
#include "support.h"

#include <core/report/folding.h>
#include <stdio.h>

#define MOST 64
#define FIRST_MADE 100

enum { FINDING, PACKAGE, PACKAGE_IMPORT, OTHER, OTHER_IMPORT, PLACES };

/* The rows, by their letters: a b of the program, c a comprehension, g made of text, i an importer, l a builtin; m a
 * module of the package that p and q are of, n one of an opened package, o a function there; x of another package. */
static const char letters[] = "abcgilmnopqx";
static const trc_fold_row rows[] = {
    {TRC_ROLE_OPEN, 0, 0, 0},
    {TRC_ROLE_OPEN, 0, 0, 0},
    {TRC_ROLE_COMPREHENSION, 0, 0, 0},
    {TRC_ROLE_GENERATED, 0, 0, 0},
    {TRC_ROLE_IMPORTER, 0, OTHER, OTHER_IMPORT},
    {TRC_ROLE_BUILT_IN, 0, 0, 0},
    {TRC_ROLE_FOLDED, 1, PACKAGE, PACKAGE_IMPORT},
    {TRC_ROLE_OPENED, 1, OTHER, OTHER_IMPORT},
    {TRC_ROLE_OPENED, 0, OTHER, OTHER_IMPORT},
    {TRC_ROLE_FOLDED, 0, PACKAGE, PACKAGE_IMPORT},
    {TRC_ROLE_FOLDED, 0, PACKAGE, PACKAGE_IMPORT},
    {TRC_ROLE_FOLDED, 0, OTHER, OTHER_IMPORT},
};

/* A tree as arrays, and what becomes of it. */
typedef struct tree {
    uint32_t depth[MOST], row[MOST], numbers[PLACES];
    uint64_t calls[MOST], resumes[MOST];
    trc_tick time[MOST], waited[MOST];
    trc_contexts contexts;
    trc_folding folding;
} tree;

/* The tree that a text like "1a 2p" says, by depths and rows: the k-th context has 1 call, k resumes, 10 * k ticks and
 * waited k of them. The root, too, has figures. */
static void plant(tree *tree, const char *text, const trc_allocator *allocator)
{
    uint32_t count = 1;
    memset(tree, 0, sizeof *tree);
    tree->calls[0] = 7;
    tree->time[0] = 5;
    for (; *text != '\0'; text += text[2] == ' ' ? 3 : 2, count++) {
        tree->depth[count] = (uint32_t)(text[0] - '0');
        tree->row[count] = (uint32_t)(strchr(letters, text[1]) - letters);
        tree->calls[count] = 1;
        tree->resumes[count] = count;
        tree->time[count] = 10 * count;
        tree->waited[count] = count;
    }
    for (int i = 0; i < PLACES; i++) {
        tree->numbers[i] = TRC_NO_NUMBER;
    }
    tree->contexts =
        (trc_contexts){tree->depth, tree->row, tree->calls, tree->resumes, tree->time, tree->waited, count};
    tree->folding = (trc_folding){
        .allocator = allocator,
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
        .numbers = tree->numbers,
        .next = FIRST_MADE,
        .finding = FINDING,
    };
}

/* Each node as "row<parent calls/entries time", and each member as "row in node calls time". */
static const char *folded(tree *tree)
{
    static char text[TEXT_SIZE];
    const trc_folding *folding = &tree->folding;
    ck_assert(trc_fold(&tree->folding, &tree->contexts));
    ck_assert(folding->nodes[0].row == TRC_NO_NUMBER && folding->nodes[0].calls == 7);
    char *at = text;
    *at = '\0';
    for (uint32_t k = 1; k < folding->node_count; k++) {
        const trc_folded_node *node = &folding->nodes[k];
        at += node->row < sizeof letters ? sprintf(at, "%c", letters[node->row])
                                         : sprintf(at, "+%u", node->row - FIRST_MADE);
        at += sprintf(at, "<%u %d/%d %d\n", node->parent, (int)node->calls, (int)node->entries, (int)node->time);
    }
    for (uint32_t k = 0; k < folding->member_count; k++) {
        const trc_member *member = &folding->members[k];
        at +=
            sprintf(at, "%c in %u %d %d\n", letters[member->row], member->node, (int)member->calls, (int)member->time);
    }
    trc_folding_free(&tree->folding);
    return text;
}

static const char *folded_text(const char *text)
{
    tree tree;
    plant(&tree, text, &trc_system_allocator);
    return folded(&tree);
}

START_TEST(functions_of_the_program_stay)
{
    ck_assert_str_eq(folded_text(""), "");
    ck_assert_str_eq(folded_text("1a 2b 2l 1b"), "a<0 1/1 10\nb<1 1/1 20\nl<1 1/1 30\nb<0 1/1 40\n");
    ck_assert_str_eq(folded_text("1a 2a 2g"), "a<0 1/1 10\na<1 1/1 20\ng<1 1/1 30\n");
}
END_TEST

START_TEST(a_package_is_one_row_for_each_caller)
{
    /* Its builtins, and what it calls of other packages, are inside; what it calls back of the program is not. */
    ck_assert_str_eq(folded_text("1a 2p 3q 3l 3x 2q 2p"), "a<0 1/1 10\n+0<1 3/3 270\np in 2 2 210\nq in 2 1 60\n");
    ck_assert_str_eq(folded_text("1a 2p 3b 4q"), "a<0 1/1 10\n+0<1 1/1 20\nb<2 1/1 30\n+0<3 1/1 40\n"
                                                 "p in 2 1 20\nq in 4 1 40\n");
    ck_assert_str_eq(folded_text("1p 1x"), "+0<0 1/1 10\n+1<0 1/1 20\np in 1 1 10\nx in 2 1 20\n");
}
END_TEST

START_TEST(an_opened_package_stands_open)
{
    ck_assert_str_eq(folded_text("1a 2o 3p 4o"), "a<0 1/1 10\no<1 1/1 20\n+0<2 1/1 30\no<3 1/1 40\np in 3 1 30\n");
}
END_TEST

START_TEST(a_comprehension_is_its_callers_time)
{
    ck_assert_str_eq(folded_text("1a 2c 3b"), "a<0 1/1 30\nb<1 1/1 30\n");
    ck_assert_str_eq(folded_text("1c 2a"), "c<0 1/1 10\na<1 1/1 20\n");
}
END_TEST

START_TEST(an_import_is_a_row)
{
    /* The importer's own time is that of finding; in the module, only the program's functions are rows. */
    ck_assert_str_eq(folded_text("1a 2i 3p 3m 4p 5b"), "a<0 1/1 10\n+0<1 0/0 50\n+1<1 1/1 90\nb<3 1/1 60\n");
    ck_assert_str_eq(folded_text("1i 2n 3o"), "+0<0 0/0 10\n+1<0 1/1 50\n");
    tree tree;
    plant(&tree, "1i 2n 3o", &trc_system_allocator);
    tree.folding.opens_imports = true;
    ck_assert_str_eq(folded(&tree), "+0<0 0/0 10\nn<0 1/1 20\no<2 1/1 30\n");
}
END_TEST

START_TEST(recursion_is_the_first_call)
{
    tree tree;
    plant(&tree, "1a 2a 3b 4a 5b 2p 3a 4p", &trc_system_allocator);
    tree.folding.recursion = true;
    ck_assert_str_eq(folded(&tree), "a<0 4/1 140\nb<1 2/2 80\n+0<1 2/2 140\np in 3 2 140\n");
}
END_TEST

START_TEST(rows_that_are_made_already_are_found)
{
    tree tree;
    plant(&tree, "1p 1x", &trc_system_allocator);
    tree.numbers[OTHER] = FIRST_MADE + 5;
    ck_assert_str_eq(folded(&tree), "+0<0 1/1 10\n+5<0 1/1 20\np in 1 1 10\nx in 2 1 20\n");
    ck_assert_uint_eq(tree.numbers[PACKAGE], FIRST_MADE);
    ck_assert_uint_eq(tree.folding.next, FIRST_MADE + 1);
}
END_TEST

START_TEST(resumes_and_waits_go_with_the_calls)
{
    tree tree;
    plant(&tree, "1a 2p 3q 2p", &trc_system_allocator);
    ck_assert(trc_fold(&tree.folding, &tree.contexts));
    const trc_folded_node *node = &tree.folding.nodes[2];
    ck_assert(node->resumes == 2 + 4 && node->waited == 2 + 3 + 4);
    trc_folding_free(&tree.folding);
}
END_TEST

START_TEST(memory_that_is_out_is_told)
{
    long failing = 1;
    for (bool failed = true; failed; failing++) {
        tree tree;
        heap memory;
        heap_init(&memory);
        memory.first_failure = failing;
        memory.last_failure = NO_LIMIT;
        plant(&tree, "1a 2p 3q 1i 2m 2p 1b", &memory.allocator);
        failed = !trc_fold(&tree.folding, &tree.contexts);
        ck_assert(failed == (memory.requests >= failing));
        trc_folding_free(&tree.folding);
        ck_assert_int_eq(memory.blocks, 0);
    }
    ck_assert_int_gt(failing, 8); /* the path, nodes, members, and two tables */
}
END_TEST

START_TEST(what_is_below_is_added)
{
    const uint32_t depth[] = {0, 1, 2, 3, 3, 1, 2};
    trc_tick totals[] = {1, 2, 4, 8, 16, 32, 64};
    const trc_tick expected[] = {127, 30, 28, 8, 16, 96, 64};
    uint32_t open[7];
    trc_contexts_add_below(totals, depth, 7, open);
    ck_assert_mem_eq(totals, expected, sizeof expected);
    trc_contexts_add_below(totals, depth, 0, open);
    trc_contexts_add_below(totals, depth, 1, open);
    ck_assert_int_eq(totals[0], 127);
}
END_TEST

START_TEST(only_a_tree_in_preorder_is_one)
{
    ck_assert(trc_contexts_are_tree((const uint32_t[]){0, 1, 2, 1}, 4));
    ck_assert(trc_contexts_are_tree(NULL, 0));
    ck_assert(!trc_contexts_are_tree((const uint32_t[]){1}, 1));
    ck_assert(!trc_contexts_are_tree((const uint32_t[]){0, 2}, 2));
    ck_assert(!trc_contexts_are_tree((const uint32_t[]){0, 1, 0}, 3));
}
END_TEST

Suite *folding_suite(void)
{
    Suite *suite = suite_create("folding");
    TCase *tests = tcase_create("folding");
    tcase_add_test(tests, functions_of_the_program_stay);
    tcase_add_test(tests, a_package_is_one_row_for_each_caller);
    tcase_add_test(tests, an_opened_package_stands_open);
    tcase_add_test(tests, a_comprehension_is_its_callers_time);
    tcase_add_test(tests, an_import_is_a_row);
    tcase_add_test(tests, recursion_is_the_first_call);
    tcase_add_test(tests, rows_that_are_made_already_are_found);
    tcase_add_test(tests, resumes_and_waits_go_with_the_calls);
    tcase_add_test(tests, memory_that_is_out_is_told);
    tcase_add_test(tests, what_is_below_is_added);
    tcase_add_test(tests, only_a_tree_in_preorder_is_one);
    suite_add_tcase(suite, tests);
    return suite;
}
