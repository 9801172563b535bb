/* What differs between CPython versions, and the only file that asks which one this is. */
#ifndef TRC_COMPAT_H
#define TRC_COMPAT_H

#include <Python.h>
#include <opcode.h>

#if PY_VERSION_HEX < 0x030B0000
#error "tracer needs CPython 3.11 or later"
#endif

/* Sets the profile function of every thread of the interpreter. Returns 0, or -1 with an exception set. */
static inline int trc_set_profile_everywhere(Py_tracefunc function, PyObject *argument)
{
#if PY_VERSION_HEX >= 0x030C0000
    PyEval_SetProfileAllThreads(function, argument);
#else
    PyThreadState *thread = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
    while (thread != NULL) {
        PyThreadState *next = PyThreadState_Next(thread);
        if (_PyEval_SetProfile(thread, function, argument) < 0) {
            return -1;
        }
        thread = next;
    }
#endif
    return 0;
}

#endif
