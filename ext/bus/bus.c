/* From back ends to recorders: see bus.h. */
#include "bus/bus.h"

#include "interp/callback.h"
#include "sources/greenlets.h"

#include <stddef.h>
#include <structmember.h>

/* The recorder after the one of this serial number, which had a custom timer. That may have run any code, so the object
 * was `kept` until now, and what follows is looked for in the list. */
static trc_recorder *find_next(trc_recorder *const *active, uint64_t serial, PyObject *kept)
{
    Py_DECREF(kept);
    trc_recorder *next = *active;
    while (next != NULL && next->serial >= serial) {
        next = next->next_active;
    }
    return next;
}

#define FOR_EACH_ACTIVE(active, recorder, WANTED, ACTION)                                      \
    do {                                                                                       \
        trc_recorder *recorder = *(active);                                                    \
        while (recorder != NULL) {                                                             \
            uint64_t serial = recorder->serial;                                                \
            PyObject *kept = Py_XNewRef(recorder->timer.callable ? recorder->profiler : NULL); \
            if (WANTED) {                                                                      \
                ACTION;                                                                        \
            }                                                                                  \
            recorder = kept == NULL ? recorder->next_active : find_next(active, serial, kept); \
        }                                                                                      \
    } while (0)

#define FOR_ALL_ACTIVE(dispatcher, recorder, ACTION)                                                             \
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {                                                       \
        FOR_EACH_ACTIVE(&(dispatcher)->active[kind], recorder, !trc_timer_is_running(&recorder->timer), ACTION); \
    }

/* Tries again to be told of greenlets, and catches up with switches that were not told. */
static void settle(trc_dispatcher *dispatcher, trc_activation entering)
{
    if (dispatcher->unsettled == PyThreadState_GetID(PyThreadState_Get())) {
        trc_greenlets_watch(dispatcher);
        if (dispatcher->unsettled == 0) {
            FOR_ALL_ACTIVE(dispatcher, recorder, trc_recorder_look_again(recorder, entering));
        }
    }
}

void trc_dispatch_enter(trc_dispatcher *dispatcher, trc_backend_kind kind, const trc_callee *callee, trc_activation id,
                        trc_entry entry)
{
    if (dispatcher->unsettled != 0) {
        settle(dispatcher, id);
    }
    FOR_EACH_ACTIVE(&dispatcher->active[kind], recorder, callee->level <= recorder->level,
                    trc_recorder_enter(recorder, callee, id, entry));
}

void trc_dispatch_leave(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_activation id, trc_level level)
{
    if (dispatcher->unsettled != 0) {
        settle(dispatcher, 0);
    }
    FOR_EACH_ACTIVE(&dispatcher->active[kind], recorder, level <= recorder->level_on_stack,
                    trc_recorder_leave(recorder, id));
}

void trc_dispatch_suspend(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_activation id, const void *key)
{
    FOR_EACH_ACTIVE(&dispatcher->active[kind], recorder, true, trc_recorder_suspend(recorder, id, key));
}

/* -- The same where a recorder has a focus -- */

static bool is_in(const trc_recorder *recorder, trc_place *place)
{
    bool in = recorder->focus == NULL || trc_focus_has(recorder->focus, place);
    place->is_wanted = place->is_wanted || in;
    return in;
}

/* What such a function returns. Whoever was enabled in the meantime, by a timer or a finalizer, was not asked. */
static bool is_wanted(trc_dispatcher *dispatcher, const trc_place *place, uint64_t serials)
{
    if (place->is_new) {
        trc_greenlets_watch(dispatcher); /* as at the first sight of a function */
    }
    return place->is_wanted || dispatcher->serials != serials;
}

bool trc_dispatch_enter_in(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_place *place,
                           const trc_callee *callee, trc_activation id, trc_entry entry)
{
    uint64_t serials = dispatcher->serials;
    if (dispatcher->unsettled != 0) {
        settle(dispatcher, id);
    }
    FOR_EACH_ACTIVE(&dispatcher->active[kind], recorder, is_in(recorder, place) && callee->level <= recorder->level,
                    trc_recorder_enter(recorder, callee, id, entry));
    return is_wanted(dispatcher, place, serials);
}

bool trc_dispatch_leave_in(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_place *place, trc_activation id,
                           trc_level level)
{
    uint64_t serials = dispatcher->serials;
    if (dispatcher->unsettled != 0) {
        settle(dispatcher, 0);
    }
    FOR_EACH_ACTIVE(&dispatcher->active[kind], recorder, is_in(recorder, place) && level <= recorder->level_on_stack,
                    trc_recorder_leave(recorder, id));
    return is_wanted(dispatcher, place, serials);
}

bool trc_dispatch_suspend_in(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_place *place, trc_activation id)
{
    uint64_t serials = dispatcher->serials;
    FOR_EACH_ACTIVE(&dispatcher->active[kind], recorder, is_in(recorder, place),
                    trc_recorder_suspend(recorder, id, place->code));
    return is_wanted(dispatcher, place, serials);
}

void trc_dispatch_go_on_in(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_place *place, trc_activation id)
{
    trc_callee callee = {place->code, (PyObject *)place->code, TRC_PYTHON};
    FOR_EACH_ACTIVE(&dispatcher->active[kind], recorder, is_in(recorder, place),
                    trc_recorder_go_on(recorder, &callee, id));
}

bool trc_dispatch_wants(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_place *place)
{
    uint64_t serials = dispatcher->serials;
    FOR_EACH_ACTIVE(&dispatcher->active[kind], recorder, is_in(recorder, place), (void)0);
    return is_wanted(dispatcher, place, serials);
}

static void find_sole(trc_dispatcher *dispatcher, trc_backend_kind kind)
{
    trc_recorder *first = dispatcher->active[kind];
    bool sole = first != NULL && first->next_active == NULL && first->timer.callable == NULL;
    dispatcher->sole[kind] = sole ? first : NULL;
}

/* Puts a recorder among the active ones, or takes it out. */
static void list(trc_dispatcher *dispatcher, trc_recorder *recorder)
{
    trc_recorder **first = &dispatcher->active[recorder->backend->kind];
    recorder->serial = ++dispatcher->serials;
    recorder->next_active = *first;
    *first = recorder;
    dispatcher->focused[recorder->backend->kind] += recorder->focus != NULL;
    recorder->listed = true;
    find_sole(dispatcher, recorder->backend->kind);
}

static void unlist(trc_dispatcher *dispatcher, trc_recorder *recorder)
{
    trc_recorder **link = &dispatcher->active[recorder->backend->kind];
    while (*link != recorder) {
        link = &(*link)->next_active;
    }
    *link = recorder->next_active;
    dispatcher->focused[recorder->backend->kind] -= recorder->focus != NULL;
    recorder->next_active = NULL;
    recorder->listed = false;
    find_sole(dispatcher, recorder->backend->kind);
}

/* Nobody asked for the back end that others hold, as the exception says: take the next one. */
static int fall_back(trc_recorder *recorder)
{
    bool all_callables = recorder->level > TRC_BUILTINS;
    const trc_backend *next = trc_backend_after(recorder->backend, all_callables);
    if (next == NULL && !all_callables) {
        return -1;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    int result = -1;
    PyObject *why = PyUnicode_FromFormat("%S", value);
    if (why != NULL && next == NULL) {
        PyErr_Format(PyExc_RuntimeError, "builtins='all' cannot be recorded: %U", why);
    }
    else if (why != NULL) {
        result = PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "tracer uses %s, which costs more: %U", next->title, why);
    }
    if (result == 0) {
        recorder->backend = next;
        Py_XSETREF(recorder->why, Py_NewRef(why));
    }
    Py_XDECREF(why);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return result;
}

/* Lists the recorder and starts its back end. Returns 0, or -1 with an exception set and nothing changed. */
static int start_backend(trc_dispatcher *dispatcher, trc_recorder *recorder)
{
    list(dispatcher, recorder);
    uint64_t serial = recorder->serial;
    trc_start_result result = recorder->backend->methods->start(dispatcher, recorder);
    if (result == TRC_STARTED) {
        return 0;
    }
    if (recorder->listed && recorder->serial != serial) { /* an audit hook had it enabled by itself meanwhile */
        return -1;
    }
    if (recorder->listed) {
        unlist(dispatcher, recorder);
    }
    if (result == TRC_START_FAILED || recorder->backend_was_asked_for) {
        return -1;
    }
    if (fall_back(recorder) < 0) {
        return -1;
    }
    return recorder->listed ? 0 : start_backend(dispatcher, recorder); /* the warning may run code that enables it */
}

int trc_dispatch_enable(trc_dispatcher *dispatcher, trc_recorder *recorder, bool here)
{
    if (recorder->listed) {
        if (recorder->enabled) {
            trc_recorder_raise_level(recorder);
            trc_recorder_give_up_threads(recorder);
            if (recorder->backend->methods->start(dispatcher, recorder) != TRC_STARTED) {
                return -1;
            }
            trc_recorder_unmute(recorder, here);
        }
        return 0; /* else it is being enabled, by code that runs in the middle of that */
    }
    if (recorder->stopping) { /* likewise: as if this had come just before */
        return 0;
    }
    if (trc_recorder_open(recorder) < 0) {
        return -1;
    }
    if (start_backend(dispatcher, recorder) < 0) {
        if (!recorder->listed) {
            trc_recorder_close(recorder);
        }
        return -1;
    }
    trc_recorder_start(recorder, here);
    return 0;
}

void trc_dispatch_disable(trc_dispatcher *dispatcher, trc_recorder *recorder)
{
    if (!recorder->listed) {
        return;
    }
    /* Both halves of a recorder's end come before the back end is stopped, for that runs audit hooks. */
    unlist(dispatcher, recorder);
    recorder->stopping = true;
    trc_recorder_stop(recorder);
    recorder->stopping = false;
    recorder->backend->methods->stop(dispatcher);
    if (!trc_dispatch_is_active(dispatcher)) {
        trc_greenlets_unwatch(dispatcher);
    }
}

trc_dispatcher *trc_dispatcher_new(PyObject *module, PyTypeObject *type)
{
    trc_dispatcher *dispatcher = (trc_dispatcher *)type->tp_alloc(type, 0);
    if (dispatcher == NULL) {
        return NULL;
    }
    dispatcher->interpreter = PyInterpreterState_Get();
    dispatcher->callback_type = trc_callback_type(module);
    dispatcher->switch_watcher_type = trc_greenlets_type(module);
    bool ready = dispatcher->callback_type != NULL && dispatcher->switch_watcher_type != NULL;
#if TRC_HAS_MONITORING
    dispatcher->mark = trc_tool_mark_new();
    dispatcher->focus_mark = trc_tool_mark_new();
    ready = ready && dispatcher->mark != NULL && dispatcher->focus_mark != NULL;
#endif
    if (!ready) {
        Py_CLEAR(dispatcher);
    }
    return dispatcher;
}

static PyObject *dispatcher_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    trc_dispatcher *dispatcher = (trc_dispatcher *)self;
    if (!trc_lines_here(dispatcher, args)) {
        for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
            if (dispatcher->active[kind] != NULL) {
                trc_backend_here(&trc_backends[kind], dispatcher);
            }
        }
    }
    Py_RETURN_NONE;
}

void trc_dispatch_switch(trc_dispatcher *dispatcher, const void *from, bool is_over, const void *to, bool look)
{
    FOR_ALL_ACTIVE(dispatcher, recorder, trc_recorder_switch(recorder, from, is_over, to, look));
}

bool trc_dispatch_is_active(const trc_dispatcher *dispatcher)
{
    bool active = false;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        active = active || dispatcher->active[kind] != NULL;
    }
    return active;
}

void trc_dispatch_start_anew(trc_dispatcher *dispatcher)
{
    FOR_ALL_ACTIVE(
        dispatcher, recorder,
        if (trc_recorder_clear_copy(recorder) < 0) { PyErr_WriteUnraisable((PyObject *)dispatcher); });
    dispatcher->lines.forks++; /* by which those that are not enabled will know */
    TRC_FOR_EACH_LINE_RECORDER(
        &dispatcher->lines, recorder,
        if (trc_line_recorder_clear(recorder, true) < 0) { PyErr_WriteUnraisable((PyObject *)dispatcher); });
}

void trc_dispatch_pause(trc_dispatcher *dispatcher)
{
    FOR_ALL_ACTIVE(dispatcher, recorder, trc_recorder_pause(recorder));
    TRC_FOR_EACH_LINE_RECORDER(&dispatcher->lines, recorder, trc_line_recorder_pause(recorder));
}

void trc_dispatch_resume(trc_dispatcher *dispatcher)
{
    TRC_FOR_EACH_LINE_RECORDER(&dispatcher->lines, recorder, trc_line_recorder_resume(recorder));
    FOR_ALL_ACTIVE(dispatcher, recorder, trc_recorder_resume(recorder));
}

static PyObject *dispatcher_enter(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    trc_dispatch_pause((trc_dispatcher *)self);
    return Py_NewRef(self);
}

static PyObject *dispatcher_exit(PyObject *self, PyObject *args)
{
    (void)args;
    trc_dispatch_resume((trc_dispatcher *)self);
    Py_RETURN_NONE;
}

static PyMethodDef dispatcher_methods[] = {
    {"__enter__", dispatcher_enter, METH_NOARGS, "Pause every enabled profile in the calling thread."},
    {"__exit__", dispatcher_exit, METH_VARARGS, "Go on where the pause began."},
    {NULL, NULL, 0, NULL},
};

static int dispatcher_traverse(PyObject *self, visitproc visit, void *arg)
{
    trc_dispatcher *dispatcher = (trc_dispatcher *)self;
    Py_VISIT(Py_TYPE(self));
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        int result = trc_backend_traverse(&trc_backends[kind], dispatcher, visit, arg);
        if (result != 0) {
            return result;
        }
    }
    int result = trc_lines_traverse(&dispatcher->lines, visit, arg);
    if (result != 0) {
        return result;
    }
    Py_VISIT(dispatcher->mark);
    Py_VISIT(dispatcher->focus_mark);
    Py_VISIT(dispatcher->callback_type);
    Py_VISIT(dispatcher->switch_watcher_type);
    return 0;
}

static void dispatcher_dealloc(PyObject *self)
{
    trc_dispatcher *dispatcher = (trc_dispatcher *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    PyObject_ClearWeakRefs(self);
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        trc_backend_clear(&trc_backends[kind], dispatcher);
    }
    trc_lines_clear(&dispatcher->lines);
    Py_XDECREF(dispatcher->mark);
    Py_XDECREF(dispatcher->focus_mark);
    Py_XDECREF((PyObject *)dispatcher->callback_type);
    Py_XDECREF((PyObject *)dispatcher->switch_watcher_type);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef dispatcher_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(trc_dispatcher, weak_references), READONLY, NULL},
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
        .basicsize = sizeof(trc_dispatcher),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
