/* Forks: see forks.h. */
#include "sources/forks.h"

static PyObject *before(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *object;
    trc_sink *sink = trc_sink_of_function(self, &object);
    if (sink != NULL) {
        sink->forks(sink);
    }
    Py_XDECREF(object);
    Py_RETURN_NONE;
}

static PyObject *after_in_child(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *object;
    trc_sink *sink = trc_sink_of_function(self, &object);
    if (sink != NULL) {
        sink->forked(sink);
    }
    Py_XDECREF(object);
    Py_RETURN_NONE;
}

static PyObject *after_in_parent(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *object;
    trc_sink *sink = trc_sink_of_function(self, &object);
    if (sink != NULL) {
        sink->has_forked(sink);
    }
    Py_XDECREF(object);
    Py_RETURN_NONE;
}

static PyMethodDef before_def = {"before", before, METH_NOARGS, "Called before a fork."};
static PyMethodDef after_in_child_def = {"after_in_child", after_in_child, METH_NOARGS, "Called in a forked child."};
static PyMethodDef after_in_parent_def = {"after_in_parent", after_in_parent, METH_NOARGS,
                                          "Called in the parent of a forked child."};

int trc_forks_watch(trc_sink *sink)
{
    PyObject *is_due = trc_sink_function(sink, &before_def);
    PyObject *in_child = is_due == NULL ? NULL : trc_sink_function(sink, &after_in_child_def);
    PyObject *in_parent = in_child == NULL ? NULL : trc_sink_function(sink, &after_in_parent_def);
    PyObject *os = in_parent == NULL ? NULL : PyImport_ImportModule("os");
    PyObject *registrar = os == NULL ? NULL : PyObject_GetAttrString(os, "register_at_fork");
    PyObject *args = registrar == NULL ? NULL : PyTuple_New(0);
    PyObject *kwargs = args == NULL ? NULL
                                    : Py_BuildValue("{s:O,s:O,s:O}", "before", is_due, "after_in_child", in_child,
                                                    "after_in_parent", in_parent);
    PyObject *done = kwargs == NULL ? NULL : PyObject_Call(registrar, args, kwargs);
    Py_XDECREF(is_due);
    Py_XDECREF(in_child);
    Py_XDECREF(in_parent);
    Py_XDECREF(os);
    Py_XDECREF(registrar);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}
