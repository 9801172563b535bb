/* Where the interpreter's function is that runs Python code: see eval_entry.h. */
#define _GNU_SOURCE /* RTLD_DEFAULT, dladdr1 */
#include "interp/eval_entry.h"

#include "core/samples/support.h"

#include <dlfcn.h>

uint64_t trc_eval_entry(void)
{
    return (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
}

#if TRC_SAMPLES
#include <link.h>
#include <stdbool.h>

uint64_t trc_eval_size(void)
{
    const void *entry = (const void *)(uintptr_t)trc_eval_entry();
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;
    bool is_found = entry != NULL && dladdr1(entry, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0;
    return is_found && symbol != NULL ? symbol->st_size : 0;
}
#else
uint64_t trc_eval_size(void)
{
    return 0;
}
#endif
