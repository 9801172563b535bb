/* cfi_program.[ch]: each instruction of call frame information gives the rule that the DWARF standard says, or the program
 * is refused. */
#include "suites.h"

#include <core/unwind/cfi_program.h>

/* The instructions by their names in the DWARF standard, without DW_CFA_. */
enum {
    NOP,
    SET_LOC,
    ADVANCE_LOC1,
    ADVANCE_LOC2,
    ADVANCE_LOC4,
    OFFSET_EXTENDED,
    RESTORE_EXTENDED,
    UNDEFINED,
    SAME_VALUE,
    REGISTER,
    REMEMBER_STATE,
    RESTORE_STATE,
    DEF_CFA,
    DEF_CFA_REGISTER,
    DEF_CFA_OFFSET,
    DEF_CFA_EXPRESSION,
    EXPRESSION,
    OFFSET_EXTENDED_SF,
    DEF_CFA_SF,
    DEF_CFA_OFFSET_SF,
    VAL_OFFSET,
    VAL_OFFSET_SF,
    VAL_EXPRESSION,
    ADVANCE_LOC8 = 0x1d,
    AARCH64_NEGATE_RA_STATE = 0x2d,
    GNU_ARGS_SIZE = 0x2e,
    GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
    ADVANCE_LOC = 1 << 6, /* and a number, as the next two */
    OFFSET = 2 << 6,
    RESTORE = 3 << 6,
};
#define START 1000
#define MINUS_2 0x7e /* as a signed LEB128 */

static const uint8_t usual[] = {DEF_CFA, 7, 16, OFFSET + 3, 1};

/* Runs a program behind the usual one of a CIE, which may be left out. Offsets are of 8 bytes, and negative; the code has
 * units of 4 bytes. */
static bool run(const uint8_t *initial, size_t initial_size, const uint8_t *bytes, size_t size, uint64_t address,
                trc_row *row)
{
    trc_cfi_entry entry = {
        .start = START, .end = 2 * START, .code_factor = 4, .data_factor = -8, .return_register = 16};
    entry.initial = trc_span_of(initial, initial_size, 0);
    entry.program = trc_span_of(bytes, size, 0);
    return trc_cfi_run(&entry, address, row);
}

static trc_row row_at(uint64_t address, const uint8_t *bytes, size_t size)
{
    trc_row row;
    ck_assert(run(usual, sizeof usual, bytes, size, address, &row));
    ck_assert_uint_eq(row.return_register, 16);
    return row;
}

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static void expect(trc_rule rule, trc_rule_kind kind, uint32_t number, int64_t offset)
{
    ck_assert_int_eq(rule.kind, kind);
    ck_assert_uint_eq(rule.number, number);
    ck_assert_int_eq(rule.offset, offset);
}

#define EXPECT_RULE(kind, number, offset, ...) \
    expect(row_at(START, BYTES(__VA_ARGS__)).registers[3], kind, number, offset)
#define EXPECT_CFA(number, offset, ...) expect(row_at(START, BYTES(__VA_ARGS__)).cfa, TRC_RULE_REGISTER, number, offset)

START_TEST(a_register_is_where_its_rule_says)
{
    EXPECT_RULE(TRC_RULE_OFFSET, 0, -8, NOP);
    EXPECT_RULE(TRC_RULE_OFFSET, 0, -16, OFFSET + 3, 2);
    EXPECT_RULE(TRC_RULE_OFFSET, 0, -16, OFFSET_EXTENDED, 3, 2);
    EXPECT_RULE(TRC_RULE_OFFSET, 0, 16, OFFSET_EXTENDED_SF, 3, MINUS_2);
    EXPECT_RULE(TRC_RULE_OFFSET, 0, 16, GNU_NEGATIVE_OFFSET_EXTENDED, 3, 2);
    EXPECT_RULE(TRC_RULE_VALUE_OFFSET, 0, -16, VAL_OFFSET, 3, 2);
    EXPECT_RULE(TRC_RULE_VALUE_OFFSET, 0, 16, VAL_OFFSET_SF, 3, MINUS_2);
    EXPECT_RULE(TRC_RULE_REGISTER, 5, 0, REGISTER, 3, 5);
    EXPECT_RULE(TRC_RULE_UNDEFINED, TRC_REGISTERS, 0, REGISTER, 3, TRC_REGISTERS);
    EXPECT_RULE(TRC_RULE_UNDEFINED, 0, 0, UNDEFINED, 3);
    EXPECT_RULE(TRC_RULE_SAME, 0, 0, SAME_VALUE, 3);
    EXPECT_RULE(TRC_RULE_OFFSET, 0, -8, OFFSET + 40, 9); /* a vector register has no place */
    EXPECT_RULE(TRC_RULE_OFFSET, 0, -8, SAME_VALUE, 3, RESTORE + 3);
    EXPECT_RULE(TRC_RULE_OFFSET, 0, -8, OFFSET + 3, 5, RESTORE_EXTENDED, 3);
}
END_TEST

START_TEST(an_expression_is_told_by_its_bytes)
{
    static const uint8_t bytes[] = {EXPRESSION,         3, 2,   0x30, 0x31, VAL_EXPRESSION, 6, 1, 0x32,
                                    DEF_CFA_EXPRESSION, 1, 0x33};
    trc_row row = row_at(START, bytes, sizeof bytes);
    ck_assert_int_eq(row.registers[3].kind, TRC_RULE_EXPRESSION);
    ck_assert_uint_eq(row.registers[3].number, 2);
    ck_assert_ptr_eq(row.registers[3].expression, bytes + 3);
    ck_assert_int_eq(row.registers[6].kind, TRC_RULE_VALUE_EXPRESSION);
    ck_assert_ptr_eq(row.registers[6].expression, bytes + 8);
    ck_assert_int_eq(row.cfa.kind, TRC_RULE_VALUE_EXPRESSION);
    ck_assert_uint_eq(row.cfa.number, 1);
    ck_assert_ptr_eq(row.cfa.expression, bytes + 11);
}
END_TEST

START_TEST(the_cfa_is_a_register_and_an_offset)
{
    EXPECT_CFA(7, 16, NOP);
    EXPECT_CFA(6, 200, DEF_CFA, 6, 0xc8, 0x01);
    EXPECT_CFA(6, 16, DEF_CFA_SF, 6, MINUS_2);
    EXPECT_CFA(6, 16, DEF_CFA_REGISTER, 6);
    EXPECT_CFA(7, 32, DEF_CFA_OFFSET, 32);
    EXPECT_CFA(7, 16, DEF_CFA_OFFSET, 32, DEF_CFA_OFFSET_SF, MINUS_2);
    EXPECT_CFA(7, 16, GNU_ARGS_SIZE, 99, AARCH64_NEGATE_RA_STATE);
}
END_TEST

START_TEST(rules_are_those_of_the_code_from_an_address_on)
{
    static const uint8_t bytes[] = {
        ADVANCE_LOC + 2,
        DEF_CFA_OFFSET,
        1, /* from 1008 on */
        ADVANCE_LOC1,
        3,
        DEF_CFA_OFFSET,
        2, /* 1020 */
        ADVANCE_LOC2,
        0,
        1,
        DEF_CFA_OFFSET,
        3, /* 2044 */
        ADVANCE_LOC4,
        1,
        0,
        0,
        0,
        DEF_CFA_OFFSET,
        4, /* 2048 */
        ADVANCE_LOC8,
        2,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        DEF_CFA_OFFSET,
        5, /* 2056 */
        SET_LOC,
        0,
        16,
        0,
        0,
        0,
        0,
        0,
        0,
        DEF_CFA_OFFSET,
        6, /* 4096 */
    };
    static const uint64_t addresses[] = {1008, 1020, 2044, 2048, 2056, 4096};
    ck_assert_int_eq(row_at(START, bytes, sizeof bytes).cfa.offset, 16);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(row_at(addresses[i] - 1, bytes, sizeof bytes).cfa.offset, i == 0 ? 16 : i);
        ck_assert_int_eq(row_at(addresses[i], bytes, sizeof bytes).cfa.offset, i + 1);
    }
}
END_TEST

START_TEST(a_state_that_is_remembered_comes_back_as_a_whole)
{
    static const uint8_t bytes[] = {OFFSET + 3,     4,  REMEMBER_STATE, SAME_VALUE,   3, DEF_CFA, 6, 64, REMEMBER_STATE,
                                    DEF_CFA_OFFSET, 65, RESTORE_STATE,  RESTORE_STATE};
    trc_row row = row_at(START, bytes, sizeof bytes - 1);
    expect(row.cfa, TRC_RULE_REGISTER, 6, 64);
    expect(row.registers[3], TRC_RULE_SAME, 0, 0);
    row = row_at(START, bytes, sizeof bytes);
    expect(row.cfa, TRC_RULE_REGISTER, 7, 16);
    expect(row.registers[3], TRC_RULE_OFFSET, 0, -32);
}
END_TEST

static void expect_bad(const uint8_t *bytes, size_t size)
{
    trc_row row;
    ck_assert(!run(usual, sizeof usual, bytes, size, START, &row));
}

#define EXPECT_BAD(...) expect_bad(BYTES(__VA_ARGS__))

START_TEST(what_cannot_be_run_is_refused)
{
    trc_row row;
    static const uint8_t offset[] = {OFFSET + 3, 1, DEF_CFA_OFFSET, 8};
    ck_assert(!run(NULL, 0, offset, 2, START, &row)); /* it says nothing of the CFA */
    ck_assert(!run(NULL, 0, offset, 4, START, &row));
    EXPECT_BAD(0x17);
    EXPECT_BAD(DEF_CFA, TRC_REGISTERS, 8);
    EXPECT_BAD(DEF_CFA_REGISTER, TRC_REGISTERS);
    EXPECT_BAD(DEF_CFA_EXPRESSION, 1, 0x30, DEF_CFA_OFFSET, 8);
    EXPECT_BAD(DEF_CFA_EXPRESSION, 1, 0x30, DEF_CFA_REGISTER, 6);
    EXPECT_BAD(DEF_CFA_EXPRESSION, 1, 0x30, DEF_CFA_OFFSET_SF, 8);
    EXPECT_BAD(RESTORE_STATE);
    EXPECT_BAD(OFFSET_EXTENDED, 3);
    EXPECT_BAD(EXPRESSION, 3, 2, 0x30);
    EXPECT_BAD(ADVANCE_LOC2, 1);
    trc_cfi_entry entry = {.return_register = TRC_REGISTERS};
    entry.initial = entry.program = trc_span_of(usual, sizeof usual, 0);
    ck_assert(!trc_cfi_run(&entry, 0, &row));
    entry.return_register = TRC_REGISTERS - 1;
    entry.is_signal = true;
    ck_assert(trc_cfi_run(&entry, 0, &row));
    ck_assert(row.is_signal);
}
END_TEST

Suite *cfi_program_suite(void)
{
    Suite *suite = suite_create("cfi_program");
    TCase *tcase = tcase_create("cfi_program");
    tcase_add_test(tcase, a_register_is_where_its_rule_says);
    tcase_add_test(tcase, an_expression_is_told_by_its_bytes);
    tcase_add_test(tcase, the_cfa_is_a_register_and_an_offset);
    tcase_add_test(tcase, rules_are_those_of_the_code_from_an_address_on);
    tcase_add_test(tcase, a_state_that_is_remembered_comes_back_as_a_whole);
    tcase_add_test(tcase, what_cannot_be_run_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
