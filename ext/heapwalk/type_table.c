/* How many objects of each type there are, and how large each is: see type_table.h. */
#include "heapwalk/type_table.h"

#include <stddef.h>
#include <string.h>

#define FIRST_SLOTS 4096

void trc_type_table_init(trc_type_table *table, const trc_pages *pages, trc_type_choice choose, void *context)
{
    *table = (trc_type_table){.pages = pages, .choose = choose, .context = context};
}

void trc_type_table_free(trc_type_table *table)
{
    trc_unmap(table->pages, table->slots, table->slot_count * sizeof *table->slots);
    trc_type_table_init(table, table->pages, table->choose, table->context);
}

static trc_type_count *empty_slot(const trc_type_table *table, const PyTypeObject *type)
{
    size_t slot = trc_type_table_home(table, type);
    while (table->slots[slot].type != NULL) {
        slot = (slot + 1) & (table->slot_count - 1);
    }
    return &table->slots[slot];
}

static bool reserve(trc_type_table *table)
{
    if (table->count < table->slot_count / 2) {
        return true;
    }
    trc_type_count *old = table->slots;
    size_t old_count = table->slot_count, new_count = old_count == 0 ? FIRST_SLOTS : 2 * old_count;
    trc_type_count *slots = trc_map(table->pages, new_count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    table->slots = slots;
    table->slot_count = new_count;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].type != NULL) {
            *empty_slot(table, old[i].type) = old[i];
        }
    }
    trc_unmap(table->pages, old, old_count * sizeof *old);
    return true;
}

/* -- Sizes -- */

static size_t size_of_type(const PyTypeObject *type, PyObject *object)
{
    size_t items = 0;
    if (type->tp_itemsize != 0) {
        Py_ssize_t count = Py_SIZE(object);
        items = (size_t)(count < 0 ? -count : count);
    }
    return (size_t)type->tp_basicsize + items * (size_t)type->tp_itemsize;
}

/* What a __sizeof__ written in C returns, or that of the type when it fails. */
static size_t size_by(PyCFunction method, PyObject *object)
{
    PyObject *result = method(object, NULL);
    Py_ssize_t size = result != NULL && PyLong_CheckExact(result) ? PyLong_AsSsize_t(result) : -1;
    Py_XDECREF(result);
    PyErr_Clear();
    return size < 0 ? size_of_type(Py_TYPE(object), object) : (size_t)size;
}

/* The __sizeof__ of a type, if it is written in C and is not object's; else NULL. */
static PyCFunction method_of(PyTypeObject *type)
{
    PyObject *found = trc_type_look_up(type, "__sizeof__");
    PyObject *usual = trc_type_look_up(&PyBaseObject_Type, "__sizeof__");
    PyCFunction method = NULL;
    if (found != NULL && found != usual && Py_IS_TYPE(found, &PyMethodDescr_Type)) {
        const PyMethodDef *def = ((PyMethodDescrObject *)(void *)found)->d_method;
        if ((def->ml_flags & ~METH_COEXIST) == METH_NOARGS) {
            method = def->ml_meth;
        }
    }
    Py_XDECREF(found); /* the type keeps its function */
    Py_XDECREF(usual);
    return method;
}

/* The size of an int of one digit, by int's own method. */
static size_t size_of_short_int(PyCFunction method)
{
    PyObject *one = PyLong_FromLong(1);
    size_t size = one == NULL ? 0 : size_by(method, one);
    Py_XDECREF(one);
    PyErr_Clear();
    return size;
}

trc_type_count *trc_type_table_add(trc_type_table *table, PyTypeObject *type)
{
    if (!reserve(table)) {
        return NULL;
    }
    trc_type_count entry = {
        .type = type, .method = method_of(type), .before = trc_size_before(type), .in_front = trc_size_in_front(type)};
    if (entry.method != NULL) {
        entry.rule = type == &PyUnicode_Type ? TRC_SIZE_OF_STR
                     : type == &PyLong_Type  ? TRC_SIZE_OF_INT
                     : type == &PyList_Type  ? TRC_SIZE_OF_LIST
                                             : TRC_SIZE_BY_METHOD;
    }
    if (entry.rule == TRC_SIZE_OF_INT) {
        table->short_int = size_of_short_int(entry.method);
    }
    entry.is_chosen = table->choose != NULL && table->choose(type, table->context);
    trc_type_count *slot = empty_slot(table, type);
    *slot = entry;
    table->count++;
    return slot;
}

size_t trc_object_size(const trc_type_table *table, const trc_type_count *entry, PyObject *object)
{
    size_t before =
        (entry->type->tp_flags & Py_TPFLAGS_HAVE_GC) && (entry->type->tp_is_gc == NULL || entry->type->tp_is_gc(object))
            ? entry->before
            : 0;
    switch (entry->rule) {
    case TRC_SIZE_OF_STR:
        if (PyUnicode_IS_COMPACT_ASCII(object)) {
            return sizeof(PyASCIIObject) + (size_t)PyUnicode_GET_LENGTH(object) + 1;
        }
        break;
    case TRC_SIZE_OF_INT:
        if (trc_is_short_int(object)) {
            return table->short_int;
        }
        break;
    case TRC_SIZE_OF_LIST:
        return before + (size_t)entry->type->tp_basicsize +
               (size_t)((PyListObject *)object)->allocated * sizeof(PyObject *);
    case TRC_SIZE_OF_TYPE:
        return before + size_of_type(entry->type, object);
    case TRC_SIZE_BY_METHOD:
        break;
    }
    return before + size_by(entry->method, object);
}

/* -- Names -- */

static PyObject *look_up_in(PyTypeObject *type, PyObject *key)
{
    PyObject *dict = trc_type_dict(type);
    PyObject *found = dict == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(dict, key));
    Py_XDECREF(dict);
    PyErr_Clear();
    return found;
}

PyObject *trc_type_look_up(PyTypeObject *type, const char *name)
{
    PyObject *key = PyUnicode_InternFromString(name), *found = NULL;
    PyObject *mro = key == NULL ? NULL : type->tp_mro;
    for (Py_ssize_t i = 0; found == NULL && mro != NULL && i < PyTuple_GET_SIZE(mro); i++) {
        PyObject *base = PyTuple_GET_ITEM(mro, i);
        found = PyType_Check(base) ? look_up_in((PyTypeObject *)base, key) : NULL;
    }
    Py_XDECREF(key);
    PyErr_Clear();
    return found;
}

static PyObject *module_of_heap_type(PyTypeObject *type)
{
    PyObject *key = PyUnicode_InternFromString("__module__");
    PyObject *found = key == NULL ? NULL : look_up_in(type, key);
    Py_XDECREF(key);
    PyErr_Clear();
    if (found != NULL && !PyUnicode_CheckExact(found)) {
        Py_CLEAR(found);
    }
    return found == NULL ? PyUnicode_FromString("?") : found;
}

int trc_type_names(PyTypeObject *type, PyObject **module, PyObject **name)
{
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        *name = PyUnicode_FromObject(((PyHeapTypeObject *)type)->ht_qualname); /* no str of a class of its own */
        *module = module_of_heap_type(type);
    }
    else {
        const char *point = strrchr(type->tp_name, '.');
        *name = PyUnicode_FromString(point == NULL ? type->tp_name : point + 1);
        *module = point == NULL ? PyUnicode_FromString("builtins")
                                : PyUnicode_FromStringAndSize(type->tp_name, point - type->tp_name);
    }
    if (*name != NULL && *module != NULL) {
        return 0;
    }
    Py_CLEAR(*name);
    Py_CLEAR(*module);
    return -1;
}

bool trc_type_has_name(PyTypeObject *type, void *wanted)
{
    PyObject *name = trc_type_name(type);
    bool is_equal = name != NULL && PyUnicode_Compare(name, wanted) == 0;
    Py_XDECREF(name);
    PyErr_Clear();
    return is_equal;
}

PyObject *trc_type_name(PyTypeObject *type)
{
    PyObject *module, *name, *whole = NULL;
    if (trc_type_names(type, &module, &name) < 0) {
        return NULL;
    }
    whole = PyUnicode_CompareWithASCIIString(module, "builtins") == 0 ? Py_NewRef(name)
                                                                      : PyUnicode_FromFormat("%U.%U", module, name);
    Py_DECREF(module);
    Py_DECREF(name);
    return whole;
}
