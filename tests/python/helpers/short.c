/* Preloaded, it makes one allocation of one library fail, and counts what that library has not freed. The program says
 * which library, and which of its allocations: see test_no_memory.py. It needs glibc, whose functions do the work. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

static uintptr_t first, last; /* the addresses of the library's code */
static long until_failure;    /* its allocations up to the one that fails; 0: none fails */
static long held;             /* blocks */

void short_watch(uintptr_t begin, uintptr_t end)
{
    first = begin;
    last = end;
}

/* Makes the allocation of this number fail, from 1 on; 0: none. Returns whether the one chosen before was reached. */
int short_fail(long number)
{
    int reached = until_failure == 0;
    until_failure = number;
    return reached;
}

long short_held(void)
{
    return held;
}

static int is_watched(void *caller)
{
    return (uintptr_t)caller >= first && (uintptr_t)caller < last;
}

/* Whether memory is given: not for the allocation that was chosen. */
static int gives(void *caller)
{
    return !is_watched(caller) || until_failure == 0 || --until_failure > 0;
}

static void *given(void *caller, void *block)
{
    held += block != NULL && is_watched(caller);
    return block;
}

void *malloc(size_t size)
{
    void *caller = __builtin_return_address(0);
    return gives(caller) ? given(caller, __libc_malloc(size)) : NULL;
}

void *calloc(size_t count, size_t size)
{
    void *caller = __builtin_return_address(0);
    return gives(caller) ? given(caller, __libc_calloc(count, size)) : NULL;
}

void *realloc(void *block, size_t size)
{
    void *caller = __builtin_return_address(0);
    if (!gives(caller)) {
        return NULL;
    }
    return block == NULL ? given(caller, __libc_malloc(size)) : __libc_realloc(block, size);
}

char *strdup(const char *text)
{
    void *caller = __builtin_return_address(0);
    size_t size = strlen(text) + 1;
    char *copy = gives(caller) ? given(caller, __libc_malloc(size)) : NULL;
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

void free(void *block)
{
    held -= block != NULL && is_watched(__builtin_return_address(0));
    __libc_free(block);
}
