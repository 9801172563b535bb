/* Runs the program of an FDE: see cfi_program.h. The names of instructions are those of the DWARF standard, without
 * DW_CFA_. */
#include "core/unwind/cfi_program.h"

#define REMEMBERED 6 /* states at a time; compilers remember one, seldom two */

enum {
    ADVANCE_LOC = 1, /* the highest two bits; the others are an operand */
    OFFSET = 2,
    RESTORE = 3,
    NOP = 0x00,
    SET_LOC = 0x01,
    ADVANCE_LOC1 = 0x02,
    ADVANCE_LOC2 = 0x03,
    ADVANCE_LOC4 = 0x04,
    OFFSET_EXTENDED = 0x05,
    RESTORE_EXTENDED = 0x06,
    UNDEFINED = 0x07,
    SAME_VALUE = 0x08,
    REGISTER = 0x09,
    REMEMBER_STATE = 0x0a,
    RESTORE_STATE = 0x0b,
    DEF_CFA = 0x0c,
    DEF_CFA_REGISTER = 0x0d,
    DEF_CFA_OFFSET = 0x0e,
    DEF_CFA_EXPRESSION = 0x0f,
    EXPRESSION = 0x10,
    OFFSET_EXTENDED_SF = 0x11,
    DEF_CFA_SF = 0x12,
    DEF_CFA_OFFSET_SF = 0x13,
    VAL_OFFSET = 0x14,
    VAL_OFFSET_SF = 0x15,
    VAL_EXPRESSION = 0x16,
    ADVANCE_LOC8 = 0x1d,
    AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
    AARCH64_NEGATE_RA_STATE = 0x2d,
    GNU_ARGS_SIZE = 0x2e,
    GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

/* The rules that change: those of the CFA and of the registers. */
typedef struct state {
    trc_rule cfa;
    trc_rule registers[TRC_REGISTERS];
} state;

typedef struct machine {
    const trc_cfi_entry *entry;
    trc_span span;
    uint64_t address; /* the rules are those of the code from here on */
    state now;
    state initial; /* after the program of the CIE */
    state remembered[REMEMBERED];
    unsigned remembered_count;
    bool failed;
} machine;

/* Rules of vector registers have no place and are dropped. */
static void set(machine *machine, uint64_t number, trc_rule rule)
{
    if (number < TRC_REGISTERS) {
        machine->now.registers[number] = rule;
    }
}

static void set_offset(machine *machine, trc_rule_kind kind, uint64_t number, uint64_t factored)
{
    int64_t offset = (int64_t)(factored * (uint64_t)machine->entry->data_factor);
    set(machine, number, (trc_rule){.kind = kind, .offset = offset});
}

static trc_rule read_expression(machine *machine, trc_rule_kind kind)
{
    trc_span block = trc_span_take(&machine->span, trc_span_uleb(&machine->span));
    size_t size = trc_span_left(&block);
    machine->failed |= size > UINT32_MAX;
    return (trc_rule){.kind = kind, .number = (uint32_t)size, .expression = block.at};
}

static void set_cfa(machine *machine, uint64_t number, int64_t offset)
{
    machine->failed |= number >= TRC_REGISTERS;
    machine->now.cfa = (trc_rule){.kind = TRC_RULE_REGISTER, .number = (uint32_t)number, .offset = offset};
}

/* For what changes one half of the CFA's rule, so needs the other. */
static void need_cfa(machine *machine)
{
    machine->failed |= machine->now.cfa.kind != TRC_RULE_REGISTER;
}

static void restore(machine *machine, uint64_t number)
{
    if (number < TRC_REGISTERS) {
        machine->now.registers[number] = machine->initial.registers[number];
    }
}

static void run_cfa(machine *machine, uint8_t instruction)
{
    trc_span *span = &machine->span;
    int64_t factor = machine->entry->data_factor;
    uint64_t number;
    switch (instruction) {
    case DEF_CFA:
        number = trc_span_uleb(span);
        set_cfa(machine, number, (int64_t)trc_span_uleb(span));
        break;
    case DEF_CFA_SF:
        number = trc_span_uleb(span);
        set_cfa(machine, number, (int64_t)((uint64_t)trc_span_sleb(span) * (uint64_t)factor));
        break;
    case DEF_CFA_REGISTER:
        need_cfa(machine);
        set_cfa(machine, trc_span_uleb(span), machine->now.cfa.offset);
        break;
    case DEF_CFA_OFFSET:
        need_cfa(machine);
        machine->now.cfa.offset = (int64_t)trc_span_uleb(span);
        break;
    case DEF_CFA_OFFSET_SF:
        need_cfa(machine);
        machine->now.cfa.offset = (int64_t)((uint64_t)trc_span_sleb(span) * (uint64_t)factor);
        break;
    case DEF_CFA_EXPRESSION:
        machine->now.cfa = read_expression(machine, TRC_RULE_VALUE_EXPRESSION);
        break;
    default:
        machine->failed = true;
    }
}

static void run_rule(machine *machine, uint8_t instruction)
{
    trc_span *span = &machine->span;
    uint64_t number = trc_span_uleb(span);
    switch (instruction) {
    case OFFSET_EXTENDED:
        set_offset(machine, TRC_RULE_OFFSET, number, trc_span_uleb(span));
        break;
    case OFFSET_EXTENDED_SF:
        set_offset(machine, TRC_RULE_OFFSET, number, (uint64_t)trc_span_sleb(span));
        break;
    case GNU_NEGATIVE_OFFSET_EXTENDED:
        set_offset(machine, TRC_RULE_OFFSET, number, 0 - trc_span_uleb(span));
        break;
    case VAL_OFFSET:
        set_offset(machine, TRC_RULE_VALUE_OFFSET, number, trc_span_uleb(span));
        break;
    case VAL_OFFSET_SF:
        set_offset(machine, TRC_RULE_VALUE_OFFSET, number, (uint64_t)trc_span_sleb(span));
        break;
    case RESTORE_EXTENDED:
        restore(machine, number);
        break;
    case UNDEFINED:
        set(machine, number, (trc_rule){.kind = TRC_RULE_UNDEFINED});
        break;
    case SAME_VALUE:
        set(machine, number, (trc_rule){.kind = TRC_RULE_SAME});
        break;
    case REGISTER: {
        uint64_t other = trc_span_uleb(span);
        bool is_kept = other < TRC_REGISTERS;
        set(machine, number,
            (trc_rule){.kind = is_kept ? TRC_RULE_REGISTER : TRC_RULE_UNDEFINED, .number = (uint32_t)other});
        break;
    }
    case EXPRESSION:
        set(machine, number, read_expression(machine, TRC_RULE_EXPRESSION));
        break;
    case VAL_EXPRESSION:
        set(machine, number, read_expression(machine, TRC_RULE_VALUE_EXPRESSION));
        break;
    default:
        machine->failed = true;
    }
}

static void run_instruction(machine *machine)
{
    trc_span *span = &machine->span;
    uint8_t instruction = trc_span_u8(span), operand = instruction & 63;
    uint64_t factor = machine->entry->code_factor;
    switch (instruction >> 6) {
    case ADVANCE_LOC:
        machine->address += operand * factor;
        return;
    case OFFSET:
        set_offset(machine, TRC_RULE_OFFSET, operand, trc_span_uleb(span));
        return;
    case RESTORE:
        restore(machine, operand);
        return;
    default:
        break;
    }
    switch (instruction) {
    case NOP:
    case AARCH64_NEGATE_RA_STATE: /* every return address is stripped: see arch.h */
    case AARCH64_NEGATE_RA_STATE_WITH_PC:
        break;
    case SET_LOC:
        machine->address = trc_cfi_address(span, machine->entry->encoding, 0);
        break;
    case ADVANCE_LOC1:
        machine->address += trc_span_u8(span) * factor;
        break;
    case ADVANCE_LOC2:
        machine->address += trc_span_u16(span) * factor;
        break;
    case ADVANCE_LOC4:
        machine->address += trc_span_u32(span) * factor;
        break;
    case ADVANCE_LOC8:
        machine->address += trc_span_u64(span) * factor;
        break;
    case REMEMBER_STATE:
        if (machine->remembered_count == REMEMBERED) {
            machine->failed = true;
            break;
        }
        machine->remembered[machine->remembered_count++] = machine->now;
        break;
    case RESTORE_STATE:
        if (machine->remembered_count == 0) {
            machine->failed = true;
            break;
        }
        machine->now = machine->remembered[--machine->remembered_count];
        break;
    case GNU_ARGS_SIZE:
        trc_span_uleb(span);
        break;
    case DEF_CFA:
    case DEF_CFA_SF:
    case DEF_CFA_REGISTER:
    case DEF_CFA_OFFSET:
    case DEF_CFA_OFFSET_SF:
    case DEF_CFA_EXPRESSION:
        run_cfa(machine, instruction);
        break;
    default:
        run_rule(machine, instruction);
    }
}

/* Runs a program until it is past `address`, or at its end. Each instruction is of a byte at least. */
static bool run(machine *machine, trc_span program, uint64_t address)
{
    machine->span = program;
    while (trc_span_left(&machine->span) > 0) {
        run_instruction(machine);
        if (machine->failed || machine->span.failed) {
            return false;
        }
        if (machine->address > address) {
            break;
        }
    }
    return true;
}

bool trc_cfi_run(const trc_cfi_entry *entry, uint64_t address, trc_row *row)
{
    machine machine;
    machine.entry = entry;
    machine.address = entry->start;
    machine.now = (state){.cfa = {.kind = TRC_RULE_UNDEFINED}};
    machine.initial = machine.now;
    machine.remembered_count = 0;
    machine.failed = entry->return_register >= TRC_REGISTERS;
    if (machine.failed || !run(&machine, entry->initial, UINT64_MAX)) {
        return false;
    }
    machine.initial = machine.now;
    if (!run(&machine, entry->program, address) || machine.now.cfa.kind == TRC_RULE_UNDEFINED) {
        return false;
    }
    row->cfa = machine.now.cfa;
    memcpy(row->registers, machine.now.registers, sizeof row->registers);
    row->return_register = (uint8_t)entry->return_register;
    row->is_signal = entry->is_signal;
    return true;
}
