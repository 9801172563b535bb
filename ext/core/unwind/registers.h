/* The registers of an interrupted thread in DWARF's order: what a signal handler hands to the unwinder. Linux alone. */
#ifndef TRC_REGISTERS_H
#define TRC_REGISTERS_H

#include "core/unwind/arch.h"

/* Copies the registers from the ucontext_t that a signal handler is given. Safe in a signal handler. Returns the
 * architecture; NULL where it is neither, or the system is not Linux: then nothing is copied. */
const trc_arch *trc_registers_of(const void *ucontext, uint64_t registers[TRC_REGISTERS], uint64_t *pc);

#endif
