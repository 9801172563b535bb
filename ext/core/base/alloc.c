/* Memory for the core: see alloc.h. */
#include "core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *system_resize(void *context, void *block, size_t size)
{
    (void)context;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

static void *system_zeroed(void *context, size_t size)
{
    (void)context;
    return calloc(1, size);
}

const trc_allocator trc_system_allocator = {system_resize, NULL, system_zeroed};

void *trc_alloc(const trc_allocator *allocator, size_t size)
{
    if (allocator->zeroed != NULL) {
        return allocator->zeroed(allocator->context, size == 0 ? 1 : size);
    }
    void *block = trc_resize(allocator, NULL, size);
    if (block != NULL) {
        memset(block, 0, size);
    }
    return block;
}

void *trc_resize(const trc_allocator *allocator, void *block, size_t size)
{
    return allocator->resize(allocator->context, block, size == 0 ? 1 : size);
}

void trc_free(const trc_allocator *allocator, void *block)
{
    if (block != NULL) {
        allocator->resize(allocator->context, block, 0);
    }
}
