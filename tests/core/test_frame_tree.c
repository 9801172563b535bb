/* frame_tree.[ch]: samples add up under their paths and on their lines. */
#include "suites.h"
#include "support.h"

#include <core/samples/frame_tree.h>
#include <core/samples/sample_counts.h>

#define NONE UINT32_MAX

/* What a handler writes down of a code object: file "p.py", or tracer's own; its lines are those of its units. */
typedef union description {
    trc_code_description head;
    uint8_t bytes[256];
} description;

static uint8_t *put(uint8_t *at, const char *text, trc_text_size *size)
{
    *size = (trc_text_size){(uint32_t)strlen(text), 1};
    memset(at, 0, (strlen(text) + 3) & ~(size_t)3);
    memcpy(at, text, strlen(text));
    return at + ((strlen(text) + 3) & ~(size_t)3);
}

static description describe(uint32_t number, const char *file, const char *name, int32_t first_line)
{
    static const uint8_t lines[] = {0x80 | 10 << 3, 0, 0, 0x80 | 11 << 3, 0, 0, 0x80 | 11 << 3, 0, 0, 0, 0, 0};
    description made = {.head = {.number = number, .first_line = first_line, .lines_size = 9}};
    uint8_t *at = put(made.bytes + sizeof made.head, name, &made.head.name);
    at = put(put(at, name, &made.head.qualname), file, &made.head.file);
    memcpy(at, lines, sizeof lines);
    made.head.size = (uint32_t)(at + sizeof lines - made.bytes);
    return made;
}

typedef struct record {
    trc_frame_tree tree;
    trc_described described;
    const trc_allocator *allocator;
} record;

static void describe_to(record *to, uint32_t number, const char *file, const char *name)
{
    description made = describe(number, file, name, 10 * (int32_t)number);
    trc_frame_tree_describe(&to->tree, &to->described, &made.head);
}

/* Code 1 to 3 of the program, 4 of tracer, 5 of its command. */
static void init(record *made, const trc_allocator *allocator)
{
    made->described = (trc_described){NULL, 0};
    made->allocator = allocator;
    trc_frame_tree_init(&made->tree, allocator);
    made->tree.codes.own_folder = (trc_characters){"/tracer/", 8, 1};
    describe_to(made, 1, "p.py", "main");
    describe_to(made, 2, "p.py", "load");
    describe_to(made, 3, "p.py", "parse");
    describe_to(made, 4, "/tracer/api/profiler.py", "run");
    describe_to(made, 5, "/tracer/launch/program.py", "run_program");
}

static void clear(record *made)
{
    trc_described_free(&made->described, made->allocator);
    trc_frame_tree_free(&made->tree);
}

/* Adds a sample. Its frames are given as the number of their code and the letter of their line in it, the innermost
 * first. */
static trc_tree_place add(record *to, uint32_t weight, bool in_event, bool in_collection, const char *frames)
{
    static union {
        trc_noted_sample head;
        uint8_t bytes[sizeof(trc_noted_sample) + 16 * sizeof(trc_noted_frame)];
    } made;
    made.head = (trc_noted_sample){.weight = weight, .is_in_event = in_event, .is_in_collection = in_collection};
    for (; *frames != 0; frames += frames[2] == 0 ? 2 : 3) {
        trc_noted_frame frame = {(uint32_t)(frames[0] - '0'), 2 * (uint32_t)(frames[1] - 'a')};
        memcpy(made.bytes + offsetof(trc_noted_sample, bytes) + made.head.frame_count++ * sizeof frame, &frame,
               sizeof frame);
    }
    return trc_frame_tree_add(&to->tree, &to->described, &made.head);
}

static void expect_path(const record *of, uint32_t node, const uint32_t *codes, uint32_t count)
{
    for (uint32_t i = count; i > 0; i--) {
        ck_assert_uint_ne(node, 0);
        ck_assert_uint_eq(of->tree.nodes[node - 1].code, codes[i - 1]);
        node = of->tree.nodes[node - 1].parent;
    }
    ck_assert_uint_eq(node, 0);
}

#define PATH(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

START_TEST(equal_paths_are_one_node)
{
    record made;
    init(&made, &trc_system_allocator);
    uint32_t node = add(&made, 1, false, false, "3a 2a 1a").node;
    ck_assert_uint_eq(add(&made, 1, false, false, "3b 2c 1a").node, node);
    expect_path(&made, node, PATH(0, 1, 2));
    uint32_t other = add(&made, 1, false, false, "3a 1a").node;
    expect_path(&made, other, PATH(0, 2));
    ck_assert_uint_eq(made.tree.node_count, 4);
    ck_assert_uint_eq(add(&made, 1, false, false, "").node, 0);
    clear(&made);
}
END_TEST

static const trc_sampled_line *line(const record *of, uint32_t code, int32_t number)
{
    for (uint32_t i = 0; i < of->tree.line_count; i++) {
        if (of->tree.lines[i].code == code && of->tree.lines[i].line == number) {
            return &of->tree.lines[i];
        }
    }
    return NULL;
}

START_TEST(a_line_counts_once_a_sample)
{
    record made;
    init(&made, &trc_system_allocator);
    add(&made, 2, false, false, "2b 2a 2a 1c");
    add(&made, 3, false, false, "2a 1c");
    ck_assert_uint_eq(line(&made, 1, 20)->own, 3);
    ck_assert_uint_eq(line(&made, 1, 20)->total, 5);
    ck_assert_uint_eq(line(&made, 1, 21)->own, 2);
    ck_assert_uint_eq(line(&made, 1, 21)->total, 2);
    ck_assert_uint_eq(line(&made, 0, 12)->own, 0);
    ck_assert_uint_eq(line(&made, 0, 12)->total, 5);
    ck_assert_uint_eq(made.tree.line_count, 3);
    clear(&made);
}
END_TEST

START_TEST(frames_of_tracers_are_left_out)
{
    record made;
    init(&made, &trc_system_allocator);
    trc_tree_place place = add(&made, 1, false, false, "2a 4a 1a 5a 3a 3a");
    expect_path(&made, place.node, PATH(0, 1)); /* and all outside of its command */
    ck_assert(!place.is_own);
    place = add(&made, 1, false, false, "4a 1a 5a 3a");
    expect_path(&made, place.node, PATH(0));
    ck_assert(place.is_own);
    place = add(&made, 1, true, false, "2a 1a");
    ck_assert(place.is_own);
    ck_assert_uint_eq(line(&made, 0, 10)->total, 1); /* of the first sample alone */
    clear(&made);
}
END_TEST

START_TEST(a_collection_is_a_node_of_its_own)
{
    record made;
    init(&made, &trc_system_allocator);
    uint32_t node = add(&made, 1, false, true, "2a 1a").node;
    expect_path(&made, node, PATH(0, 1, TRC_COLLECTION_CODE));
    ck_assert_uint_eq(line(&made, 1, 20)->own, 0);
    ck_assert_uint_eq(line(&made, 1, 20)->total, 1);
    ck_assert_uint_ne(add(&made, 1, false, false, "2a 1a").node, node);
    clear(&made);
}
END_TEST

START_TEST(code_that_was_not_described_is_not_known)
{
    record made;
    init(&made, &trc_system_allocator);
    expect_path(&made, add(&made, 1, false, false, "2a 0a 1a").node, PATH(0, NONE, 1));
    expect_path(&made, add(&made, 1, false, false, "9a 1a").node, PATH(0, NONE));
    describe_to(&made, 2, "p.py", "other"); /* the handler begins anew */
    expect_path(&made, add(&made, 1, false, false, "2a").node, PATH(5));
    clear(&made);
}
END_TEST

START_TEST(what_was_recorded_is_forgotten_but_not_the_code)
{
    record made;
    init(&made, &trc_system_allocator);
    for (int round = 0; round < 2; round++) {
        ck_assert_uint_eq(add(&made, 1, false, false, "2a 1a").node, 2);
        ck_assert_uint_eq(line(&made, 1, 20)->total, 1);
        trc_frame_tree_clear(&made.tree);
        ck_assert_uint_eq(made.tree.node_count + made.tree.line_count, 0);
        ck_assert_uint_eq(made.tree.codes.count, 5);
    }
    clear(&made);
}
END_TEST

/* At each request for memory in turn: a sample has a path that is part of its own, and the rest is whole. */
START_TEST(when_memory_is_out_a_path_ends_early)
{
    for (long first = 1; first < 60; first++) {
        heap memory;
        record made;
        heap_init(&memory);
        memory.first_failure = memory.last_failure = first;
        init(&made, &memory.allocator);
        for (int i = 0; i < 3; i++) {
            uint32_t node = add(&made, 1, false, false, "3a 2b 1c").node, depth = 0;
            for (; node != 0; depth++) {
                ck_assert_uint_le(node, made.tree.node_count);
                node = made.tree.nodes[node - 1].parent;
            }
            ck_assert_uint_le(depth, 3);
        }
        clear(&made);
        ck_assert_int_eq(memory.blocks, 0);
    }
}
END_TEST

/* Samples take the room of their paths and lines, however many there are. */
START_TEST(a_million_samples_take_no_more_than_the_first_ones)
{
    static const char *const paths[] = {"1a", "2a 1a", "3a 2a 1a", "3b 1b", "2c 1b"};
    const size_t count = sizeof paths / sizeof *paths;
    heap memory;
    heap_init(&memory);
    record made;
    trc_sample_counts counts;
    init(&made, &memory.allocator);
    trc_sample_counts_init(&counts, &memory.allocator);
    long requests = 0;
    for (size_t i = 0; i < 1000000; i++) {
        requests = i == count ? memory.requests : requests;
        uint32_t node = add(&made, 1, false, false, paths[i % count]).node;
        insist(trc_sample_counts_add(&counts, node, 0, TRC_IN_PROGRAM, 1), "there is room for a sample");
    }
    ck_assert_int_eq(memory.requests, requests);
    ck_assert_uint_eq(counts.weight, 1000000);
    trc_sample_counts_free(&counts);
    clear(&made);
    ck_assert_int_eq(memory.blocks, 0);
}
END_TEST

Suite *frame_tree_suite(void)
{
    Suite *suite = suite_create("frametree");
    TCase *tests = tcase_create("frametree");
    tcase_add_test(tests, equal_paths_are_one_node);
    tcase_add_test(tests, a_line_counts_once_a_sample);
    tcase_add_test(tests, frames_of_tracers_are_left_out);
    tcase_add_test(tests, a_collection_is_a_node_of_its_own);
    tcase_add_test(tests, code_that_was_not_described_is_not_known);
    tcase_add_test(tests, what_was_recorded_is_forgotten_but_not_the_code);
    tcase_add_test(tests, when_memory_is_out_a_path_ends_early);
    tcase_add_test(tests, a_million_samples_take_no_more_than_the_first_ones);
    suite_add_tcase(suite, tests);
    return suite;
}
