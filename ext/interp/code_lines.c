/* What must be known of a code object before its lines are timed: see code_lines.h. */
#include "interp/code_lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool trc_find_span(PyCodeObject *code, long *first, long *last)
{
    PyObject *lines = PyObject_CallMethod((PyObject *)code, "co_lines", NULL);
    PyObject *item = NULL;
    *first = LONG_MAX;
    *last = LONG_MIN;
    while (lines != NULL && (item = PyIter_Next(lines)) != NULL) {
        PyObject *number = PyTuple_Check(item) && PyTuple_GET_SIZE(item) == 3 ? PyTuple_GET_ITEM(item, 2) : Py_None;
        /* 3.11 leaves the number out of the tuple when memory is out. */
        long line = number != NULL && PyLong_Check(number) ? PyLong_AsLong(number) : 0;
        if (line > 0) {
            *first = line < *first ? line : *first;
            *last = line > *last ? line : *last;
        }
        Py_DECREF(item);
    }
    Py_XDECREF(lines);
    return !PyErr_Occurred() && *first <= *last && *last - *first < TRC_LINE_LIMIT;
}

/* Returns NULL, without an exception, when the call fails. Its exception is reported, but Ctrl-C goes to the program. */
static PyObject *call(PyObject *callable, PyCodeObject *code)
{
    if (callable == NULL) {
        return NULL;
    }
    Py_INCREF(callable); /* the call may set the recorder up anew */
    PyObject *bytes = PyObject_CallOneArg(callable, (PyObject *)code);
    if (bytes == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_Clear();
        PyErr_SetInterrupt();
    }
    else if (bytes == NULL) {
        PyErr_WriteUnraisable(callable);
    }
    Py_DECREF(callable);
    return bytes;
}

int32_t *trc_ask_first_lines(PyObject *callable, PyCodeObject *code, long first, size_t count)
{
    PyObject *bytes = call(callable, code);
    int32_t *first_lines = bytes != NULL && PyBytes_Check(bytes) ? calloc(count, sizeof *first_lines) : NULL;
    if (first_lines != NULL) {
        long begin = code->co_firstlineno;
        size_t number = (size_t)PyBytes_GET_SIZE(bytes) / sizeof *first_lines;
        for (size_t i = 0; i < count; i++) {
            long line = first + (long)i;
            size_t place = (size_t)(line - begin);
            first_lines[i] = (int32_t)line;
            if (line >= begin && place < number) {
                memcpy(&first_lines[i], PyBytes_AS_STRING(bytes) + place * sizeof *first_lines, sizeof *first_lines);
            }
        }
    }
    Py_XDECREF(bytes);
    return first_lines;
}

bool trc_code_begins_in_a_line(PyCodeObject *code)
{
    PyObject *bytes = PyCode_GetCode(code);
    const unsigned char *units = bytes == NULL ? NULL : (unsigned char *)PyBytes_AS_STRING(bytes);
    int size = bytes == NULL ? 0 : (int)PyBytes_GET_SIZE(bytes);
    bool found = false;
    for (int i = 0; i + TRC_RESUME_SIZE < size && !found; i += 2) {
        bool is_beginning = units[i] == RESUME && (units[i + 1] & 3) == 0;
        found = is_beginning && PyCode_Addr2Line(code, i) == PyCode_Addr2Line(code, i + TRC_RESUME_SIZE);
    }
    Py_XDECREF(bytes);
    PyErr_Clear();
    return found;
}
