/* What a source gives the interpreter to keep: see sink.h. */
#include "sources/sink.h"

/* The function's `self` is a pair: a weak reference to the sink's object and, in a capsule, the sink. */
PyObject *trc_sink_function(trc_sink *sink, PyMethodDef *def)
{
    PyObject *weak = PyWeakref_NewRef(sink->object, NULL);
    PyObject *capsule = weak == NULL ? NULL : PyCapsule_New(sink, NULL, NULL);
    PyObject *pair = capsule == NULL ? NULL : PyTuple_Pack(2, weak, capsule);
    PyObject *function = pair == NULL ? NULL : PyCFunction_New(def, pair);
    Py_XDECREF(weak);
    Py_XDECREF(capsule);
    Py_XDECREF(pair);
    return function;
}

trc_sink *trc_sink_of_function(PyObject *self, PyObject **object)
{
    *object = PyObject_CallNoArgs(PyTuple_GET_ITEM(self, 0));
    if (*object == NULL || *object == Py_None) {
        PyErr_Clear();
        Py_CLEAR(*object);
        return NULL;
    }
    return PyCapsule_GetPointer(PyTuple_GET_ITEM(self, 1), NULL);
}
