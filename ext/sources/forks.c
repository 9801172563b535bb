/* Forks: see forks.h. */
#include "sources/forks.h"

/* `weak` is a weak reference to the dispatcher. */
static PyObject *after_fork(PyObject *weak, PyObject *ignored)
{
    (void)ignored;
    PyObject *dispatcher = PyObject_CallNoArgs(weak);
    if (dispatcher == NULL) {
        return NULL;
    }
    if (dispatcher != Py_None) {
        trc_dispatch_start_anew((trc_dispatcher *)dispatcher);
    }
    return dispatcher;
}

static PyMethodDef after_fork_def = {"after_fork", after_fork, METH_NOARGS, "Called in a forked child."};

int trc_forks_watch(trc_dispatcher *dispatcher)
{
    PyObject *weak = PyWeakref_NewRef((PyObject *)dispatcher, NULL);
    PyObject *function = weak == NULL ? NULL : PyCFunction_New(&after_fork_def, weak);
    PyObject *os = function == NULL ? NULL : PyImport_ImportModule("os");
    PyObject *registrar = os == NULL ? NULL : PyObject_GetAttrString(os, "register_at_fork");
    PyObject *args = PyTuple_New(0);
    PyObject *kwargs = function == NULL ? NULL : Py_BuildValue("{s:O}", "after_in_child", function);
    PyObject *done =
        registrar == NULL || args == NULL || kwargs == NULL ? NULL : PyObject_Call(registrar, args, kwargs);
    Py_XDECREF(weak);
    Py_XDECREF(function);
    Py_XDECREF(os);
    Py_XDECREF(registrar);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}
