/* Counts the allocations of CPython's allocators, without any event of a profiler: what a profiler that counts them is
 * held against. An allocation that an allocator makes of the one below it is not counted again. It is of the benchmarks,
 * not of the package; one thread that holds the GIL counts. */
#include <Python.h>

#include <stdint.h>

#define DOMAINS 3

static const PyMemAllocatorDomain domains[DOMAINS] = {PYMEM_DOMAIN_RAW, PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};

/* Allocators are the process's. */
static struct {
    PyMemAllocatorEx below[DOMAINS];
    uint64_t count;
    int depth;
} counter;

static const PyMemAllocatorEx *enter(void *context)
{
    counter.count += counter.depth++ == 0;
    return context;
}

static void *leave(void *block)
{
    counter.depth--;
    return block;
}

static void *counted_malloc(void *context, size_t size)
{
    const PyMemAllocatorEx *below = enter(context);
    return leave(below->malloc(below->ctx, size));
}

static void *counted_calloc(void *context, size_t count, size_t size)
{
    const PyMemAllocatorEx *below = enter(context);
    return leave(below->calloc(below->ctx, count, size));
}

static void *counted_realloc(void *context, void *block, size_t size)
{
    const PyMemAllocatorEx *below = enter(context);
    return leave(below->realloc(below->ctx, block, size));
}

static void passed_free(void *context, void *block)
{
    const PyMemAllocatorEx *below = context;
    below->free(below->ctx, block);
}

static PyObject *start(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    counter.count = 0;
    for (int i = 0; i < DOMAINS; i++) {
        PyMemAllocatorEx hook = {&counter.below[i], counted_malloc, counted_calloc, counted_realloc, passed_free};
        PyMem_GetAllocator(domains[i], &counter.below[i]);
        PyMem_SetAllocator(domains[i], &hook);
    }
    Py_RETURN_NONE;
}

static PyObject *stop(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    for (int i = 0; i < DOMAINS; i++) {
        PyMem_SetAllocator(domains[i], &counter.below[i]);
    }
    return PyLong_FromUnsignedLongLong(counter.count);
}

static PyMethodDef functions[] = {
    {"start", start, METH_NOARGS, "start(): count from 0."},
    {"stop", stop, METH_NOARGS, "stop(): count no more, and return how many allocations there were."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "bench_counter", .m_doc = "Counts allocations.",
    .m_size = 0,           .m_methods = functions,
};

PyMODINIT_FUNC PyInit_bench_counter(void)
{
    return PyModule_Create(&definition);
}
