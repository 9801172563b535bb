/* Which function an event is about: see identity.h. */
#include "interp/identity.h"

#include "interp/generators.h"
#include "interp/made_code.h"

#include <stdlib.h>
#include <string.h>

/* Whether instances of the type are told apart: those of these types are few, and each has a name. Of other types there
 * may be millions. */
static bool has_named_instances(const PyTypeObject *type)
{
    return strcmp(type->tp_name, "numpy.ufunc") == 0 || strcmp(type->tp_name, "numpy._ArrayFunctionDispatcher") == 0;
}

bool trc_callee_from_any_object(trc_callee *callee, PyObject *object, PyObject *first, trc_callable_scope wanted)
{
    PyTypeObject *type = Py_TYPE(object);
    callee->object = object;
    callee->scope = TRC_BUILTINS;
    if (type == &PyMethodDescr_Type) { /* without a proper self the call fails */
        callee->key = ((PyMethodDescrObject *)object)->d_method;
        return first != NULL && PyObject_TypeCheck(first, ((PyDescrObject *)object)->d_type);
    }
    if (PyCFunction_Check(object)) {
        callee->key = ((PyCFunctionObject *)object)->m_ml;
        return true;
    }
    if (wanted < TRC_ALL_CALLABLES || type == &PyFunction_Type || type == &PyMethod_Type) {
        return false;
    }
    callee->scope = TRC_ALL_CALLABLES;
    bool itself = PyType_Check(object) || type == &PyWrapperDescr_Type || has_named_instances(type);
    /* The address one behind the type's: the type itself is the key of its own calls. */
    callee->key = itself ? (const void *)object : (const char *)type + 1;
    return true;
}

/* Whether this is the name of one of tracer's modules. `module`: any object, or NULL. */
static bool is_module_of_tracer(PyObject *module)
{
    const char *name = module != NULL && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
    if (module != NULL && name == NULL) {
        PyErr_Clear();
    }
    return name != NULL && strncmp(name, "tracer.", 7) == 0;
}

/* Whether the type is a class of one of tracer's modules. */
static bool is_class_of_tracer(PyTypeObject *type)
{
    return PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) &&
           is_module_of_tracer(trc_look_up(type->tp_dict, "__module__"));
}

bool trc_callee_is_internal(const trc_callee *callee, const trc_internal_types *internal_types)
{
    PyObject *object = callee->object;
    PyTypeObject *type = NULL;
    if (PyCFunction_Check(object)) {
        if (is_module_of_tracer(((PyCFunctionObject *)object)->m_module)) {
            return true;
        }
        type = PyCFunction_GET_SELF(object) == NULL ? NULL : Py_TYPE(PyCFunction_GET_SELF(object));
    }
    else if (Py_IS_TYPE(object, &PyMethodDescr_Type)) {
        type = ((PyDescrObject *)object)->d_type;
    }
    else if (PyType_Check(object)) {
        type = (PyTypeObject *)object;
    }
    else if (is_class_of_tracer(Py_TYPE(object))) {
        return true; /* the call of an instance, such as the function whose calls are steps */
    }
    return type != NULL &&
           (PyType_IsSubtype(type, internal_types->profiler) || PyType_IsSubtype(type, internal_types->line_recorder) ||
            PyType_IsSubtype(type, internal_types->step_clock) || type == internal_types->dispatcher ||
            is_class_of_tracer(type));
}

bool trc_instances_hand_on(const PyTypeObject *type)
{
    PyObject *call = trc_look_up_inherited(type, "__call__");
    return call != NULL && !Py_IS_TYPE(call, &PyWrapperDescr_Type);
}

static void set_callable(trc_identity *identity, const trc_callee *callee)
{
    bool itself = callee->key == callee->object;
    identity->kind = itself ? TRC_IDENTITY_CALLABLE : TRC_IDENTITY_INSTANCE;
    identity->kept_alive = Py_NewRef(itself ? callee->object : (PyObject *)Py_TYPE(callee->object));
    identity->is_internal = identity->is_internal || (!itself && trc_instances_hand_on(Py_TYPE(callee->object)));
}

static bool set_method(trc_identity *identity, PyMethodDescrObject *descriptor)
{
    identity->kind = TRC_IDENTITY_BUILTIN;
    identity->def = descriptor->d_method;
    identity->name = strdup(descriptor->d_method->ml_name);
    identity->kept_alive = Py_NewRef(((PyDescrObject *)descriptor)->d_type);
    return identity->name != NULL;
}

static bool set_builtin(trc_identity *identity, PyCFunctionObject *function)
{
    PyObject *self = function->m_self; /* of a static method, too: the class, which PyCFunction_GET_SELF leaves out */
    identity->kind = TRC_IDENTITY_BUILTIN;
    identity->def = function->m_ml;
    identity->name = strdup(function->m_ml->ml_name);
    identity->module = Py_XNewRef(function->m_module);
    if (self != NULL) {
        identity->keeps_self = PyType_Check(self) || PyModule_Check(self) || PyCapsule_CheckExact(self);
        identity->kept_alive = Py_NewRef(identity->keeps_self ? self : (PyObject *)Py_TYPE(self));
    }
    return identity->name != NULL;
}

trc_identity *trc_identity_new(const trc_callee *callee, const trc_internal_types *internal_types)
{
    trc_identity *identity = calloc(1, sizeof *identity);
    if (identity == NULL) {
        return NULL;
    }
    if (PyCode_Check(callee->object)) {
        identity->kind = TRC_IDENTITY_CODE;
        identity->kept_alive = Py_NewRef(callee->object);
        identity->is_internal =
            internal_types->folder != NULL && PyUnicode_Tailmatch(((PyCodeObject *)callee->object)->co_filename,
                                                                  internal_types->folder, 0, PY_SSIZE_T_MAX, -1) == 1;
        return identity;
    }
    if (PyUnicode_Check(callee->object)) {
        identity->kind = TRC_IDENTITY_NAME;
        identity->is_internal = true;
        identity->kept_alive = Py_NewRef(callee->object);
        return identity;
    }
    bool named = true;
    identity->is_internal = trc_callee_is_internal(callee, internal_types);
    if (callee->scope > TRC_BUILTINS) {
        set_callable(identity, callee);
    }
    else if (Py_IS_TYPE(callee->object, &PyMethodDescr_Type)) {
        named = set_method(identity, (PyMethodDescrObject *)callee->object);
    }
    else {
        named = set_builtin(identity, (PyCFunctionObject *)callee->object);
    }
    if (!named) {
        trc_identity_free(identity);
        return NULL;
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
    Py_XINCREF(copy->kept_alive);
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
    PyObject *kept_alive = identity->kept_alive;
    PyObject *module = identity->module;
    free(identity->name);
    free(identity);
    Py_XDECREF(kept_alive);
    Py_XDECREF(module);
}

bool trc_identity_is_coroutine(const trc_identity *identity)
{
    return identity->kind == TRC_IDENTITY_CODE && trc_code_is_coroutine((PyCodeObject *)identity->kept_alive);
}

int trc_identity_traverse(const trc_identity *identity, visitproc visit, void *arg)
{
    Py_VISIT(identity->kept_alive);
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

/* The same for the builtin's own type: that of a method of instances, or the class of a class method. */
static PyObject *find_own_descriptor(const trc_identity *identity)
{
    if (!identity->keeps_self) {
        return find_descriptor(identity->kept_alive, identity);
    }
    return PyType_Check(identity->kept_alive) ? find_descriptor(identity->kept_alive, identity) : NULL;
}

/* The descriptions are those of CPython's Modules/_lsprof.c, so that reports name builtins alike. */
static PyObject *describe_builtin(const trc_identity *identity)
{
    const char *name = identity->name;
    PyObject *module = identity->module;
    if (identity->kept_alive == NULL) {
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
    PyObject *type = identity->keeps_self ? (PyObject *)Py_TYPE(identity->kept_alive) : identity->kept_alive;
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

/* Whether the builtin is the __new__() that all types written in C share: the type on which it was called first does
 * not own it. */
static bool is_shared_new(const trc_identity *identity)
{
    return PyType_Check(identity->kept_alive) && strcmp(identity->name, "__new__") == 0;
}

static bool is_of_no_type(const trc_identity *identity)
{
    PyObject *self = identity->kept_alive;
    return self == NULL || PyModule_Check(self) || PyCapsule_CheckExact(self);
}

/* New reference to the type that has a builtin, which is of some type; NULL without an exception: not known. */
static PyObject *find_holder(const trc_identity *identity)
{
    PyObject *descriptor = find_own_descriptor(identity);
    if (descriptor == NULL) {
        return is_shared_new(identity) ? NULL : Py_NewRef(identity->kept_alive);
    }
    PyObject *holder = Py_NewRef(((PyDescrObject *)descriptor)->d_type);
    Py_DECREF(descriptor);
    return holder;
}

PyObject *trc_module_of_type(PyTypeObject *type)
{
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        const char *dot = strrchr(type->tp_name, '.');
        return dot == NULL ? NULL : PyUnicode_FromStringAndSize(type->tp_name, dot - type->tp_name);
    }
    PyObject *dict = trc_type_dict(type);
    PyObject *module = dict == NULL ? NULL : Py_XNewRef(trc_look_up(dict, "__module__"));
    Py_XDECREF(dict);
    return module;
}

PyObject *trc_identity_module(const trc_identity *identity)
{
    if (identity->kind != TRC_IDENTITY_BUILTIN) {
        return NULL;
    }
    PyObject *module = NULL;
    if (is_of_no_type(identity)) {
        module = Py_XNewRef(identity->module);
    }
    else {
        PyObject *holder = find_holder(identity);
        module = holder == NULL ? NULL : trc_module_of_type((PyTypeObject *)holder);
        Py_XDECREF(holder);
    }
    PyErr_Clear();
    if (module != NULL && !PyUnicode_CheckExact(module)) {
        Py_CLEAR(module);
    }
    return module;
}

/* "list.append", "dict.fromkeys", "builtins.len". */
static PyObject *qualify_builtin(const trc_identity *identity)
{
    const char *name = identity->name;
    if (is_of_no_type(identity)) {
        if (identity->module != NULL && PyUnicode_Check(identity->module)) {
            return PyUnicode_FromFormat("%U.%s", identity->module, name);
        }
        return PyUnicode_FromString(name);
    }
    PyObject *holder = find_holder(identity);
    PyObject *owner = holder == NULL ? NULL : PyObject_GetAttrString(holder, "__qualname__");
    Py_XDECREF(holder);
    if (owner == NULL || !PyUnicode_Check(owner)) {
        PyErr_Clear();
        Py_XDECREF(owner);
        return PyUnicode_FromString(name);
    }
    PyObject *text = PyUnicode_FromFormat("%U.%s", owner, name);
    Py_DECREF(owner);
    return text;
}

/* "collections.OrderedDict"; of a builtin type "dict". */
static PyObject *full_name(PyObject *type)
{
    PyObject *name = PyType_GetQualName((PyTypeObject *)type);
    PyObject *module = name == NULL ? NULL : trc_module_of_type((PyTypeObject *)type);
    if (module != NULL && PyUnicode_Check(module) && PyUnicode_CompareWithASCIIString(module, "builtins") != 0) {
        Py_SETREF(name, PyUnicode_FromFormat("%U.%U", module, name));
    }
    Py_XDECREF(module);
    return name;
}

/* "<type 'dict'>", "<ufunc 'add' of numpy>", "<slot wrapper '__init__' of 'object' objects>" */
static PyObject *describe_callable(PyObject *callable)
{
    if (PyType_Check(callable)) {
        PyObject *name = full_name(callable);
        PyObject *text = name == NULL ? NULL : PyUnicode_FromFormat("<type '%U'>", name);
        Py_XDECREF(name);
        return text;
    }
    if (Py_IS_TYPE(callable, &PyWrapperDescr_Type)) {
        return PyObject_Repr(callable);
    }
    const char *kind = strcmp(Py_TYPE(callable)->tp_name, "numpy.ufunc") == 0 ? "ufunc" : "function";
    PyObject *name = PyObject_GetAttrString(callable, "__name__");
    if (name == NULL || !PyUnicode_Check(name)) {
        PyErr_Clear();
        Py_XSETREF(name, PyUnicode_FromString("?"));
    }
    PyObject *text = name == NULL ? NULL : PyUnicode_FromFormat("<%s '%U' of numpy>", kind, name);
    Py_XDECREF(name);
    return text;
}

static PyObject *describe_instance(PyObject *type)
{
    PyObject *name = full_name(type);
    PyObject *text = name == NULL ? NULL : PyUnicode_FromFormat("<%U object>", name);
    Py_XDECREF(name);
    return text;
}

PyObject *trc_identity_code(const trc_identity *identity)
{
    switch (identity->kind) {
    case TRC_IDENTITY_CODE:
        return Py_NewRef(identity->kept_alive);
    case TRC_IDENTITY_BUILTIN:
        return describe_builtin(identity);
    case TRC_IDENTITY_CALLABLE:
        return describe_callable(identity->kept_alive);
    case TRC_IDENTITY_INSTANCE:
        return describe_instance(identity->kept_alive);
    case TRC_IDENTITY_NAME:
        return Py_NewRef(identity->kept_alive);
    default:
        return PyUnicode_FromString("<functions past the limit>");
    }
}

PyObject *trc_code_names(const PyCodeObject *code)
{
    /* Code that the program made itself may have names of classes derived from str, which marshal refuses. */
    PyObject *file = PyUnicode_FromObject(code->co_filename);
    PyObject *name = file == NULL ? NULL : PyUnicode_FromObject(code->co_name);
    PyObject *qualname = name == NULL ? NULL : trc_qualified_name(code);
    if (qualname == NULL) {
        Py_XDECREF(file);
        Py_XDECREF(name);
        return NULL;
    }
    return Py_BuildValue("NiNN", file, code->co_firstlineno, name, qualname);
}

PyObject *trc_identity_names(const trc_identity *identity)
{
    if (identity->kind == TRC_IDENTITY_CODE) {
        return trc_code_names((const PyCodeObject *)identity->kept_alive);
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
