/* Code that was made of a text: see made_code.h. */
#include "interp/made_code.h"

#include <string.h>

#define FROZEN "<frozen "
#define DATACLASSES "__create_fn__.<locals>." /* what dataclasses have around their methods */
#define ATTRS "<attrs generated "

static bool begins_with(PyObject *text, const char *prefix)
{
    const char *bytes = PyUnicode_AsUTF8(text);
    if (bytes == NULL) {
        PyErr_Clear(); /* a surrogate, or no memory */
        return false;
    }
    return strncmp(bytes, prefix, strlen(prefix)) == 0;
}

/* Where the character is last in the text, in front of `end`; -1: nowhere. */
static Py_ssize_t last(Py_UCS4 character, PyObject *text, Py_ssize_t end)
{
    return PyUnicode_FindChar(text, character, 0, end, -1);
}

bool trc_is_of_text(const PyCodeObject *code)
{
    PyObject *file = code->co_filename;
    return PyUnicode_GET_LENGTH(file) > 0 && PyUnicode_READ_CHAR(file, 0) == '<' && !begins_with(file, FROZEN);
}

/* New reference: the class in "module.Class", which may have dots of its own. NULL, perhaps with an exception: no such
 * module was imported. */
static PyObject *class_in(PyObject *name)
{
    PyObject *modules = PyImport_GetModuleDict();
    Py_ssize_t length = PyUnicode_GET_LENGTH(name);
    if (modules == NULL || !PyDict_CheckExact(modules)) {
        return NULL;
    }
    for (Py_ssize_t dot = last('.', name, length); dot > 0; dot = last('.', name, dot)) {
        PyObject *module = PyUnicode_Substring(name, 0, dot);
        bool is_known = module != NULL && PyDict_GetItemWithError(modules, module) != NULL;
        Py_XDECREF(module);
        if (is_known) {
            return PyUnicode_Substring(name, dot + 1, length);
        }
    }
    return NULL;
}

/* New reference: the name of a method in the file "<attrs generated init module.Class>", or "... module.Class-1>". NULL,
 * perhaps with an exception: the file names no class. */
static PyObject *name_by_attrs(const PyCodeObject *code)
{
    PyObject *file = code->co_filename;
    Py_ssize_t length = PyUnicode_GET_LENGTH(file) - 1;
    Py_ssize_t start = last(' ', file, length) + 1, number = last('-', file, length);
    PyObject *path = PyUnicode_Substring(file, start, number > start ? number : length);
    PyObject *class = path == NULL ? NULL : class_in(path);
    PyObject *name = class == NULL ? NULL : PyUnicode_FromFormat("%U.%U", class, code->co_name);
    Py_XDECREF(path);
    Py_XDECREF(class);
    return name;
}

PyObject *trc_qualified_name(const PyCodeObject *code)
{
    PyObject *qualname = code->co_qualname;
    if (trc_is_of_text(code)) {
        if (begins_with(qualname, DATACLASSES)) {
            return PyUnicode_Substring(qualname, (Py_ssize_t)strlen(DATACLASSES), PyUnicode_GET_LENGTH(qualname));
        }
        bool is_outermost = code->co_flags & CO_OPTIMIZED && PyUnicode_Compare(qualname, code->co_name) == 0;
        PyObject *name = is_outermost && begins_with(code->co_filename, ATTRS) ? name_by_attrs(code) : NULL;
        if (name != NULL || PyErr_Occurred()) {
            return name;
        }
    }
    /* Code that the program made itself may have names of classes derived from str, which marshal refuses. */
    return PyUnicode_FromObject(qualname);
}
