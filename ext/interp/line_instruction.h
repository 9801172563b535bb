/* The instruction that stands in the place of another where the interpreter is to tell of a line (3.12 and later). */
#ifndef TRC_LINE_INSTRUCTION_H
#define TRC_LINE_INSTRUCTION_H

#include "interp/compat.h"

/* Its number, which is another in each version; 0 where the interpreter does not say. Raises nothing. */
uint8_t trc_line_instruction(void);

#endif
