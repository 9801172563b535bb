/* An object that the interpreter calls at an event: see callback.h. */
#include "interp/callback.h"

#include <stddef.h>
#include <structmember.h>

PyObject *trc_callback_new(PyTypeObject *type, vectorcallfunc function, PyObject *owner, void *context)
{
    trc_callback *self = (trc_callback *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->vectorcall = function;
        self->owner = Py_NewRef(owner);
        self->context = context;
    }
    return (PyObject *)self;
}

static int callback_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((trc_callback *)self)->owner);
    return 0;
}

static void callback_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((trc_callback *)self)->owner);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(trc_callback, vectorcall), READONLY, NULL},
    {.name = NULL},
};

PyTypeObject *trc_callback_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)"Called by the interpreter at an event."},
        {Py_tp_dealloc, callback_dealloc},
        {Py_tp_traverse, callback_traverse},
        {Py_tp_call, PyVectorcall_Call},
        {Py_tp_members, members},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.Callback",
        .basicsize = sizeof(trc_callback),
        .flags =
            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
