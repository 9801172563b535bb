/* reader.[ch]: every token, every way bytes can be wrong, and the section behind the first object. */
#include "suites.h"
#include "support.h"

#include <core/report/reader.h>

#include <math.h>

/* The reader of a string literal's bytes, without its closing zero. */
#define READER_OF(reader, literal) trc_reader_init(&(reader), literal, sizeof(literal) - 1)

static const char ends_early[] = "the file ends in the middle of a value";
static const char big_integer[] = "an integer has more than 64 bits";
static const char no_float[] = "a float is no number";
static const char long_sequence[] = "a sequence is longer than the file";
static const char no_value[] = "no value of a profile begins with this byte";

static trc_token expect_next(trc_reader *reader, trc_token_kind kind)
{
    trc_token token = trc_reader_next(reader);
    ck_assert_int_eq(token.kind, kind);
    ck_assert(!token.remember);
    return token;
}

static void expect_end(const trc_reader *reader)
{
    ck_assert_uint_eq(reader->offset, reader->size);
    ck_assert_ptr_null(reader->error);
}

/* Asserts that the first token is an error, and stays one. */
static void expect_error_of(const void *data, size_t size, size_t offset, const char *error)
{
    trc_reader reader;
    trc_reader_init(&reader, data, size);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(trc_reader_next(&reader).kind, TRC_TOKEN_ERROR);
        ck_assert_str_eq(reader.error, error);
        ck_assert_uint_eq(reader.offset, offset);
    }
}

#define EXPECT_ERROR(literal, offset, error) expect_error_of(literal, sizeof(literal) - 1, offset, error)

START_TEST(plain_values_are_tokens)
{
    trc_reader reader;
    READER_OF(reader, "NFT{0");
    expect_next(&reader, TRC_TOKEN_NONE);
    expect_next(&reader, TRC_TOKEN_FALSE);
    expect_next(&reader, TRC_TOKEN_TRUE);
    expect_next(&reader, TRC_TOKEN_DICT);
    expect_next(&reader, TRC_TOKEN_END);
    expect_end(&reader);
}
END_TEST

START_TEST(integers_have_their_sign_and_all_their_bits)
{
    static const struct {
        const char *bytes;
        size_t size;
        int64_t value;
    } cases[] = {
        {"i\x01\x02\x00\x00", 5, 513},
        {"i\xff\xff\xff\xff", 5, -1},
        {"i\x00\x00\x00\x80", 5, INT32_MIN},
        {"I\x00\x00\x00\x00\x01\x00\x00\x00", 9, INT64_C(1) << 32},
        {"I\xfe\xff\xff\xff\xff\xff\xff\xff", 9, -2},
        {"l\x00\x00\x00\x00", 5, 0},
        {"l\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00", 11, INT64_C(1) << 31},
        {"l\xfd\xff\xff\xff\x01\x00\x00\x00\x02\x00", 11, -((INT64_C(1) << 31) + 1)},
        {"l\x05\x00\x00\x00\xff\x7f\xff\x7f\xff\x7f\xff\x7f\x07\x00", 15, INT64_MAX},
        {"l\xfb\xff\xff\xff\xff\x7f\xff\x7f\xff\x7f\xff\x7f\x07\x00", 15, -INT64_MAX},
        {"l\xfb\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00", 15, INT64_MIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trc_reader reader;
        trc_reader_init(&reader, cases[i].bytes, cases[i].size);
        ck_assert_int_eq(expect_next(&reader, TRC_TOKEN_INTEGER).integer, cases[i].value);
        expect_end(&reader);
    }
}
END_TEST

START_TEST(integers_beyond_64_bits_are_refused)
{
    EXPECT_ERROR("l\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00", 15, big_integer);
    EXPECT_ERROR("l\xfb\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00\x08\x00", 15, big_integer);
    EXPECT_ERROR("l\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00", 15, big_integer);
    EXPECT_ERROR("l\x06\x00\x00\x00\x01\x00", 5, big_integer);
    EXPECT_ERROR("l\x00\x00\x00\x80", 5, big_integer);
    EXPECT_ERROR("l\x01\x00\x00\x00\x00\x80", 7, big_integer); /* a digit has 15 bits */
}
END_TEST

START_TEST(floats_are_exact_in_both_notations)
{
    trc_reader reader;
    READER_OF(reader, "g\x00\x00\x00\x00\x00\x00\xf8\x3f"
                      "f\x05-2.25"
                      "f\x05"
                      "1e+30"
                      "f\x03inf"
                      "f\x03nan");
    ck_assert_double_eq(expect_next(&reader, TRC_TOKEN_FLOAT).real, 1.5);
    ck_assert_double_eq(expect_next(&reader, TRC_TOKEN_FLOAT).real, -2.25);
    ck_assert_double_eq(expect_next(&reader, TRC_TOKEN_FLOAT).real, 1e30);
    ck_assert_double_infinite(expect_next(&reader, TRC_TOKEN_FLOAT).real);
    ck_assert_double_nan(expect_next(&reader, TRC_TOKEN_FLOAT).real);
    expect_end(&reader);
}
END_TEST

START_TEST(what_is_no_number_is_no_float)
{
    EXPECT_ERROR("f\x00", 2, no_float);
    EXPECT_ERROR("f\x03"
                 "1.x",
                 5, no_float);
    EXPECT_ERROR("f\x04"
                 "1.5\0",
                 6, no_float);
    char text[2 + 65] = "f\x41";
    memset(text + 2, '1', 65);
    expect_error_of(text, sizeof text, sizeof text, no_float);
}
END_TEST

START_TEST(texts_are_borrowed_bytes)
{
    static const char data[] = "s\x02\x00\x00\x00\xff\x00"
                               "u\x02\x00\x00\x00\xc3\xa9"
                               "t\x01\x00\x00\x00t"
                               "a\x01\x00\x00\x00"
                               "a"
                               "A\x01\x00\x00\x00"
                               "A"
                               "z\x02zz"
                               "Z\x00"
                               "u\x00\x00\x00\x00";
    static const struct {
        trc_token_kind kind;
        size_t at;
        size_t size;
    } expected[] = {
        {TRC_TOKEN_BYTES, 5, 2},  {TRC_TOKEN_TEXT, 12, 2},  {TRC_TOKEN_TEXT, 19, 1},  {TRC_TOKEN_LATIN, 25, 1},
        {TRC_TOKEN_LATIN, 31, 1}, {TRC_TOKEN_LATIN, 34, 2}, {TRC_TOKEN_LATIN, 38, 0}, {TRC_TOKEN_TEXT, 43, 0},
    };
    trc_reader reader;
    READER_OF(reader, data);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        trc_token token = expect_next(&reader, expected[i].kind);
        ck_assert_ptr_eq(token.bytes, (const uint8_t *)data + expected[i].at);
        ck_assert_uint_eq(token.size, expected[i].size);
    }
    expect_end(&reader);
}
END_TEST

START_TEST(sequences_announce_what_follows)
{
    trc_reader reader;
    READER_OF(reader, "(\x02\x00\x00\x00"
                      ")\x01"
                      "[\x01\x00\x00\x00"
                      "N");
    ck_assert_uint_eq(expect_next(&reader, TRC_TOKEN_TUPLE).count, 2);
    ck_assert_uint_eq(expect_next(&reader, TRC_TOKEN_TUPLE).count, 1);
    ck_assert_uint_eq(expect_next(&reader, TRC_TOKEN_LIST).count, 1);
    expect_next(&reader, TRC_TOKEN_NONE);
    expect_end(&reader);
}
END_TEST

START_TEST(no_sequence_is_longer_than_the_file)
{
    EXPECT_ERROR("(\x02\x00\x00\x00N", 5, long_sequence);
    EXPECT_ERROR("[\xff\xff\xff\xffN", 5, long_sequence);
    EXPECT_ERROR(")\x01", 2, long_sequence);
}
END_TEST

START_TEST(values_can_be_remembered_and_named)
{
    trc_reader reader;
    READER_OF(reader, "\xa9\x00"
                      "r\x07\x00\x00\x00"
                      "\xf2\xff\xff\xff\xff"
                      "\xfb");
    trc_token token = trc_reader_next(&reader);
    ck_assert_int_eq(token.kind, TRC_TOKEN_TUPLE);
    ck_assert(token.remember);
    ck_assert_uint_eq(expect_next(&reader, TRC_TOKEN_REF).count, 7);
    ck_assert_uint_eq(expect_next(&reader, TRC_TOKEN_REF).count, UINT32_MAX); /* a reference is never remembered */
    token = trc_reader_next(&reader);
    ck_assert_int_eq(token.kind, TRC_TOKEN_DICT);
    ck_assert(token.remember);
    expect_end(&reader);
}
END_TEST

START_TEST(only_what_profiles_hold_begins_a_value)
{
    for (int byte = 0; byte < 256; byte++) {
        char data[16] = {(char)byte};
        trc_reader reader;
        trc_reader_init(&reader, data, sizeof data);
        bool known = strchr("0NFTiIlgsutaAzZ()[{r", byte & 0x7f) != NULL && (byte & 0x7f) != 0;
        trc_token token = trc_reader_next(&reader);
        if (known) {
            ck_assert_int_ne(token.kind, TRC_TOKEN_ERROR);
        }
        else if ((byte & 0x7f) == 'f') {
            ck_assert_str_eq(reader.error, no_float);
        }
        else {
            ck_assert_int_eq(token.kind, TRC_TOKEN_ERROR);
            ck_assert_str_eq(reader.error, no_value);
            ck_assert_uint_eq(reader.offset, 0); /* the byte that is wrong, not the one behind it */
        }
    }
}
END_TEST

START_TEST(a_file_may_end_anywhere)
{
    static const struct {
        const char *bytes;
        size_t size;
    } values[] = {
        {"i\x01\x02\x03\x04", 5},
        {"I\x01\x02\x03\x04\x05\x06\x07\x08", 9},
        {"l\x02\x00\x00\x00\x01\x00\x01\x00", 9},
        {"g\x01\x02\x03\x04\x05\x06\x07\x08", 9},
        {"f\x03"
         "1.5",
         5},
        {"s\x02\x00\x00\x00xy", 7},
        {"u\x02\x00\x00\x00xy", 7},
        {"z\x02xy", 4},
        {"r\x01\x02\x03\x04", 5},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (size_t size = 0; size < values[i].size; size++) {
            char *exact = trc_alloc(&trc_system_allocator, size); /* so that sanitizers see a read past the end */
            memcpy(exact, values[i].bytes, size);
            trc_reader reader;
            trc_reader_init(&reader, exact, size);
            ck_assert_int_eq(trc_reader_next(&reader).kind, TRC_TOKEN_ERROR);
            ck_assert_str_eq(reader.error, ends_early);
            ck_assert_uint_le(reader.offset, size);
            trc_free(&trc_system_allocator, exact);
        }
    }
    EXPECT_ERROR("s\xff\xff\xff\xffxy", 5, ends_early);
    EXPECT_ERROR("(\x00\x00", 1, ends_early);
}
END_TEST

/* -- The section ------------------------------------------------------------------------------------------------------- */

/* A file with an empty dict as its first object, and a section of "123456789", whose CRC-32 is well known. */
static const uint8_t with_section[] = "{0"
                                      "\x89TRACER\n"
                                      "\x01\x00\x00\x00"
                                      "\x26\x39\xf4\xcb"
                                      "\x09\x00\x00\x00\x00\x00\x00\x00"
                                      "123456789";
#define FILE_SIZE (sizeof with_section - 1)

START_TEST(a_section_is_found)
{
    trc_section section = trc_section_find(with_section, FILE_SIZE, 2);
    ck_assert_int_eq(section.state, TRC_SECTION_PRESENT);
    ck_assert_uint_eq(section.version, 1);
    ck_assert_ptr_eq(section.payload, with_section + 2 + TRC_SECTION_HEADER);
    ck_assert_uint_eq(section.size, 9);
}
END_TEST

START_TEST(a_header_is_written_as_it_is_read)
{
    uint8_t header[TRC_SECTION_HEADER];
    trc_section_write_header(header, "123456789", 9);
    ck_assert_mem_eq(header, with_section + 2, TRC_SECTION_HEADER);
    trc_section_write_header(header, NULL, 0);
    trc_section section = trc_section_find(header, sizeof header, 0);
    ck_assert_int_eq(section.state, TRC_SECTION_PRESENT);
    ck_assert_uint_eq(section.size, 0);
}
END_TEST

START_TEST(what_follows_a_section_is_not_its_business)
{
    uint8_t longer[FILE_SIZE + 3];
    memcpy(longer, with_section, FILE_SIZE);
    memcpy(longer + FILE_SIZE, "xyz", 3);
    trc_section section = trc_section_find(longer, sizeof longer, 2);
    ck_assert_int_eq(section.state, TRC_SECTION_PRESENT);
    ck_assert_uint_eq(section.size, 9);
}
END_TEST

START_TEST(a_file_that_lost_its_tail_says_so)
{
    ck_assert_int_eq(trc_section_find(with_section, 2, 2).state, TRC_SECTION_ABSENT);
    for (size_t size = 3; size < FILE_SIZE; size++) {
        trc_section section = trc_section_find(with_section, size, 2);
        ck_assert_int_eq(section.state, TRC_SECTION_TRUNCATED);
        ck_assert_ptr_null(section.payload);
        ck_assert_uint_eq(section.size, 0);
    }
}
END_TEST

START_TEST(what_is_not_ours_is_foreign)
{
    ck_assert_int_eq(trc_section_find("{0x", 3, 2).state, TRC_SECTION_FOREIGN);
    for (size_t at = 2; at < 10; at++) {
        uint8_t changed[FILE_SIZE];
        memcpy(changed, with_section, FILE_SIZE);
        changed[at] ^= 0x20;
        ck_assert_int_eq(trc_section_find(changed, FILE_SIZE, 2).state, TRC_SECTION_FOREIGN);
    }
}
END_TEST

START_TEST(a_newer_format_is_named)
{
    static const uint32_t versions[] = {2, 256, UINT32_MAX};
    for (int i = 0; i < 3; i++) {
        uint8_t changed[FILE_SIZE];
        memcpy(changed, with_section, FILE_SIZE);
        for (int byte = 0; byte < 4; byte++) {
            changed[10 + byte] = (uint8_t)(versions[i] >> (8 * byte));
        }
        trc_section section = trc_section_find(changed, FILE_SIZE, 2);
        ck_assert_int_eq(section.state, TRC_SECTION_NEWER);
        ck_assert_uint_eq(section.version, versions[i]);
        ck_assert_ptr_null(section.payload);
    }
}
END_TEST

START_TEST(any_flipped_bit_of_the_payload_or_its_checksum_is_seen)
{
    for (size_t at = 14; at < FILE_SIZE; at++) {
        if (at >= 18 && at < 26) {
            continue; /* the length */
        }
        for (int bit = 0; bit < 8; bit++) {
            uint8_t changed[FILE_SIZE];
            memcpy(changed, with_section, FILE_SIZE);
            changed[at] ^= (uint8_t)(1 << bit);
            ck_assert_int_eq(trc_section_find(changed, FILE_SIZE, 2).state, TRC_SECTION_DAMAGED);
        }
    }
}
END_TEST

START_TEST(a_changed_length_is_seen)
{
    for (size_t at = 18; at < 26; at++) {
        uint8_t changed[FILE_SIZE];
        memcpy(changed, with_section, FILE_SIZE);
        changed[at] += 1;
        ck_assert_int_eq(trc_section_find(changed, FILE_SIZE, 2).state, TRC_SECTION_TRUNCATED);
    }
    uint8_t shorter[FILE_SIZE];
    memcpy(shorter, with_section, FILE_SIZE);
    shorter[18]--;
    ck_assert_int_eq(trc_section_find(shorter, FILE_SIZE, 2).state, TRC_SECTION_DAMAGED);
}
END_TEST

Suite *reader_suite(void)
{
    Suite *suite = suite_create("reader");
    TCase *tcase = tcase_create("tokens");
    tcase_add_test(tcase, plain_values_are_tokens);
    tcase_add_test(tcase, integers_have_their_sign_and_all_their_bits);
    tcase_add_test(tcase, integers_beyond_64_bits_are_refused);
    tcase_add_test(tcase, floats_are_exact_in_both_notations);
    tcase_add_test(tcase, what_is_no_number_is_no_float);
    tcase_add_test(tcase, texts_are_borrowed_bytes);
    tcase_add_test(tcase, sequences_announce_what_follows);
    tcase_add_test(tcase, no_sequence_is_longer_than_the_file);
    tcase_add_test(tcase, values_can_be_remembered_and_named);
    tcase_add_test(tcase, only_what_profiles_hold_begins_a_value);
    tcase_add_test(tcase, a_file_may_end_anywhere);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("section");
    tcase_add_test(tcase, a_section_is_found);
    tcase_add_test(tcase, a_header_is_written_as_it_is_read);
    tcase_add_test(tcase, what_follows_a_section_is_not_its_business);
    tcase_add_test(tcase, a_file_that_lost_its_tail_says_so);
    tcase_add_test(tcase, what_is_not_ours_is_foreign);
    tcase_add_test(tcase, a_newer_format_is_named);
    tcase_add_test(tcase, any_flipped_bit_of_the_payload_or_its_checksum_is_seen);
    tcase_add_test(tcase, a_changed_length_is_seen);
    suite_add_tcase(suite, tcase);
    return suite;
}
