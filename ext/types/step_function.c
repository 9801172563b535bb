/* The type StepFunction: see step_function.h. It stands for a function of the program, and tells a StepClock where its
 * calls begin and end. It is written in C for the program's sake: there is no frame of tracer's in a traceback, or
 * between the function and its caller. Functions that can be suspended are wrapped by api/function_steps.py. */
#include "types/step_function.h"

#include "types/step_clock.h"

#include <stddef.h>
#include <structmember.h>

typedef struct step_function {
    PyObject_HEAD
    PyObject *clock;    /* owned: a StepClock */
    PyObject *function; /* owned: any callable */
    PyObject *weakrefs; /* owned */
    vectorcallfunc call;
} step_function;

static PyObject *function_of(PyObject *self)
{
    return ((step_function *)self)->function;
}

static PyObject *function_call(PyObject *self, PyObject *const *args, size_t count_and_flag, PyObject *names)
{
    PyObject *clock = ((step_function *)self)->clock;
    int counts = trc_step_call_begins(clock);
    if (counts < 0) {
        return NULL;
    }
    PyObject *result = PyObject_Vectorcall(function_of(self), args, count_and_flag, names);
    if (counts > 0 && trc_step_call_ends(clock) < 0) {
        Py_CLEAR(result);
    }
    return result;
}

static PyObject *make(PyTypeObject *type, PyObject *clock, PyObject *function)
{
    step_function *self = (step_function *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->clock = Py_NewRef(clock);
        self->function = Py_NewRef(function);
        self->call = function_call;
    }
    return (PyObject *)self;
}

static PyObject *new_function(PyTypeObject *type, PyObject *args, PyObject *names)
{
    const trc_state *state = trc_state_of_type(type);
    PyObject *clock, *function;
    if (state == NULL || (names != NULL && PyDict_GET_SIZE(names) > 0) ||
        !PyArg_ParseTuple(args, "O!O:StepFunction", state->step_clock_type, &clock, &function)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "StepFunction() takes nothing by keyword");
        }
        return NULL;
    }
    if (!PyCallable_Check(function)) {
        PyErr_Format(PyExc_TypeError, "StepFunction() takes a StepClock and a function, not %R", function);
        return NULL;
    }
    return make(type, clock, function);
}

/* A method: bound as the function itself would be. */
static PyObject *function_get(PyObject *self, PyObject *instance, PyObject *type)
{
    PyObject *function = function_of(self);
    if (PyFunction_Check(function)) {
        return instance == NULL ? Py_NewRef(self) : PyMethod_New(self, instance);
    }
    descrgetfunc get = (descrgetfunc)PyType_GetSlot(Py_TYPE(function), Py_tp_descr_get);
    PyObject *bound = get == NULL ? Py_NewRef(function) : get(function, instance, type);
    PyObject *made = bound == NULL || bound == function || !PyCallable_Check(bound)
                         ? Py_XNewRef(bound == function ? self : bound)
                         : make(Py_TYPE(self), ((step_function *)self)->clock, bound);
    Py_XDECREF(bound);
    return made;
}

/* The function answers for every attribute, also for __class__, and takes those that are set. Only how it is pickled is
 * said here: pickle looks at the type of a function. */
static PyObject *function_getattro(PyObject *self, PyObject *name)
{
    bool is_own = PyUnicode_CompareWithASCIIString(name, "__reduce_ex__") == 0 ||
                  PyUnicode_CompareWithASCIIString(name, "__reduce__") == 0;
    return is_own ? PyObject_GenericGetAttr(self, name) : PyObject_GetAttr(function_of(self), name);
}

static int function_setattro(PyObject *self, PyObject *name, PyObject *value)
{
    return PyObject_SetAttr(function_of(self), name, value);
}

PyDoc_STRVAR(reduce_doc, "__reduce_ex__($self, protocol=0, /)\n--\n\nReturn the qualified name, as of a function.");

static PyObject *function_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *function = function_of(self);
    return PyObject_GetAttrString(function, PyFunction_Check(function) ? "__qualname__" : "__name__");
}

static PyObject *function_repr(PyObject *self)
{
    return PyObject_Repr(function_of(self));
}

/* Equal to the function, which the program may have kept elsewhere. */
static Py_hash_t function_hash(PyObject *self)
{
    return PyObject_Hash(function_of(self));
}

static PyObject *function_compare(PyObject *self, PyObject *other, int operation)
{
    return PyObject_RichCompare(function_of(self), Py_IS_TYPE(other, Py_TYPE(self)) ? function_of(other) : other,
                                operation);
}

static int function_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((step_function *)self)->clock);
    Py_VISIT(((step_function *)self)->function);
    return 0;
}

/* Both stay while it lives, for a call needs them: a cycle is broken by the function, as without tracer. */
static void function_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (((step_function *)self)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(self);
    }
    Py_XDECREF(((step_function *)self)->clock);
    Py_XDECREF(((step_function *)self)->function);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"__reduce_ex__", function_reduce, METH_VARARGS, reduce_doc},
    {"__reduce__", function_reduce, METH_NOARGS, reduce_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(function_doc, "StepFunction(clock, function, /)\n--\n\n"
                           "The same function, whose calls are the steps of a StepClock: the outermost ones, in the\n"
                           "thread of the first call. It looks like the function, which answers for its attributes.");

PyTypeObject *trc_step_function_type(PyObject *module)
{
    PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(step_function, call), READONLY, NULL},
        {"__weaklistoffset__", T_PYSSIZET, offsetof(step_function, weakrefs), READONLY, NULL},
        {.name = NULL},
    };
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)function_doc},
        {Py_tp_new, new_function},
        {Py_tp_dealloc, function_dealloc},
        {Py_tp_traverse, function_traverse},
        {Py_tp_call, PyVectorcall_Call},
        {Py_tp_descr_get, function_get},
        {Py_tp_getattro, function_getattro},
        {Py_tp_setattro, function_setattro},
        {Py_tp_repr, function_repr},
        {Py_tp_hash, function_hash},
        {Py_tp_richcompare, function_compare},
        {Py_tp_methods, methods},
        {Py_tp_members, members},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.StepFunction",
        .basicsize = sizeof(step_function),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
