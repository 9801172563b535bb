/* What differs between x86-64 and AArch64: registers by their DWARF numbers, and the code to which a signal handler
 * returns. An unwinder has an architecture as a value, so each is unwound on any host. */
#ifndef TRC_ARCH_H
#define TRC_ARCH_H

#include "core/unwind/span.h"

#define TRC_REGISTERS 33 /* the general registers of either, with the program counter; vector registers are not kept */
#define TRC_CALLEE_SAVED 11 /* the most that an architecture has, beside the stack pointer and the return address */

enum {
    TRC_X86_64_RBX = 3,
    TRC_X86_64_RBP = 6,
    TRC_X86_64_RSP = 7,
    TRC_X86_64_RIP = 16,
    TRC_AARCH64_FP = 29,
    TRC_AARCH64_LR = 30,
    TRC_AARCH64_SP = 31,
    TRC_AARCH64_PC = 32,
};

typedef struct trc_arch {
    uint8_t machine; /* e_machine of its ELF files */
    uint8_t stack_pointer;
    uint8_t program_counter;
    bool has_link_register;
    /* The bits of a code address. AArch64 signs return addresses in the others (DW_CFA_AARCH64_negate_ra_state). They are
     * cleared in every return address, signed or not: no program has code there. */
    uint64_t address_mask;
    uint8_t callee_saved[TRC_CALLEE_SAVED]; /* the first `callee_saved_count` */
    uint8_t callee_saved_count;
    /* The code that a signal handler returns to. Then the kernel's frame begins at the stack pointer, and has each
     * register this far from there; 0 is for a register that it has not. */
    uint8_t trampoline[12];
    uint8_t trampoline_size;
    uint16_t interrupted[TRC_REGISTERS];
} trc_arch;

extern const trc_arch trc_x86_64;
extern const trc_arch trc_aarch64;

/* A copy of a piece of a stack. */
typedef struct trc_native_stack {
    const uint8_t *bytes; /* borrowed */
    size_t size;
    uint64_t sp; /* the address of bytes[0] */
} trc_native_stack;

/* Reads the number of `size` bytes, eight at most, at an address. Returns false beyond the copy. */
static inline bool trc_native_stack_read(const trc_native_stack *stack, uint64_t address, size_t size, uint64_t *value)
{
    uint64_t offset = address - stack->sp;
    if (offset > stack->size || stack->size - offset < size) {
        return false;
    }
    trc_span span = trc_span_of(stack->bytes + offset, size, address);
    *value = trc_span_number(&span, size);
    return true;
}

#endif
