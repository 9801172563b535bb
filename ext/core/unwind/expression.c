/* Evaluates DWARF expressions: see expression.h. The names of operations are those of the DWARF standard, without
 * DW_OP_. */
#include "core/unwind/expression.h"

#define DEPTH 64
#define STEPS 1000 /* a branch may go back */

enum {
    ADDR = 0x03,
    DEREF = 0x06,
    CONST1U = 0x08, /* up to CONST8S: unsigned and signed in turn, of 1, 2, 4 and 8 bytes */
    CONST8S = 0x0f,
    CONSTU = 0x10,
    CONSTS = 0x11,
    DUP = 0x12,
    DROP = 0x13,
    OVER = 0x14,
    PICK = 0x15,
    SWAP = 0x16,
    ROT = 0x17,
    ABS = 0x19,
    AND = 0x1a,
    DIV = 0x1b,
    MINUS = 0x1c,
    MOD = 0x1d,
    MUL = 0x1e,
    NEG = 0x1f,
    NOT = 0x20,
    OR = 0x21,
    PLUS = 0x22,
    PLUS_UCONST = 0x23,
    SHL = 0x24,
    SHR = 0x25,
    SHRA = 0x26,
    XOR = 0x27,
    BRA = 0x28,
    EQ = 0x29,
    GE = 0x2a,
    GT = 0x2b,
    LE = 0x2c,
    LT = 0x2d,
    NE = 0x2e,
    SKIP = 0x2f,
    LIT0 = 0x30,
    LIT31 = 0x4f,
    BREG0 = 0x70,
    BREG31 = 0x8f,
    BREGX = 0x92,
    DEREF_SIZE = 0x94,
    NOP = 0x96,
};

typedef struct evaluation {
    trc_span span;
    const uint8_t *start; /* of the expression, for branches */
    const uint64_t *registers;
    const trc_native_stack *memory;
    uint64_t stack[DEPTH];
    unsigned depth;
    trc_evaluated result;
} evaluation;

static void push(evaluation *run, uint64_t value)
{
    if (run->depth == DEPTH) {
        run->result = TRC_EVALUATED_BAD;
        return;
    }
    run->stack[run->depth++] = value;
}

static uint64_t pop(evaluation *run)
{
    if (run->depth == 0) {
        run->result = TRC_EVALUATED_BAD;
        return 0;
    }
    return run->stack[--run->depth];
}

/* Pushes the value that is `index` below the top. */
static void pick(evaluation *run, unsigned index)
{
    if (index >= run->depth) {
        run->result = TRC_EVALUATED_BAD;
        return;
    }
    push(run, run->stack[run->depth - 1 - index]);
}

static void push_register(evaluation *run, uint64_t number)
{
    int64_t offset = trc_span_sleb(&run->span);
    if (number >= TRC_REGISTERS) {
        run->result = TRC_EVALUATED_BAD;
        return;
    }
    push(run, run->registers[number] + (uint64_t)offset);
}

static void load(evaluation *run, size_t size)
{
    uint64_t address = pop(run), value = 0;
    if (size == 0 || size > 8) {
        run->result = TRC_EVALUATED_BAD;
    }
    else if (!trc_native_stack_read(run->memory, address, size, &value) && run->result == TRC_EVALUATED) {
        run->result = TRC_EVALUATED_OUTSIDE;
    }
    push(run, value);
}

static void jump(evaluation *run, bool taken)
{
    int64_t distance = trc_signed(trc_span_u16(&run->span), 16);
    int64_t place = run->span.at - run->start + distance;
    if (!taken) {
        return;
    }
    if (place < 0 || place > run->span.end - run->start) {
        run->result = TRC_EVALUATED_BAD;
        return;
    }
    run->span.at = run->start + place;
}

static void compute(evaluation *run, uint8_t operation)
{
    uint64_t right = pop(run), left = pop(run);
    int64_t signed_right = (int64_t)right, signed_left = (int64_t)left;
    uint64_t sign = left >> 63 != 0 ? UINT64_MAX : 0;
    switch (operation) {
    case AND:
        push(run, left & right);
        break;
    case DIV: /* by -1 it is a negation, which wraps */
        run->result = right == 0 ? TRC_EVALUATED_BAD : run->result;
        push(run, right == 0 ? 0 : right == UINT64_MAX ? 0 - left : (uint64_t)(signed_left / signed_right));
        break;
    case MINUS:
        push(run, left - right);
        break;
    case MOD:
        run->result = right == 0 ? TRC_EVALUATED_BAD : run->result;
        push(run, right == 0 ? 0 : left % right);
        break;
    case MUL:
        push(run, left * right);
        break;
    case OR:
        push(run, left | right);
        break;
    case PLUS:
        push(run, left + right);
        break;
    case SHL:
        push(run, right < 64 ? left << right : 0);
        break;
    case SHR:
        push(run, right < 64 ? left >> right : 0);
        break;
    case SHRA:
        push(run, right >= 64 ? sign : right == 0 ? left : left >> right | sign << (64 - right));
        break;
    case XOR:
        push(run, left ^ right);
        break;
    case EQ:
        push(run, left == right);
        break;
    case GE:
        push(run, signed_left >= signed_right);
        break;
    case GT:
        push(run, signed_left > signed_right);
        break;
    case LE:
        push(run, signed_left <= signed_right);
        break;
    case LT:
        push(run, signed_left < signed_right);
        break;
    case NE:
        push(run, left != right);
        break;
    default:
        run->result = TRC_EVALUATED_BAD;
    }
}

/* The operations that order the stack, and those on its top alone. */
static void arrange(evaluation *run, uint8_t operation)
{
    uint64_t top = pop(run), second, third;
    switch (operation) {
    case DROP:
        break;
    case SWAP:
        second = pop(run);
        push(run, top);
        push(run, second);
        break;
    case ROT:
        second = pop(run), third = pop(run);
        push(run, top);
        push(run, third);
        push(run, second);
        break;
    case ABS:
        push(run, top >> 63 != 0 ? 0 - top : top);
        break;
    case NEG:
        push(run, 0 - top);
        break;
    case NOT:
        push(run, ~top);
        break;
    case PLUS_UCONST:
        push(run, top + trc_span_uleb(&run->span));
        break;
    default:
        run->result = TRC_EVALUATED_BAD;
    }
}

static void step(evaluation *run)
{
    uint8_t operation = trc_span_u8(&run->span);
    if (operation >= LIT0 && operation <= LIT31) {
        push(run, operation - LIT0);
        return;
    }
    if (operation >= BREG0 && operation <= BREG31) {
        push_register(run, operation - BREG0);
        return;
    }
    if (operation >= CONST1U && operation <= CONST8S) {
        unsigned size = 1u << (operation - CONST1U) / 2;
        uint64_t number = trc_span_number(&run->span, size);
        push(run, (operation - CONST1U) % 2 == 0 ? number : (uint64_t)trc_signed(number, 8 * size));
        return;
    }
    switch (operation) {
    case NOP:
        break;
    case ADDR:
        push(run, trc_span_u64(&run->span));
        break;
    case CONSTU:
        push(run, trc_span_uleb(&run->span));
        break;
    case CONSTS:
        push(run, (uint64_t)trc_span_sleb(&run->span));
        break;
    case DEREF:
        load(run, 8);
        break;
    case DEREF_SIZE:
        load(run, trc_span_u8(&run->span));
        break;
    case BREGX:
        push_register(run, trc_span_uleb(&run->span));
        break;
    case DUP:
        pick(run, 0);
        break;
    case OVER:
        pick(run, 1);
        break;
    case PICK:
        pick(run, trc_span_u8(&run->span));
        break;
    case SKIP:
        jump(run, true);
        break;
    case BRA:
        jump(run, pop(run) != 0);
        break;
    case DROP:
    case SWAP:
    case ROT:
    case ABS:
    case NEG:
    case NOT:
    case PLUS_UCONST:
        arrange(run, operation);
        break;
    default:
        compute(run, operation);
    }
}

trc_evaluated trc_expression_evaluate(trc_span expression, const uint64_t registers[TRC_REGISTERS],
                                      const trc_native_stack *memory, const uint64_t *first, uint64_t *value)
{
    evaluation run;
    run.span = expression;
    run.start = expression.at;
    run.registers = registers;
    run.memory = memory;
    run.depth = 0;
    run.result = TRC_EVALUATED;
    if (first != NULL) {
        push(&run, *first);
    }
    for (int steps = 0; trc_span_left(&run.span) > 0; steps++) {
        step(&run);
        if (run.span.failed || steps == STEPS) {
            return TRC_EVALUATED_BAD;
        }
        if (run.result != TRC_EVALUATED) {
            return run.result;
        }
    }
    *value = pop(&run);
    return run.result;
}
