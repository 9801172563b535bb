/* calltree.[ch]: nodes, their filing, overflowing and the budget. test_thread.c tests what events do with nodes. */
#include "suites.h"
#include "support.h"

/* A tree with its function and edge tables, as a thread has them. */
typedef struct grove {
    heap memory;
    atomic_long budget;
    trc_calltree tree;
    trc_functab funcs;
} grove;

static void keep(void *owner)
{
    (void)owner;
}

static void plant(grove *grove, long budget)
{
    heap_init(&grove->memory);
    atomic_init(&grove->budget, budget);
    trc_functab_init(&grove->funcs, &grove->memory.allocator, keep);
    ck_assert(trc_calltree_init(&grove->tree, &grove->memory.allocator, &grove->budget));
}

static void fell(grove *grove)
{
    trc_calltree_free(&grove->tree);
    trc_functab_free(&grove->funcs);
    ck_assert_int_eq(grove->memory.blocks, 0);
}

static trc_func *func_of(grove *grove, const void *key)
{
    trc_func *func = trc_functab_find(&grove->funcs, key);
    return func != NULL ? func : trc_functab_add(&grove->funcs, key, NULL);
}

static trc_node *add(grove *grove, trc_node *parent, const void *key, bool overflow)
{
    trc_func *func = func_of(grove, key);
    return trc_calltree_add(&grove->tree, parent, func, overflow);
}

START_TEST(a_new_tree_is_a_root)
{
    grove grove;
    plant(&grove, 10);
    const trc_node *root = grove.tree.root;
    ck_assert_uint_eq(grove.tree.count, 1);
    ck_assert_ptr_null(trc_node_func(root));
    ck_assert_ptr_eq(root->last->next[0], root); /* no key of a function is its key */
    ck_assert_ptr_eq(root->last->next[1], root);
    ck_assert_ptr_eq(root->key, root);
    ck_assert(!root->is_overflow);
    ck_assert_uint_eq(root->index, 0);
    ck_assert_ptr_null(trc_calltree_child(&grove.tree, grove.tree.root, key_of('a')));
    ck_assert_int_eq(atomic_load(&grove.budget), 10); /* the budget does not count the root */
    fell(&grove);
}
END_TEST

START_TEST(a_node_belongs_to_its_path)
{
    grove grove;
    plant(&grove, 10);
    trc_node *root = grove.tree.root;
    trc_node *a = add(&grove, root, key_of('a'), false);
    trc_node *ab = add(&grove, a, key_of('b'), false);
    trc_node *b = add(&grove, root, key_of('b'), false);
    trc_node *ba = add(&grove, b, key_of('a'), false);
    ck_assert_ptr_eq(trc_calltree_child(&grove.tree, root, key_of('a')), a);
    ck_assert_ptr_eq(trc_calltree_child(&grove.tree, root, key_of('b')), b);
    ck_assert_ptr_eq(trc_calltree_child(&grove.tree, a, key_of('b')), ab);
    ck_assert_ptr_eq(trc_calltree_child(&grove.tree, b, key_of('a')), ba);
    ck_assert_ptr_null(trc_calltree_child(&grove.tree, a, key_of('a')));
    ck_assert_ptr_null(trc_calltree_child(&grove.tree, ab, key_of('a')));
    ck_assert_ptr_eq(trc_node_func(a), trc_node_func(ba));
    ck_assert_ptr_eq(a->key, key_of('a'));
    ck_assert_ptr_eq(trc_node_parent(ab), a);
    ck_assert_ptr_eq(trc_node_parent(b), root);
    ck_assert_uint_eq(grove.tree.count, 5);
    ck_assert_int_eq(atomic_load(&grove.budget), 6);
    fell(&grove);
}
END_TEST

/* The children that are called, one letter each; before each, whether it was expected: '+' or '-'. */
static void check_expected(grove *grove, const char *calls)
{
    trc_node *root = grove->tree.root;
    for (; *calls != 0; calls += 2) {
        const void *key = key_of(calls[1]);
        trc_node *child = trc_calltree_expected(root, key);
        ck_assert_msg((child != NULL) == (calls[0] == '+'), "at %s", calls);
        child = child != NULL ? child : trc_calltree_child(&grove->tree, root, key);
        child = child != NULL ? child : add(grove, root, key, false);
        ck_assert_ptr_eq(child->key, key);
        ck_assert_ptr_eq(root->last, child);
    }
}

START_TEST(the_two_siblings_that_came_next_are_expected)
{
    static const char *const runs[] = {
        "-a+a+a",                 /* a loop */
        "-a-b-c-a+b+c+a+b+c",     /* a body that runs again */
        "-a+a-b-a+a+b+a+a+b",     /* after a came a and b */
        "-a-b-a-c-a+b+a+c+a",     /* after a came b and c */
        "-a-b-a-c-a-d-a-b+a+d+a", /* of b, c and d, the latest two */
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        grove grove;
        plant(&grove, 10);
        check_expected(&grove, runs[i]);
        fell(&grove);
    }
}
END_TEST

START_TEST(an_overflow_is_never_expected)
{
    grove grove;
    plant(&grove, 2);
    trc_node *root = grove.tree.root;
    trc_node *a = add(&grove, root, key_of('a'), false);
    trc_node *b = add(&grove, root, key_of('b'), true);
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_null(trc_calltree_expected(root, key_of('b')));
        ck_assert_ptr_eq(trc_calltree_child(&grove.tree, root, key_of('b')), b);
        ck_assert_ptr_eq(root->last, a);
    }
    trc_node *bb = add(&grove, b, key_of('b'), true);
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_null(trc_calltree_expected(b, key_of('b')));
        ck_assert_ptr_eq(trc_calltree_child(&grove.tree, b, key_of('b')), bb);
        ck_assert_ptr_eq(b->last, root);
    }
    fell(&grove);
}
END_TEST

START_TEST(a_spent_budget_refuses_nodes_but_no_overflows)
{
    grove grove;
    plant(&grove, 1);
    trc_node *root = grove.tree.root;
    trc_node *a = add(&grove, root, key_of('a'), false);
    ck_assert_ptr_nonnull(a);
    ck_assert_int_eq(atomic_load(&grove.budget), 0);
    ck_assert_ptr_null(add(&grove, a, key_of('b'), false));
    trc_node *b = add(&grove, a, key_of('b'), true);
    ck_assert_ptr_nonnull(b);
    ck_assert(b->is_overflow);
    ck_assert_ptr_eq(b->scope, trc_node_func(a));
    ck_assert_uint_eq(trc_cold(b)->overflow->primitive_calls, 0);
    ck_assert_int_eq(trc_cold(b)->overflow->cumulative, 0);
    ck_assert_int_eq(atomic_load(&grove.budget), 0);
    ck_assert_uint_eq(grove.tree.count, 3);
    fell(&grove);
}
END_TEST

START_TEST(all_contexts_of_an_edge_share_its_overflow)
{
    grove grove;
    plant(&grove, 3);
    trc_node *root = grove.tree.root;
    trc_node *a = add(&grove, root, key_of('a'), false);
    trc_node *aa = add(&grove, a, key_of('a'), false);
    trc_node *c = add(&grove, root, key_of('c'), false);
    trc_node *ab = add(&grove, aa, key_of('b'), true);
    ck_assert_ptr_eq(trc_calltree_child(&grove.tree, aa, key_of('b')), ab);
    ck_assert_ptr_eq(trc_calltree_child(&grove.tree, a, key_of('b')), ab); /* the same caller, another path */
    ck_assert_ptr_null(trc_calltree_child(&grove.tree, c, key_of('b')));
    ck_assert_ptr_null(trc_calltree_child(&grove.tree, root, key_of('b')));
    trc_node *ba = add(&grove, ab, key_of('a'), true);
    ck_assert_ptr_eq(trc_calltree_child(&grove.tree, ab, key_of('a')), ba);
    ck_assert_ptr_eq(trc_calltree_child(&grove.tree, ba, key_of('b')), ab); /* from an overflow node too */
    ck_assert_ptr_null(trc_calltree_child(&grove.tree, ba, key_of('a')));   /* a -> a is in the tree only */
    trc_node *d = add(&grove, root, key_of('d'), true);
    ck_assert_ptr_null(trc_overflow_caller(d));
    ck_assert_ptr_eq(trc_overflow_caller(ba), trc_node_func(ab));
    ck_assert_ptr_eq(trc_calltree_child(&grove.tree, root, key_of('d')), d);
    ck_assert_ptr_null(trc_calltree_child(&grove.tree, a, key_of('d')));
    fell(&grove);
}
END_TEST

typedef struct visits {
    uint32_t next;
    const trc_node *last;
} visits;

static void visit(void *context, const trc_node *node)
{
    visits *seen = context;
    ck_assert_uint_eq(node->index, seen->next);
    ck_assert_uint_eq((uintptr_t)node % 64, 0);
    if (trc_node_func(node) != NULL) {
        ck_assert_uint_lt(trc_node_parent(node)->index, node->index);
    }
    seen->next++;
    seen->last = node;
}

START_TEST(a_big_tree_forgets_nothing)
{
    enum { WIDE = 200, DEEP = 100 };
    static const char keys[WIDE];
    static trc_node *made[WIDE][DEEP];
    grove grove;
    plant(&grove, WIDE * DEEP);
    for (int i = 0; i < WIDE; i++) {
        for (int j = 0; j < DEEP; j++) {
            trc_node *parent = j == 0 ? grove.tree.root : made[i][j - 1];
            ck_assert_ptr_null(trc_calltree_child(&grove.tree, parent, &keys[i]));
            made[i][j] = add(&grove, parent, &keys[i], false);
        }
    }
    for (int i = 0; i < WIDE; i++) {
        for (int j = 0; j < DEEP; j++) {
            trc_node *parent = j == 0 ? grove.tree.root : made[i][j - 1];
            ck_assert_ptr_eq(trc_calltree_child(&grove.tree, parent, &keys[i]), made[i][j]);
        }
    }
    ck_assert_int_lt(grove.memory.blocks, WIDE + 30); /* a block for each function, and few blocks of many nodes */
    visits seen = {0, NULL};
    trc_calltree_each(&grove.tree, visit, &seen);
    ck_assert_uint_eq(seen.next, WIDE * DEEP + 1);
    ck_assert_ptr_eq(seen.last, made[WIDE - 1][DEEP - 1]);
    ck_assert_int_eq(atomic_load(&grove.budget), 0);
    fell(&grove);
}
END_TEST

START_TEST(a_tree_without_memory_can_be_freed)
{
    for (long failing = 1; failing <= 2; failing++) {
        heap memory;
        atomic_long budget;
        trc_calltree tree;
        heap_init(&memory);
        memory.first_failure = memory.last_failure = failing;
        atomic_init(&budget, 10);
        ck_assert(!trc_calltree_init(&tree, &memory.allocator, &budget));
        trc_calltree_free(&tree);
        ck_assert_int_eq(memory.blocks, 0);
    }
}
END_TEST

START_TEST(a_table_that_cannot_grow_fills_but_never_up)
{
    /* The table has 64 slots and wants to be at most half full; without memory it goes to seven eighths. */
    static const char keys[64];
    static trc_func *funcs[64];
    static trc_node *made[64];
    grove grove;
    plant(&grove, 1000);
    ck_assert_uint_eq(grove.tree.slot_count, 64);
    for (int i = 0; i < 64; i++) {
        funcs[i] = func_of(&grove, &keys[i]);
    }
    int count = 0;
    while (count < 31) {
        made[count] = trc_calltree_add(&grove.tree, grove.tree.root, funcs[count], false);
        ck_assert_ptr_nonnull(made[count++]);
    }
    for (;; count++) { /* now nodes find memory, the table's growth does not */
        trc_node *root = grove.tree.root;
        long chunk_full = count == TRC_PAGE_NODES - 1; /* with the root: the next chunk is due */
        grove.memory.first_failure = grove.memory.requests + 1;
        grove.memory.last_failure = grove.memory.first_failure;
        made[count] = trc_calltree_add(&grove.tree, root, funcs[count], false);
        ck_assert_int_eq(grove.memory.requests - grove.memory.first_failure, made[count] != NULL && chunk_full);
        if (made[count] == NULL) {
            break;
        }
    }
    ck_assert_int_eq(count + 1, 64 - 64 / 8);
    ck_assert_int_eq(atomic_load(&grove.budget), 1000 - count);
    ck_assert_ptr_null(trc_calltree_child(&grove.tree, grove.tree.root, &keys[count])); /* and the search ends */
    for (int i = 0; i < count; i++) {
        ck_assert_ptr_eq(trc_calltree_child(&grove.tree, grove.tree.root, &keys[i]), made[i]);
    }
    ck_assert_ptr_nonnull(trc_calltree_add(&grove.tree, grove.tree.root, funcs[count], false));
    ck_assert_uint_eq(grove.tree.slot_count, 256);
    fell(&grove);
}
END_TEST

START_TEST(a_overflow_without_memory_is_no_overflow)
{
    grove grove;
    plant(&grove, 0);
    trc_func *func = func_of(&grove, key_of('a'));
    uint32_t count = grove.tree.count;
    grove.memory.first_failure = grove.memory.last_failure = grove.memory.requests + 1;
    ck_assert_ptr_null(trc_calltree_add(&grove.tree, grove.tree.root, func, true));
    ck_assert_uint_eq(grove.tree.count, count);
    ck_assert_ptr_null(trc_calltree_child(&grove.tree, grove.tree.root, key_of('a')));
    fell(&grove);
}
END_TEST

Suite *calltree_suite(void)
{
    Suite *suite = suite_create("calltree");
    TCase *tcase = tcase_create("calltree");
    tcase_add_test(tcase, a_new_tree_is_a_root);
    tcase_add_test(tcase, a_node_belongs_to_its_path);
    tcase_add_test(tcase, the_two_siblings_that_came_next_are_expected);
    tcase_add_test(tcase, an_overflow_is_never_expected);
    tcase_add_test(tcase, a_spent_budget_refuses_nodes_but_no_overflows);
    tcase_add_test(tcase, all_contexts_of_an_edge_share_its_overflow);
    tcase_add_test(tcase, a_big_tree_forgets_nothing);
    tcase_add_test(tcase, a_tree_without_memory_can_be_freed);
    tcase_add_test(tcase, a_table_that_cannot_grow_fills_but_never_up);
    tcase_add_test(tcase, a_overflow_without_memory_is_no_overflow);
    suite_add_tcase(suite, tcase);
    return suite;
}
