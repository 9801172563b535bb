/* Unwinds copies of stacks: see unwind.h. */
#include "core/unwind/unwind.h"
#include "core/unwind/expression.h"
#include "core/unwind/prologue.h"

#define GOES_ON ((trc_unwind_status) - 1)

/* Where the walk is: the frame, and the registers as they are in it. */
typedef struct walk {
    const trc_unwinder *unwinder;
    const trc_arch *arch;
    const trc_stack_copy *copy;
    uint64_t registers[TRC_REGISTERS];
    uint64_t pc;
    bool is_call;
    uint64_t lowest; /* no CFA of a frame to come is lower */
    uint64_t cfa;    /* of the frame, once it is known */
} walk;

/* What is known of the code at an address. */
typedef enum known {
    KNOWN_ROW,
    KNOWN_SMALL, /* a simple row */
    KNOWN_TRAMPOLINE,
    KNOWN_NOTHING, /* the status says why */
} known;

const trc_module *trc_module_of(const trc_unwinder *unwinder, uint64_t pc)
{
    size_t first = 0, count = unwinder->module_count;
    while (count > 0) { /* the first that begins past `pc` is one of these, or the one behind them */
        size_t half = count / 2;
        if (unwinder->modules[first + half].start <= pc) {
            first += half + 1;
            count -= half + 1;
        }
        else {
            count = half;
        }
    }
    const trc_module *module = first == 0 ? NULL : &unwinder->modules[first - 1];
    return module != NULL && pc < module->end ? module : NULL;
}

static bool is_trampoline(const trc_arch *arch, const trc_elf *elf, uint64_t address)
{
    trc_span code = trc_elf_at(elf, address);
    return trc_span_left(&code) >= arch->trampoline_size &&
           memcmp(code.at, arch->trampoline, arch->trampoline_size) == 0;
}

/* Makes the row of the code at `place`, which is that of the pc or, of a call, one byte before it. */
static known make_row(const walk *walk, uint64_t place, trc_row *row, trc_unwind_status *status)
{
    const trc_module *module = trc_module_of(walk->unwinder, place);
    trc_cfi_entry entry;
    *status = module == NULL ? TRC_UNWIND_NO_MODULE : TRC_UNWIND_NO_RULE;
    if (module == NULL || module->elf == NULL || module->elf->machine != walk->arch->machine) {
        return KNOWN_NOTHING;
    }
    uint64_t address = place - module->bias;
    bool has_entry = trc_cfi_find(module->elf, address, &entry);
    if (!has_entry && !walk->is_call) {
        address = trc_padding_end(module->elf, address);
        has_entry = trc_cfi_find(module->elf, address, &entry) && entry.start == address;
    }
    if (has_entry) {
        *status = TRC_UNWIND_BAD;
        return trc_cfi_run(&entry, address, row) ? KNOWN_ROW : KNOWN_NOTHING;
    }
    if (is_trampoline(walk->arch, module->elf, walk->pc - module->bias)) {
        return KNOWN_TRAMPOLINE;
    }
    bool is_told = trc_prologue_row(module->elf, module->symbols, walk->pc - module->bias, walk->is_call, row);
    return is_told ? KNOWN_ROW : KNOWN_NOTHING;
}

static known find_row(const walk *walk, trc_small_row *small, trc_row *row, trc_unwind_status *status)
{
    uint64_t place = walk->pc - walk->is_call;
    trc_rowcache *cache = walk->unwinder->cache;
    const trc_small_row *cached = cache == NULL ? NULL : trc_rowcache_find(cache, place);
    if (cached != NULL) {
        *small = *cached;
        return KNOWN_SMALL;
    }
    known found = make_row(walk, place, row, status);
    if (found == KNOWN_ROW && trc_row_simplify(row, walk->arch, place, small)) {
        if (cache != NULL) {
            trc_rowcache_add(cache, small);
        }
        return KNOWN_SMALL;
    }
    return found;
}

/* Takes the CFA of the frame. A caller's is higher than its callee's; where the frame did not call but was interrupted, it
 * may be the same, since a leaf of AArch64 uses no stack. Neither does the outermost function there. */
static trc_unwind_status take_cfa(walk *walk, uint64_t cfa, bool is_outermost)
{
    if (is_outermost) {
        walk->cfa = cfa;
        return TRC_UNWIND_OUTERMOST;
    }
    if (cfa < walk->lowest || (walk->is_call && cfa == walk->lowest)) {
        return TRC_UNWIND_BAD;
    }
    walk->cfa = walk->lowest = cfa;
    return cfa >= walk->copy->boundary ? TRC_UNWIND_BOUNDARY : GOES_ON;
}

/* Goes over to the caller. */
static trc_unwind_status leave(walk *walk, uint64_t return_address, bool was_interrupted)
{
    walk->pc = return_address & walk->arch->address_mask;
    walk->is_call = !was_interrupted;
    walk->registers[walk->arch->program_counter] = walk->pc;
    return walk->pc == 0 ? TRC_UNWIND_OUTERMOST : GOES_ON;
}

static bool load(const walk *walk, uint64_t address, uint64_t *value)
{
    return trc_native_stack_read(&walk->copy->stack, address, 8, value);
}

/* Whether a register that was saved at an address has been popped: compilers do not tell that, and the register has its
 * value again. */
static bool is_popped(const walk *walk, uint64_t address)
{
    return address < walk->registers[walk->arch->stack_pointer];
}

static trc_unwind_status step_small(walk *walk, const trc_small_row *row)
{
    const trc_arch *arch = walk->arch;
    uint64_t return_address = walk->registers[TRC_AARCH64_LR];
    uint64_t cfa = walk->registers[row->cfa_register] + (uint64_t)(int64_t)row->cfa_offset;
    trc_unwind_status status = take_cfa(walk, cfa, (row->flags & TRC_SMALL_OUTERMOST) != 0);
    if (status != GOES_ON) {
        return status;
    }
    if (!(row->flags & TRC_SMALL_RA_IN_REGISTER) &&
        !load(walk, walk->cfa + (uint64_t)(8 * (int64_t)row->return_address), &return_address)) {
        return TRC_UNWIND_COPY_END;
    }
    for (int i = 0; i < arch->callee_saved_count; i++) {
        uint64_t place = walk->cfa + (uint64_t)(8 * (int64_t)row->saved[i]);
        if (row->saved[i] != 0 && !is_popped(walk, place) &&
            !load(walk, place, &walk->registers[arch->callee_saved[i]])) {
            return TRC_UNWIND_COPY_END;
        }
    }
    if (arch->has_link_register) {
        walk->registers[TRC_AARCH64_LR] = return_address;
    }
    walk->registers[arch->stack_pointer] = walk->cfa;
    return leave(walk, return_address, (row->flags & TRC_SMALL_SIGNAL) != 0);
}

static trc_unwind_status evaluate(const walk *walk, const trc_rule *rule, const uint64_t *first, uint64_t *value)
{
    trc_span span = trc_span_of(rule->expression, rule->number, 0);
    switch (trc_expression_evaluate(span, walk->registers, &walk->copy->stack, first, value)) {
    case TRC_EVALUATED:
        return GOES_ON;
    case TRC_EVALUATED_OUTSIDE:
        return TRC_UNWIND_COPY_END;
    default:
        return TRC_UNWIND_BAD;
    }
}

/* The value that a register has in the caller. */
static trc_unwind_status apply(const walk *walk, const trc_rule *rule, uint64_t *value)
{
    trc_unwind_status status;
    switch (rule->kind) {
    case TRC_RULE_OFFSET:
        if (is_popped(walk, walk->cfa + (uint64_t)rule->offset)) {
            return GOES_ON;
        }
        return load(walk, walk->cfa + (uint64_t)rule->offset, value) ? GOES_ON : TRC_UNWIND_COPY_END;
    case TRC_RULE_VALUE_OFFSET:
        *value = walk->cfa + (uint64_t)rule->offset;
        return GOES_ON;
    case TRC_RULE_REGISTER:
        *value = walk->registers[rule->number] + (uint64_t)rule->offset;
        return GOES_ON;
    case TRC_RULE_EXPRESSION:
        status = evaluate(walk, rule, &walk->cfa, value);
        return status != GOES_ON || load(walk, *value, value) ? status : TRC_UNWIND_COPY_END;
    case TRC_RULE_VALUE_EXPRESSION:
        return evaluate(walk, rule, &walk->cfa, value);
    default:
        return GOES_ON;
    }
}

static trc_unwind_status step_row(walk *walk, const trc_row *row)
{
    const trc_arch *arch = walk->arch;
    uint64_t registers[TRC_REGISTERS], cfa;
    trc_unwind_status status = GOES_ON;
    if (row->cfa.kind == TRC_RULE_REGISTER) {
        cfa = walk->registers[row->cfa.number] + (uint64_t)row->cfa.offset;
    }
    else {
        status = evaluate(walk, &row->cfa, NULL, &cfa);
    }
    const trc_rule *return_rule = &row->registers[row->return_register];
    bool is_outermost =
        return_rule->kind == TRC_RULE_UNDEFINED || (return_rule->kind == TRC_RULE_SAME && !arch->has_link_register);
    status = status == GOES_ON ? take_cfa(walk, cfa, is_outermost) : status;
    if (status != GOES_ON) {
        return status;
    }
    memcpy(registers, walk->registers, sizeof registers);
    registers[arch->stack_pointer] = walk->cfa;
    for (int i = 0; i < TRC_REGISTERS && status == GOES_ON; i++) {
        status = apply(walk, &row->registers[i], &registers[i]);
    }
    if (status != GOES_ON) {
        return status;
    }
    memcpy(walk->registers, registers, sizeof registers);
    return leave(walk, registers[row->return_register], row->is_signal);
}

/* The kernel has put the interrupted registers at the stack pointer. */
static trc_unwind_status step_trampoline(walk *walk)
{
    const trc_arch *arch = walk->arch;
    uint64_t frame = walk->registers[arch->stack_pointer], pc = 0;
    for (int i = 0; i < TRC_REGISTERS; i++) {
        if (arch->interrupted[i] != 0 && !load(walk, frame + arch->interrupted[i], &walk->registers[i])) {
            return TRC_UNWIND_COPY_END;
        }
    }
    pc = walk->registers[arch->program_counter];
    trc_unwind_status status = take_cfa(walk, walk->registers[arch->stack_pointer], false);
    return status == GOES_ON ? leave(walk, pc, true) : status;
}

static trc_unwind_status step(walk *walk)
{
    trc_small_row small;
    trc_row row;
    trc_unwind_status status;
    switch (find_row(walk, &small, &row, &status)) {
    case KNOWN_SMALL:
        return step_small(walk, &small);
    case KNOWN_ROW:
        return step_row(walk, &row);
    case KNOWN_TRAMPOLINE:
        return step_trampoline(walk);
    default:
        return status;
    }
}

static bool is_stop(const trc_unwinder *unwinder, uint64_t place)
{
    for (size_t i = 0; i < unwinder->stop_count; i++) {
        if (unwinder->stops[i].start <= place && place < unwinder->stops[i].end) {
            return true;
        }
    }
    return false;
}

trc_unwind_status trc_unwind(const trc_unwinder *unwinder, const trc_stack_copy *copy, trc_native_frame *frames,
                             size_t limit, size_t *count)
{
    walk walk = {.unwinder = unwinder, .arch = unwinder->arch, .copy = copy, .pc = copy->pc};
    memcpy(walk.registers, copy->registers, sizeof walk.registers);
    walk.registers[unwinder->arch->program_counter] = copy->pc;
    walk.lowest = walk.registers[unwinder->arch->stack_pointer];
    for (*count = 0; *count < limit;) {
        trc_native_frame *frame = &frames[(*count)++];
        *frame = (trc_native_frame){.pc = walk.pc, .is_call = walk.is_call};
        walk.cfa = 0;
        trc_unwind_status status = step(&walk);
        frame->cfa = walk.cfa;
        if (is_stop(unwinder, frame->pc - frame->is_call)) {
            return TRC_UNWIND_STOP;
        }
        if (status != GOES_ON) {
            return status;
        }
    }
    return TRC_UNWIND_FULL;
}
