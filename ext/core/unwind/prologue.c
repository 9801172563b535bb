/* Rows read off the code: see prologue.h. */
#include "core/unwind/prologue.h"
#include "core/unwind/arch.h"
#include "core/unwind/instruction.h"

#define AHEAD 64        /* instructions up to a return; restoring all registers takes some 20 */
#define FROM_START 4096 /* instructions from the start of a function */
#define GENERAL 16
#define DEEPEST (INT64_C(1) << 31) /* bytes of a frame */

static const uint8_t dwarf_numbers[GENERAL] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

static bool is_callee_saved(uint8_t number)
{
    return number == TRC_RBX || number == TRC_RBP || (number >= 12 && number < GENERAL);
}

/* What the code did so far. Places are bytes below the CFA when the code behind is followed, and bytes above `base` when
 * the code ahead is. */
typedef struct effect {
    uint8_t base; /* the place of the stack pointer is known from this register; TRC_NO_REGISTER: no longer */
    int64_t place;
    uint8_t copy; /* a register that holds what the stack pointer was, or TRC_NO_REGISTER */
    int64_t copy_place;
    int64_t saved[GENERAL]; /* where the caller's values of registers are, as far as `has_saved` has their bits */
    uint16_t has_saved;
    uint16_t changed; /* the registers that no longer have the caller's values */
} effect;

static bool has(uint16_t set, uint8_t number)
{
    return number < GENERAL && (set >> number & 1) != 0;
}

static void change(effect *effect, uint8_t number)
{
    if (number < GENERAL) {
        effect->changed |= (uint16_t)(1u << number);
    }
    if (number == effect->copy) {
        effect->copy = TRC_NO_REGISTER;
    }
}

/* The caller's value of a register is at a place. */
static void note_saved(effect *effect, uint8_t number, int64_t place)
{
    if (number < GENERAL) {
        effect->saved[number] = place;
        effect->has_saved |= (uint16_t)(1u << number);
    }
}

static void make_row(const effect *effect, uint8_t base, int64_t cfa_offset, int64_t sign, trc_row *row)
{
    *row = (trc_row){.return_register = TRC_X86_64_RIP};
    row->cfa = (trc_rule){.kind = TRC_RULE_REGISTER, .number = dwarf_numbers[base], .offset = cfa_offset};
    row->registers[TRC_X86_64_RIP] = (trc_rule){.kind = TRC_RULE_OFFSET, .offset = -8};
    for (uint8_t i = 0; i < GENERAL; i++) {
        if (is_callee_saved(i) && has(effect->has_saved, i)) {
            int64_t offset = sign < 0 ? -effect->saved[i] : effect->saved[i] - cfa_offset;
            row->registers[dwarf_numbers[i]] = (trc_rule){.kind = TRC_RULE_OFFSET, .offset = offset};
        }
    }
}

/* Takes one instruction on the way to a return. Returns false where it is none that may be there. */
static bool go_ahead(effect *effect, const trc_instruction *instruction)
{
    uint8_t target = instruction->target;
    switch (instruction->kind) {
    case TRC_POP:
        note_saved(effect, target, effect->place);
        effect->place += 8;
        return target != TRC_RSP;
    case TRC_ADD_TO_SP:
        effect->place += instruction->value;
        return true;
    case TRC_LEAVE:
    case TRC_SET_SP: {
        uint8_t from = instruction->kind == TRC_LEAVE ? TRC_RBP : instruction->base;
        if (effect->has_saved != 0 || has(effect->changed, from) || effect->base != TRC_RSP) {
            return false;
        }
        effect->base = from;
        effect->place = instruction->value;
        if (instruction->kind == TRC_LEAVE) {
            note_saved(effect, TRC_RBP, effect->place);
            effect->place += 8;
        }
        return true;
    }
    case TRC_LOAD:
        if (instruction->base == TRC_RSP) {
            note_saved(effect, target, effect->place + instruction->value);
        }
        else {
            change(effect, target);
            effect->has_saved &= (uint16_t)~(1u << target % GENERAL);
        }
        return target != TRC_RSP;
    case TRC_OTHER:
        change(effect, target);
        if (target < GENERAL) {
            effect->has_saved &= (uint16_t)~(1u << target);
        }
        return target != TRC_RSP;
    case TRC_STORE:
        return true;
    default:
        return false;
    }
}

/* Follows the code to a return. */
static bool look_ahead(trc_span code, trc_row *row)
{
    effect effect = {.base = TRC_RSP, .copy = TRC_NO_REGISTER};
    for (int i = 0; i < AHEAD; i++) {
        trc_instruction instruction = trc_instruction_read(&code);
        if (instruction.kind == TRC_RETURN) {
            for (uint8_t number = 0; number < GENERAL; number++) {
                if (is_callee_saved(number) && has(effect.changed, number) && !has(effect.has_saved, number)) {
                    return false;
                }
            }
            make_row(&effect, effect.base, effect.place + 8, 1, row);
            return true;
        }
        if (!go_ahead(&effect, &instruction)) {
            return false;
        }
    }
    return false;
}

/* The caller's value of a register is kept at a place, unless it was kept or changed before. */
static void keep(effect *effect, uint8_t number, int64_t place)
{
    if (!has(effect->has_saved, number) && !has(effect->changed, number) && place > 8) {
        note_saved(effect, number, place);
    }
}

/* A register is loaded from a place, perhaps the one where the caller's value is. */
static void unkeep(effect *effect, uint8_t number, bool is_known, int64_t place)
{
    change(effect, number);
    if (is_known && has(effect->has_saved, number) && effect->saved[number] == place) {
        effect->has_saved &= (uint16_t)~(1u << number);
        effect->changed &= (uint16_t)~(1u << number);
    }
}

/* The place of the memory at a register and a distance. Returns false where it is not on the stack, or unknown. */
static bool find_place(const effect *effect, const trc_instruction *instruction, int64_t *place)
{
    if (instruction->base == TRC_RSP && effect->base == TRC_RSP) {
        *place = effect->place - instruction->value;
        return true;
    }
    *place = effect->copy_place - instruction->value;
    return instruction->base < GENERAL && instruction->base == effect->copy;
}

/* Takes one instruction on the way from the start. Returns false where the stack pointer is lost. */
static bool go_on(effect *effect, const trc_instruction *instruction)
{
    uint8_t target = instruction->target;
    int64_t place;
    bool is_known;
    switch (instruction->kind) {
    case TRC_PUSH:
        effect->place += 8;
        if (effect->base == TRC_RSP) {
            keep(effect, target, effect->place);
        }
        return true;
    case TRC_POP:
        unkeep(effect, target, effect->base == TRC_RSP, effect->place);
        effect->place -= 8;
        return target != TRC_RSP;
    case TRC_ADD_TO_SP:
        effect->place -= instruction->value;
        return effect->place > -DEEPEST && effect->place < DEEPEST;
    case TRC_ALIGN_SP:
        effect->base = TRC_NO_REGISTER;
        return true;
    case TRC_COPY_SP:
        change(effect, target);
        if (effect->base == TRC_RSP) {
            effect->copy = target;
            effect->copy_place = effect->place - instruction->value;
        }
        return true;
    case TRC_LEAVE:
    case TRC_SET_SP:
        if ((instruction->kind == TRC_LEAVE ? TRC_RBP : instruction->base) != effect->copy) {
            return false;
        }
        effect->base = TRC_RSP;
        effect->place = effect->copy_place - instruction->value;
        if (instruction->kind == TRC_LEAVE) {
            unkeep(effect, TRC_RBP, true, effect->place);
            effect->place -= 8;
        }
        return true;
    case TRC_STORE:
        if (find_place(effect, instruction, &place)) {
            keep(effect, target, place);
        }
        return true;
    case TRC_LOAD:
        is_known = find_place(effect, instruction, &place);
        unkeep(effect, target, is_known, place);
        return target != TRC_RSP;
    case TRC_CALL:
        if (!is_callee_saved(effect->copy)) {
            effect->copy = TRC_NO_REGISTER;
        }
        return true;
    default:
        change(effect, target);
        return target != TRC_RSP;
    }
}

/* Follows the code from the start of a function to the instruction that ends past `place`. */
static bool look_back(trc_span code, uint64_t place, trc_row *row)
{
    effect effect = {.base = TRC_RSP, .place = 8, .copy = TRC_NO_REGISTER};
    for (int i = 0; i < FROM_START; i++) {
        trc_instruction instruction = trc_instruction_read(&code);
        uint64_t next = trc_span_address(&code);
        if (instruction.kind == TRC_UNKNOWN || next > place) {
            break;
        }
        if (instruction.kind == TRC_RETURN || instruction.kind == TRC_JUMP_FAR_AWAY) {
            return false;
        }
        if (instruction.kind == TRC_JUMP || instruction.kind == TRC_BRANCH) {
            /* The stack is the same whichever way leads to an instruction, so the shortest does. */
            if (instruction.value > 0 && (uint64_t)instruction.value <= place - next) {
                trc_span_take(&code, (uint64_t)instruction.value);
            }
        }
        else if (!go_on(&effect, &instruction)) {
            return false;
        }
    }
    bool has_frame_pointer = effect.copy == TRC_RBP;
    if (effect.base == TRC_RSP && !has_frame_pointer) {
        make_row(&effect, TRC_RSP, effect.place, -1, row);
        return effect.place >= 8;
    }
    if (effect.copy == TRC_NO_REGISTER) {
        return false;
    }
    make_row(&effect, effect.copy, effect.copy_place, -1, row);
    return true;
}

static bool is_padding(trc_span code)
{
    uint8_t byte = trc_span_u8(&code);
    while (byte == 0x66 || byte == 0x2e) {
        byte = trc_span_u8(&code);
    }
    return byte == 0x90 || (byte == 0x0f && trc_span_u8(&code) == 0x1f);
}

uint64_t trc_padding_end(const trc_elf *elf, uint64_t pc)
{
    uint64_t end;
    if (elf->machine != trc_x86_64.machine || !trc_elf_is_code(elf, pc, &end)) {
        return pc;
    }
    trc_span code = trc_elf_at(elf, pc);
    while (is_padding(code) && trc_instruction_read(&code).kind != TRC_UNKNOWN) {
    }
    return trc_span_address(&code);
}

bool trc_prologue_row(const trc_elf *elf, const trc_symbols *symbols, uint64_t pc, bool is_call, trc_row *row)
{
    uint64_t place = pc - is_call, end;
    trc_symbol symbol;
    if (elf->machine != trc_x86_64.machine || !trc_elf_is_code(elf, place, &end)) {
        return false;
    }
    if (look_ahead(trc_elf_at(elf, pc), row)) {
        return true;
    }
    return symbols != NULL && trc_symbols_find(symbols, place, &symbol) &&
           look_back(trc_elf_at(elf, symbol.start), place, row);
}
