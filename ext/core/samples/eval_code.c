/* The code in which the interpreter runs Python code: see eval_code.h.
 *
 * A part that was moved away is a function of its own for the unwinder, and has a name only where the file kept its
 * symbols. It is found by the jumps: hundreds lead there from the main part, into the middle, and conditional ones. */
#include "core/samples/eval_code.h"

#include "core/unwind/cfi.h"

#define LEAST_JUMPS 8
#define MOST_TARGETS 16 /* other functions that are jumped into; there is one as a rule */

static const char *const names[] = {"_PyEval_EvalFrameDefault", "_TAIL_CALL_"};

typedef struct target {
    trc_span_of_code range;
    unsigned jumps;
} target;

static size_t add(trc_span_of_code *parts, size_t count, uint64_t start, uint64_t end)
{
    size_t place = count;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].start <= start && end <= parts[i].end) {
            return count;
        }
    }
    if (count == TRC_EVAL_PARTS) {
        return count;
    }
    for (; place > 0 && parts[place - 1].start > start; place--) {
        parts[place] = parts[place - 1];
    }
    parts[place] = (trc_span_of_code){start, end};
    return count + 1;
}

/* Where a conditional jump leads, the bytes of which begin at `code`; 0: it is none. */
static uint64_t jump_of(uint16_t machine, trc_span code)
{
    uint64_t address = trc_span_address(&code);
    if (machine == trc_x86_64.machine) {
        bool is_jump = trc_span_u8(&code) == 0x0f && (trc_span_u8(&code) & 0xf0) == 0x80;
        uint64_t distance = (uint64_t)trc_signed(trc_span_u32(&code), 32);
        return is_jump && !code.failed ? address + 6 + distance : 0;
    }
    uint32_t word = address % 4 == 0 ? trc_span_u32(&code) : 0;
    bool is_jump = (word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000;
    return is_jump && !code.failed ? address + (uint64_t)(trc_signed(word >> 5, 19) * 4) : 0;
}

static void count_jump(target *targets, const trc_elf *elf, uint64_t place)
{
    for (int i = 0; i < MOST_TARGETS; i++) {
        trc_cfi_entry entry;
        if (targets[i].jumps == 0) {
            if (trc_cfi_find(elf, place, &entry)) {
                targets[i] = (target){{entry.start, entry.end}, 1};
            }
            return;
        }
        if (targets[i].range.start < place && place < targets[i].range.end) {
            targets[i].jumps++;
            return;
        }
    }
}

size_t trc_eval_code_find(const trc_elf *elf, const trc_symbols *symbols, uint64_t entry,
                          trc_span_of_code parts[TRC_EVAL_PARTS])
{
    size_t count = 0;
    trc_cfi_entry main;
    target targets[MOST_TARGETS] = {{{0, 0}, 0}};
    for (size_t i = 0; i < symbols->count; i++) {
        const trc_named *named = &symbols->named[i];
        for (size_t name = 0; name < sizeof names / sizeof *names; name++) {
            if (named->size > 0 && strncmp(named->name, names[name], strlen(names[name])) == 0) {
                count = add(parts, count, named->start, named->start + named->size);
            }
        }
    }
    if (!trc_cfi_find(elf, entry, &main)) {
        return count;
    }
    count = add(parts, count, main.start, main.end);
    trc_span code = trc_elf_at(elf, main.start);
    code = trc_span_take(&code, main.end - main.start);
    for (; !code.failed && trc_span_left(&code) >= 6; code.at++) {
        uint64_t to = jump_of(elf->machine, code);
        if (to != 0 && (to < main.start || to >= main.end)) {
            count_jump(targets, elf, to);
        }
    }
    for (int i = 0; i < MOST_TARGETS; i++) {
        if (targets[i].jumps >= LEAST_JUMPS) {
            count = add(parts, count, targets[i].range.start, targets[i].range.end);
        }
    }
    return count;
}
