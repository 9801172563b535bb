/* Where the interpreter's function is that runs Python code. */
#ifndef TRC_EVAL_ENTRY_H
#define TRC_EVAL_ENTRY_H

#include <stdint.h>

/* Its address, or 0 where the interpreter does not export it. size: its bytes; 0 where that is not known. */
uint64_t trc_eval_entry(void);
uint64_t trc_eval_size(void);

#endif
