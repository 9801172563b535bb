/* compile_program(): compiles source as the interpreter compiles the file that it is started with.
 *
 * The builtin compile() checks first whether the source is a syntax tree. For that check it makes the hundred classes
 * of _ast, which takes a fifth of the instructions of the command's start. */
#include "types/compile.h"

#include <string.h>

const char trc_compile_program_doc[] =
    "compile_program(source, filename, /)\n--\n\n"
    "Compile a module as compile(source, filename, \"exec\", dont_inherit=True) does. source: bytes without a null.";

PyObject *trc_compile_program(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 2 || !PyBytes_Check(args[0]) || !PyUnicode_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "compile_program() takes bytes and a file name");
        return NULL;
    }
    const char *source = PyBytes_AS_STRING(args[0]);
    if (strlen(source) != (size_t)PyBytes_GET_SIZE(args[0])) {
        PyErr_SetString(PyExc_ValueError, "the source holds a null byte");
        return NULL;
    }
    PyCompilerFlags flags = {PyCF_SOURCE_IS_UTF8, PY_MINOR_VERSION};
    return Py_CompileStringObject(source, args[1], Py_file_input, &flags, -1);
}
