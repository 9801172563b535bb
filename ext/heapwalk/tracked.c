/* The objects that the garbage collector tracks: see tracked.h.
 *
 * From 3.12 on, the interpreter visits them. Before, it only makes a list of them all: with 10^7 objects that list has
 * 80 MB, and each object's count of references is written twice. An audit hook of the program would be told, too. But
 * the objects are in a ring for each generation, linked by what stands before each object. The rings' heads stand at a
 * place that no public header names. A new object is the last one of the youngest ring, and so its link leads to that
 * head; the heads of the others follow. The thresholds that stand there tell whether that is so. If not, we take the
 * list. */
#include "heapwalk/tracked.h"

#if TRC_COLLECTOR_VISITS

int trc_tracked_prepare(void)
{
    return 0;
}

int trc_each_tracked(int (*visit)(PyObject *object, void *context), void *context)
{
    PyUnstable_GC_VisitObjects(visit, context);
    return 0;
}

#else

#define GENERATIONS 3
#define FLAGS ((uintptr_t)3) /* the lowest bits of `before` */

int trc_tracked_prepare(void)
{
    PyObject *module = PyImport_ImportModule("gc");
    Py_XDECREF(module);
    return module == NULL ? -1 : 0;
}

/* What stands before an object that is tracked. A head is one, too, without an object. */
typedef struct gc_link {
    struct gc_link *after;
    uintptr_t before; /* the address of a gc_link, and FLAGS */
} gc_link;

typedef struct generation {
    gc_link head;
    int threshold;
    int count;
} generation;

/* Returns the function of this name of the module gc if that is the interpreter's own, borrowed, or NULL. */
static PyObject *function_of_gc(const char *name)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *module = modules == NULL || !PyDict_Check(modules) ? NULL : trc_look_up(modules, "gc");
    PyObject *dict = module == NULL || !PyModule_Check(module) ? NULL : PyModule_GetDict(module);
    PyObject *function = dict == NULL ? NULL : trc_look_up(dict, name);
    return function != NULL && PyCFunction_Check(function) ? function : NULL;
}

/* -- The rings -- */

static const gc_link *previous(const gc_link *link)
{
    return (const gc_link *)(link->before & ~FLAGS);
}

static bool is_ring(const gc_link *head)
{
    const gc_link *last = previous(head);
    return head->after != NULL && last != NULL && last->after == head && previous(head->after) == head;
}

static bool has_thresholds(const generation *generations)
{
    PyObject *function = function_of_gc("get_threshold");
    PyObject *thresholds = function == NULL ? NULL : PyObject_CallNoArgs(function);
    bool result = thresholds != NULL && PyTuple_CheckExact(thresholds) && PyTuple_GET_SIZE(thresholds) == GENERATIONS;
    for (int i = 0; result && i < GENERATIONS; i++) {
        result = PyLong_AsLong(PyTuple_GET_ITEM(thresholds, i)) == generations[i].threshold;
    }
    Py_XDECREF(thresholds);
    PyErr_Clear();
    return result;
}

/* The generations, the youngest first, or NULL where they are not as we know them. */
static const generation *find_generations(void)
{
    PyObject *newest = PyList_New(0);
    if (newest == NULL) {
        PyErr_Clear();
        return NULL;
    }
    const gc_link *link = (gc_link *)(void *)newest - 1;
    const generation *generations = (const generation *)(const void *)link->after;
    bool is_first = generations != NULL && previous(&generations->head) == link;
    Py_DECREF(newest);
    if (!is_first || !has_thresholds(generations)) {
        return NULL;
    }
    for (int i = 0; i < GENERATIONS; i++) {
        if (!is_ring(&generations[i].head)) {
            return NULL;
        }
    }
    return generations;
}

static void each_in_rings(const generation *generations, int (*visit)(PyObject *object, void *context), void *context)
{
    bool goes_on = true;
    for (int i = 0; i < GENERATIONS; i++) {
        const gc_link *head = &generations[i].head;
        for (gc_link *at = head->after; goes_on && at != head; at = at->after) {
            goes_on = visit((PyObject *)(void *)(at + 1), context);
        }
    }
}

/* -- The list -- */

static int each_in_list(int (*visit)(PyObject *object, void *context), void *context)
{
    PyObject *function = function_of_gc("get_objects");
    if (function == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "gc.get_objects is not the interpreter's own: put that back");
        return -1;
    }
    PyObject *all = PyObject_CallNoArgs(function);
    if (all == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all) && visit(PyList_GET_ITEM(all, i), context); i++) {
    }
    Py_DECREF(all);
    return 0;
}

int trc_each_tracked(int (*visit)(PyObject *object, void *context), void *context)
{
    const generation *generations = find_generations();
    if (generations == NULL) {
        return each_in_list(visit, context);
    }
    each_in_rings(generations, visit, context);
    return 0;
}

#endif
