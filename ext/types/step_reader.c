/* The type StepReader: see step_reader.h. */
#include "types/step_reader.h"

#include "types/step_clock.h"

typedef struct step_reader {
    PyObject_HEAD
    PyObject *clock;    /* owned: a StepClock */
    PyObject *iterator; /* owned */
} step_reader;

static PyObject *new_reader(PyTypeObject *type, PyObject *args, PyObject *names)
{
    trc_state *state = trc_state_of_type(type);
    PyObject *clock, *iterable;
    if (state == NULL || (names != NULL && PyDict_GET_SIZE(names) > 0) ||
        !PyArg_ParseTuple(args, "O!O:StepReader", state->step_clock_type, &clock, &iterable)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "StepReader() takes nothing by keyword");
        }
        return NULL;
    }
    trc_reading one = trc_step_begin_reading(clock);
    PyObject *iterator = PyObject_GetIter(iterable);
    trc_step_end_reading(clock, one);
    step_reader *self = iterator == NULL ? NULL : (step_reader *)type->tp_alloc(type, 0);
    if (self == NULL) {
        Py_XDECREF(iterator);
        return NULL;
    }
    self->clock = Py_NewRef(clock);
    self->iterator = iterator;
    return (PyObject *)self;
}

static PyObject *reader_next(PyObject *self)
{
    const step_reader *reader = (step_reader *)self;
    trc_reading one = trc_step_begin_reading(reader->clock);
    PyObject *item = Py_TYPE(reader->iterator)->tp_iternext(reader->iterator);
    trc_step_end_reading(reader->clock, one);
    return item;
}

static int traverse_reader(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((step_reader *)self)->clock);
    Py_VISIT(((step_reader *)self)->iterator);
    return 0;
}

/* Both stay while the reader lives, for reader_next() needs them: a cycle is broken by the clock, or the program. */
static void free_reader(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((step_reader *)self)->clock);
    Py_XDECREF(((step_reader *)self)->iterator);
    type->tp_free(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(reader_doc, "StepReader(clock, iterable, /)\n--\n\n"
                         "An iterator of the same items: what an item takes is the reader's time, in a StepClock.");

PyTypeObject *trc_step_reader_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)reader_doc},
        {Py_tp_new, new_reader},
        {Py_tp_dealloc, free_reader},
        {Py_tp_traverse, traverse_reader},
        {Py_tp_iter, PyObject_SelfIter},
        {Py_tp_iternext, reader_next},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.StepReader",
        .basicsize = sizeof(step_reader),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
