/* Garbage collections: see collections.h. */
#include "dispatch/collections.h"

#include "dispatch/annotations.h"

static void set_collecting(trc_recorder *recorder, const void *thread)
{
    if (recorder->base.samples != NULL) {
        trc_sampling_set_collecting(recorder->base.samples, *(const pid_t *)thread);
    }
}

/* The samples of this thread are of a collection from now on; 0: of none. */
static void tell_samples(trc_dispatcher *dispatcher, pid_t thread)
{
    trc_dispatch_tell_all(dispatcher, set_collecting, &thread);
}

/* Called with "start" or "stop", and a dict of figures. */
static PyObject *collection(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2 || !PyUnicode_Check(args[0]) || !PyDict_Check(args[1])) { /* the program calls it */
        Py_RETURN_NONE;
    }
    PyObject *object = trc_held_object(self);
    PyObject *generation = trc_look_up(args[1], "generation");
    if (object == NULL || generation == NULL || !PyLong_CheckExact(generation)) {
        Py_XDECREF(object);
        Py_RETURN_NONE;
    }
    PyObject *collected = trc_look_up(args[1], "collected");
    PyObject *uncollectable = trc_look_up(args[1], "uncollectable");
    if (PyUnicode_CompareWithASCIIString(args[0], "start") == 0) {
        trc_annotate_begin_collection(trc_dispatcher_of(object), generation);
        tell_samples(trc_dispatcher_of(object), (pid_t)PyThread_get_thread_native_id());
    }
    else if (collected != NULL && PyLong_CheckExact(collected) && uncollectable != NULL &&
             PyLong_CheckExact(uncollectable)) {
        tell_samples(trc_dispatcher_of(object), 0);
        trc_annotate_end_collection(trc_dispatcher_of(object), generation, collected, uncollectable);
    }
    Py_DECREF(object);
    Py_RETURN_NONE;
}

static PyMethodDef collection_def = {"collection", (PyCFunction)(void (*)(void))collection, METH_FASTCALL,
                                     "Called when a garbage collection begins and ends."};

void trc_collections_find(trc_dispatcher *dispatcher)
{
    if (dispatcher->collection_callbacks != NULL) {
        return;
    }
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *callbacks = gc == NULL ? NULL : PyObject_GetAttrString(gc, "callbacks");
    PyObject *function = callbacks == NULL ? NULL : trc_held_function(&dispatcher->held, &collection_def);
    if (function != NULL && PyList_Check(callbacks)) { /* else the program has put something in its place */
        Py_XSETREF(dispatcher->collection_callbacks, Py_NewRef(callbacks));
        Py_XSETREF(dispatcher->collection_function, Py_NewRef(function));
    }
    PyErr_Clear();
    Py_XDECREF(gc);
    Py_XDECREF(callbacks);
    Py_XDECREF(function);
}

/* Where the function is in the list, or -1. */
static Py_ssize_t place(const trc_dispatcher *dispatcher)
{
    Py_ssize_t i =
        dispatcher->collection_callbacks == NULL ? -1 : PyList_GET_SIZE(dispatcher->collection_callbacks) - 1;
    while (i >= 0 && PyList_GET_ITEM(dispatcher->collection_callbacks, i) != dispatcher->collection_function) {
        i--;
    }
    return i;
}

void trc_collections_watch(trc_dispatcher *dispatcher)
{
    if (dispatcher->collection_callbacks != NULL && place(dispatcher) < 0 &&
        PyList_Append(dispatcher->collection_callbacks, dispatcher->collection_function) < 0) {
        PyErr_Clear();
    }
}

void trc_collections_unwatch(trc_dispatcher *dispatcher)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    for (Py_ssize_t i = place(dispatcher); i >= 0; i = place(dispatcher)) {
        if (PyList_SetSlice(dispatcher->collection_callbacks, i, i + 1, NULL) <
            0) { /* frees nothing: it runs no code */
            PyErr_Clear();
            break;
        }
    }
    PyErr_Restore(type, value, traceback);
}

void trc_collections_clear(trc_dispatcher *dispatcher)
{
    trc_collections_unwatch(dispatcher);
    Py_CLEAR(dispatcher->collection_callbacks);
    Py_CLEAR(dispatcher->collection_function);
}
