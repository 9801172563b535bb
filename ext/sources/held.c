/* What the sources give the interpreter to hold: see held.h. */
#include "sources/held.h"

PyObject *trc_held_function(const trc_held *held, PyMethodDef *def)
{
    PyObject *weak = PyWeakref_NewRef(held->object, NULL);
    PyObject *function = weak == NULL ? NULL : PyCFunction_New(def, weak);
    Py_XDECREF(weak);
    return function;
}

PyObject *trc_held_object(PyObject *self)
{
    PyObject *object = PyObject_CallNoArgs(self);
    if (object == Py_None) {
        Py_CLEAR(object);
    }
    PyErr_Clear();
    return object;
}
