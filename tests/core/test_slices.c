/* The log of a thread, read back: parents, depths, tags, and bytes that are damaged. */
#include "suites.h"
#include "support.h"

#include <core/report/log_capture.h>
#include <core/report/crash_recovery.h>
#include <core/report/slices.h>
#include <stdio.h>
#include <stdlib.h>

#define ALL ((trc_slices_part){INT64_MIN, INT64_MAX, 0})
#define MOST 1000

/* One block of these records. */
static size_t block_of(uint8_t *bytes, const trc_record *records, int count)
{
    memset(bytes, 0, TRC_BLOCK_HEAD);
    uint8_t *at = bytes + TRC_BLOCK_HEAD;
    trc_record_place place = {0, 0};
    for (int i = 0; i < count; i++) {
        at = trc_put_any_record(at, &place, &records[i]);
    }
    size_t used = (size_t)(at - bytes) - TRC_BLOCK_HEAD;
    bytes[8] = (uint8_t)used;
    bytes[9] = (uint8_t)(used >> 8);
    bytes[12] = (uint8_t)count;
    return used + TRC_BLOCK_HEAD;
}

/* Each slice as "node@start-end in parent": "1@0-9 2@1-3<0 ...". */
static const char *text_of(const trc_record *records, int count, const uint32_t *depths, trc_slices_part part)
{
    static char text[MOST];
    uint8_t bytes[MOST];
    size_t size = block_of(bytes, records, count);
    trc_slices slices;
    ck_assert_int_eq(trc_slices_read(&slices, &trc_system_allocator, bytes, size, depths, 5, part), TRC_SLICES_READ);
    int used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < slices.count; i++) {
        const trc_slice *slice = &slices.slices[i];
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%u@%lld-%lld", i == 0 ? "" : " ", slice->node,
                         (long long)slice->start, (long long)slice->end);
        if (slice->parent != TRC_NO_PARENT) {
            used += snprintf(text + used, sizeof text - (size_t)used, "<%d", slice->parent);
            ck_assert_uint_eq(slice->depth, slices.slices[slice->parent].depth + 1);
        }
        if (slice->tag != 0 || slice->value != 0) {
            used += snprintf(text + used, sizeof text - (size_t)used, "(%u,%lld)", slice->tag, (long long)slice->value);
        }
    }
    trc_slices_free(&slices, &trc_system_allocator);
    return text;
}

/* Node 1 calls 2, which calls 3; node 4 is an overflow node. */
static const uint32_t depths[] = {0, 1, 2, 3, 0};

START_TEST(callers_come_before_callees)
{
    const trc_record records[] = {{3, 1, 3, 0}, {4, 3, 2, 0}, {7, 2, 2, 0}, {9, 9, 1, 0}, {12, 2, 1, 0}};
    ck_assert_str_eq(text_of(records, 5, depths, ALL), "1@0-9 2@1-4<0 3@2-3<1 2@5-7<0 1@10-12");
}
END_TEST

START_TEST(equal_ticks_are_told_apart_by_depth)
{
    const trc_record records[] = {{5, 0, 2, 0}, {5, 0, 3, 0}, {5, 0, 2, 0}, {5, 0, 1, 0}, {5, 0, 1, 0}};
    ck_assert_str_eq(text_of(records, 5, depths, ALL), "1@5-5 2@5-5<0 2@5-5<0 3@5-5<2 1@5-5");
}
END_TEST

START_TEST(an_overflow_node_is_in_what_contains_it)
{
    const trc_record records[] = {{3, 1, 4, 0}, {6, 1, 2, 0}, {7, 6, 4, 0}, {9, 9, 1, 0}};
    ck_assert_str_eq(text_of(records, 4, depths, ALL), "1@0-9 4@1-7<0 4@2-3<1 2@5-6<1");
}
END_TEST

START_TEST(tags_belong_to_the_record_before)
{
    const trc_record records[] = {{4, 2, 2, 0},
                                  {4, 2, 0, 3 << 2 | TRC_OF_TASK},
                                  {9, 9, 1, 0},
                                  {9, 9, 0, 8 << 2 | TRC_OF_STACK},
                                  {9, 9, 0, TRC_OPEN}};
    ck_assert_str_eq(text_of(records, 5, depths, ALL), "1@0-9(34,1) 2@2-4<0(13,0)");
    ck_assert_str_eq(text_of(records + 1, 4, depths, ALL), "1@0-9(34,1)"); /* a tag without its stretch */
}
END_TEST

START_TEST(a_tag_of_another_stretch_is_no_tag_of_the_one_before)
{
    /* The stretch of the tag is not there: it found no room. */
    const trc_record records[] = {{4, 2, 2, 0}, {9, 9, 0, 3 << 2 | TRC_OF_TASK}};
    ck_assert_str_eq(text_of(records, 2, depths, ALL), "2@2-4");
}
END_TEST

START_TEST(a_gap_is_in_the_innermost_stretch_around_it)
{
    const trc_record records[] = {{6, 3, 0, 2 << 2 | TRC_GAP}, {7, 6, 2, 0}, {9, 9, 1, 0}};
    ck_assert_str_eq(text_of(records, 3, depths, ALL), "1@0-9 2@1-7<0 0@3-6<1(0,2)");
}
END_TEST

START_TEST(a_part_is_what_overlaps_it_and_is_long_enough)
{
    const trc_record records[] = {{3, 1, 3, 0}, {4, 3, 2, 0}, {7, 2, 2, 0}, {9, 9, 1, 0}, {12, 2, 1, 0}};
    ck_assert_str_eq(text_of(records, 5, depths, (trc_slices_part){4, 6, 0}), "1@0-9 2@1-4<0 2@5-7<0");
    ck_assert_str_eq(text_of(records, 5, depths, (trc_slices_part){INT64_MIN, INT64_MAX, 3}), "1@0-9 2@1-4<0");
    ck_assert_str_eq(text_of(records, 5, depths, (trc_slices_part){13, INT64_MAX, 0}), "");
}
END_TEST

START_TEST(damaged_bytes_are_told)
{
    const trc_record records[] = {{3, 1, 3, 0}, {4, 3, 2, 0}, {4, 3, 0, 13}, {9, 9, 1, 0}};
    uint8_t bytes[MOST];
    size_t size = block_of(bytes, records, 4);
    trc_slices slices;
    for (size_t cut = 1; cut < size; cut++) {
        ck_assert_int_eq(trc_slices_read(&slices, &trc_system_allocator, bytes, cut, depths, 5, ALL),
                         TRC_SLICES_DAMAGED);
        trc_slices_free(&slices, &trc_system_allocator);
    }
    ck_assert_int_eq(trc_slices_read(&slices, &trc_system_allocator, bytes, size, depths, 3, ALL), TRC_SLICES_DAMAGED);
    trc_slices_free(&slices, &trc_system_allocator);
    uint32_t seed = 1;
    for (int i = 0; i < 100000; i++) { /* any bytes: an answer, whatever it is */
        uint8_t damaged[MOST];
        memcpy(damaged, bytes, size);
        for (int many = 0; many < 3; many++) {
            seed = seed * 1664525 + 1013904223;
            damaged[(seed >> 8) % size] = (uint8_t)(seed >> 24);
        }
        trc_slices_read(&slices, &trc_system_allocator, damaged, size, depths, 5, ALL);
        trc_slices_free(&slices, &trc_system_allocator);
    }
}
END_TEST

START_TEST(without_memory_nothing_is_kept)
{
    const trc_record records[] = {{3, 1, 3, 0}, {4, 3, 2, 0}};
    uint8_t bytes[MOST];
    size_t size = block_of(bytes, records, 2);
    for (long failure = 1; failure <= 3; failure++) {
        heap memory;
        heap_init(&memory);
        memory.first_failure = memory.last_failure = failure;
        trc_slices slices;
        ck_assert_int_eq(trc_slices_read(&slices, &memory.allocator, bytes, size, depths, 5, ALL),
                         TRC_SLICES_NO_MEMORY);
        trc_slices_free(&slices, &memory.allocator);
        ck_assert_int_eq(memory.blocks, 0);
    }
}
END_TEST

/* What go_on returns of open stretches, where a log has these records: "node@start-end" and remarks, innermost first. */
static const char *went_on(const trc_record *log, int log_count, const trc_record *open, int open_count, trc_tick least,
                           trc_tick ended)
{
    static char text[MOST];
    uint8_t data[MOST], open_data[MOST], block[MOST * TRC_OPEN_GROWS];
    size_t size = block_of(data, log, log_count), open_size = block_of(open_data, open, open_count);
    size = trc_slices_go_on(block, data, size, open_data, open_size, least, ended);
    text[0] = '\0';
    if (size == 0) {
        return text;
    }
    trc_block_head head = trc_get_block_head(block);
    ck_assert_uint_eq(head.used + TRC_BLOCK_HEAD, size);
    trc_record_place place = {head.base, 0};
    const uint8_t *at = block + TRC_BLOCK_HEAD;
    int used = 0;
    for (uint32_t i = 0; i < head.count; i++) {
        trc_record record = trc_get_record(&at, &place);
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%u@%lld-%lld", i == 0 ? "" : " ", record.node,
                         (long long)(record.end - record.took), (long long)record.end);
    }
    ck_assert_ptr_eq(at, block + size);
    return text;
}

START_TEST(what_has_no_end_goes_on)
{
    /* saved at 10: a gap, node 3, node 2 and node 1 of a task; the log has the end of node 3 at 12, and a later call */
    const trc_record open[] = {
        {10, 1, 0, 4 | TRC_GAP}, {10, 4, 3, 0},  {10, 4, 0, TRC_OPEN},         {10, 7, 2, 0},
        {10, 7, 0, TRC_OPEN},    {10, 10, 1, 0}, {10, 10, 0, 8 | TRC_OF_TASK}, {10, 10, 0, TRC_OPEN}};
    const trc_record log[] = {{2, 1, 3, 0}, {12, 6, 3, 0}, {15, 2, 3, 0}};
    ck_assert_str_eq(went_on(log, 3, open, 8, 0, 20), "2@3-20 0@3-20 1@0-20 0@0-20 0@0-20");
    ck_assert_str_eq(went_on(log, 1, open, 8, 0, 20), "3@6-20 0@6-20 2@3-20 0@3-20 1@0-20 0@0-20 0@0-20");
    ck_assert_str_eq(went_on(log, 1, open, 8, 5, 10), "2@3-10 0@3-10 1@0-10 0@0-10 0@0-10"); /* a longer least */
    const trc_record all[] = {{12, 6, 3, 0}, {13, 10, 2, 0}, {14, 14, 1, 0}};
    ck_assert_str_eq(went_on(all, 3, open, 8, 0, 20), "");
    const trc_record before[] = {{9, 3, 3, 0}}; /* ended before the save: another call that began at 6 */
    ck_assert_str_eq(went_on(before, 1, open, 3, 0, 11), "3@6-11 0@6-11");
}
END_TEST

START_TEST(damaged_open_stretches_end_their_block)
{
    uint8_t open[MOST], block[MOST * TRC_OPEN_GROWS];
    const trc_record records[] = {{10, 4, 3, 0}, {10, INT64_MAX, 2, 0}, {INT64_MAX, 5, 1, 0}};
    size_t size = block_of(open, records, 3);
    for (size_t used = 0; used <= size; used++) {
        size_t written = trc_slices_go_on(block, NULL, 0, open, used, 0, INT64_MAX);
        ck_assert_uint_le(written, sizeof block);
    }
    for (size_t i = TRC_BLOCK_HEAD; i < size; i++) {
        open[i] ^= 0xff;
        ck_assert_uint_le(trc_slices_go_on(block, open, size, open, size, 0, INT64_MIN), sizeof block);
        ck_assert_uint_le(trc_slices_go_on(block, open, size, open, size, 0, INT64_MAX), sizeof block);
        open[i] ^= 0xff;
    }
}
END_TEST

Suite *slices_suite(void)
{
    Suite *suite = suite_create("slices");
    TCase *tcase = tcase_create("slices");
    tcase_add_test(tcase, what_has_no_end_goes_on);
    tcase_add_test(tcase, damaged_open_stretches_end_their_block);
    tcase_add_test(tcase, callers_come_before_callees);
    tcase_add_test(tcase, equal_ticks_are_told_apart_by_depth);
    tcase_add_test(tcase, an_overflow_node_is_in_what_contains_it);
    tcase_add_test(tcase, tags_belong_to_the_record_before);
    tcase_add_test(tcase, a_tag_of_another_stretch_is_no_tag_of_the_one_before);
    tcase_add_test(tcase, a_gap_is_in_the_innermost_stretch_around_it);
    tcase_add_test(tcase, a_part_is_what_overlaps_it_and_is_long_enough);
    tcase_add_test(tcase, damaged_bytes_are_told);
    tcase_add_test(tcase, without_memory_nothing_is_kept);
    suite_add_tcase(suite, tcase);
    return suite;
}
