/* Memory for the core. Every table takes its memory through a trc_allocator, so that a test can make
 * any single allocation fail. Nothing here knows what the memory is for. */
#ifndef TRC_ALLOC_H
#define TRC_ALLOC_H

#include <stddef.h>

typedef struct trc_allocator {
    /* As realloc(), and size 0 frees. Returns NULL on failure and leaves `block` as it was. */
    void *(*resize)(void *context, void *block, size_t size);
    void *context;
    /* As calloc() of one block; NULL: it is resized from nothing, and zeroed. New pages of the system are zero: they need
     * not be gone over. */
    void *(*zeroed)(void *context, size_t size);
} trc_allocator;

/* The allocator of the C library. */
extern const trc_allocator trc_system_allocator;

/* Returns `size` zeroed bytes, or NULL. */
void *trc_alloc(const trc_allocator *allocator, size_t size);

/* Returns `block` grown or shrunk to `size` bytes, or NULL with `block` kept. The bytes added are not zeroed. */
void *trc_resize(const trc_allocator *allocator, void *block, size_t size);

/* Frees `block`; NULL is allowed. */
void trc_free(const trc_allocator *allocator, void *block);

#endif
