/* buffered_writer.[ch] and trace_export.[ch]: what each tool is given for a few slices, to the letter. */
#include "suites.h"
#include "support.h"

#include <core/report/trace_export.h>

#include <stdio.h>

#define NOWHERE INT64_MAX /* a time that cuts nothing off */

/* What a writer handed on. */
typedef struct shelf {
    char text[4096];
    size_t used;
    int refused_from; /* the writes from here on are refused; -1: none */
    int writes;
} shelf;

static bool keep(void *context, const char *bytes, size_t count)
{
    shelf *shelf = context;
    if (shelf->writes++ == shelf->refused_from) {
        return false;
    }
    size_t room = sizeof shelf->text - 1 - shelf->used, part = count < room ? count : room;
    memcpy(shelf->text + shelf->used, bytes, part);
    shelf->used += part;
    shelf->text[shelf->used] = '\0';
    return true;
}

static trc_buffered_writer *open_writer(shelf *shelf)
{
    static trc_buffered_writer writer;
    memset(shelf, 0, sizeof *shelf);
    shelf->refused_from = -1;
    trc_buffered_writer_init(&writer, keep, shelf);
    return &writer;
}

START_TEST(numbers_have_all_their_digits)
{
    shelf shelf;
    trc_buffered_writer *writer = open_writer(&shelf);
    const int64_t numbers[] = {0, 7, -10, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        trc_put_number(writer, numbers[i]);
        trc_put_text(writer, " ");
        trc_put_thousandths(writer, numbers[i]);
        trc_put_text(writer, "\n");
    }
    ck_assert(trc_buffered_writer_flush(writer));
    ck_assert_str_eq(shelf.text, "0 0.000\n7 0.007\n-10 -0.010\n"
                                 "9223372036854775807 9223372036854775.807\n"
                                 "-9223372036854775808 -9223372036854775.808\n");
}
END_TEST

START_TEST(more_than_fits_is_handed_on_in_parts)
{
    static char large[2 * TRC_BUFFERED_WRITER_ROOM + 5];
    shelf shelf;
    trc_buffered_writer *writer = open_writer(&shelf);
    trc_put(writer, large, sizeof large);
    ck_assert_int_eq(shelf.writes, 2);
    ck_assert_uint_eq(writer->used, 5);
    ck_assert(trc_buffered_writer_flush(writer));
    ck_assert_int_eq(shelf.writes, 3);
    ck_assert(trc_buffered_writer_flush(writer));
    ck_assert_int_eq(shelf.writes, 3);
}
END_TEST

START_TEST(what_refused_is_not_asked_again)
{
    static char large[TRC_BUFFERED_WRITER_ROOM + 1];
    shelf shelf;
    trc_buffered_writer *writer = open_writer(&shelf);
    shelf.refused_from = 0;
    trc_put(writer, large, sizeof large);
    ck_assert(writer->failed);
    trc_put(writer, large, sizeof large);
    ck_assert(!trc_buffered_writer_flush(writer));
    ck_assert_int_eq(shelf.writes, 1);
}
END_TEST

/* -- Slices ----------------------------------------------------------------------------------------------------- */

/* Three functions, a, b and c, the last in C. Node 1 is a, 2 is a > b, 3 is a > b > c, 4 is b. */
enum { A, B, C, ROWS };
static const uint32_t row_of[] = {TRC_NOT_EXPORTED, A, B, C, B, TRC_NOT_EXPORTED};
static const uint8_t in_c[] = {0, 0, 1};
static const trc_piece pieces[] = {{"{a", 2}, {"{b", 2}, {"{c", 2}, {"{gap", 4}, {"{gap in c", 9}};
static const trc_piece others[] = {{"[a", 2}, {"[b", 2}, {"[c", 2}, {"[gap", 4}, {"[gap in c", 9}};

typedef struct slice {
    int64_t start, end;
    uint32_t node, depth;
    int32_t parent;
    int64_t value;
} slice;

#define MOST 16
typedef struct sheet {
    int64_t start[MOST], end[MOST], value[MOST];
    uint32_t node[MOST], depth[MOST];
    int32_t parent[MOST];
} sheet;

static trc_trace_export export_of(sheet *sheet, const slice *slices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sheet->start[i] = slices[i].start;
        sheet->end[i] = slices[i].end;
        sheet->node[i] = slices[i].node;
        sheet->depth[i] = slices[i].depth;
        sheet->parent[i] = slices[i].parent;
        sheet->value[i] = slices[i].value;
    }
    return (trc_trace_export){.count = count,
                              .start = sheet->start,
                              .end = sheet->end,
                              .node = sheet->node,
                              .depth = sheet->depth,
                              .parent = sheet->parent,
                              .value = sheet->value,
                              .node_count = sizeof row_of / sizeof *row_of,
                              .row_of = row_of,
                              .row_count = ROWS,
                              .in_c = in_c,
                              .with_gaps = true,
                              .pieces = pieces,
                              .others = others,
                              .ns_per_tick = 1.0,
                              .first = 0,
                              .last = NOWHERE};
}

/* a from 10 to 2000 calls b, which calls c twice, once for no time; a gap in c; then b by itself, which is open. */
static const slice story[] = {
    {10, 2000, 1, 0, -1, 0}, {100, 900, 2, 1, 0, 0},  {200, 300, 3, 2, 1, 0},    {210, 290, 0, 3, 2, 70},
    {300, 300, 3, 2, 1, 0},  {950, 980, 0, 1, 0, 30}, {2000, 3000, 4, 0, -1, 1},
};
#define STORY (sizeof story / sizeof *story)

START_TEST(a_walk_keeps_order_at_equal_times)
{
    sheet sheet;
    trc_walk walk;
    char text[512] = "";
    trc_trace_export export = export_of(&sheet, story, STORY);
    ck_assert(trc_walk_init(&walk, &export, &trc_system_allocator));
    while (trc_walk_next(&walk)) {
        sprintf(text + strlen(text), "%s%u@%d ", walk.begins ? "+" : "-", walk.row, (int)walk.now);
    }
    trc_walk_free(&walk);
    ck_assert_str_eq(text, "+0@10 +1@100 +2@200 +4@210 -4@290 -2@300 +2@300 -2@300 -1@900 +3@950 -3@980 -0@2000 "
                           "+1@2000 -1@3000 ");
}
END_TEST

START_TEST(time_never_goes_back)
{
    static const slice damaged[] = {{100, 50, 1, 0, -1, 0}, {40, 300, 2, 7, 0, 0}, {200, 250, 1, 0, -1, 0}};
    sheet sheet;
    trc_walk walk;
    char text[512] = "";
    trc_trace_export export = export_of(&sheet, damaged, 3);
    ck_assert(trc_walk_init(&walk, &export, &trc_system_allocator));
    while (trc_walk_next(&walk)) {
        sprintf(text + strlen(text), "%s%u@%d ", walk.begins ? "+" : "-", walk.row, (int)walk.now);
    }
    trc_walk_free(&walk);
    ck_assert_str_eq(text, "+0@100 +1@100 -1@300 -0@300 +0@300 -0@300 ");
}
END_TEST

START_TEST(chrome_has_a_line_for_each_slice)
{
    sheet sheet;
    shelf shelf;
    trc_trace_export export = export_of(&sheet, story, STORY);
    ck_assert_int_eq(trc_export_chrome(&export, open_writer(&shelf)), TRC_EXPORTED);
    ck_assert_str_eq(shelf.text, "{a,\"ts\":0.010,\"dur\":1.990},\n"
                                 "{b,\"ts\":0.100,\"dur\":0.800},\n"
                                 "{c,\"ts\":0.200,\"dur\":0.100},\n"
                                 "{gap in c,\"ts\":0.210,\"dur\":0.080},\n"
                                 "{c,\"ts\":0.300,\"dur\":0.000},\n"
                                 "{gap,\"ts\":0.950,\"dur\":0.030},\n"
                                 "{b,\"ts\":2.000,\"dur\":1.000,\"args\":{\"ended\":false}},\n");
}
END_TEST

START_TEST(what_is_outside_is_cut_off_and_times_are_shifted)
{
    sheet sheet;
    shelf shelf;
    trc_trace_export export = export_of(&sheet, story, 2);
    export.ns_per_tick = 2.5;
    export.shift = 1000;
    export.first = 150;
    export.last = 201;
    export.with_gaps = false;
    ck_assert_int_eq(trc_export_chrome(&export, open_writer(&shelf)), TRC_EXPORTED);
    ck_assert_str_eq(shelf.text, "{a,\"ts\":1.375,\"dur\":0.127},\n{b,\"ts\":1.375,\"dur\":0.127},\n");
}
END_TEST

START_TEST(speedscope_opens_and_closes)
{
    sheet sheet;
    shelf shelf;
    int64_t last, busy;
    trc_trace_export export = export_of(&sheet, story, STORY);
    export.with_gaps = false;
    trc_buffered_writer *writer = open_writer(&shelf);
    ck_assert_int_eq(trc_export_speedscope(&export, writer, &trc_system_allocator, &last, &busy), TRC_EXPORTED);
    ck_assert_str_eq(shelf.text, "{a10},{b100},{c200},[c300},{c300},[c300},[b900},[a2000},{b2000},[b3000}");
    ck_assert_int_eq(last, 3000);
    ck_assert_int_eq(busy, 2990);
}
END_TEST

START_TEST(perfetto_has_a_packet_at_each_end)
{
    static const slice two[] = {{10, 2000, 1, 0, -1, 0}, {100, 300, 3, 1, 0, 1}};
    static const char expected[] = "\x0a\x0a\x40\x0a\x50\x03\x5a\x04\x48\x01[a"
                                   "\x0a\x15\x40\x5a\x50\x03\x5a\x0f\x48\x01{c\x22\x09\x52\x05"
                                   "ended\x10\x00"
                                   "\x0a\x09\x40\xc8\x01\x50\x03\x5a\x02\x48\x02"
                                   "\x0a\x09\x40\xa4\x0d\x50\x03\x5a\x02\x48\x02";
    sheet sheet;
    shelf shelf;
    trc_trace_export export = export_of(&sheet, two, 2);
    trc_buffered_writer *writer = open_writer(&shelf);
    ck_assert_int_eq(trc_export_perfetto(&export, writer, &trc_system_allocator, 3, 0), TRC_EXPORTED);
    ck_assert_uint_eq(shelf.used, sizeof expected - 1);
    ck_assert_mem_eq(shelf.text, expected, sizeof expected - 1);
}
END_TEST

static void expect_samples(trc_sample_column column, const char *expected)
{
    sheet sheet;
    shelf shelf;
    size_t samples;
    trc_paths paths;
    trc_trace_export export = export_of(&sheet, story, STORY);
    export.with_gaps = false;
    ck_assert(trc_paths_init(&paths, &trc_system_allocator));
    trc_buffered_writer *writer = open_writer(&shelf);
    ck_assert_int_eq(trc_export_samples(&export, writer, &paths, column, &samples), TRC_EXPORTED);
    ck_assert_str_eq(shelf.text, expected);
    ck_assert_uint_eq(samples, 7);
    /* a, a > b, a > b > c, b */
    ck_assert_uint_eq(paths.count, 5);
    ck_assert(paths.nodes[3].parent == 2 && paths.nodes[3].row == C && paths.nodes[4].parent == 0);
    trc_paths_free(&paths);
}

START_TEST(samples_last_as_long_as_their_stacks)
{
    expect_samples(TRC_SAMPLE_STACKS, "0,1,2,1,0,3,null");
    expect_samples(TRC_SAMPLE_DELTAS, "10e-6,90e-6,100e-6,100e-6,600e-6,1100e-6,1000e-6");
    expect_samples(TRC_SAMPLE_WEIGHTS, "90e-6,100e-6,100e-6,600e-6,1100e-6,1000e-6,0");
}
END_TEST

START_TEST(what_lasts_longer_than_can_be_counted_is_drawn_all_the_same)
{
    /* A damaged file may hold any times. Differences wrap, as those of ticks do. */
    static const slice endless[] = {{INT64_MIN, INT64_MAX, 1, 0, -1, 0}};
    sheet sheet;
    shelf shelf;
    size_t samples;
    int64_t last, busy;
    trc_paths paths;
    trc_trace_export export = export_of(&sheet, endless, 1);
    export.first = INT64_MIN;
    export.last = INT64_MAX;
    ck_assert_int_eq(trc_export_chrome(&export, open_writer(&shelf)), TRC_EXPORTED);
    ck_assert_str_eq(shelf.text, "{a,\"ts\":-9223372036854775.808,\"dur\":-0.001},\n");
    ck_assert_int_eq(trc_export_speedscope(&export, open_writer(&shelf), &trc_system_allocator, &last, &busy),
                     TRC_EXPORTED);
    ck_assert(last == INT64_MAX && busy == -1);
    ck_assert(trc_paths_init(&paths, &trc_system_allocator));
    ck_assert_int_eq(trc_export_samples(&export, open_writer(&shelf), &paths, TRC_SAMPLE_WEIGHTS, &samples),
                     TRC_EXPORTED);
    ck_assert_str_eq(shelf.text, "-1e-6,0");
    trc_paths_free(&paths);
}
END_TEST

START_TEST(each_failure_is_told)
{
    sheet sheet;
    shelf shelf;
    size_t samples;
    int64_t last, busy;
    trc_trace_export export = export_of(&sheet, story, STORY);
    for (int failure = 1; failure <= 3; failure++) {
        heap memory;
        heap_init(&memory);
        memory.first_failure = memory.last_failure = failure;
        trc_buffered_writer *writer = open_writer(&shelf);
        ck_assert_int_eq(trc_export_speedscope(&export, writer, &memory.allocator, &last, &busy),
                         TRC_EXPORTED_NO_MEMORY);
        ck_assert_int_eq(trc_export_perfetto(&export, writer, &memory.allocator, 1, 0),
                         TRC_EXPORTED); /* the failure is over */
        ck_assert_int_eq(memory.blocks, 0);
    }
    for (int failure = 3; failure <= 6; failure++) {
        heap memory;
        heap_init(&memory);
        memory.first_failure = failure;
        memory.last_failure = NO_LIMIT;
        trc_paths paths;
        ck_assert(trc_paths_init(&paths, &memory.allocator));
        paths.room = 1; /* the first path asks for more */
        ck_assert_int_eq(trc_export_samples(&export, open_writer(&shelf), &paths, TRC_SAMPLE_STACKS, &samples),
                         TRC_EXPORTED_NO_MEMORY);
        trc_paths_free(&paths);
        ck_assert_int_eq(memory.blocks, 0);
    }
    trc_buffered_writer *writer = open_writer(&shelf);
    shelf.refused_from = 0;
    ck_assert_int_eq(trc_export_chrome(&export, writer), TRC_EXPORTED_NOT_TAKEN);
}
END_TEST

START_TEST(slices_are_counted_by_their_length)
{
    const int64_t start[] = {0, 5, 100, 7}, end[] = {10, 15, 109, 3};
    ck_assert_uint_eq(trc_count_slices(start, end, 4, 10), 2);
    ck_assert_uint_eq(trc_count_slices(start, end, 4, 9), 3);
    ck_assert_uint_eq(trc_count_slices(start, end, 4, 11), 0);
    ck_assert_uint_eq(trc_count_slices(start, end, 4, INT64_MIN), 4);
}
END_TEST

Suite *trace_export_suite(void)
{
    Suite *suite = suite_create("trace_export");
    TCase *writer = tcase_create("writer");
    tcase_add_test(writer, numbers_have_all_their_digits);
    tcase_add_test(writer, more_than_fits_is_handed_on_in_parts);
    tcase_add_test(writer, what_refused_is_not_asked_again);
    suite_add_tcase(suite, writer);
    TCase *export = tcase_create("export");
    tcase_add_test(export, a_walk_keeps_order_at_equal_times);
    tcase_add_test(export, time_never_goes_back);
    tcase_add_test(export, chrome_has_a_line_for_each_slice);
    tcase_add_test(export, what_is_outside_is_cut_off_and_times_are_shifted);
    tcase_add_test(export, speedscope_opens_and_closes);
    tcase_add_test(export, perfetto_has_a_packet_at_each_end);
    tcase_add_test(export, samples_last_as_long_as_their_stacks);
    tcase_add_test(export, what_lasts_longer_than_can_be_counted_is_drawn_all_the_same);
    tcase_add_test(export, each_failure_is_told);
    tcase_add_test(export, slices_are_counted_by_their_length);
    suite_add_tcase(suite, export);
    return suite;
}
