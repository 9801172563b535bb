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

/* The text of a type: "<type 'shop.Order'>"; of an instance of it: "<shop.Tax object>", or, where that is a function,
 * "<CPUDispatcher 'total' of numba>". New reference, or NULL with an exception set. */
static PyObject *describe(PyTypeObject *type, PyObject *instance)
{
    PyObject *module = trc_module_of_type(type);
    if (module != NULL && (!PyUnicode_Check(module) || PyUnicode_CompareWithASCIIString(module, "builtins") == 0)) {
        Py_CLEAR(module);
    }
    PyObject *function = instance == NULL ? NULL : name_of_function(instance);
    PyObject *class = PyType_GetQualName(type), *text = NULL;
    if (class != NULL && function != NULL && module != NULL) {
        Py_ssize_t dot = PyUnicode_FindChar(module, '.', 0, PyUnicode_GET_LENGTH(module), 1);
        PyObject *package = PyUnicode_Substring(module, 0, dot < 0 ? PY_SSIZE_T_MAX : dot);
        text = package == NULL ? NULL : PyUnicode_FromFormat("<%U '%U' of %U>", class, function, package);
        Py_XDECREF(package);
    }
    else if (class != NULL) {
        PyObject *full = module == NULL ? Py_NewRef(class) : PyUnicode_FromFormat("%U.%U", module, class);
        text = full == NULL ? NULL : PyUnicode_FromFormat(instance == NULL ? "<type '%U'>" : "<%U object>", full);
        Py_XDECREF(full);
    }
    Py_XDECREF(class);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return text;
}

trc_naming trc_name_object(trc_callee *callee, PyObject *object, PyObject *first,
                           const trc_internal_types *internal_types)
{
    if (!trc_callee_from_object(callee, object, first, TRC_ALL_CALLABLES) ||
        trc_callee_is_internal(callee, internal_types)) {
        return TRC_NAMED_BY_NONE;
    }
    bool is_type = PyType_Check(object);
    bool is_kept = callee->key == object && !is_type; /* a ufunc, a slot wrapper */
    PyTypeObject *type = is_type ? (PyTypeObject *)object : Py_TYPE(object);
    if (!is_type && !is_kept && trc_instances_hand_on(type)) {
        return TRC_NAMED_BY_NONE;
    }
    if (is_kept || !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        return TRC_NAMED_ITSELF;
    }
    PyObject *text = describe(type, is_type ? NULL : object);
    if (text == NULL) {
        PyErr_Clear();
        return TRC_NAMING_FAILED;
    }
    PyUnicode_InternInPlace(&text);
    callee->key = callee->object = text;
    return TRC_NAMED_BY_TEXT;
}
