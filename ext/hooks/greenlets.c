/* Greenlets: see greenlets.h. greenlet.settrace() keeps one function a thread, which it calls after each switch, on the
 * new stack, with (event, (from, to)). */
#include "greenlets.h"

#include "dispatch.h"

typedef struct switch_watcher {
    PyObject_HEAD
    trc_dispatcher *dispatcher; /* owned */
    PyObject *previous;         /* owned: what the program had set before, or None */
} switch_watcher;

/* Borrowed: the module, or NULL without an exception. */
static PyObject *greenlet_module(void)
{
    PyObject *modules = PySys_GetObject("modules");
    PyObject *module = modules == NULL || !PyDict_Check(modules) ? NULL : PyDict_GetItemString(modules, "greenlet");
    return module != NULL && PyModule_Check(module) ? module : NULL;
}

static PyObject *watcher_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    const switch_watcher *watcher = (switch_watcher *)self;
    const char *event;
    PyObject *from, *to;
    if (!PyArg_ParseTuple(args, "s(OO):switched", &event, &from, &to)) {
        return NULL;
    }
    if (!trc_dispatch_switch(watcher->dispatcher, from, to)) { /* nobody listens any more */
        PyObject *module = greenlet_module();
        PyObject *unset = module == NULL ? NULL : PyObject_CallMethod(module, "settrace", "O", watcher->previous);
        Py_XDECREF(unset);
        PyErr_Clear();
    }
    return watcher->previous == Py_None ? Py_NewRef(Py_None) : PyObject_Call(watcher->previous, args, NULL);
}

static int watcher_traverse(PyObject *self, visitproc visit, void *arg)
{
    const switch_watcher *watcher = (switch_watcher *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(watcher->dispatcher);
    Py_VISIT(watcher->previous);
    return 0;
}

static int watcher_clear(PyObject *self)
{
    switch_watcher *watcher = (switch_watcher *)self;
    Py_CLEAR(watcher->dispatcher);
    Py_CLEAR(watcher->previous);
    return 0;
}

static void watcher_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    watcher_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyTypeObject *trc_greenlets_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)"Called by the package greenlet after each switch."},
        {Py_tp_dealloc, watcher_dealloc},
        {Py_tp_traverse, watcher_traverse},
        {Py_tp_clear, watcher_clear},
        {Py_tp_call, watcher_call},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.SwitchWatcher",
        .basicsize = sizeof(switch_watcher),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}

static void watch(trc_dispatcher *dispatcher, PyObject *module)
{
    PyTypeObject *type = dispatcher->switch_watcher_type;
    PyObject *previous = PyObject_CallMethod(module, "gettrace", NULL);
    if (previous == NULL || Py_IS_TYPE(previous, type)) {
        Py_XDECREF(previous);
        return;
    }
    switch_watcher *watcher = (switch_watcher *)type->tp_alloc(type, 0);
    if (watcher == NULL) {
        Py_DECREF(previous);
        return;
    }
    watcher->dispatcher = (trc_dispatcher *)Py_NewRef((PyObject *)dispatcher);
    watcher->previous = previous;
    Py_XDECREF(PyObject_CallMethod(module, "settrace", "O", watcher));
    Py_DECREF(watcher);
}

void trc_greenlets_watch(trc_dispatcher *dispatcher)
{
    PyObject *module = greenlet_module();
    if (module != NULL) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        watch(dispatcher, module);
        PyErr_Clear(); /* it is only half imported: the next new function comes soon */
        PyErr_Restore(type, value, traceback);
    }
}
