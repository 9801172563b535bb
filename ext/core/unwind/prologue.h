/* The rows of x86-64 code without call frame information, such as the hand-written kernels of OpenBLAS, read off the code
 * itself. Nothing on a stack is ever taken for a return address because of its looks. */
#ifndef TRC_PROLOGUE_H
#define TRC_PROLOGUE_H

#include "core/unwind/cfi_program.h"
#include "core/unwind/symbols.h"

/* Makes the row of the code at `pc`, an address of the file; `is_call` says that it is a return address.
 *
 * Where nothing but instructions that are known stands between the pc and a return, the code ahead tells the row exactly.
 * Otherwise the code from the start of the function to the pc is followed, along the jumps over parts of it. The first
 * instruction that is unknown is taken for the end of the prologue: past it the stack pointer stays, or a frame pointer
 * holds the place. `symbols` tells the start, and may be NULL. Returns false where the code does not tell. */
bool trc_prologue_row(const trc_elf *elf, const trc_symbols *symbols, uint64_t pc, bool is_call, trc_row *row);

/* The address behind the padding at `pc`, an address of the file, or `pc` where no padding is. Some functions of the C
 * library are entered by falling through the padding in front of them, which has no call frame information. */
uint64_t trc_padding_end(const trc_elf *elf, uint64_t pc);

#endif
