/* Where the interpreter's function is that runs Python code: see eval_entry.h. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "interp/eval_entry.h"

#include <dlfcn.h>

uint64_t trc_eval_entry(void)
{
    return (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
}
