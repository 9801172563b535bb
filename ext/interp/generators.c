/* Generators and coroutines by the place of their frame: see generators.h. */
#include "interp/generators.h"

/* The body of a generator starts at the RESUME that follows RETURN_GENERATOR: before it only the generator object is
 * made. A frame behind that RESUME is resumed. A frame before it is thrown an exception, and its body never starts. */
static bool is_behind_start(const char *units, Py_ssize_t size, int offset)
{
    Py_ssize_t i = 0;
    while (i < size && (unsigned char)units[i] != RETURN_GENERATOR) {
        i += 2;
    }
    while (i < size && (unsigned char)units[i] != RESUME) {
        i += 2;
    }
    return offset != i;
}

bool trc_generator_is_resumed(PyFrameObject *frame, PyCodeObject *code)
{
    PyObject *bytes = PyCode_GetCode(code);
    bool resumed =
        bytes != NULL && is_behind_start(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes), PyFrame_GetLasti(frame));
    PyErr_Clear();
    Py_XDECREF(bytes);
    return resumed;
}

bool trc_generator_is_suspended(PyFrameObject *frame, PyCodeObject *code)
{
    PyObject *bytes = PyCode_GetCode(code);
    const unsigned char *units = bytes == NULL ? NULL : (unsigned char *)PyBytes_AS_STRING(bytes);
    int offset = PyFrame_GetLasti(frame);
    /* The frame stands at a YIELD_VALUE or, from 3.13 on, at the instruction behind it. */
    bool suspended = units != NULL && offset >= 2 && offset < PyBytes_GET_SIZE(bytes) &&
                     (units[offset] == YIELD_VALUE || units[offset - 2] == YIELD_VALUE);
    PyErr_Clear();
    Py_XDECREF(bytes);
    return suspended;
}
