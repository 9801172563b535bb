/* Greenlets: see greenlets.h. greenlet.settrace() keeps one function a thread, which it calls after each switch, on the
 * new stack, with (event, (from, to)). */
#include "dispatch/greenlets.h"

typedef struct switch_watcher {
    PyObject_HEAD
    PyObject *owner;    /* owned: the dispatcher's object */
    PyObject *previous; /* owned: the trace function that the program had set, or None */
    PyObject *gettrace; /* owned: greenlet's function */
    PyObject *dead;     /* owned: the str "dead" */
} switch_watcher;

/* Returns the module, borrowed, or NULL without an exception. */
static PyObject *greenlet_module(void)
{
    PyObject *modules = PySys_GetObject("modules");
    PyObject *module = modules == NULL || !PyDict_Check(modules) ? NULL : trc_look_up(modules, "greenlet");
    return module != NULL && PyModule_Check(module) ? module : NULL;
}

/* Returns a function of the module, borrowed, or NULL without an exception. The function is written in C, so that a
 * call runs no code of the program. */
static PyObject *function_of(PyObject *module, const char *name)
{
    PyObject *function = trc_look_up(PyModule_GetDict(module), name);
    return function != NULL && PyCFunction_Check(function) ? function : NULL;
}

static void set_trace(PyObject *module, PyObject *function)
{
    PyObject *settrace = function_of(module, "settrace");
    Py_XDECREF(settrace == NULL ? NULL : PyObject_CallOneArg(settrace, function));
}

static void set_pending(trc_dispatcher *dispatcher, bool is_pending)
{
    trc_context *context = trc_context_here(&dispatcher->shared.registry, trc_this_thread());
    if (context != NULL) {
        context->is_pending = is_pending;
    }
}

/* The calling thread is to call trc_greenlets_watch() at its next event. Without memory it does so at the first sight of
 * a function, as others do. */
static void become_pending(trc_dispatcher *dispatcher)
{
    set_pending(dispatcher, true);
    trc_gates_close(&dispatcher->shared.gates);
}

/* A switch from a greenlet, which may be over, to another. With `look`, the frames that run there already are recorded;
 * else the thread runs something on top of them just now. */
typedef struct greenlet_switch {
    const void *from;
    bool is_over;
    const void *to;
    bool look;
} greenlet_switch;

static void tell_one(trc_recorder *recorder, const void *what)
{
    const greenlet_switch *made = what;
    trc_recorder_switch_greenlet(recorder, made->from, made->is_over, made->to, made->look);
}

static void tell(const switch_watcher *watcher, PyObject *from, PyObject *to, bool is_outermost)
{
    PyObject *dead = PyObject_GetAttr(from, watcher->dead);
    PyErr_Clear();
    trc_dispatch_tell_all(trc_dispatcher_of(watcher->owner), tell_one,
                          &(greenlet_switch){from, dead == Py_True, to, is_outermost});
    Py_XDECREF(dead);
}

/* Called by greenlet, or by a trace function that the program has set since. The frames that this function runs are not
 * the greenlet's. So the greenlet's frames are looked for only at the next event, when greenlet calls a watcher
 * again. */
static void on_switch(const switch_watcher *watcher, PyObject *from, PyObject *to)
{
    PyObject *called = PyObject_CallNoArgs(watcher->gettrace);
    PyErr_Clear();
    bool is_outermost = called == (PyObject *)watcher;
    if (!trc_dispatcher_is_active(trc_dispatcher_of(watcher->owner))) {
        PyObject *module = is_outermost ? greenlet_module() : NULL;
        if (module != NULL) {
            set_trace(module, watcher->previous);
            PyErr_Clear();
        }
    }
    else if (is_outermost || called == NULL || !Py_IS_TYPE(called, Py_TYPE((PyObject *)watcher))) {
        tell(watcher, from, to, is_outermost);
        if (!is_outermost) {
            become_pending(trc_dispatcher_of(watcher->owner));
        }
    }
    Py_XDECREF(called);
}

static PyObject *watcher_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    const switch_watcher *watcher = (switch_watcher *)self;
    const char *event;
    PyObject *from, *to;
    if (watcher->owner == NULL) { /* it is in a garbage cycle that is being cleared */
        Py_RETURN_NONE;
    }
    if (!PyArg_ParseTuple(args, "s(OO):switched", &event, &from, &to)) {
        return NULL;
    }
    on_switch(watcher, from, to);
    if (watcher->previous == Py_None) {
        return Py_NewRef(Py_None);
    }
    PyObject *result = PyObject_Call(watcher->previous, args, NULL);
    if (result == NULL) { /* after an exception greenlet calls nothing any more */
        become_pending(trc_dispatcher_of(watcher->owner));
    }
    return result;
}

static int watcher_traverse(PyObject *self, visitproc visit, void *arg)
{
    const switch_watcher *watcher = (switch_watcher *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(watcher->owner);
    Py_VISIT(watcher->previous);
    Py_VISIT(watcher->gettrace);
    Py_VISIT(watcher->dead);
    return 0;
}

static int watcher_clear(PyObject *self)
{
    switch_watcher *watcher = (switch_watcher *)self;
    Py_CLEAR(watcher->owner);
    Py_CLEAR(watcher->previous);
    Py_CLEAR(watcher->gettrace);
    Py_CLEAR(watcher->dead);
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

static PyTypeObject *make_type(PyObject *module)
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

int trc_greenlets_init(trc_dispatcher *dispatcher, PyObject *module)
{
    dispatcher->switch_watcher_type = make_type(module);
    return dispatcher->switch_watcher_type == NULL ? -1 : 0;
}

static switch_watcher *new_watcher(const trc_dispatcher *dispatcher, PyObject *gettrace, PyObject *previous)
{
    PyTypeObject *type = dispatcher->switch_watcher_type;
    switch_watcher *watcher = (switch_watcher *)type->tp_alloc(type, 0);
    if (watcher == NULL) {
        return NULL;
    }
    watcher->owner = Py_NewRef(dispatcher->held.object);
    watcher->gettrace = Py_NewRef(gettrace);
    watcher->previous = Py_NewRef(previous);
    watcher->dead = PyUnicode_InternFromString("dead");
    if (watcher->dead == NULL) {
        Py_CLEAR(watcher);
    }
    return watcher;
}

static void watch(const trc_dispatcher *dispatcher, PyObject *module, PyObject *gettrace)
{
    PyObject *previous = PyObject_CallNoArgs(gettrace);
    if (previous != NULL && !Py_IS_TYPE(previous, dispatcher->switch_watcher_type)) {
        switch_watcher *watcher = new_watcher(dispatcher, gettrace, previous);
        if (watcher != NULL) {
            set_trace(module, (PyObject *)watcher);
            Py_DECREF(watcher);
        }
    }
    Py_XDECREF(previous);
}

static void unwatch(const trc_dispatcher *dispatcher, PyObject *module)
{
    PyObject *gettrace = function_of(module, "gettrace");
    PyObject *present = gettrace == NULL ? NULL : PyObject_CallNoArgs(gettrace);
    if (present != NULL && Py_IS_TYPE(present, dispatcher->switch_watcher_type)) {
        set_trace(module, ((switch_watcher *)present)->previous);
    }
    Py_XDECREF(present);
}

/* Whether the module lacks its functions because its import is under way. Reads only dictionaries: an attribute look-up
 * could run code of the program, or import a module that importlib.util.LazyLoader was to import later. May leave an
 * exception set. */
static bool is_being_imported(PyObject *module)
{
    PyObject *spec = trc_look_up(PyModule_GetDict(module), "__spec__");
    PyObject *attributes = spec == NULL ? NULL : PyObject_GenericGetDict(spec, NULL);
    bool being = attributes != NULL && trc_look_up(attributes, "_initializing") == Py_True;
    Py_XDECREF(attributes);
    return being;
}

void trc_greenlets_watch(trc_dispatcher *dispatcher)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int collecting = trc_pause_collection();
    PyObject *module = greenlet_module();
    PyObject *gettrace = module == NULL ? NULL : function_of(module, "gettrace");
    bool is_whole = gettrace != NULL && function_of(module, "settrace") != NULL;
    if (is_whole) {
        watch(dispatcher, module, gettrace);
    }
    if (!is_whole && module != NULL && is_being_imported(module)) {
        become_pending(dispatcher);
    }
    else { /* also when the import has failed and the module is gone */
        set_pending(dispatcher, false);
    }
    trc_resume_collection(collecting);
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}

void trc_greenlets_unwatch(const trc_dispatcher *dispatcher)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *module = greenlet_module();
    if (module != NULL) {
        unwatch(dispatcher, module);
    }
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}
