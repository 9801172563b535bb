/* Garbage collections: see collections.h. */
#include "sources/collections.h"

/* Called with "start" or "stop", and a dict of figures. */
static PyObject *collection(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2 || !PyUnicode_Check(args[0]) || !PyDict_Check(args[1])) { /* the program calls it */
        Py_RETURN_NONE;
    }
    PyObject *object;
    trc_sink *sink = trc_sink_of_function(self, &object);
    PyObject *generation = trc_look_up(args[1], "generation");
    if (sink == NULL || generation == NULL || !PyLong_CheckExact(generation)) {
        Py_XDECREF(object);
        Py_RETURN_NONE;
    }
    PyObject *collected = trc_look_up(args[1], "collected");
    PyObject *uncollectable = trc_look_up(args[1], "uncollectable");
    if (PyUnicode_CompareWithASCIIString(args[0], "start") == 0) {
        sink->collecting(sink, generation);
    }
    else if (collected != NULL && PyLong_CheckExact(collected) && uncollectable != NULL &&
             PyLong_CheckExact(uncollectable)) {
        sink->collected(sink, generation, collected, uncollectable);
    }
    Py_DECREF(object);
    Py_RETURN_NONE;
}

static PyMethodDef collection_def = {"collection", (PyCFunction)(void (*)(void))collection, METH_FASTCALL,
                                     "Called when a garbage collection begins and ends."};

void trc_collections_find(trc_collections *collections, trc_sink *sink)
{
    if (collections->callbacks != NULL) {
        return;
    }
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *callbacks = gc == NULL ? NULL : PyObject_GetAttrString(gc, "callbacks");
    PyObject *function = callbacks == NULL ? NULL : trc_sink_function(sink, &collection_def);
    if (function != NULL && PyList_Check(callbacks)) { /* else the program has put something in its place */
        Py_XSETREF(collections->callbacks, Py_NewRef(callbacks));
        Py_XSETREF(collections->function, Py_NewRef(function));
    }
    PyErr_Clear();
    Py_XDECREF(gc);
    Py_XDECREF(callbacks);
    Py_XDECREF(function);
}

/* Where the function is in the list, or -1. */
static Py_ssize_t place(const trc_collections *collections)
{
    Py_ssize_t i = collections->callbacks == NULL ? -1 : PyList_GET_SIZE(collections->callbacks) - 1;
    while (i >= 0 && PyList_GET_ITEM(collections->callbacks, i) != collections->function) {
        i--;
    }
    return i;
}

void trc_collections_watch(trc_collections *collections)
{
    if (collections->callbacks != NULL && place(collections) < 0 &&
        PyList_Append(collections->callbacks, collections->function) < 0) {
        PyErr_Clear();
    }
}

void trc_collections_unwatch(trc_collections *collections)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    for (Py_ssize_t i = place(collections); i >= 0; i = place(collections)) {
        if (PyList_SetSlice(collections->callbacks, i, i + 1, NULL) < 0) { /* frees nothing: it runs no code */
            PyErr_Clear();
            break;
        }
    }
    PyErr_Restore(type, value, traceback);
}

int trc_collections_traverse(const trc_collections *collections, visitproc visit, void *arg)
{
    Py_VISIT(collections->callbacks);
    Py_VISIT(collections->function);
    return 0;
}

void trc_collections_clear(trc_collections *collections)
{
    trc_collections_unwatch(collections);
    Py_CLEAR(collections->callbacks);
    Py_CLEAR(collections->function);
}
