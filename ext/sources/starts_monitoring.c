/* The beginnings of functions and of lines by sys.monitoring: see starts_monitoring.h. */
#include "sources/starts_monitoring.h"

int trc_starts_monitoring_traverse(const trc_starts_monitoring *source, visitproc visit, void *arg)
{
    return trc_tool_session_traverse(&source->session, visit, arg);
}

void trc_starts_monitoring_clear(trc_starts_monitoring *source)
{
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

void trc_starts_monitoring_stop(trc_starts_monitoring *source, const trc_tool_target *to)
{
    trc_tool_session_end(&source->session, to, source->is_some_off ? Py_None : to->held->mark);
}

/* The first so many events of a target, a bit each; or -1 with an exception set. */
static int events_of(const trc_tool_target *to, size_t count)
{
    int events = 0;
    for (size_t i = 0; i < count && events >= 0; i++) {
        int event = trc_tool_event(to->callbacks[i].event);
        events = event < 0 ? -1 : events | event;
    }
    return events;
}

trc_start_result trc_starts_monitoring_start(trc_starts_monitoring *source, const trc_tool_target *to, size_t count)
{
    trc_tool_session *session = &source->session;
    int events = events_of(to, count);
    if (events < 0) {
        return TRC_START_FAILED;
    }
    if (trc_tool_is_ours(&session->tool)) { /* one more recorder */
        bool goes_on = trc_tool_session_set_events(session, session->events | events) == 0 &&
                       trc_starts_monitoring_restart(source) == 0;
        return goes_on ? TRC_STARTED : TRC_START_FAILED;
    }
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
