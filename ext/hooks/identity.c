/* Which function an event is about: see identity.h. */
#include "identity.h"

#include <stdlib.h>
#include <string.h>

/* The first RESUME of a generator is where its body starts: before it only the generator object is made. */
static int find_first_resume(PyCodeObject *code)
{
    if (!trc_code_is_resumable(code)) {
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

bool trc_callee_is_past_start(const trc_callee *callee, const trc_identity *identity)
{
    if (identity->kind == TRC_IDENTITY_OTHER) { /* it stands for many functions: ask this one */
        return callee->offset > find_first_resume((PyCodeObject *)callee->object);
    }
    return callee->offset > identity->first_resume;
}

bool trc_callee_is_own(const trc_callee *callee, const trc_own_types *own_types)
{
    PyObject *self = PyCFunction_Check(callee->object) ? PyCFunction_GET_SELF(callee->object) : NULL;
    return self != NULL && (PyObject_TypeCheck(self, own_types->profiler) || Py_IS_TYPE(self, own_types->dispatcher));
}

static bool set_builtin(trc_identity *identity, PyCFunctionObject *function)
{
    PyObject *self = PyCFunction_GET_SELF((PyObject *)function);
    identity->kind = TRC_IDENTITY_BUILTIN;
    identity->def = function->m_ml;
    identity->name = strdup(function->m_ml->ml_name);
    identity->module = Py_XNewRef(function->m_module);
    if (self != NULL) {
        identity->keeps_self = PyType_Check(self) || PyModule_Check(self) || PyCapsule_CheckExact(self);
        identity->keeper = Py_NewRef(identity->keeps_self ? self : (PyObject *)Py_TYPE(self));
    }
    return identity->name != NULL;
}

trc_identity *trc_identity_new(const trc_callee *callee, const trc_own_types *own_types)
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
        identity->own = trc_callee_is_own(callee, own_types);
        if (!set_builtin(identity, (PyCFunctionObject *)callee->object)) {
            trc_identity_free(identity);
            return NULL;
        }
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
    if (copy == NULL) {
        return NULL;
    }
    *copy = *identity;
    Py_XINCREF(copy->keeper);
    Py_XINCREF(copy->module);
    if (identity->name != NULL) {
        copy->name = strdup(identity->name);
        if (copy->name == NULL) {
            trc_identity_free(copy);
            return NULL;
        }
    }
    return copy;
}

void trc_identity_free(void *block)
{
    trc_identity *identity = block;
    PyObject *keeper = identity->keeper;
    PyObject *module = identity->module;
    free(identity->name);
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

/* Whether an attribute of a type is the method that `def` defines: a subclass may have another one of that name. */
static bool is_method_of(PyObject *attribute, const PyMethodDef *def)
{
    return (Py_IS_TYPE(attribute, &PyMethodDescr_Type) || Py_IS_TYPE(attribute, &PyClassMethodDescr_Type)) &&
           ((PyMethodDescrObject *)attribute)->d_method == def;
}

/* New reference to the descriptor of a builtin, found in the dictionaries of `type` and its bases; NULL without an
 * exception when there is none. */
static PyObject *find_descriptor(PyObject *type, const trc_identity *identity)
{
    PyObject *found = NULL;
    PyObject *mro = PyObject_GetAttrString(type, "__mro__");
    for (Py_ssize_t i = 0; mro != NULL && PyTuple_Check(mro) && found == NULL && i < PyTuple_GET_SIZE(mro); i++) {
        PyObject *dict = PyObject_GetAttrString(PyTuple_GET_ITEM(mro, i), "__dict__");
        found = dict == NULL ? NULL : PyMapping_GetItemString(dict, identity->name);
        PyErr_Clear();
        Py_XDECREF(dict);
        if (found != NULL && !is_method_of(found, identity->def)) {
            Py_CLEAR(found);
        }
    }
    PyErr_Clear();
    Py_XDECREF(mro);
    return found;
}

/* Likewise for a method of instances or of classes. */
static PyObject *find_own_descriptor(const trc_identity *identity)
{
    if (!identity->keeps_self) {
        return find_descriptor(identity->keeper, identity);
    }
    return PyType_Check(identity->keeper) ? find_descriptor(identity->keeper, identity) : NULL;
}

/* The descriptions are those of CPython's Modules/_lsprof.c, so that reports name builtins alike. */
static PyObject *describe_builtin(const trc_identity *identity)
{
    const char *name = identity->name;
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
    PyObject *descriptor = find_descriptor(type, identity);
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
    const char *name = identity->name;
    if (identity->keeper == NULL || PyModule_Check(identity->keeper) || PyCapsule_CheckExact(identity->keeper)) {
        if (identity->module != NULL && PyUnicode_Check(identity->module)) {
            return PyUnicode_FromFormat("%U.%s", identity->module, name);
        }
        return PyUnicode_FromString(name);
    }
    PyObject *descriptor = find_own_descriptor(identity);
    PyObject *holder = descriptor == NULL ? identity->keeper : (PyObject *)((PyDescrObject *)descriptor)->d_type;
    PyObject *owner = PyObject_GetAttrString(holder, "__qualname__");
    Py_XDECREF(descriptor);
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
