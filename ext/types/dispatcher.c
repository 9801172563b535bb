/* The Dispatcher type: a dispatcher as a Python object, since the interpreter keeps a reference to the argument of a profile
 * function. It is also a context manager: in its block no profile records the calling thread. When it is called as a
 * profile or trace function itself, as after sys.setprofile(sys.getprofile()), it installs the real one. */
#include "types/dispatcher.h"

#include "dispatch/enabling.h"
#include "interp/callback.h"

#include <stddef.h>
#include <structmember.h>

trc_dispatcher_object *trc_dispatcher_new(PyObject *module, PyTypeObject *type)
{
    trc_dispatcher_object *self = (trc_dispatcher_object *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->callback_type = trc_callback_type(module);
    if (self->callback_type == NULL ||
        trc_dispatcher_init(&self->dispatcher, (PyObject *)self, self->callback_type, module) < 0) {
        Py_CLEAR(self);
        return NULL;
    }
    return self;
}

static PyObject *dispatcher_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    trc_dispatch_reinstall(trc_dispatcher_of(self), args);
    Py_RETURN_NONE;
}

static PyObject *dispatcher_enter(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    trc_pause_all(&trc_dispatcher_of(self)->shared);
    return Py_NewRef(self);
}

static PyObject *dispatcher_exit(PyObject *self, PyObject *args)
{
    (void)args;
    trc_resume_all(&trc_dispatcher_of(self)->shared);
    Py_RETURN_NONE;
}

static PyMethodDef dispatcher_methods[] = {
    {"__enter__", dispatcher_enter, METH_NOARGS, "Pause every enabled profile in the calling thread."},
    {"__exit__", dispatcher_exit, METH_VARARGS, "End the pause: the profiles go on where it began."},
    {NULL, NULL, 0, NULL},
};

static int dispatcher_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((trc_dispatcher_object *)self)->callback_type);
    return trc_dispatcher_traverse(trc_dispatcher_of(self), visit, arg);
}

static void dispatcher_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    PyObject_ClearWeakRefs(self);
    trc_dispatcher_clear(trc_dispatcher_of(self));
    Py_CLEAR(((trc_dispatcher_object *)self)->callback_type);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef dispatcher_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(trc_dispatcher_object, weak_references), READONLY, NULL},
    {.name = NULL},
};

PyTypeObject *trc_dispatcher_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)"Hands the interpreter's events to the enabled profiles. Made once, by the module."},
        {Py_tp_dealloc, dispatcher_dealloc},
        {Py_tp_traverse, dispatcher_traverse},
        {Py_tp_call, dispatcher_call},
        {Py_tp_methods, dispatcher_methods},
        {Py_tp_members, dispatcher_members},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.Dispatcher",
        .basicsize = sizeof(trc_dispatcher_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
