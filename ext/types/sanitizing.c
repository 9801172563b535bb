/* Names and values as files hold them: see sanitizing.h. */
#include "types/sanitizing.h"

/* New reference: the text as it is, or its beginning with a mark that more followed; exactly a str. */
static PyObject *shortened(PyObject *text, Py_ssize_t most)
{
    Py_ssize_t length = PyUnicode_GetLength(text);
    if (length <= most) {
        return length < 0 ? NULL : PyUnicode_FromObject(text);
    }
    PyObject *beginning = PyUnicode_Substring(text, 0, most - 1);
    PyObject *whole = beginning == NULL ? NULL : PyUnicode_FromFormat("%U%s", beginning, "\xe2\x80\xa6");
    Py_XDECREF(beginning);
    return whole;
}

/* The exception of the program's str(): nobody could handle it here. Ctrl-C goes to the program, at its next step. */
static void drop_exception(void)
{
    bool is_interrupt = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
    PyErr_Clear();
    if (is_interrupt) {
        PyErr_SetInterrupt();
    }
}

/* "<Matrix>": of what has no text. */
static PyObject *type_of(PyObject *object)
{
    PyObject *name = PyType_GetName(Py_TYPE(object));
    PyObject *text = name == NULL ? NULL : PyUnicode_FromFormat("<%U>", name);
    Py_XDECREF(name);
    return text;
}

/* The text of any object. str() may run code of the program, which is in no profile. */
static PyObject *made_text(PyObject *object)
{
    PyThreadState *thread = PyThreadState_Get();
    PyThreadState_EnterTracing(thread);
    PyObject *text = PyObject_Str(object);
    PyThreadState_LeaveTracing(thread);
    if (text == NULL) {
        drop_exception();
        text = type_of(object);
    }
    PyObject *made = text == NULL ? NULL : shortened(text, TRC_SANITIZED_MADE);
    Py_XDECREF(text);
    return made;
}

/* Ends in what began without an exception: there is none when these return. */
static PyObject *without_exception(PyObject *result)
{
    if (result == NULL) {
        PyErr_Clear();
    }
    return result;
}

PyObject *trc_sanitized_text(PyObject *object)
{
    return without_exception(PyUnicode_Check(object) ? shortened(object, TRC_SANITIZED_TEXT) : made_text(object));
}

/* NULL, without an exception: the int has more than 64 bits, or memory is out. */
static PyObject *small_int(PyObject *object)
{
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow != 0 ? NULL : without_exception(PyLong_FromLongLong(number));
}

PyObject *trc_sanitized_value(PyObject *object)
{
    if (object == Py_None || PyBool_Check(object) || PyFloat_CheckExact(object)) {
        return Py_NewRef(object);
    }
    if (PyUnicode_Check(object)) {
        return trc_sanitized_text(object);
    }
    if (PyFloat_Check(object)) {
        return without_exception(PyFloat_FromDouble(PyFloat_AS_DOUBLE(object)));
    }
    PyObject *number = PyLong_Check(object) ? small_int(object) : NULL;
    return number != NULL ? number : without_exception(made_text(object));
}

PyObject *trc_sanitized_number(PyObject *object)
{
    if (PyFloat_CheckExact(object)) {
        return Py_NewRef(object);
    }
    PyObject *number = PyLong_Check(object) ? small_int(object) : NULL;
    if (number != NULL) {
        return number;
    }
    PyThreadState *thread = PyThreadState_Get();
    PyThreadState_EnterTracing(thread);
    double real = PyFloat_AsDouble(object); /* by __float__ or __index__: a text is no number */
    PyThreadState_LeaveTracing(thread);
    if (real == -1.0 && PyErr_Occurred()) {
        drop_exception();
        return NULL;
    }
    return without_exception(PyFloat_FromDouble(real));
}

/* Whether the value can stay as it is. */
static bool is_plain(PyObject *value)
{
    if (PyLong_CheckExact(value)) {
        int overflow;
        PyLong_AsLongLongAndOverflow(value, &overflow);
        return overflow == 0;
    }
    return value == Py_None || PyBool_Check(value) || PyFloat_CheckExact(value) ||
           (PyUnicode_CheckExact(value) && PyUnicode_GetLength(value) <= TRC_SANITIZED_TEXT);
}

bool trc_sanitized_values(PyObject *values, PyObject **sanitized)
{
    Py_ssize_t count = values == NULL ? 0 : PyTuple_GET_SIZE(values), plain = 0;
    while (plain < count && is_plain(PyTuple_GET_ITEM(values, plain))) {
        plain++;
    }
    if (plain == count) {
        *sanitized = Py_XNewRef(values);
        return true;
    }
    /* A list, for the code of str() may find what is being made: a tuple is not to change then. */
    PyObject *list = PySequence_List(values);
    for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = PyTuple_GET_ITEM(values, i);
        PyObject *made = i % 2 == 0 ? trc_sanitized_text(item) : trc_sanitized_value(item);
        if (made == NULL || PyList_SetItem(list, i, made) < 0) {
            Py_CLEAR(list);
        }
    }
    *sanitized = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return without_exception(*sanitized) != NULL;
}

int trc_sanitized_keywords(PyObject *const *args, PyObject *names, Py_ssize_t but, PyObject **values)
{
    Py_ssize_t count = names == NULL ? 0 : PyTuple_GET_SIZE(names), kept = 0;
    Py_ssize_t told = count - (but >= 0 ? 1 : 0);
    told = told < TRC_SANITIZED_VALUES ? told : TRC_SANITIZED_VALUES;
    *values = told == 0 ? NULL : PyTuple_New(2 * told);
    if (told > 0 && *values == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < count && kept < 2 * told; i++) {
        if (i != but) {
            PyTuple_SET_ITEM(*values, kept++, Py_NewRef(PyTuple_GET_ITEM(names, i)));
            PyTuple_SET_ITEM(*values, kept++, Py_NewRef(args[i]));
        }
    }
    return 0;
}
