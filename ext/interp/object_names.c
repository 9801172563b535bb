/* Names for callables without a row: see object_names.h. */
#include "interp/object_names.h"

/* New reference to the name of the function that an object is, or NULL. */
static PyObject *name_of_function(PyObject *object)
{
    PyObject *of_type = trc_look_up_inherited(Py_TYPE(object), "__qualname__");
    if (of_type != NULL && !Py_IS_TYPE(of_type, &PyGetSetDescr_Type)) {
        return NULL; /* it may be a property of the program's */
    }
    PyObject *key = PyUnicode_InternFromString("__qualname__");
    PyObject *name = key == NULL ? NULL : PyObject_GenericGetAttr(object, key);
    Py_XDECREF(key);
    PyErr_Clear();
    if (name != NULL && !PyUnicode_CheckExact(name)) {
        Py_CLEAR(name);
    }
    return name;
}

/* "<CPUDispatcher 'total' of numba>", for a function that is an instance of a class. New reference, or NULL. */
static PyObject *describe_function(PyTypeObject *type, PyObject *name)
{
    PyObject *class = PyType_GetQualName(type), *module = trc_module_of_type(type), *text = NULL;
    if (class != NULL && module != NULL && PyUnicode_Check(module)) {
        Py_ssize_t dot = PyUnicode_FindChar(module, '.', 0, PyUnicode_GET_LENGTH(module), 1);
        PyObject *package = PyUnicode_Substring(module, 0, dot < 0 ? PY_SSIZE_T_MAX : dot);
        text = package == NULL ? NULL : PyUnicode_FromFormat("<%U '%U' of %U>", class, name, package);
        Py_XDECREF(package);
    }
    Py_XDECREF(class);
    Py_XDECREF(module);
    return text;
}

/* The name that a row of its own would have. New reference, or NULL. */
static PyObject *describe(const trc_callee *callee, const trc_internal_types *internal_types)
{
    trc_identity *identity = trc_identity_new(callee, internal_types);
    PyObject *text = identity == NULL ? NULL : trc_identity_code(identity);
    if (identity != NULL) {
        trc_identity_free(identity);
    }
    return text;
}

trc_naming trc_name_object(PyObject **name, PyObject *object, PyObject *first, const trc_internal_types *internal_types)
{
    trc_callee callee;
    if (!trc_callee_from_object(&callee, object, first, TRC_ALL_CALLABLES) ||
        trc_callee_is_internal(&callee, internal_types)) {
        return TRC_NAMED_BY_NONE;
    }
    bool is_instance = callee.key != object;
    if (is_instance && trc_instances_hand_on(Py_TYPE(object))) {
        return TRC_NAMED_BY_NONE;
    }
    PyObject *function = is_instance ? name_of_function(object) : NULL;
    *name = function == NULL ? NULL : describe_function(Py_TYPE(object), function);
    Py_XDECREF(function);
    PyErr_Clear();
    if (*name == NULL) {
        *name = describe(&callee, internal_types);
    }
    if (*name == NULL) {
        PyErr_Clear();
        return TRC_NAMING_FAILED;
    }
    PyUnicode_InternInPlace(name);
    return TRC_NAMED;
}
