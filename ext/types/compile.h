/* compile_program(): compiles source as the interpreter compiles the file that it is started with. */
#ifndef TRC_TYPES_COMPILE_H
#define TRC_TYPES_COMPILE_H

#include "interp/compat.h"

extern const char trc_compile_program_doc[];

PyObject *trc_compile_program(PyObject *module, PyObject *const *args, Py_ssize_t count);

#endif
