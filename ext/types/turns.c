/* The Turns type: see turns.h. interp/turns says what it is for. */
#include "types/turns.h"

#include "interp/turns.h"

typedef struct turns_object {
    PyObject_HEAD
    trc_turns *turns; /* NULL when no thread could be started, and after stop() */
    unsigned long native_id;
} turns_object;

static PyObject *new_turns(PyTypeObject *type, PyObject *args, PyObject *names)
{
    if (PyTuple_GET_SIZE(args) > 0 || (names != NULL && PyDict_GET_SIZE(names) > 0)) {
        PyErr_SetString(PyExc_TypeError, "Turns() takes no arguments");
        return NULL;
    }
    turns_object *self = (turns_object *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->turns = trc_turns_start();
        self->native_id = self->turns == NULL ? 0 : trc_turns_native_id(self->turns);
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
    trc_turns *turns = ((turns_object *)self)->turns;
    if (turns != NULL) {
        trc_turns_from(turns, (long long)(seconds * 1e6));
    }
    Py_RETURN_NONE;
}

static void stop(turns_object *self)
{
    trc_turns *turns = self->turns;
    self->turns = NULL;
    trc_turns_stop(turns);
}

static PyObject *stop_turns(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    stop((turns_object *)self);
    Py_RETURN_NONE;
}

static PyObject *native_id(PyObject *self, void *ignored)
{
    (void)ignored;
    return PyLong_FromUnsignedLong(((turns_object *)self)->native_id);
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    stop((turns_object *)self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"begin_in", begin_in, METH_O,
     "Ask the main thread for the GIL every 5 ms, from so many seconds after this call on, until the next call."},
    {"stop", stop_turns, METH_NOARGS, "Stop asking for good. Returns when the thread that asks is over."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef attributes[] = {
    {"native_id", native_id, NULL, "The system's number of the thread that asks; 0: there is none.", NULL},
    {.name = NULL},
};

PyTypeObject *trc_turns_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc,
         (void *)"Has the main thread give up the GIL every 5 ms, so that the calling thread gets it though\n"
                 "the program polls. Does nothing when the system lets no thread start."},
        {Py_tp_new, new_turns},
        {Py_tp_dealloc, dealloc},
        {Py_tp_methods, methods},
        {Py_tp_getset, attributes},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.Turns",
        .basicsize = sizeof(turns_object),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
