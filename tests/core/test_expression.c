/* expression.[ch]: each operation gives the number that the DWARF standard says, or that is refused. */
#include "suites.h"

#include <core/unwind/expression.h>

/* The operations by their names in the DWARF standard, without DW_OP_. */
enum {
    ADDR = 0x03,
    DEREF = 0x06,
    CONST1U = 0x08,
    CONST1S,
    CONST2U,
    CONST2S,
    CONST4U,
    CONST4S,
    CONST8U,
    CONST8S,
    CONSTU,
    CONSTS,
    DUP,
    DROP,
    OVER,
    PICK,
    SWAP,
    ROT,
    ABS = 0x19,
    AND,
    DIV,
    MINUS,
    MOD,
    MUL,
    NEG,
    NOT,
    OR,
    PLUS,
    PLUS_UCONST,
    SHL,
    SHR,
    SHRA,
    XOR,
    BRA,
    EQ,
    GE,
    GT,
    LE,
    LT,
    NE,
    SKIP,
    LIT0,
    LIT31 = 0x4f,
    BREG0 = 0x70,
    BREGX = 0x92,
    DEREF_SIZE = 0x94,
    NOP = 0x96,
};
#define LIT(number) (LIT0 + (number))
#define BREG(number) (BREG0 + (number))

#define DEPTH 64 /* of the stack */

static trc_evaluated evaluate(const uint8_t *bytes, size_t size, const uint64_t *first, uint64_t *value)
{
    static const uint8_t copied[] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xf0};
    trc_native_stack memory = {copied, sizeof copied, 16};
    uint64_t registers[TRC_REGISTERS];
    for (uint64_t i = 0; i < TRC_REGISTERS; i++) {
        registers[i] = 1000 * i;
    }
    return trc_expression_evaluate(trc_span_of(bytes, size, 0), registers, &memory, first, value);
}

static void expect_value(uint64_t expected, const uint8_t *bytes, size_t size)
{
    uint64_t value;
    ck_assert_int_eq(evaluate(bytes, size, NULL, &value), TRC_EVALUATED);
    ck_assert_uint_eq(value, expected);
}

static void expect_none(trc_evaluated expected, const uint8_t *bytes, size_t size)
{
    uint64_t value;
    ck_assert_int_eq(evaluate(bytes, size, NULL, &value), expected);
}

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define EXPECT(expected, ...) expect_value((uint64_t)(expected), BYTES(__VA_ARGS__))
#define EXPECT_BAD(...) expect_none(TRC_EVALUATED_BAD, BYTES(__VA_ARGS__))
#define EXPECT_OUTSIDE(...) expect_none(TRC_EVALUATED_OUTSIDE, BYTES(__VA_ARGS__))

START_TEST(constants_are_as_wide_and_as_signed_as_they_say)
{
    EXPECT(0, LIT(0));
    EXPECT(31, LIT31);
    EXPECT(0x8877665544332211, ADDR, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88);
    EXPECT(0xfe, CONST1U, 0xfe);
    EXPECT(-2, CONST1S, 0xfe);
    EXPECT(0xfe01, CONST2U, 0x01, 0xfe);
    EXPECT(-511, CONST2S, 0x01, 0xfe);
    EXPECT(0xfffffffe, CONST4U, 0xfe, 0xff, 0xff, 0xff);
    EXPECT(-2, CONST4S, 0xfe, 0xff, 0xff, 0xff);
    EXPECT(1, CONST8U, 1, 0, 0, 0, 0, 0, 0, 0);
    EXPECT(INT64_MIN, CONST8S, 0, 0, 0, 0, 0, 0, 0, 0x80);
    EXPECT(624485, CONSTU, 0xe5, 0x8e, 0x26);
    EXPECT(-128, CONSTS, 0x80, 0x7f);
    EXPECT(127, CONSTU, 0x7f);
    EXPECT(-1, CONSTS, 0x7f);
}
END_TEST

START_TEST(registers_are_told_with_an_offset)
{
    EXPECT(8, BREG(0), 8);
    EXPECT(7000 - 8, BREG(7), 0x78);
    EXPECT(31000 + 128, BREG(31), 0x80, 0x01);
    EXPECT(32000 - 1, BREGX, 32, 0x7f);
    EXPECT_BAD(BREGX, 33, 0);
}
END_TEST

START_TEST(memory_is_read_in_the_copy_alone)
{
    EXPECT(0x1122334455667788, LIT(16), DEREF);
    EXPECT(0xf011223344556677, LIT(17), DEREF);
    EXPECT(0x88, LIT(16), DEREF_SIZE, 1);
    EXPECT(0x7788, LIT(16), DEREF_SIZE, 2);
    EXPECT(0xf0112233, LIT(21), DEREF_SIZE, 4);
    EXPECT(0xf011223344556677, LIT(17), DEREF_SIZE, 8);
    EXPECT(0xf0, LIT(24), DEREF_SIZE, 1);
    EXPECT_OUTSIDE(LIT(15), DEREF);
    EXPECT_OUTSIDE(LIT(18), DEREF);
    EXPECT_OUTSIDE(LIT(25), DEREF_SIZE, 1);
    EXPECT_BAD(LIT(16), DEREF_SIZE, 0);
    EXPECT_BAD(LIT(16), DEREF_SIZE, 9);
    EXPECT_BAD(DEREF);
}
END_TEST

START_TEST(the_stack_is_put_in_order)
{
    EXPECT(10, LIT(5), DUP, PLUS);
    EXPECT(1, LIT(1), LIT(2), DROP);
    EXPECT(1, LIT(1), LIT(2), OVER);
    EXPECT(3, LIT(1), LIT(2), LIT(3), PICK, 0);
    EXPECT(1, LIT(1), LIT(2), LIT(3), PICK, 2);
    EXPECT(1, LIT(1), LIT(2), SWAP);
    EXPECT(2, LIT(1), LIT(2), SWAP, DROP);
    /* The top becomes the third. */
    EXPECT(2, LIT(1), LIT(2), LIT(3), ROT);
    EXPECT(1, LIT(1), LIT(2), LIT(3), ROT, DROP);
    EXPECT(3, LIT(1), LIT(2), LIT(3), ROT, DROP, DROP);
    EXPECT(4, LIT(4), NOP);
}
END_TEST

START_TEST(the_top_is_changed_alone)
{
    EXPECT(7, CONST1S, 0xf9, ABS);
    EXPECT(7, LIT(7), ABS);
    EXPECT(-7, LIT(7), NEG);
    EXPECT(-8, LIT(7), NOT);
    EXPECT(7 + 624485, LIT(7), PLUS_UCONST, 0xe5, 0x8e, 0x26);
    EXPECT(6, CONST1S, 0xff, PLUS_UCONST, 7);
}
END_TEST

static const struct {
    uint8_t operation;
    int64_t left, right, expected;
} computed[] = {
    {AND, 12, 10, 8},    {OR, 12, 10, 14},        {XOR, 12, 10, 6},    {PLUS, 7, 5, 12},
    {PLUS, -1, 2, 1},    {MINUS, 7, 5, 2},        {MINUS, 5, 7, -2},   {MUL, 7, -5, -35},
    {DIV, 7, 2, 3},      {DIV, -7, 2, -3},        {DIV, 7, -1, -7},    {DIV, INT64_MIN, -1, INT64_MIN},
    {MOD, 7, 4, 3},      {MOD, -1, 10, 5}, /* 2^64 - 1: the remainder is of numbers without a sign */
    {SHL, 3, 4, 48},     {SHL, 1, 63, INT64_MIN}, {SHL, 1, 64, 0},     {SHR, 48, 4, 3},
    {SHR, -1, 63, 1},    {SHR, -1, 64, 0},        {SHRA, 48, 4, 3},    {SHRA, -32, 4, -2},
    {SHRA, -32, 0, -32}, {SHRA, -32, 63, -1},     {SHRA, -32, 64, -1}, {SHRA, 32, 64, 0},
};

START_TEST(two_numbers_give_one)
{
    uint8_t bytes[19] = {CONST8U, [9] = CONST8U, [18] = computed[_i].operation};
    for (int i = 0; i < 8; i++) {
        bytes[1 + i] = (uint8_t)((uint64_t)computed[_i].left >> 8 * i);
        bytes[10 + i] = (uint8_t)((uint64_t)computed[_i].right >> 8 * i);
    }
    expect_value((uint64_t)computed[_i].expected, bytes, sizeof bytes);
}
END_TEST

START_TEST(numbers_are_compared_with_their_signs)
{
    static const uint8_t operations[] = {EQ, GE, GT, LE, LT, NE};
    static const uint8_t expected[][3] = {/* -1 and 1; 1 and 1; 1 and -1 */
                                          {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 1, 0}, {1, 0, 0}, {1, 0, 1}};
    for (int i = 0; i < 6; i++) {
        EXPECT(expected[i][0], CONST1S, 0xff, LIT(1), operations[i]);
        EXPECT(expected[i][1], LIT(1), LIT(1), operations[i]);
        EXPECT(expected[i][2], LIT(1), CONST1S, 0xff, operations[i]);
    }
}
END_TEST

START_TEST(branches_go_forth_and_back)
{
    EXPECT(1, LIT(1), SKIP, 1, 0, LIT(2));
    EXPECT(2, LIT(1), SKIP, 0, 0, LIT(2));
    EXPECT(1, LIT(1), LIT(5), BRA, 1, 0, LIT(2));
    EXPECT(2, LIT(1), LIT(0), BRA, 1, 0, LIT(2));
    /* 3 times: the number below is doubled, the counter is one less. */
    EXPECT(8, LIT(1), LIT(3), SWAP, DUP, PLUS, SWAP, LIT(1), MINUS, DUP, BRA, 0xf6, 0xff, DROP);
}
END_TEST

START_TEST(what_cannot_be_evaluated_is_refused)
{
    EXPECT_BAD(LIT(1), LIT(0), DIV);
    EXPECT_BAD(LIT(1), LIT(0), MOD);
    EXPECT_BAD(LIT(1), AND);
    EXPECT_BAD(LIT(1), SWAP);
    EXPECT_BAD(LIT(1), LIT(2), ROT);
    EXPECT_BAD(DUP);
    EXPECT_BAD(LIT(1), OVER);
    EXPECT_BAD(LIT(1), PICK, 1);
    EXPECT_BAD(LIT(1), DROP);
    EXPECT_BAD(LIT(1), LIT(2), 0x97);
    EXPECT_BAD(CONST2U, 1);
    EXPECT_BAD(LIT(1), SKIP, 1, 0);
    EXPECT_BAD(LIT(1), SKIP, 0xfb, 0xff);
    EXPECT_BAD(LIT(1), SKIP, 0xfd, 0xff); /* without end */
}
END_TEST

START_TEST(the_stack_holds_so_many_numbers)
{
    uint8_t bytes[DEPTH + 1];
    memset(bytes, LIT(3), sizeof bytes);
    expect_value(3, bytes, DEPTH);
    expect_none(TRC_EVALUATED_BAD, bytes, DEPTH + 1);
}
END_TEST

START_TEST(a_number_may_be_there_from_the_beginning)
{
    static const uint8_t bytes[] = {PLUS_UCONST, 8};
    uint64_t first = 1000, value;
    ck_assert_int_eq(evaluate(bytes, sizeof bytes, &first, &value), TRC_EVALUATED);
    ck_assert_uint_eq(value, 1008);
    ck_assert_int_eq(evaluate(bytes, sizeof bytes, NULL, &value), TRC_EVALUATED_BAD);
    ck_assert_int_eq(evaluate(bytes, 0, &first, &value), TRC_EVALUATED);
    ck_assert_uint_eq(value, 1000);
    ck_assert_int_eq(evaluate(bytes, 0, NULL, &value), TRC_EVALUATED_BAD);
}
END_TEST

Suite *expression_suite(void)
{
    Suite *suite = suite_create("expression");
    TCase *tcase = tcase_create("expression");
    tcase_add_test(tcase, constants_are_as_wide_and_as_signed_as_they_say);
    tcase_add_test(tcase, registers_are_told_with_an_offset);
    tcase_add_test(tcase, memory_is_read_in_the_copy_alone);
    tcase_add_test(tcase, the_stack_is_put_in_order);
    tcase_add_test(tcase, the_top_is_changed_alone);
    tcase_add_loop_test(tcase, two_numbers_give_one, 0, sizeof computed / sizeof *computed);
    tcase_add_test(tcase, numbers_are_compared_with_their_signs);
    tcase_add_test(tcase, branches_go_forth_and_back);
    tcase_add_test(tcase, what_cannot_be_evaluated_is_refused);
    tcase_add_test(tcase, the_stack_holds_so_many_numbers);
    tcase_add_test(tcase, a_number_may_be_there_from_the_beginning);
    suite_add_tcase(suite, tcase);
    return suite;
}
