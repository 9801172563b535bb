/* Memory for tables that grow beside the program's own: straight from the system, so that no allocator that is watched
 * has a part in it. It is zeroed, and takes real memory only where it is touched. */
#ifndef TRC_PAGES_H
#define TRC_PAGES_H

#include <stddef.h>

typedef struct trc_pages {
    /* Returns `size` zeroed bytes, aligned to 4096, or NULL. */
    void *(*map)(void *context, size_t size);
    void (*unmap)(void *context, void *memory, size_t size);
    void *context;
} trc_pages;

/* That of mmap(). */
extern const trc_pages trc_system_pages;

static inline void *trc_map(const trc_pages *pages, size_t size)
{
    return pages->map(pages->context, size);
}

/* NULL is allowed. */
static inline void trc_unmap(const trc_pages *pages, void *memory, size_t size)
{
    if (memory != NULL) {
        pages->unmap(pages->context, memory, size);
    }
}

#endif
