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

/* Calls `fold`. Returns NULL, without an exception, when it fails. Its exception is reported, but Ctrl-C goes to the
 * program. */
static PyObject *call_fold(PyObject *fold, PyCodeObject *code)
{
    if (fold == NULL) {
        return NULL;
    }
    Py_INCREF(fold); /* the call may set the recorder up anew */
    PyObject *bytes = PyObject_CallOneArg(fold, (PyObject *)code);
    if (bytes == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_Clear();
        PyErr_SetInterrupt();
    }
    else if (bytes == NULL) {
        PyErr_WriteUnraisable(fold);
    }
    Py_DECREF(fold);
    return bytes;
}

int32_t *trc_ask_fold(PyObject *fold, PyCodeObject *code, long first, size_t count)
{
    PyObject *bytes = call_fold(fold, code);
    int32_t *folds = bytes != NULL && PyBytes_Check(bytes) ? calloc(count, sizeof *folds) : NULL;
    if (folds != NULL) {
        long told_of = code->co_firstlineno;
        size_t told = (size_t)PyBytes_GET_SIZE(bytes) / sizeof *folds;
        for (size_t i = 0; i < count; i++) {
            long line = first + (long)i;
            size_t place = (size_t)(line - told_of);
            folds[i] = (int32_t)line;
            if (line >= told_of && place < told) {
                memcpy(&folds[i], PyBytes_AS_STRING(bytes) + place * sizeof *folds, sizeof *folds);
            }
        }
    }
    Py_XDECREF(bytes);
    return folds;
}
