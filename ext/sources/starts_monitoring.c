/* The beginnings of functions and of lines by sys.monitoring: see starts_monitoring.h. */
#include "sources/starts_monitoring.h"

int trc_starts_monitoring_traverse(const trc_starts_monitoring *source, visitproc visit, void *arg)
{
    Py_VISIT(source->watched);
    return trc_tool_session_traverse(&source->session, visit, arg);
}

void trc_starts_monitoring_clear(trc_starts_monitoring *source)
{
    Py_CLEAR(source->watched);
    trc_tool_session_clear(&source->session);
}

#if TRC_HAS_MONITORING

int trc_starts_monitoring_restart(trc_starts_monitoring *source)
{
    bool is_ours = source->is_some_off && trc_tool_is_ours(&source->session.tool);
    if (is_ours && trc_tool_call("restart_events", "()") < 0) {
        return -1;
    }
    source->is_some_off = false;
    return 0;
}

static int set_local_events(const trc_starts_monitoring *source, PyObject *code, int events)
{
    return trc_tool_call("set_local_events", "(iOi)", source->session.tool.id, code, events);
}

bool trc_starts_monitoring_watch_lines(trc_starts_monitoring *source, PyCodeObject *code)
{
    if (source->watched == NULL) {
        source->watched = PyDict_New();
    }
    PyObject *address =
        source->watched == NULL ? NULL : PyLong_FromVoidPtr(code); /* equal code is another function's */
    int is_known = address == NULL ? -1 : PyDict_Contains(source->watched, address);
    bool is_watched = is_known == 1 || (is_known == 0 && trc_tool_is_ours(&source->session.tool) &&
                                        PyDict_SetItem(source->watched, address, (PyObject *)code) == 0 &&
                                        set_local_events(source, (PyObject *)code, source->line_event) == 0);
    Py_XDECREF(address);
    PyErr_Clear();
    return is_watched;
}

bool trc_starts_monitoring_unwatch_lines(trc_starts_monitoring *source, const void *code)
{
    PyObject *address = source->watched == NULL ? NULL : PyLong_FromVoidPtr((void *)(uintptr_t)code);
    PyObject *watched = address == NULL ? NULL : PyDict_GetItemWithError(source->watched, address);
    if (watched != NULL && trc_tool_is_ours(&source->session.tool)) {
        Py_INCREF(watched);
        set_local_events(source, watched, 0);
        Py_DECREF(watched);
    }
    bool is_known = watched != NULL;
    if (is_known) {
        PyErr_Clear();
        PyDict_DelItem(source->watched, address);
    }
    Py_XDECREF(address);
    PyErr_Clear();
    return is_known;
}

/* Local events stay with a tool's id, for whoever has it next. */
static void unwatch_all_lines(trc_starts_monitoring *source)
{
    PyObject *watched = source->watched, *code;
    Py_ssize_t position = 0;
    source->watched = NULL;
    bool is_ours = watched != NULL && trc_tool_is_ours(&source->session.tool);
    while (is_ours && PyDict_Next(watched, &position, NULL, &code)) {
        set_local_events(source, code, 0);
        PyErr_Clear();
    }
    Py_XDECREF(watched);
}

void trc_starts_monitoring_stop(trc_starts_monitoring *source, const trc_tool_target *to)
{
    unwatch_all_lines(source);
    trc_tool_session_end(&source->session, to, source->is_some_off ? Py_None : to->held->mark);
}

trc_start_result trc_starts_monitoring_start(trc_starts_monitoring *source, const trc_tool_target *to)
{
    trc_tool_session *session = &source->session;
    int events = trc_tool_event(to->callbacks[0].event);
    source->line_event = trc_tool_event("LINE");
    if (events < 0 || source->line_event < 0) {
        return TRC_START_FAILED;
    }
    if (trc_tool_is_ours(&session->tool)) { /* one more recorder */
        return trc_starts_monitoring_restart(source) == 0 ? TRC_STARTED : TRC_START_FAILED;
    }
    Py_CLEAR(source->watched);
    trc_tool_session_end(session, to, Py_None); /* the rest of an id that another took from tracer */
    trc_start_result taken = trc_tool_take(&session->tool);
    if (taken != TRC_STARTED) {
        return taken;
    }
    const PyObject *name = session->tool.name;
    int marked = trc_tool_session_begin(session, to, to->held->mark);
    if (session->tool.name != name) { /* an audit hook has stopped the source meanwhile */
        return taken;
    }
    source->is_some_off = marked != 1; /* who held the id before may have switched off anything */
    if (marked < 0 || trc_starts_monitoring_restart(source) < 0 || trc_tool_session_set_events(session, events) < 0) {
        source->is_some_off = true;
        trc_starts_monitoring_stop(source, to);
        return TRC_START_FAILED;
    }
    return taken;
}

#endif
