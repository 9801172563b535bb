/* Numbers of variable length, and the records of the log that are made of them. */
#include "suites.h"
#include "support.h"

#include <core/log/record.h>

START_TEST(a_number_takes_a_byte_for_seven_bits)
{
    for (int bits = 0; bits <= 64; bits++) {
        uint64_t number = bits == 0 ? 0 : UINT64_MAX >> (64 - bits);
        uint8_t bytes[TRC_LONGEST_VARINT + 1] = {0};
        int length = (int)(trc_put_varint(bytes, number) - bytes);
        ck_assert_int_eq(length, bits == 0 ? 1 : (bits + 6) / 7);
        const uint8_t *at = bytes;
        ck_assert_uint_eq(trc_get_varint(&at), number);
        ck_assert_ptr_eq(at, bytes + length);
        uint64_t found;
        at = bytes;
        ck_assert(trc_find_varint(&at, bytes + length, &found));
        ck_assert_uint_eq(found, number);
        ck_assert_ptr_eq(at, bytes + length);
        for (int cut = 0; cut < length; cut++) {
            at = bytes;
            ck_assert(!trc_find_varint(&at, bytes + cut, &found));
        }
    }
}
END_TEST

START_TEST(a_number_of_too_many_bytes_is_none)
{
    uint8_t bytes[12];
    memset(bytes, 0x80, sizeof bytes);
    const uint8_t *at = bytes;
    uint64_t found;
    ck_assert(!trc_find_varint(&at, bytes + sizeof bytes, &found));
    ck_assert_int_le(at - bytes, TRC_LONGEST_VARINT);
}
END_TEST

START_TEST(small_negative_numbers_are_small)
{
    static const int64_t numbers[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN};
    static const uint64_t expected[] = {0, 1, 2, 3, 4, UINT64_MAX - 1, UINT64_MAX};
    for (int i = 0; i < 7; i++) {
        ck_assert_uint_eq(trc_zigzag(numbers[i]), expected[i]);
        ck_assert_int_eq(trc_unzigzag(expected[i]), numbers[i]);
    }
}
END_TEST

static const trc_record records[] = {
    {1000, 10, 5, 0},
    {1003, 3, 4, 0},
    {1003, 3, 0, 7 << 2 | TRC_OF_TASK},
    {900, 0, 536870911, 0}, /* a clock that went back */
    {INT64_MAX, INT64_MAX, 1, 0},
    {INT64_MIN, 5, 0, UINT64_MAX},
    {-1, 0, 0, 0},
};
#define RECORDS (sizeof records / sizeof *records)

START_TEST(records_are_read_as_they_were_written)
{
    uint8_t bytes[RECORDS * TRC_LONGEST_RECORD];
    uint8_t *end = bytes;
    trc_record_place place = {990, 0};
    for (size_t i = 0; i < RECORDS; i++) {
        uint8_t *next = trc_put_any_record(end, &place, &records[i]);
        ck_assert_int_le(next - end, TRC_LONGEST_RECORD);
        end = next;
    }
    const uint8_t first[] = {10, 10, 10, 3, 3, 1, 0, 3, 7, 7 << 2 | TRC_OF_TASK};
    ck_assert_mem_eq(bytes, first, sizeof first);
    trc_record_place one = {990, 0}, other = {990, 0};
    const uint8_t *at = bytes, *found_at = bytes;
    for (size_t i = 0; i < RECORDS; i++) {
        trc_record record = trc_get_record(&at, &one), found;
        ck_assert(trc_find_record(&found_at, end, &other, &found));
        ck_assert_ptr_eq(at, found_at);
        ck_assert_int_eq(record.end, records[i].end);
        ck_assert_int_eq(record.took, records[i].took);
        ck_assert_uint_eq(record.node, records[i].node);
        ck_assert_uint_eq(record.value, records[i].value);
        ck_assert_int_eq(found.end, records[i].end);
        ck_assert_int_eq(found.took, records[i].took);
        ck_assert_uint_eq(found.node, records[i].node);
        ck_assert_uint_eq(found.value, records[i].value);
    }
    ck_assert_ptr_eq(at, end);
}
END_TEST

START_TEST(a_damaged_record_is_found)
{
    uint8_t bytes[2 * TRC_LONGEST_RECORD];
    trc_record_place place = {0, 0};
    uint8_t *end = trc_put_any_record(bytes, &place, &records[5]);
    trc_record found;
    for (const uint8_t *cut = bytes; cut < end; cut++) {
        const uint8_t *at = bytes;
        place = (trc_record_place){0, 0};
        ck_assert(!trc_find_record(&at, cut, &place, &found));
    }
    static const uint8_t below_zero[] = {1, 1, 1}; /* node 0 - 1 */
    const uint8_t *at = below_zero;
    place = (trc_record_place){0, 0};
    ck_assert(!trc_find_record(&at, below_zero + 3, &place, &found));
    static const uint8_t too_large[] = {1, 1, 0x80, 0x80, 0x80, 0x80, 0x20}; /* node 2^32 */
    at = too_large;
    ck_assert(!trc_find_record(&at, too_large + 7, &place, &found));
}
END_TEST

Suite *record_suite(void)
{
    Suite *suite = suite_create("record");
    TCase *tcase = tcase_create("record");
    tcase_add_test(tcase, a_number_takes_a_byte_for_seven_bits);
    tcase_add_test(tcase, a_number_of_too_many_bytes_is_none);
    tcase_add_test(tcase, small_negative_numbers_are_small);
    tcase_add_test(tcase, records_are_read_as_they_were_written);
    tcase_add_test(tcase, a_damaged_record_is_found);
    suite_add_tcase(suite, tcase);
    return suite;
}
