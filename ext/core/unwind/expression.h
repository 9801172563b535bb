/* Evaluates the expressions of call frame information: the operations on numbers, registers and memory that those of
 * signal trampolines, of procedure linkage tables and of realigned stacks are made of. */
#ifndef TRC_EXPRESSION_H
#define TRC_EXPRESSION_H

#include "core/unwind/arch.h"

typedef enum trc_evaluated {
    TRC_EVALUATED,
    TRC_EVALUATED_OUTSIDE, /* it needs memory beyond the copy */
    TRC_EVALUATED_BAD,     /* damaged, unknown or endless */
} trc_evaluated;

/* Evaluates an expression. `first` is on the stack when it begins; NULL: nothing is, as for a CFA. */
trc_evaluated trc_expression_evaluate(trc_span expression, const uint64_t registers[TRC_REGISTERS],
                                      const trc_native_stack *memory, const uint64_t *first, uint64_t *value);

#endif
