/* The names of methods that were made of a text: see made_methods.h. */
#include "interp/made_methods.h"

#include "interp/made_code.h"

#include <stdlib.h>

#define QUALNAME 3 /* the place in the tuples of names */
#define WRAPPERS 8 /* the most functions around a method that are followed */

typedef struct search {
    const trc_functab *functions;
    PyObject **found;     /* owned: by the id of a function its name; None: the classes have several */
    PyObject *subclasses; /* owned: type.__subclasses__, which no metaclass replaces */
} search;

/* Whether a class may know the code by a better name: it has no class in its name yet. */
static bool is_searched(const PyCodeObject *code)
{
    if (code == NULL || !(code->co_flags & CO_OPTIMIZED) || !trc_is_of_text(code)) {
        return false;
    }
    Py_ssize_t length = PyUnicode_GET_LENGTH(code->co_qualname);
    Py_ssize_t dot = PyUnicode_FindChar(code->co_qualname, '.', 0, length, -1);
    return dot < 0 || PyUnicode_READ_CHAR(code->co_qualname, dot - 1) == '>';
}

/* New reference to the function that this one was wrapped around by functools.wraps(); NULL: it is none. */
static PyObject *wrapped_in(PyObject *function)
{
    PyObject *dict = ((PyFunctionObject *)function)->func_dict;
    PyObject *wrapped = dict == NULL ? NULL : trc_look_up(dict, "__wrapped__");
    return wrapped != NULL && Py_IS_TYPE(wrapped, &PyFunction_Type) ? Py_NewRef(wrapped) : NULL;
}

/* New reference: the name of a function that a class has as `key`. Who made the function may have named it. */
static PyObject *name_of(PyObject *function, PyTypeObject *class, PyObject *key)
{
    PyObject *own = ((PyFunctionObject *)function)->func_qualname;
    const PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(function);
    if (PyUnicode_Compare(own, code->co_qualname) != 0) {
        return PyUnicode_FromObject(own);
    }
    PyObject *holder = PyType_GetQualName(class);
    PyObject *name = holder == NULL ? NULL : PyUnicode_FromFormat("%U.%U", holder, key);
    Py_XDECREF(holder);
    return name;
}

/* Notes the name of a function, if it is searched for. 0, or -1 with an exception set. */
static int note(search *search, PyObject *function, PyTypeObject *class, PyObject *key)
{
    const PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(function);
    const trc_func *func = is_searched(code) ? trc_functab_find(search->functions, code) : NULL;
    if (func == NULL) {
        return 0;
    }
    PyObject *name = name_of(function, class, key);
    PyObject **found = &search->found[func->id];
    if (name == NULL) {
        return -1;
    }
    if (*found == NULL) {
        *found = name;
        return 0;
    }
    if (*found != Py_None && PyUnicode_Compare(*found, name) != 0) {
        Py_SETREF(*found, Py_NewRef(Py_None));
    }
    Py_DECREF(name);
    return 0;
}

/* Looks at a function in a class, and at those that it wraps. A function that wraps another keeps its name: its code
 * may be around many. 0, or -1 with an exception set. */
static int look_at_function(search *search, PyObject *function, PyTypeObject *class, PyObject *key)
{
    Py_INCREF(function);
    for (int i = 0; i < WRAPPERS; i++) {
        PyObject *wrapped = wrapped_in(function);
        if (wrapped == NULL) {
            break;
        }
        Py_SETREF(function, wrapped);
    }
    int result = note(search, function, class, key);
    Py_DECREF(function);
    return result;
}

/* The same for the function that `value`, an object of Python's own, has as an attribute, if it is one. */
static int look_at_attribute(search *search, PyObject *value, const char *attribute, PyTypeObject *class, PyObject *key)
{
    PyObject *function = PyObject_GetAttrString(value, attribute);
    int result = function == NULL ? -1 : 0;
    if (function != NULL && Py_IS_TYPE(function, &PyFunction_Type)) {
        result = look_at_function(search, function, class, key);
    }
    Py_XDECREF(function);
    return result;
}

static int look_at_value(search *search, PyObject *value, PyTypeObject *class, PyObject *key)
{
    if (Py_IS_TYPE(value, &PyFunction_Type)) {
        return look_at_function(search, value, class, key);
    }
    if (Py_IS_TYPE(value, &PyStaticMethod_Type) || Py_IS_TYPE(value, &PyClassMethod_Type)) {
        return look_at_attribute(search, value, "__func__", class, key);
    }
    if (Py_IS_TYPE(value, &PyProperty_Type)) {
        bool seen = look_at_attribute(search, value, "fget", class, key) == 0 &&
                    look_at_attribute(search, value, "fset", class, key) == 0 &&
                    look_at_attribute(search, value, "fdel", class, key) == 0;
        return seen ? 0 : -1;
    }
    return 0;
}

static int look_at_class(search *search, PyTypeObject *class)
{
    if (!PyType_HasFeature(class, Py_TPFLAGS_HEAPTYPE)) {
        return 0; /* written in C */
    }
    PyObject *dict = trc_type_dict(class), *key, *value;
    Py_ssize_t place = 0;
    int result = 0;
    while (result == 0 && dict != NULL && PyDict_Next(dict, &place, &key, &value)) {
        result = PyUnicode_Check(key) ? look_at_value(search, value, class, key) : 0;
    }
    Py_XDECREF(dict);
    return result;
}

/* Appends the direct subclasses of a class, each below the first of its bases alone: so it is met once. 0, or -1 with an
 * exception set. */
static int append_subclasses(const search *search, PyObject *classes, PyObject *class)
{
    PyObject *below = PyObject_CallOneArg(search->subclasses, class);
    int result = below == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; result == 0 && i < PyList_GET_SIZE(below); i++) {
        PyObject *bases = ((PyTypeObject *)PyList_GET_ITEM(below, i))->tp_bases;
        if (bases != NULL && PyTuple_GET_SIZE(bases) > 0 && PyTuple_GET_ITEM(bases, 0) == class) {
            result = PyList_Append(classes, PyList_GET_ITEM(below, i));
        }
    }
    Py_XDECREF(below);
    return result;
}

static int look_at_classes(search *search)
{
    search->subclasses = PyObject_GetAttrString((PyObject *)&PyType_Type, "__subclasses__");
    PyObject *classes = search->subclasses == NULL ? NULL : PyList_New(0);
    int result = classes == NULL ? -1 : PyList_Append(classes, (PyObject *)&PyBaseObject_Type);
    for (Py_ssize_t i = 0; result == 0 && i < PyList_GET_SIZE(classes); i++) {
        PyObject *class = PyList_GET_ITEM(classes, i);
        result = look_at_class(search, (PyTypeObject *)class);
        result = result == 0 ? append_subclasses(search, classes, class) : result;
    }
    Py_XDECREF(classes);
    Py_XDECREF(search->subclasses);
    return result;
}

/* Puts the names that were found in their places, unless `result` is an error, and releases them. 0, or -1 with an
 * exception set. */
static int put_names(PyObject *names, search *search, int result)
{
    for (uint32_t id = 0; id < search->functions->count; id++) {
        PyObject *found = search->found[id];
        if (result == 0 && found != NULL && found != Py_None) {
            result = PyTuple_SetItem(PyTuple_GET_ITEM(names, id), QUALNAME, Py_NewRef(found));
        }
        Py_XDECREF(found);
    }
    return result;
}

int trc_name_made_methods(PyObject *names, const trc_functab *functions, trc_code_of code_of)
{
    const trc_func *func = functions->first;
    while (func != NULL && !is_searched(code_of(func))) {
        func = func->hh.next;
    }
    if (func == NULL) {
        return 0;
    }
    search search = {.functions = functions, .found = calloc(functions->count, sizeof(PyObject *))};
    if (search.found == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int was_enabled = trc_pause_collection(); /* of what it frees, code of the program may run */
    int result = look_at_classes(&search);
    result = put_names(names, &search, result);
    trc_resume_collection(was_enabled);
    free(search.found);
    return result;
}
