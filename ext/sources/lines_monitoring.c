/* Lines by sys.monitoring: see lines_monitoring.h. */
#include "sources/lines_monitoring.h"

#include "interp/code_lines.h"
#include "sources/allocators.h"

int trc_lines_monitoring_traverse(const trc_lines_monitoring *source, visitproc visit, void *arg)
{
    return trc_tool_session_traverse(&source->session, visit, arg);
}

void trc_lines_monitoring_clear(trc_lines_monitoring *source)
{
    trc_tool_session_clear(&source->session);
}

#if TRC_HAS_MONITORING

/* Returns the set of events that have one of these scopes, or -1 with an exception set. */
static int events_of(const trc_tool_target *to, int scopes)
{
    int events = 0;
    for (size_t i = 0; i < to->count; i++) {
        int bit = (to->callbacks[i].scopes & scopes) == 0 ? 0 : trc_tool_event(to->callbacks[i].event);
        if (bit < 0) {
            return -1;
        }
        events |= bit;
    }
    return events;
}

/* A callback, where memory is recorded. The interpreter made an int for the number of the line, where it keeps none
 * so large: then nobody else holds that int. */
static PyObject *forget_and_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    if ((uint32_t)nargsf >= 2 && Py_REFCNT(args[1]) == 1) {
        trc_allocators_forget(args[1]);
    }
    return ((trc_callback *)self)->then(self, args, nargsf, names);
}

void trc_lines_monitoring_remember(const trc_lines_monitoring *source, bool remembers)
{
    for (size_t i = 0; i < TRC_TOOL_EVENTS; i++) {
        trc_callback *callback = (trc_callback *)source->session.callbacks[i];
        if (callback != NULL) {
            callback->vectorcall = remembers ? forget_and_call : callback->then;
        }
    }
}

/* Learns the slots of a class whose __init__, __new__ and __call__ are written in Python. 0, or -1 with an exception
 * set. */
static int learn_makers(trc_lines_monitoring *source)
{
    if (source->init_by_python != NULL) {
        return 0;
    }
    PyObject *made = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){sOsOsO}", "Made", "__init__", Py_None,
                                           "__new__", Py_None, "__call__", Py_None);
    if (made == NULL) {
        return -1;
    }
    source->init_by_python = ((PyTypeObject *)made)->tp_init;
    source->new_by_python = ((PyTypeObject *)made)->tp_new;
    source->call_by_python = ((PyTypeObject *)made)->tp_call;
    Py_DECREF(made);
    return 0;
}

static int set_local_events(const trc_lines_monitoring *source, PyCodeObject *code, int events)
{
    return trc_tool_call("set_local_events", "(iOi)", source->session.tool.id, code, events);
}

static int watch(const trc_lines_monitoring *source, PyCodeObject *code)
{
    bool hides = TRC_STARTS_HIDE_LINES && trc_code_begins_in_a_line(code);
    return set_local_events(source, code, source->timed_events | (hides ? source->in_a_line : 0));
}

int trc_lines_monitoring_watch(trc_lines_monitoring *source, PyCodeObject *code)
{
    return trc_tool_is_ours(&source->session.tool) ? watch(source, code) : 0;
}

int trc_lines_monitoring_watch_all(const trc_lines_monitoring *source, PyObject *codes)
{
    int result = codes == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; result == 0 && source->session.tool.name != NULL && i < PyList_GET_SIZE(codes); i++) {
        result = watch(source, (PyCodeObject *)PyList_GET_ITEM(codes, i));
    }
    Py_XDECREF(codes);
    return result;
}

int trc_lines_monitoring_restart(trc_lines_monitoring *source)
{
    if (source->is_some_off && trc_tool_is_ours(&source->session.tool)) {
        if (trc_tool_call("restart_events", "()") < 0) {
            return -1;
        }
        source->is_some_off = false;
    }
    return 0;
}

int trc_lines_monitoring_start(trc_lines_monitoring *source, const trc_tool_target *to)
{
    trc_tool_session *session = &source->session;
    bool is_fresh = !trc_tool_is_ours(&session->tool);
    if (is_fresh) {
        trc_tool_session_end(session, to, Py_None); /* the rest of an id that another took from tracer */
        source->timed_events = events_of(to, TRC_IN_TIMED_CODE);
        source->in_a_line = events_of(to, TRC_IN_A_LINE);
        if (source->timed_events < 0 || source->in_a_line < 0 || learn_makers(source) < 0 ||
            trc_tool_take(&session->tool) != TRC_STARTED) {
            return -1;
        }
        int marked = trc_tool_session_begin(session, to, to->held->mark);
        source->is_some_off = marked != 1; /* who held the id before may have switched off anything */
        if (marked < 0) {
            return -1;
        }
    }
    /* The new recorder may want events that are off under this id, or in code that another recorder left out. */
    return trc_lines_monitoring_restart(source) < 0 ? -1 : is_fresh;
}

int trc_lines_monitoring_set_scopes(trc_lines_monitoring *source, const trc_tool_target *to, int scopes)
{
    int events = events_of(to, scopes);
    if (source->session.tool.name == NULL) {
        return 0; /* an audit hook has stopped the source */
    }
    return events < 0 ? -1 : trc_tool_session_set_events(&source->session, events);
}

void trc_lines_monitoring_stop(trc_lines_monitoring *source, const trc_tool_target *to)
{
    trc_tool_session_end(&source->session, to, source->is_some_off ? Py_None : to->held->mark);
}

void trc_lines_monitoring_unwatch(const trc_lines_monitoring *source, PyCodeObject *code)
{
    if (source->session.tool.name != NULL) {
        set_local_events(source, code, 0);
        PyErr_Clear();
    }
}

#endif
