/* A tool id of sys.monitoring while a source has it: see tool_session.h. */
#include "sources/tool_session.h"

int trc_tool_session_traverse(const trc_tool_session *session, visitproc visit, void *arg)
{
    Py_VISIT(session->tool.name);
    Py_VISIT(session->missing);
    Py_VISIT(session->disable);
    for (size_t i = 0; i < TRC_TOOL_EVENTS; i++) {
        Py_VISIT(session->callbacks[i]);
    }
    return 0;
}

void trc_tool_session_clear(trc_tool_session *session)
{
    Py_CLEAR(session->tool.name);
    Py_CLEAR(session->missing);
    Py_CLEAR(session->disable);
    for (size_t i = 0; i < TRC_TOOL_EVENTS; i++) {
        Py_CLEAR(session->callbacks[i]);
    }
}

#if TRC_HAS_MONITORING

/* Removes our callbacks from an id, which another tool may hold by now: that tool's callbacks are put back. An audit hook
 * may refuse one; the others are still removed. Raises nothing. */
static void take_callbacks_back(const trc_tool_session *session, const trc_tool_target *to, PyObject *left)
{
    for (size_t i = 0; i < to->count; i++) {
        PyObject *object = trc_tool_exchange(session->tool.id, to->callbacks[i].event, left);
        if (object != NULL && object != Py_None && object != session->callbacks[i]) {
            Py_XDECREF(trc_tool_exchange(session->tool.id, to->callbacks[i].event, object));
        }
        PyErr_Clear();
        Py_XDECREF(object);
    }
}

/* Returns what was registered before, a new reference, or NULL with an exception set. */
static PyObject *register_one(trc_tool_session *session, const trc_tool_target *to, size_t i)
{
    const trc_tool_callback *callback = &to->callbacks[i];
    const PyObject *name = session->tool.name;
    int id = session->tool.id;
    PyObject *object = trc_callback_new(to->held->callback_type, callback->function, to->held->object, to->context);
    if (object == NULL) {
        return NULL;
    }
    ((trc_callback *)object)->then = callback->function;
    PyObject *before = trc_tool_exchange(id, callback->event, object);
    if (before != NULL && session->tool.name == name) {
        Py_XSETREF(session->callbacks[i], Py_NewRef(object));
    }
    else if (before != NULL) { /* an audit hook has stopped the source meanwhile */
        Py_XDECREF(trc_tool_exchange(id, callback->event, before));
    }
    Py_DECREF(object);
    return before;
}

static int take_constants(trc_tool_session *session)
{
    PyObject *module = trc_tool_module();
    Py_XSETREF(session->missing, module == NULL ? NULL : PyObject_GetAttrString(module, "MISSING"));
    Py_XSETREF(session->disable, module == NULL ? NULL : PyObject_GetAttrString(module, "DISABLE"));
    return session->missing == NULL || session->disable == NULL ? -1 : 0;
}

int trc_tool_session_begin(trc_tool_session *session, const trc_tool_target *to, const PyObject *mark)
{
    PyObject *name = Py_NewRef(session->tool.name);
    session->events = 0;
    int result = take_constants(session) < 0 ? -1 : 1;
    for (size_t i = 0; result >= 0 && session->tool.name == name && i < to->count; i++) {
        PyObject *before = register_one(session, to, i);
        bool is_marked = before == to->held->mark || before == mark;
        result = before == NULL ? -1 : is_marked ? result : 0;
        Py_XDECREF(before);
    }
    if (session->tool.name != name) {
        PyErr_Clear();
        result = 0;
    }
    Py_DECREF(name);
    return result;
}

void trc_tool_session_end(trc_tool_session *session, const trc_tool_target *to, PyObject *mark)
{
    trc_tool_session old = *session;
    if (old.tool.id == 0) { /* none was taken */
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    *session = (trc_tool_session){.events = 0};
    bool is_held = old.tool.name != NULL && trc_tool_is_held(old.tool.id, old.tool.name);
    if (is_held) {
        trc_tool_call("set_events", "(ii)", old.tool.id, 0);
        PyErr_Clear();
    }
    if (!is_held || !TRC_FREEING_CLEARS) {
        take_callbacks_back(&old, to, is_held ? mark : Py_None);
    }
    if (is_held && trc_tool_is_held(old.tool.id, old.tool.name)) {
        trc_tool_call("free_tool_id", "(i)", old.tool.id);
        PyErr_Clear();
        for (size_t i = 0; TRC_FREEING_CLEARS && mark != Py_None && i < to->count; i++) {
            trc_tool_mark(old.tool.id, to->callbacks[i].event, mark);
        }
    }
    trc_tool_session_clear(&old);
    PyErr_Restore(type, value, traceback);
}

int trc_tool_session_set_events(trc_tool_session *session, int events)
{
    if (events != session->events && trc_tool_call("set_events", "(ii)", session->tool.id, events) < 0) {
        return -1;
    }
    session->events = events;
    return 0;
}

#endif
