/* Another tool that has hooks on Python's allocators, and for each block that it hands out takes one for itself from the
 * allocator below: see test_memory_tools.py. */
#include <Python.h>

#define DOMAINS 3

static const PyMemAllocatorDomain domains[DOMAINS] = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};

static struct {
    PyMemAllocatorEx below;
    void *own; /* the block that was taken last for the tool itself */
} tool[DOMAINS];

static void *take_own(void *context, void *block)
{
    for (int i = 0; i < DOMAINS; i++) {
        if (context == &tool[i]) {
            void *before = tool[i].own;
            tool[i].own = tool[i].below.malloc(tool[i].below.ctx, 24);
            tool[i].below.free(tool[i].below.ctx, before);
        }
    }
    return block;
}

static void *tool_malloc(void *context, size_t size)
{
    const PyMemAllocatorEx *below = context; /* the first member */
    return take_own(context, below->malloc(below->ctx, size));
}

static void *tool_calloc(void *context, size_t count, size_t size)
{
    const PyMemAllocatorEx *below = context;
    return take_own(context, below->calloc(below->ctx, count, size));
}

static void *tool_realloc(void *context, void *block, size_t size)
{
    const PyMemAllocatorEx *below = context;
    return take_own(context, below->realloc(below->ctx, block, size));
}

static void tool_free(void *context, void *block)
{
    const PyMemAllocatorEx *below = context;
    below->free(below->ctx, block);
}

void allocating_start(void)
{
    for (int i = 0; i < DOMAINS; i++) {
        PyMem_GetAllocator(domains[i], &tool[i].below);
        PyMemAllocatorEx hook = {&tool[i], tool_malloc, tool_calloc, tool_realloc, tool_free};
        PyMem_SetAllocator(domains[i], &hook);
    }
}

/* Puts back what was there before, whoever has come since. */
void allocating_stop(void)
{
    for (int i = 0; i < DOMAINS; i++) {
        PyMem_SetAllocator(domains[i], &tool[i].below);
    }
}
