/* The code in which the interpreter runs Python code. Frames beyond it are Python's, which the call tree knows better. */
#ifndef TRC_EVAL_CODE_H
#define TRC_EVAL_CODE_H

#include "core/unwind/unwind.h"

#define TRC_EVAL_PARTS 512 /* at most: where opcodes are functions, each is a part */

/* Finds the parts of the function that begins at `entry`, an address of the file: itself, what its compiler moved away
 * from it as rarely run, and the functions of single opcodes where the interpreter calls these by tail calls. In the
 * order of their addresses, which are the file's. Returns how many there are. */
size_t trc_eval_code_find(const trc_elf *elf, const trc_symbols *symbols, uint64_t entry,
                          trc_span_of_code parts[TRC_EVAL_PARTS]);

#endif
