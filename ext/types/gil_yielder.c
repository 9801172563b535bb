/* The GilYielder type: see gil_yielder.h. interp/gil_yielder says what it is for. */
#include "types/gil_yielder.h"

#include "interp/gil_yielder.h"

typedef struct gil_yielder_object {
    PyObject_HEAD
    trc_gil_yielder *yielder; /* NULL when no thread could be started, and after stop() */
    unsigned long native_id;
} gil_yielder_object;

static PyObject *new_yielder(PyTypeObject *type, PyObject *args, PyObject *names)
{
    if (PyTuple_GET_SIZE(args) > 0 || (names != NULL && PyDict_GET_SIZE(names) > 0)) {
        PyErr_SetString(PyExc_TypeError, "GilYielder() takes no arguments");
        return NULL;
    }
    gil_yielder_object *self = (gil_yielder_object *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->yielder = trc_gil_yielder_start();
        self->native_id = self->yielder == NULL ? 0 : trc_gil_yielder_native_id(self->yielder);
    }
    return (PyObject *)self;
}

static PyObject *begin_in(PyObject *self, PyObject *argument)
{
    double seconds = PyFloat_AsDouble(argument);
    if (seconds == -1.0 && PyErr_Occurred()) {
        return NULL;
    }
    if (!(seconds >= 0 && seconds < 1e9)) {
        return PyErr_Format(PyExc_ValueError, "begin_in() takes from 0 to 1e9 seconds, not %R", argument);
    }
    trc_gil_yielder *yielder = ((gil_yielder_object *)self)->yielder;
    if (yielder != NULL) {
        trc_gil_yielder_from(yielder, (long long)(seconds * 1e6));
    }
    Py_RETURN_NONE;
}

static void stop(gil_yielder_object *self)
{
    trc_gil_yielder *yielder = self->yielder;
    self->yielder = NULL;
    trc_gil_yielder_stop(yielder);
}

static PyObject *stop_yielder(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    stop((gil_yielder_object *)self);
    Py_RETURN_NONE;
}

static PyObject *native_id(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyLong_FromUnsignedLong(((gil_yielder_object *)self)->native_id);
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    stop((gil_yielder_object *)self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"begin_in", begin_in, METH_O,
     "Ask the main thread for the GIL every 5 ms, from so many seconds after this call on, until the next call."},
    {"stop", stop_yielder, METH_NOARGS, "Stop asking for good. Returns when the thread that asks is over."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"native_id", native_id, NULL, "The system's number of the thread that asks; 0: there is none.", NULL},
    {.name = NULL},
};

PyTypeObject *trc_gil_yielder_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc,
         (void *)"Has the main thread give up the GIL every 5 ms, so that the calling thread gets it though\n"
                 "the program polls. Does nothing when the system lets no thread start."},
        {Py_tp_new, new_yielder},
        {Py_tp_dealloc, dealloc},
        {Py_tp_methods, methods},
        {Py_tp_getset, attributes},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.GilYielder",
        .basicsize = sizeof(gil_yielder_object),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
