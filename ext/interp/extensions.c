/* Which functions written in C are of an extension module: see extensions.h. */
#include "interp/extensions.h"

#include "interp/identity.h"

#include <string.h>

#define SUFFIX ".so"
#define OF_LIBRARY "/lib-dynload/" /* where the standard library has its extension modules */

static bool is_extension(PyObject *file)
{
    const char *path = PyUnicode_CheckExact(file) ? PyUnicode_AsUTF8(file) : NULL;
    if (path == NULL) {
        PyErr_Clear();
        return false;
    }
    size_t length = strlen(path), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(path + length - suffix, SUFFIX) == 0 && strstr(path, OF_LIBRARY) == NULL;
}

/* Borrowed: the file of an extension module that was imported under this name; NULL: there is none. Raises nothing. */
static PyObject *file_of(PyObject *name)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *module = modules == NULL || !PyDict_CheckExact(modules) ? NULL : PyDict_GetItemWithError(modules, name);
    PyErr_Clear();
    PyObject *file =
        module == NULL || !PyModule_Check(module) ? NULL : trc_look_up(PyModule_GetDict(module), "__file__");
    return file != NULL && is_extension(file) ? file : NULL;
}

PyObject *trc_find_extensions(const trc_functab *functions)
{
    PyObject *found = PyList_New(0);
    for (const trc_func *func = functions->first; found != NULL && func != NULL; func = func->hh.next) {
        const trc_identity *identity = func->owner;
        PyObject *module = identity->is_internal ? NULL : trc_identity_module(identity);
        PyObject *file = module == NULL ? NULL : file_of(module);
        if (file != NULL) {
            PyObject *row = Py_BuildValue("(kOO)", (unsigned long)func->id, module, file);
            if (row == NULL || PyList_Append(found, row) < 0) {
                Py_CLEAR(found);
            }
            Py_XDECREF(row);
        }
        Py_XDECREF(module);
    }
    PyObject *tuple = found == NULL ? NULL : PyList_AsTuple(found);
    Py_XDECREF(found);
    return tuple;
}
