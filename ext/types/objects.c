/* The live objects of the process as Python values: see objects.h. The walks are heapwalk/heap_walk.h and
 * heapwalk/object_path.h. */
#include "types/objects.h"

#include "heapwalk/heap_walk.h"
#include "heapwalk/object_path.h"
#include "heapwalk/tracked.h"
#include "types/origins.h"

#include <stddef.h>
#include <stdlib.h>
#include <structmember.h>

const char trc_count_objects_doc[] =
    "count_objects(origins=False, /)\n--\n\n"
    "Return (types, sizes, origins) of all live objects. types: a list of (module, name, count, bytes), one a type. sizes:\n"
    "a list of (n, count, bytes), of the objects of more than 2**(n - 1) and at most 2**n bytes. origins: if asked for, a\n"
    "list of (module, name, place, count, bytes), with a place as in find_origins(); None: no memory is being recorded.\n\n"
    "Objects of type Uncounted are left out. Raises MemoryError.";

const char trc_find_objects_doc[] =
    "find_objects(type, limit, /)\n--\n\n"
    "Return a list of at most `limit` live objects whose class is `type`, or has this name: that of its module, a\n"
    "point and its qualified name; no module of the builtins.\n\n"
    "Raises ValueError when limit is less than 1, and MemoryError.";

const char trc_find_path_doc[] =
    "find_path(object, left_out, /)\n--\n\n"
    "Return (kind, path): the name of the object's type, and the shortest path of references to it, as\n"
    "ext/heapwalk/object_path.h describes it, or None. No path leads through objects of the type `left_out`.\n\n"
    "Raises MemoryError.";

const char trc_find_paths_doc[] =
    "find_paths(name, limit, /)\n--\n\n"
    "Return a list of (address, text, path) of live objects of the type of this name: of all, or, if there are more than\n"
    "`limit`, of a sample of as many, in which each is as likely as any other. text: a number, or the beginning of a str or\n"
    "bytes, as Python writes it; the length of a builtin container as an int; else None. path: as of find_path(), but of\n"
    "several objects in a container of more than 10,000 items only the first has its key or index. No object is kept\n"
    "alive, and no other thread runs meanwhile.\n\n"
    "Raises ValueError when limit is less than 1, and MemoryError.";

/* -- Counting -- */

/* 0, or -1 with an exception set, also when `row` is NULL. Takes over `row`. */
static int append(PyObject *list, PyObject *row)
{
    int result = row == NULL ? -1 : PyList_Append(list, row);
    Py_XDECREF(row);
    return result;
}

static PyObject *type_row(const trc_type_count *entry)
{
    PyObject *module, *name;
    return trc_type_names(entry->type, &module, &name) < 0
               ? NULL
               : Py_BuildValue("(NNKK)", module, name, (unsigned long long)entry->count,
                               (unsigned long long)entry->bytes);
}

static PyObject *type_rows(const trc_heap_walk *walk)
{
    PyObject *rows = PyList_New(0);
    for (size_t i = 0; rows != NULL && i < walk->types.slot_count; i++) {
        const trc_type_count *entry = &walk->types.slots[i];
        if (entry->type != NULL && entry->count != 0 && append(rows, type_row(entry)) < 0) {
            Py_CLEAR(rows);
        }
    }
    return rows;
}

static PyObject *size_rows(const trc_heap_walk *walk)
{
    PyObject *rows = PyList_New(0);
    for (int i = 0; rows != NULL && i < TRC_SIZE_CLASSES; i++) {
        const trc_size_class *size = &walk->sizes[i];
        if (size->count != 0 && append(rows, Py_BuildValue("(iKK)", i, (unsigned long long)size->count,
                                                           (unsigned long long)size->bytes)) < 0) {
            Py_CLEAR(rows);
        }
    }
    return rows;
}

static PyObject *origin_row(const trc_origin *origin, PyObject *place)
{
    PyObject *module, *name;
    return trc_type_names((PyTypeObject *)origin->kind, &module, &name) < 0
               ? NULL
               : Py_BuildValue("(NNOKK)", module, name, place, (unsigned long long)origin->count,
                               (unsigned long long)origin->bytes);
}

static PyObject *origins_of(const trc_heap_walk *walk, const trc_remembrance *remembrance)
{
    return walk->site_of == NULL ? Py_NewRef(Py_None) : trc_origin_rows(remembrance, &walk->origins, origin_row);
}

/* It is given no tuple of arguments, which would be counted. */
PyObject *trc_count_objects(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count > 1) {
        PyErr_Format(PyExc_TypeError, "count_objects() takes at most 1 argument, not %zd", count);
        return NULL;
    }
    int wants_origins = count == 0 ? 0 : PyObject_IsTrue(args[0]);
    if (wants_origins < 0 || trc_tracked_prepare() < 0) {
        return NULL;
    }
    trc_heap_walk walk;
    trc_remembrance remembrance;
    PyObject *types = NULL, *sizes = NULL, *origins = NULL, *result = NULL;
    trc_remembrance_begin(&remembrance, module);
    int was_enabled = trc_pause_collection();
    trc_heap_walk_init(&walk, &trc_system_pages, trc_state_of_module(module)->uncounted_type, NULL, NULL,
                       wants_origins ? trc_remembrance_finder(&remembrance) : NULL);
    if (trc_heap_walk_take(&walk) == 0) {
        types = type_rows(&walk);
        sizes = types == NULL ? NULL : size_rows(&walk);
        origins = sizes == NULL ? NULL : origins_of(&walk, &remembrance);
        result = origins == NULL ? NULL : PyTuple_Pack(3, types, sizes, origins);
    }
    trc_heap_walk_free(&walk);
    trc_resume_collection(was_enabled);
    Py_XDECREF(types);
    Py_XDECREF(sizes);
    Py_XDECREF(origins);
    trc_remembrance_end(&remembrance);
    return result;
}

/* -- Finding -- */

static bool is_wanted_type(PyTypeObject *type, void *wanted)
{
    return PyUnicode_Check(wanted) ? trc_type_has_name(type, wanted) : (void *)type == wanted;
}

static PyObject *list_of(PyObject *const *objects, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyList_SET_ITEM(list, (Py_ssize_t)i, Py_NewRef(objects[i]));
    }
    return list;
}

/* What a search for objects makes of those that it found: a new reference, or NULL with an exception set. */
typedef PyObject *(*made_of)(PyObject *const *objects, size_t count);

/* `is_sample`: of more than `limit` objects a sample is found, not the first ones. */
static PyObject *found_objects(PyObject *module, PyObject *wanted, Py_ssize_t limit, bool is_sample, made_of make)
{
    PyObject *result = NULL;
    if (limit < 1) {
        PyErr_Format(PyExc_ValueError, "limit must be 1 or more, not %zd", limit);
        return NULL;
    }
    if (trc_tracked_prepare() < 0) {
        return NULL;
    }
    PyObject **found = calloc((size_t)limit, sizeof *found);
    if (found == NULL) {
        return PyErr_NoMemory();
    }
    trc_heap_walk walk;
    int was_enabled = trc_pause_collection();
    trc_heap_walk_init_finding(&walk, &trc_system_pages, trc_state_of_module(module)->uncounted_type, is_wanted_type,
                               wanted, found, (size_t)limit);
    walk.is_sample = is_sample;
    if (trc_heap_walk_take(&walk) == 0) {
        result = make(found, walk.found_count);
    }
    trc_heap_walk_free(&walk);
    trc_resume_collection(was_enabled);
    free(found);
    return result;
}

PyObject *trc_find_objects(PyObject *module, PyObject *args)
{
    PyObject *wanted;
    Py_ssize_t limit;
    if (!PyArg_ParseTuple(args, "On:find_objects", &wanted, &limit)) {
        return NULL;
    }
    if (!PyType_Check(wanted) && !PyUnicode_CheckExact(wanted)) {
        PyErr_Format(PyExc_TypeError, "type must be a type or a str, not %s", Py_TYPE(wanted)->tp_name);
        return NULL;
    }
    return found_objects(module, wanted, limit, false, list_of);
}

/* -- Finding why -- */

enum { MOST_LETTERS = 60, MOST_BITS = 128 }; /* of a text; of a number, which are 39 digits */

/* The int is as short as its bits say: writing a long one may take seconds. */
static bool is_short(PyObject *object)
{
    PyObject *bits = PyObject_CallMethod(object, "bit_length", NULL);
    long count = bits == NULL ? -1 : PyLong_AsLong(bits);
    Py_XDECREF(bits);
    PyErr_Clear();
    return count >= 0 && count <= MOST_BITS;
}

/* The `text` of find_paths(): of exact builtin types alone, so that no code of the program runs. */
static PyObject *short_text(PyObject *object)
{
    if (PyUnicode_CheckExact(object) || PyBytes_CheckExact(object)) {
        PyObject *part = PySequence_GetSlice(object, 0, MOST_LETTERS);
        PyObject *text = part == NULL ? NULL : PyObject_Repr(part);
        Py_XDECREF(part);
        return text;
    }
    if (PyFloat_CheckExact(object) || PyComplex_CheckExact(object) || PyBool_Check(object) || object == Py_None ||
        (PyLong_CheckExact(object) && is_short(object))) {
        return PyObject_Repr(object);
    }
    if (PyList_CheckExact(object) || PyTuple_CheckExact(object) || PyDict_CheckExact(object) ||
        PyAnySet_CheckExact(object) || PyByteArray_CheckExact(object)) {
        return PyLong_FromSsize_t(PyObject_Size(object));
    }
    return Py_NewRef(Py_None);
}

static PyObject *paths_of(PyObject *const *objects, size_t count)
{
    PyObject *held = list_of(objects, count); /* no path leads through this list: nothing refers to it */
    PyObject *paths = held == NULL ? NULL : trc_object_paths(objects, count, &trc_system_pages, NULL);
    PyObject *rows = paths == NULL ? NULL : PyList_New(0);
    for (size_t i = 0; rows != NULL && i < count; i++) {
        PyObject *text = short_text(objects[i]);
        PyObject *row = text == NULL ? NULL
                                     : Py_BuildValue("(NNO)", PyLong_FromVoidPtr(objects[i]), text,
                                                     PyList_GET_ITEM(paths, (Py_ssize_t)i));
        if (append(rows, row) < 0) {
            Py_CLEAR(rows);
        }
    }
    Py_XDECREF(paths);
    Py_XDECREF(held);
    return rows;
}

PyObject *trc_find_paths(PyObject *module, PyObject *args)
{
    PyObject *name;
    Py_ssize_t limit;
    return PyArg_ParseTuple(args, "Un:find_paths", &name, &limit) ? found_objects(module, name, limit, true, paths_of)
                                                                  : NULL;
}

PyObject *trc_find_path(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object, *left_out;
    if (!PyArg_ParseTuple(args, "OO!:find_path", &object, &PyType_Type, &left_out)) {
        return NULL;
    }
    int was_enabled = trc_pause_collection();
    PyObject *paths = trc_object_paths(&object, 1, &trc_system_pages, (PyTypeObject *)left_out);
    trc_resume_collection(was_enabled);
    PyObject *kind = paths == NULL ? NULL : trc_type_name(Py_TYPE(object));
    PyObject *result = kind == NULL ? NULL : PyTuple_Pack(2, kind, PyList_GET_ITEM(paths, 0));
    Py_XDECREF(kind);
    Py_XDECREF(paths);
    return result;
}

/* -- Uncounted -- */

typedef struct uncounted {
    PyObject_HEAD
    PyObject *payload; /* owned: bytes */
} uncounted;

static PyObject *uncounted_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    static char *keywords[] = {"payload", NULL};
    PyObject *payload;
    if (!PyArg_ParseTupleAndKeywords(args, names, "S:Uncounted", keywords, &payload)) {
        return NULL;
    }
    uncounted *self = (uncounted *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->payload = Py_NewRef(payload);
    }
    return (PyObject *)self;
}

static void uncounted_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((uncounted *)self)->payload);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef uncounted_members[] = {
    {"payload", T_OBJECT_EX, offsetof(uncounted, payload), READONLY, "the bytes that it was made with"},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot uncounted_slots[] = {
    {Py_tp_doc, "Uncounted(payload)\n--\n\nKeeps bytes. No walk counts it, nor the bytes that only it holds."},
    {Py_tp_new, uncounted_new},
    {Py_tp_dealloc, uncounted_dealloc},
    {Py_tp_members, uncounted_members},
    {0, NULL},
};

static PyType_Spec uncounted_spec = {
    .name = "tracer._core.Uncounted",
    .basicsize = sizeof(uncounted),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = uncounted_slots,
};

PyTypeObject *trc_uncounted_type(PyObject *module)
{
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &uncounted_spec, NULL);
}
