/* Memory straight from the system: see pages.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "core/base/pages.h"

#include <sys/mman.h>

static void *system_map(void *context, size_t size)
{
    (void)context;
    // cppcheck-suppress invalidFunctionArg ; -1: there is no file
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    // cppcheck-suppress memleak ; MAP_FAILED is no memory
    return memory == MAP_FAILED ? NULL : memory;
}

static void system_unmap(void *context, void *memory, size_t size)
{
    (void)context;
    munmap(memory, size);
}

const trc_pages trc_system_pages = {system_map, system_unmap, NULL};
