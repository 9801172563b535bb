/* Tells of the memory of NumPy's arrays: see numpy_memory.h. */
#include "sources/numpy_memory.h"

#include "sources/allocators.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of NumPy's C API, which is a table of pointers: the position of its feature version, of the default handler, and the
 * first version that has one. */
#define FEATURE_VERSION 211
#define DEFAULT_HANDLER 306
#define FIRST_VERSION 0xf

/* As NumPy has them. */
typedef struct numpy_allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block, size_t size);
} numpy_allocator;

typedef struct numpy_handler {
    char name[127];
    uint8_t version;
    numpy_allocator allocator;
} numpy_handler;

/* NumPy is loaded once a process, and never unloaded. */
static struct {
    atomic_bool is_on; /* set by the interpreter that puts the hooks on */
    numpy_allocator below;
} numpy;

static void *hooked_malloc(void *context, size_t size)
{
    bool is_told = trc_allocators_enter();
    void *block = numpy.below.malloc(context, size);
    trc_allocators_leave(is_told);
    if (is_told) {
        trc_allocators_allocated(block, size);
    }
    return block;
}

static void *hooked_calloc(void *context, size_t count, size_t size)
{
    bool is_told = trc_allocators_enter();
    void *block = numpy.below.calloc(context, count, size);
    trc_allocators_leave(is_told);
    if (is_told) {
        trc_allocators_allocated(block, count * size);
    }
    return block;
}

static void *hooked_realloc(void *context, void *block, size_t size)
{
    bool is_told = trc_allocators_enter();
    trc_live_block taken = is_told ? trc_allocators_take(block) : (trc_live_block){0, 0};
    void *moved_to = numpy.below.realloc(context, block, size);
    trc_allocators_leave(is_told);
    if (is_told) {
        trc_allocators_moved(block, taken, moved_to, size);
    }
    return moved_to;
}

static void hooked_free(void *context, void *block, size_t size)
{
    bool is_told = trc_allocators_enter();
    if (is_told) {
        trc_allocators_freed(block);
    }
    numpy.below.free(context, block, size);
    trc_allocators_leave(is_told);
}

/* Borrowed: the module with NumPy's C API, or NULL. Since 2.0 it has another name. */
static PyObject *find_module(void)
{
    PyObject *modules = PySys_GetObject("modules"); /* gone when the interpreter ends */
    if (modules == NULL || !PyDict_Check(modules)) {
        return NULL;
    }
    PyObject *module = trc_look_up(modules, "numpy._core._multiarray_umath");
    return module != NULL ? module : trc_look_up(modules, "numpy.core._multiarray_umath");
}

/* Returns the default handler, or NULL without an exception. */
static numpy_handler *find_handler(void)
{
    PyObject *module = find_module();
    PyObject *capsule =
        module == NULL || !PyModule_Check(module) ? NULL : trc_look_up(PyModule_GetDict(module), "_ARRAY_API");
    void **table = capsule == NULL || !PyCapsule_CheckExact(capsule) ? NULL : PyCapsule_GetPointer(capsule, NULL);
    if (table == NULL || ((unsigned int (*)(void))table[FEATURE_VERSION])() < FIRST_VERSION) {
        PyErr_Clear();
        return NULL;
    }
    PyObject *handler = *(PyObject **)table[DEFAULT_HANDLER];
    numpy_handler *found = handler == NULL ? NULL : PyCapsule_GetPointer(handler, "mem_handler");
    PyErr_Clear();
    return found == NULL || found->version != 1 ? NULL : found;
}

void trc_numpy_memory_watch(void)
{
    numpy_handler *handler = numpy.is_on ? NULL : find_handler();
    if (handler != NULL && !atomic_exchange(&numpy.is_on, true)) {
        numpy.below = handler->allocator;
        handler->allocator =
            (numpy_allocator){numpy.below.context, hooked_malloc, hooked_calloc, hooked_realloc, hooked_free};
    }
}
