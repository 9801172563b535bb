/* Forks: see forks.h. */
#include "sources/forks.h"

/* `pair` is a weak reference to the sink's object and, in a capsule, the sink. */
static PyObject *after_fork(PyObject *pair, PyObject *ignored)
{
    (void)ignored;
    PyObject *object = PyObject_CallNoArgs(PyTuple_GET_ITEM(pair, 0));
    if (object == NULL) {
        return NULL;
    }
    if (object != Py_None) {
        trc_sink *sink = PyCapsule_GetPointer(PyTuple_GET_ITEM(pair, 1), NULL);
        sink->forked(sink);
    }
    return object;
}

static PyMethodDef after_fork_def = {"after_fork", after_fork, METH_NOARGS, "Called in a forked child."};

int trc_forks_watch(trc_sink *sink)
{
    PyObject *weak = PyWeakref_NewRef(sink->object, NULL);
    PyObject *capsule = weak == NULL ? NULL : PyCapsule_New(sink, NULL, NULL);
    PyObject *pair = capsule == NULL ? NULL : PyTuple_Pack(2, weak, capsule);
    PyObject *function = pair == NULL ? NULL : PyCFunction_New(&after_fork_def, pair);
    PyObject *os = function == NULL ? NULL : PyImport_ImportModule("os");
    PyObject *registrar = os == NULL ? NULL : PyObject_GetAttrString(os, "register_at_fork");
    PyObject *args = PyTuple_New(0);
    PyObject *kwargs = function == NULL ? NULL : Py_BuildValue("{s:O}", "after_in_child", function);
    PyObject *done =
        registrar == NULL || args == NULL || kwargs == NULL ? NULL : PyObject_Call(registrar, args, kwargs);
    Py_XDECREF(weak);
    Py_XDECREF(capsule);
    Py_XDECREF(pair);
    Py_XDECREF(function);
    Py_XDECREF(os);
    Py_XDECREF(registrar);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}
