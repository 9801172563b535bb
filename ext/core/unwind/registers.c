/* The registers of an interrupted thread: see registers.h. */
#define _GNU_SOURCE /* the names of the registers in ucontext_t */
#include "core/unwind/registers.h"

#if defined(__linux__) && defined(__x86_64__)
#include <ucontext.h>

const trc_arch *trc_registers_of(const void *ucontext, uint64_t registers[TRC_REGISTERS], uint64_t *pc)
{
    static const uint8_t places[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                     REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    const ucontext_t *context = ucontext;
    for (size_t i = 0; i < sizeof places; i++) {
        registers[i] = (uint64_t)context->uc_mcontext.gregs[places[i]];
    }
    *pc = registers[TRC_X86_64_RIP];
    return &trc_x86_64;
}

#elif defined(__linux__) && defined(__aarch64__)
#include <ucontext.h>

const trc_arch *trc_registers_of(const void *ucontext, uint64_t registers[TRC_REGISTERS], uint64_t *pc)
{
    const ucontext_t *context = ucontext;
    for (int i = 0; i <= TRC_AARCH64_LR; i++) {
        registers[i] = context->uc_mcontext.regs[i];
    }
    registers[TRC_AARCH64_SP] = context->uc_mcontext.sp;
    *pc = registers[TRC_AARCH64_PC] = context->uc_mcontext.pc;
    return &trc_aarch64;
}

#else

const trc_arch *trc_registers_of(const void *ucontext, uint64_t registers[TRC_REGISTERS], uint64_t *pc)
{
    (void)ucontext, (void)registers, (void)pc;
    return NULL;
}

#endif
