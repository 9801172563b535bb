/* Decodes x86-64 instructions: see instruction.h. */
#include "core/unwind/instruction.h"

enum { ADD = 0, AND = 4, SUB = 5, COMPARE = 7 }; /* operations on a register and a constant */

/* What an instruction is made of. */
typedef struct parts {
    trc_span *code;
    bool is_wide;   /* 64 bits */
    uint8_t prefix; /* the last of 66, f2, f3; or 0 */
    uint8_t rex;
    /* The operand byte: a register, and a register or memory. */
    uint8_t reg;
    uint8_t rm; /* the register, or the memory's base */
    bool is_memory;
    bool is_plain; /* the memory is at `rm` + `distance` */
    int64_t distance;
} parts;

static const trc_instruction unknown = {TRC_UNKNOWN, TRC_NO_REGISTER, TRC_NO_REGISTER, 0};

static trc_instruction of_kind(trc_instruction_kind kind, uint8_t target)
{
    return (trc_instruction){kind, target, TRC_NO_REGISTER, 0};
}

static int64_t read_signed(trc_span *code, unsigned size)
{
    return trc_signed(trc_span_number(code, size), 8 * size);
}

static void read_operands(parts *parts)
{
    uint8_t byte = trc_span_u8(parts->code), mode = byte >> 6;
    parts->reg = (uint8_t)((byte >> 3 & 7) | (parts->rex & 4) << 1);
    parts->rm = (uint8_t)((byte & 7) | (parts->rex & 1) << 3);
    parts->is_memory = mode != 3;
    parts->is_plain = parts->is_memory;
    parts->distance = 0;
    if (!parts->is_memory) {
        return;
    }
    unsigned size = mode == 0 ? 0 : mode == 1 ? 1 : 4;
    if ((byte & 7) == 4) {
        uint8_t scaled = trc_span_u8(parts->code);
        bool has_index = (scaled & 0x38) != 0x20 || (parts->rex & 2) != 0;
        bool has_base = (scaled & 7) != 5 || mode != 0;
        parts->is_plain = has_base && !has_index;
        parts->rm = (uint8_t)((scaled & 7) | (parts->rex & 1) << 3);
        size = has_base ? size : 4;
    }
    else if ((byte & 7) == 5 && mode == 0) { /* from the instruction pointer */
        parts->is_plain = false;
        size = 4;
    }
    parts->distance = size == 0 ? 0 : read_signed(parts->code, size);
}

/* The register that the operand is, if it is one and is written. */
static trc_instruction writes_rm(const parts *parts)
{
    return of_kind(TRC_OTHER, parts->is_memory ? TRC_NO_REGISTER : parts->rm);
}

static trc_instruction writes_reg(const parts *parts)
{
    return of_kind(TRC_OTHER, parts->reg);
}

static trc_instruction writes_none(void)
{
    return of_kind(TRC_OTHER, TRC_NO_REGISTER);
}

/* mov between registers, or a register and memory. */
static trc_instruction move(const parts *parts, bool to_reg)
{
    uint8_t to = to_reg ? parts->reg : parts->rm, from = to_reg ? parts->rm : parts->reg;
    if (!parts->is_wide || (parts->is_memory && !parts->is_plain)) {
        return to_reg ? writes_reg(parts) : writes_rm(parts);
    }
    if (parts->is_memory) {
        return (trc_instruction){to_reg ? TRC_LOAD : TRC_STORE, parts->reg, parts->rm, parts->distance};
    }
    if (from == TRC_RSP) {
        return of_kind(TRC_COPY_SP, to);
    }
    return to == TRC_RSP ? (trc_instruction){TRC_SET_SP, TRC_RSP, from, 0} : of_kind(TRC_OTHER, to);
}

static trc_instruction load_address(const parts *parts)
{
    if (!parts->is_wide || !parts->is_plain) {
        return writes_reg(parts);
    }
    if (parts->rm == TRC_RSP) {
        return (trc_instruction){parts->reg == TRC_RSP ? TRC_ADD_TO_SP : TRC_COPY_SP, parts->reg, TRC_RSP,
                                 parts->distance};
    }
    return (trc_instruction){parts->reg == TRC_RSP ? TRC_SET_SP : TRC_OTHER, parts->reg, parts->rm, parts->distance};
}

/* An operation on a register, or memory, and a constant. */
static trc_instruction with_constant(parts *parts, unsigned size)
{
    int64_t constant = read_signed(parts->code, size);
    uint8_t operation = parts->reg & 7;
    if (operation == COMPARE) {
        return writes_none();
    }
    if (parts->is_memory || parts->rm != TRC_RSP || !parts->is_wide) {
        return writes_rm(parts);
    }
    trc_instruction found = of_kind(operation == AND ? TRC_ALIGN_SP : TRC_ADD_TO_SP, TRC_RSP);
    found.value = operation == SUB ? -constant : constant;
    return operation == ADD || operation == SUB || operation == AND ? found : writes_rm(parts);
}

/* The opcodes behind 0f. The vector instructions of all encodings share them: their `map` is 1 here. */
static trc_instruction read_0f(parts *parts, uint8_t opcode, bool is_vector)
{
    if (opcode == 0x77) { /* emms, vzeroupper */
        return writes_none();
    }
    if (!is_vector && opcode >= 0x80 && opcode <= 0x8f) {
        trc_instruction found = of_kind(TRC_BRANCH, TRC_NO_REGISTER);
        found.value = read_signed(parts->code, 4);
        return found;
    }
    if (!is_vector && opcode >= 0xc8 && opcode <= 0xcf) { /* bswap */
        return of_kind(TRC_OTHER, (uint8_t)((opcode & 7) | (parts->rex & 1) << 3));
    }
    if (!is_vector && (opcode == 0x05 || opcode == 0x31)) { /* syscall, rdtsc */
        return writes_none();
    }
    if (!is_vector && opcode == 0xa2) { /* cpuid */
        return of_kind(TRC_OTHER, TRC_RBX);
    }
    bool has_operands = opcode == 0x0d || (opcode >= 0x10 && opcode <= 0x1f) || (opcode >= 0x28 && opcode <= 0x2f) ||
                        (opcode >= 0x40 && opcode <= 0x7f) || (opcode >= 0x90 && opcode <= 0x9f) ||
                        (opcode >= 0xa3 && opcode <= 0xa5) || (opcode >= 0xab && opcode <= 0xaf) || opcode >= 0xb0;
    if (!has_operands || (opcode == 0xb8 && parts->prefix == 0)) {
        return unknown;
    }
    read_operands(parts);
    bool has_byte = (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xa4 || opcode == 0xba || opcode == 0xc2 ||
                    (opcode >= 0xc4 && opcode <= 0xc6);
    trc_span_take(parts->code, has_byte);
    bool is_mask = opcode == 0x2c || opcode == 0x2d || opcode == 0x50 || opcode == 0xd7 || opcode == 0xc5;
    bool is_move = (opcode >= 0x40 && opcode <= 0x4f) || (opcode >= 0xaf && opcode <= 0xbf && opcode != 0xba);
    if (is_mask || (is_vector && opcode == 0x93) || (!is_vector && is_move)) {
        return writes_reg(parts);
    }
    bool is_to_rm =
        opcode == 0x7e || (!is_vector && ((opcode >= 0x90 && opcode <= 0x9f) || (opcode >= 0xa3 && opcode <= 0xab) ||
                                          opcode == 0xba || opcode == 0xc0 || opcode == 0xc1));
    return is_to_rm ? writes_rm(parts) : writes_none();
}

/* The opcodes of maps 2 and 3, behind 0f 38 and 0f 3a. Few write a general register. */
static trc_instruction read_map(parts *parts, unsigned map, uint8_t opcode)
{
    read_operands(parts);
    trc_span_take(parts->code, map == 3);
    if (opcode >= 0xf0) {
        return opcode == 0xf3 ? unknown : writes_reg(parts);
    }
    return map == 3 && opcode >= 0x14 && opcode <= 0x17 ? writes_rm(parts) : writes_none();
}

/* Behind c5, c4 and 62: the prefixes of AVX and AVX-512. */
static trc_instruction read_vector(parts *parts, uint8_t first)
{
    uint8_t bits = trc_span_u8(parts->code);
    unsigned map = first == 0xc5 ? 1 : bits & (first == 0xc4 ? 31 : 7);
    trc_span_take(parts->code, first == 0xc5 ? 0 : first == 0xc4 ? 1 : 2);
    /* The bits of REX are there inverted. */
    parts->rex = (uint8_t)((bits & 0x80 ? 0 : 4) | (first == 0xc5 ? 0 : (bits & 0x40 ? 0 : 2) | (bits & 0x20 ? 0 : 1)));
    uint8_t opcode = trc_span_u8(parts->code);
    if (map == 1) {
        return read_0f(parts, opcode, true);
    }
    return map == 2 || map == 3 ? read_map(parts, map, opcode) : unknown;
}

static trc_instruction read_group(parts *parts, uint8_t opcode)
{
    uint8_t operation;
    read_operands(parts);
    operation = parts->reg & 7;
    if (opcode == 0xff) {
        return operation <= 1   ? writes_rm(parts)
               : operation == 2 ? of_kind(TRC_CALL, TRC_NO_REGISTER)
               : operation == 4 ? of_kind(TRC_JUMP_FAR_AWAY, TRC_NO_REGISTER)
               : operation == 6 ? of_kind(TRC_PUSH, TRC_NO_REGISTER)
                                : unknown;
    }
    if (operation <= 1) { /* test with a constant */
        trc_span_take(parts->code, opcode == 0xf6 ? 1 : parts->prefix == 0x66 ? 2 : 4);
        return writes_none();
    }
    return operation <= 3 ? writes_rm(parts) : of_kind(TRC_OTHER, TRC_RDX);
}

/* The opcodes that have operands. */
static trc_instruction read_common(parts *parts, uint8_t opcode)
{
    unsigned constant = parts->prefix == 0x66 ? 2 : 4;
    if (opcode < 0x40) { /* eight operations on a register and a register or memory, each in four forms */
        read_operands(parts);
        return opcode >= 0x38 ? writes_none() : (opcode & 2) != 0 ? writes_reg(parts) : writes_rm(parts);
    }
    switch (opcode) {
    case 0x63:
    case 0x69:
    case 0x6b:
        read_operands(parts);
        trc_span_take(parts->code, opcode == 0x63 ? 0 : opcode == 0x69 ? constant : 1);
        return writes_reg(parts);
    case 0x80:
    case 0x83:
        read_operands(parts);
        return with_constant(parts, 1);
    case 0x81:
        read_operands(parts);
        return with_constant(parts, constant);
    case 0x84:
    case 0x85:
        read_operands(parts);
        return writes_none();
    case 0x88:
    case 0x8a:
        read_operands(parts);
        return opcode == 0x88 ? writes_rm(parts) : writes_reg(parts);
    case 0x89:
    case 0x8b:
        read_operands(parts);
        return move(parts, opcode == 0x8b);
    case 0x8d:
        read_operands(parts);
        return load_address(parts);
    case 0xc0:
    case 0xc1:
    case 0xc6:
        read_operands(parts);
        trc_span_take(parts->code, 1);
        return writes_rm(parts);
    case 0xc7:
        read_operands(parts);
        trc_span_take(parts->code, constant);
        return writes_rm(parts);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        read_operands(parts);
        return writes_rm(parts);
    case 0xf6:
    case 0xf7:
    case 0xff:
        return read_group(parts, opcode);
    default:
        return unknown;
    }
}

static trc_instruction jump(parts *parts, trc_instruction_kind kind, unsigned size)
{
    trc_instruction found = of_kind(kind, TRC_NO_REGISTER);
    found.value = read_signed(parts->code, size);
    return found;
}

static trc_instruction read_opcode(parts *parts, uint8_t opcode)
{
    uint8_t low = (uint8_t)((opcode & 7) | (parts->rex & 1) << 3);
    if (opcode < 0x40 && (opcode & 7) >= 4) { /* al or eax and a constant */
        trc_span_take(parts->code, (opcode & 7) == 4 ? 1 : parts->prefix == 0x66 ? 2 : 4);
        return (opcode & 7) > 5 ? unknown : of_kind(TRC_OTHER, TRC_RAX);
    }
    if (opcode >= 0x50 && opcode <= 0x5f) {
        return of_kind(opcode < 0x58 ? TRC_PUSH : TRC_POP, low);
    }
    if (opcode >= 0x70 && opcode <= 0x7f) {
        return jump(parts, TRC_BRANCH, 1);
    }
    if (opcode >= 0xb0 && opcode <= 0xbf) {
        trc_span_take(parts->code, opcode < 0xb8 ? 1 : parts->is_wide ? 8 : parts->prefix == 0x66 ? 2 : 4);
        return of_kind(TRC_OTHER, low);
    }
    switch (opcode) {
    case 0x68:
    case 0x6a:
        trc_span_take(parts->code, opcode == 0x68 ? 4 : 1);
        return of_kind(TRC_PUSH, TRC_NO_REGISTER);
    case 0x90:
        return writes_none();
    case 0x98:
    case 0x99:
        return of_kind(TRC_OTHER, opcode == 0x98 ? TRC_RAX : TRC_RDX);
    case 0xa8:
    case 0xa9:
        trc_span_take(parts->code, opcode == 0xa8 ? 1 : parts->prefix == 0x66 ? 2 : 4);
        return writes_none();
    case 0xc3:
        return of_kind(TRC_RETURN, TRC_NO_REGISTER);
    case 0xc9:
        return of_kind(TRC_LEAVE, TRC_RBP);
    case 0xe8:
        return jump(parts, TRC_CALL, 4);
    case 0xe9:
        return jump(parts, TRC_JUMP, 4);
    case 0xeb:
        return jump(parts, TRC_JUMP, 1);
    default:
        return read_common(parts, opcode);
    }
}

trc_instruction trc_instruction_read(trc_span *code)
{
    trc_span start = *code;
    parts parts = {.code = code};
    trc_instruction found;
    uint8_t byte = trc_span_u8(code);
    for (int i = 0; i < 6 && (byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e); i++) {
        parts.prefix = byte == 0x2e || byte == 0x3e ? parts.prefix : byte;
        byte = trc_span_u8(code);
    }
    if (byte >= 0x40 && byte <= 0x4f) {
        parts.rex = byte & 15;
        parts.is_wide = (byte & 8) != 0;
        byte = trc_span_u8(code);
    }
    if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
        found = read_vector(&parts, byte);
    }
    else if (byte == 0x0f) {
        byte = trc_span_u8(code);
        if (byte == 0x38 || byte == 0x3a) {
            found = read_map(&parts, byte == 0x38 ? 2 : 3, trc_span_u8(code));
        }
        else {
            found = read_0f(&parts, byte, false);
        }
    }
    else {
        found = read_opcode(&parts, byte);
    }
    if (code->failed || found.kind == TRC_UNKNOWN) {
        *code = start;
        return unknown;
    }
    return found;
}
