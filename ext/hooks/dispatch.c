/* From back ends to recorders: see dispatch.h. */
#include "dispatch.h"

/* The recorder after this one, once that has handled an event. `kept` is NULL but for a recorder with a custom timer:
 * such a timer may have run any code, so the object was kept until now, and what follows must be looked for in the
 * list. */
static trc_recorder *advance(const trc_dispatcher *dispatcher, trc_recorder *recorder, PyObject *kept)
{
    trc_recorder *next = recorder->enabled ? recorder->next_active : NULL;
    if (kept == NULL) {
        return next;
    }
    Py_DECREF(kept);
    for (recorder = dispatcher->active; recorder != NULL && recorder != next; recorder = recorder->next_active) {
    }
    return recorder;
}

#define FOR_EACH_ACTIVE(dispatcher, recorder, builtin, ACTION)                               \
    do {                                                                                     \
        trc_recorder *recorder = (dispatcher)->active;                                       \
        while (recorder != NULL) {                                                           \
            PyObject *kept = recorder->timer != NULL ? Py_NewRef(recorder->profiler) : NULL; \
            if (recorder->builtins || !(builtin)) {                                          \
                ACTION;                                                                      \
            }                                                                                \
            recorder = advance(dispatcher, recorder, kept);                                  \
        }                                                                                    \
    } while (0)

void trc_dispatch_enter(trc_dispatcher *dispatcher, const trc_callee *callee, uintptr_t id, bool builtin)
{
    FOR_EACH_ACTIVE(dispatcher, recorder, builtin, trc_recorder_enter(recorder, callee, id));
}

void trc_dispatch_leave(trc_dispatcher *dispatcher, uintptr_t id, bool builtin)
{
    FOR_EACH_ACTIVE(dispatcher, recorder, builtin, trc_recorder_leave(recorder, id));
}

int trc_dispatch_enable(trc_dispatcher *dispatcher, trc_recorder *recorder)
{
    if (recorder->enabled) {
        return 0;
    }
    if (trc_recorder_start(recorder) < 0) {
        return -1;
    }
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
    if (!recorder->enabled) {
        return;
    }
    trc_recorder **link = &dispatcher->active;
    while (*link != recorder) {
        link = &(*link)->next_active;
    }
    *link = recorder->next_active;
    recorder->next_active = NULL;
    if (dispatcher->active == NULL) {
        dispatcher->backend->stop(dispatcher);
    }
    trc_recorder_stop(recorder);
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

static void dispatcher_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyTypeObject *trc_dispatcher_type(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)"Hands the interpreter's events to the enabled profiles. Made once, by the module."},
        {Py_tp_dealloc, dispatcher_dealloc},
        {Py_tp_call, dispatcher_call},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.Dispatcher",
        .basicsize = sizeof(trc_dispatcher),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
