/* The preloaded library: see preload.h. malloc and its kin are those of glibc, which exports them by names of its own
 * for this use. What builds on them there (strdup, reallocarray, operator new) comes here, too. */
#include "preload/preload.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
#define HERE ((uintptr_t)__builtin_return_address(0))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* The one word that this library knows. */
static _Atomic(const trc_preload_listener *) listener;

EXPORTED void tracer_preload_listen(const trc_preload_listener *told);
EXPORTED void *memalign(size_t alignment, size_t size);
EXPORTED void *aligned_alloc(size_t alignment, size_t size);
EXPORTED int posix_memalign(void **block, size_t alignment, size_t size);
EXPORTED void *valloc(size_t size);
EXPORTED void *pvalloc(size_t size);

void tracer_preload_listen(const trc_preload_listener *told)
{
    atomic_store_explicit(&listener, told, memory_order_release);
}

/* Whom to tell of what the code at `caller` asks for, or NULL. */
static inline const trc_preload_listener *enter(uintptr_t caller)
{
    const trc_preload_listener *told = atomic_load_explicit(&listener, memory_order_acquire);
    bool is_own = told == NULL || (caller >= told->own_start && caller < told->own_end);
    return is_own || !told->enter() ? NULL : told;
}

/* Tells of a block that is there now, or of none. What an allocator says by errno stays. */
static inline void *allocated(const trc_preload_listener *told, void *block, size_t size)
{
    if (told != NULL) {
        int error = errno;
        told->leave();
        told->allocated(block, size);
        errno = error;
    }
    return block;
}

EXPORTED void *malloc(size_t size)
{
    const trc_preload_listener *told = enter(HERE);
    return allocated(told, __libc_malloc(size), size);
}

EXPORTED void *calloc(size_t count, size_t size)
{
    const trc_preload_listener *told = enter(HERE);
    return allocated(told, __libc_calloc(count, size), count * size); /* it fails where that is too much */
}

static void free_told(const trc_preload_listener *told, void *block)
{
    int error = errno;
    told->freed(block);
    __libc_free(block);
    told->leave();
    errno = error;
}

EXPORTED void free(void *block)
{
    const trc_preload_listener *told = block == NULL ? NULL : enter(HERE);
    if (told == NULL) {
        __libc_free(block);
    }
    else {
        free_told(told, block);
    }
}

EXPORTED void *realloc(void *block, size_t size)
{
    const trc_preload_listener *told = enter(HERE);
    if (told == NULL) {
        return __libc_realloc(block, size);
    }
    if (block != NULL && size == 0) { /* glibc's frees it then */
        free_told(told, block);
        return NULL;
    }
    int error = errno;
    void *resized = told->resized(__libc_realloc, block, size);
    errno = resized == NULL ? ENOMEM : error;
    return resized;
}

static inline void *aligned(uintptr_t caller, size_t alignment, size_t size)
{
    const trc_preload_listener *told = enter(caller);
    return allocated(told, __libc_memalign(alignment, size), size);
}

EXPORTED void *memalign(size_t alignment, size_t size)
{
    return aligned(HERE, alignment, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    return aligned(HERE, alignment, size);
}

EXPORTED int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment % sizeof(void *) != 0) {
        return EINVAL;
    }
    int error = errno;
    void *found = aligned(HERE, alignment, size);
    errno = error;
    if (found == NULL) {
        return ENOMEM;
    }
    *block = found;
    return 0;
}

EXPORTED void *valloc(size_t size)
{
    return aligned(HERE, (size_t)sysconf(_SC_PAGESIZE), size);
}

EXPORTED void *pvalloc(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole = (size + page - 1) / page * page;
    if (whole < size) {
        errno = ENOMEM;
        return NULL;
    }
    return aligned(HERE, page, whole);
}
