/* ProfileFormatError: see format_error.h. Its parts are attributes, so that nobody must parse its text. */
#include "types/format_error.h"

#include <stdbool.h>

static const char doc[] =
    "ProfileFormatError(reason, *, path=None, remedy=None)\n--\n\n"
    "A file is no profile, is damaged, or was written by a newer tracer.\n\n"
    "reason: what is wrong. path: the file, or None when the file is not known. remedy: what to do about it, or None.\n"
    "The text of the error has all three.";

/* New reference: "path: reason; remedy", without the parts that are None. NULL with an exception set. */
static PyObject *text_of(PyObject *path, PyObject *reason, PyObject *remedy)
{
    PyObject *start = path == Py_None ? Py_NewRef(reason) : PyUnicode_FromFormat("%U: %U", path, reason);
    PyObject *text =
        start == NULL || remedy == Py_None ? Py_XNewRef(start) : PyUnicode_FromFormat("%U; %U", start, remedy);
    Py_XDECREF(start);
    return text;
}

static bool is_text_or_none(PyObject *value)
{
    return value == Py_None || PyUnicode_Check(value);
}

static int format_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"reason", "path", "remedy", NULL};
    PyObject *reason, *path = Py_None, *remedy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "U|$OO:ProfileFormatError", names, &reason, &path, &remedy)) {
        return -1;
    }
    if (!is_text_or_none(path) || !is_text_or_none(remedy)) {
        PyErr_SetString(PyExc_TypeError, "path and remedy must be str or None");
        return -1;
    }
    PyObject *text = text_of(path, reason, remedy);
    PyObject *told = text == NULL ? NULL : PyTuple_Pack(1, text);
    int result = told == NULL ? -1 : ((PyTypeObject *)PyExc_ValueError)->tp_init(self, told, NULL);
    if (result == 0 &&
        (PyObject_SetAttrString(self, "reason", reason) < 0 || PyObject_SetAttrString(self, "path", path) < 0 ||
         PyObject_SetAttrString(self, "remedy", remedy) < 0)) {
        result = -1;
    }
    Py_XDECREF(told);
    Py_XDECREF(text);
    return result;
}

static int format_error_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return ((PyTypeObject *)PyExc_ValueError)->tp_traverse(self, visit, arg);
}

static int format_error_clear(PyObject *self)
{
    return ((PyTypeObject *)PyExc_ValueError)->tp_clear(self);
}

PyObject *trc_format_error_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)doc},
        {Py_tp_init, format_error_init},
        {Py_tp_traverse, format_error_traverse},
        {Py_tp_clear, format_error_clear},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer.ProfileFormatError",
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    return PyType_FromModuleAndSpec(module, &spec, PyExc_ValueError);
}
