/* Which function an event is about: see identity.h. */
#include "identity.h"

#include <stdlib.h>

#define GENERATOR_LIKE (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE)

/* The first RESUME of a generator is where its body starts: before it only the generator object is made. */
static int find_first_resume(PyCodeObject *code)
{
    if ((code->co_flags & GENERATOR_LIKE) == 0) {
        return 0;
    }
    int offset = 0;
    PyObject *bytes = PyCode_GetCode(code);
    if (bytes == NULL) {
        PyErr_Clear();
        return 0;
    }
    const char *units = PyBytes_AS_STRING(bytes);
    Py_ssize_t size = PyBytes_GET_SIZE(bytes);
    for (Py_ssize_t i = 0; i < size; i += 2) {
        if ((unsigned char)units[i] == RESUME) {
            offset = (int)i;
            break;
        }
    }
    Py_DECREF(bytes);
    return offset;
}

static void set_builtin(trc_identity *identity, PyCFunctionObject *function, PyTypeObject *own_type)
{
    PyObject *self = PyCFunction_GET_SELF((PyObject *)function);
    identity->kind = TRC_IDENTITY_BUILTIN;
    identity->def = function->m_ml;
    identity->module = Py_XNewRef(function->m_module);
    if (self != NULL) {
        identity->own = PyObject_TypeCheck(self, own_type);
        identity->keeps_self = PyType_Check(self) || PyModule_Check(self) || PyCapsule_CheckExact(self);
        identity->keeper = Py_NewRef(identity->keeps_self ? self : (PyObject *)Py_TYPE(self));
    }
}

trc_identity *trc_identity_new(const trc_callee *callee, PyTypeObject *own_type)
{
    trc_identity *identity = calloc(1, sizeof *identity);
    if (identity == NULL) {
        return NULL;
    }
    if (PyCode_Check(callee->object)) {
        identity->kind = TRC_IDENTITY_CODE;
        identity->keeper = Py_NewRef(callee->object);
        identity->first_resume = find_first_resume((PyCodeObject *)callee->object);
    }
    else {
        set_builtin(identity, (PyCFunctionObject *)callee->object, own_type);
    }
    return identity;
}

trc_identity *trc_identity_other(void)
{
    trc_identity *identity = calloc(1, sizeof *identity);
    if (identity != NULL) {
        identity->kind = TRC_IDENTITY_OTHER;
    }
    return identity;
}

trc_identity *trc_identity_copy(const trc_identity *identity)
{
    trc_identity *copy = malloc(sizeof *copy);
    if (copy != NULL) {
        *copy = *identity;
        Py_XINCREF(copy->keeper);
        Py_XINCREF(copy->module);
    }
    return copy;
}

void trc_identity_free(void *block)
{
    trc_identity *identity = block;
    PyObject *keeper = identity->keeper;
    PyObject *module = identity->module;
    free(identity);
    Py_XDECREF(keeper);
    Py_XDECREF(module);
}

int trc_identity_traverse(const trc_identity *identity, visitproc visit, void *arg)
{
    Py_VISIT(identity->keeper);
    Py_VISIT(identity->module);
    return 0;
}

/* New reference to the attribute `name` as found in the dictionaries of `type` and its bases, unbound; NULL without an
 * exception when there is none. */
static PyObject *find_in_type(PyObject *type, const char *name)
{
    PyObject *found = NULL;
    PyObject *mro = PyObject_GetAttrString(type, "__mro__");
    for (Py_ssize_t i = 0; mro != NULL && PyTuple_Check(mro) && found == NULL && i < PyTuple_GET_SIZE(mro); i++) {
        PyObject *dict = PyObject_GetAttrString(PyTuple_GET_ITEM(mro, i), "__dict__");
        found = dict == NULL ? NULL : PyMapping_GetItemString(dict, name);
        PyErr_Clear();
        Py_XDECREF(dict);
    }
    PyErr_Clear();
    Py_XDECREF(mro);
    return found;
}

/* The descriptions are those of CPython's Modules/_lsprof.c, so that reports name builtins alike. */
static PyObject *describe_builtin(const trc_identity *identity)
{
    const char *name = identity->def->ml_name;
    PyObject *module = identity->module;
    if (identity->keeper == NULL) {
        PyObject *module_name = NULL;
        if (module != NULL && PyModule_Check(module)) {
            module_name = PyModule_GetNameObject(module);
            PyErr_Clear();
        }
        else if (module != NULL && PyUnicode_Check(module)) {
            module_name = Py_NewRef(module);
        }
        bool plain = module_name == NULL || PyUnicode_CompareWithASCIIString(module_name, "builtins") == 0;
        PyObject *text =
            plain ? PyUnicode_FromFormat("<%s>", name) : PyUnicode_FromFormat("<%U.%s>", module_name, name);
        Py_XDECREF(module_name);
        return text;
    }
    PyObject *type = identity->keeps_self ? (PyObject *)Py_TYPE(identity->keeper) : identity->keeper;
    PyObject *descriptor = find_in_type(type, name);
    if (descriptor != NULL) {
        PyObject *text = PyObject_Repr(descriptor);
        Py_DECREF(descriptor);
        if (text != NULL) {
            return text;
        }
        PyErr_Clear();
    }
    if (module != NULL && PyUnicode_Check(module)) {
        return PyUnicode_FromFormat("<built-in method %U.%s>", module, name);
    }
    return PyUnicode_FromFormat("<built-in method %s>", name);
}

/* "list.append", "dict.fromkeys", "builtins.len". */
static PyObject *qualify_builtin(const trc_identity *identity)
{
    const char *name = identity->def->ml_name;
    if (identity->keeper == NULL || PyModule_Check(identity->keeper) || PyCapsule_CheckExact(identity->keeper)) {
        if (identity->module != NULL && PyUnicode_Check(identity->module)) {
            return PyUnicode_FromFormat("%U.%s", identity->module, name);
        }
        return PyUnicode_FromString(name);
    }
    PyObject *owner = PyObject_GetAttrString(identity->keeper, "__qualname__");
    if (owner == NULL || !PyUnicode_Check(owner)) {
        PyErr_Clear();
        Py_XDECREF(owner);
        return PyUnicode_FromString(name);
    }
    PyObject *text = PyUnicode_FromFormat("%U.%s", owner, name);
    Py_DECREF(owner);
    return text;
}

PyObject *trc_identity_code(const trc_identity *identity)
{
    switch (identity->kind) {
    case TRC_IDENTITY_CODE:
        return Py_NewRef(identity->keeper);
    case TRC_IDENTITY_BUILTIN:
        return describe_builtin(identity);
    default:
        return PyUnicode_FromString("<functions past the limit>");
    }
}

PyObject *trc_identity_names(const trc_identity *identity)
{
    if (identity->kind == TRC_IDENTITY_CODE) {
        const PyCodeObject *code = (const PyCodeObject *)identity->keeper;
        return Py_BuildValue("OiOO", code->co_filename, code->co_firstlineno, code->co_name, code->co_qualname);
    }
    PyObject *name = trc_identity_code(identity);
    if (name == NULL) {
        return NULL;
    }
    PyObject *qualname = identity->kind == TRC_IDENTITY_BUILTIN ? qualify_builtin(identity) : Py_NewRef(name);
    if (qualname == NULL) {
        Py_DECREF(name);
        return NULL;
    }
    return Py_BuildValue("siNN", "~", 0, name, qualname);
}
