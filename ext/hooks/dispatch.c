/* From back ends to recorders: see dispatch.h. */
#include "dispatch.h"

/* The recorder after the one of this serial number, which had a custom timer. That may have run any code, so the object
 * was `kept` until now, and what follows is looked for in the list. */
static trc_recorder *find_next(const trc_dispatcher *dispatcher, uint64_t serial, PyObject *kept)
{
    Py_DECREF(kept);
    trc_recorder *next = dispatcher->active;
    while (next != NULL && next->serial >= serial) {
        next = next->next_active;
    }
    return next;
}

#define FOR_EACH_ACTIVE(dispatcher, recorder, WANTED, ACTION)                                      \
    do {                                                                                           \
        trc_recorder *recorder = (dispatcher)->active;                                             \
        while (recorder != NULL) {                                                                 \
            uint64_t serial = recorder->serial;                                                    \
            PyObject *kept = Py_XNewRef(recorder->timer.callable ? recorder->profiler : NULL);     \
            if (WANTED) {                                                                          \
                ACTION;                                                                            \
            }                                                                                      \
            recorder = kept == NULL ? recorder->next_active : find_next(dispatcher, serial, kept); \
        }                                                                                          \
    } while (0)

void trc_dispatch_enter(trc_dispatcher *dispatcher, const trc_callee *callee, uintptr_t id, bool builtin)
{
    FOR_EACH_ACTIVE(dispatcher, recorder, !builtin || recorder->builtins, trc_recorder_enter(recorder, callee, id));
}

void trc_dispatch_leave(trc_dispatcher *dispatcher, uintptr_t id, bool builtin)
{
    FOR_EACH_ACTIVE(dispatcher, recorder, !builtin || recorder->builtins_on_stack, trc_recorder_leave(recorder, id));
}

int trc_dispatch_enable(trc_dispatcher *dispatcher, trc_recorder *recorder)
{
    if (recorder->enabled) {
        recorder->builtins_on_stack |= recorder->builtins;
        trc_recorder_unmute(recorder);
        return 0;
    }
    int started = trc_recorder_start(recorder);
    if (started <= 0) {
        return started;
    }
    recorder->serial = ++dispatcher->serials;
    recorder->next_active = dispatcher->active;
    dispatcher->active = recorder;
    if (dispatcher->backend->start(dispatcher, recorder->every_thread) < 0) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        trc_dispatch_disable(dispatcher, recorder);
        PyErr_Restore(type, value, traceback);
        return -1;
    }
    return 0;
}

void trc_dispatch_disable(trc_dispatcher *dispatcher, trc_recorder *recorder)
{
    trc_recorder **link = &dispatcher->active;
    while (*link != NULL && *link != recorder) {
        link = &(*link)->next_active;
    }
    if (*link == NULL) {
        return;
    }
    /* Both halves of a recorder's end come before the back end is stopped, for that runs audit hooks. */
    *link = recorder->next_active;
    recorder->next_active = NULL;
    trc_recorder_stop(recorder);
    if (dispatcher->active == NULL) {
        dispatcher->backend->stop(dispatcher);
    }
}

trc_dispatcher *trc_dispatcher_new(PyTypeObject *type)
{
    trc_dispatcher *dispatcher = (trc_dispatcher *)type->tp_alloc(type, 0);
    if (dispatcher != NULL) {
        dispatcher->backend = &trc_setprofile_backend;
        dispatcher->interpreter = PyInterpreterState_Get();
    }
    return dispatcher;
}

static PyObject *dispatcher_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    trc_dispatcher *dispatcher = (trc_dispatcher *)self;
    if (dispatcher->active != NULL && dispatcher->backend->start(dispatcher, false) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *dispatcher_enter(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    FOR_EACH_ACTIVE((trc_dispatcher *)self, recorder, !trc_timer_is_running(&recorder->timer),
                    trc_recorder_pause(recorder));
    return Py_NewRef(self);
}

static PyObject *dispatcher_exit(PyObject *self, PyObject *args)
{
    (void)args;
    FOR_EACH_ACTIVE((trc_dispatcher *)self, recorder, !trc_timer_is_running(&recorder->timer),
                    trc_recorder_resume(recorder));
    Py_RETURN_NONE;
}

static PyMethodDef dispatcher_methods[] = {
    {"__enter__", dispatcher_enter, METH_NOARGS, "Pause every enabled profile in the calling thread."},
    {"__exit__", dispatcher_exit, METH_VARARGS, "Go on where the pause began."},
    {NULL, NULL, 0, NULL},
};

static int dispatcher_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void dispatcher_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyTypeObject *trc_dispatcher_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)"Hands the interpreter's events to the enabled profiles. Made once, by the module."},
        {Py_tp_dealloc, dispatcher_dealloc},
        {Py_tp_traverse, dispatcher_traverse},
        {Py_tp_call, dispatcher_call},
        {Py_tp_methods, dispatcher_methods},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.Dispatcher",
        .basicsize = sizeof(trc_dispatcher),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
