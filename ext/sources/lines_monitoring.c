/* Lines by sys.monitoring: see lines_monitoring.h. */
#include "sources/lines_monitoring.h"

#include "interp/callback.h"
#include "sources/allocators.h"

int trc_lines_monitoring_traverse(const trc_lines_monitoring *source, visitproc visit, void *arg)
{
    Py_VISIT(source->tool.name);
    Py_VISIT(source->missing);
    Py_VISIT(source->disable);
    for (size_t i = 0; i < TRC_LINES_CALLBACKS; i++) {
        Py_VISIT(source->callbacks[i]);
    }
    return 0;
}

void trc_lines_monitoring_clear(trc_lines_monitoring *source)
{
    Py_CLEAR(source->tool.name);
    Py_CLEAR(source->missing);
    Py_CLEAR(source->disable);
    for (size_t i = 0; i < TRC_LINES_CALLBACKS; i++) {
        Py_CLEAR(source->callbacks[i]);
    }
}

#if TRC_HAS_MONITORING

/* Returns the set of events that have one of these scopes, or -1 with an exception set. */
static int events_of(const trc_lines_target *to, int scopes)
{
    int events = 0;
    for (size_t i = 0; i < to->callback_count; i++) {
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

void trc_lines_monitoring_remember(trc_lines_monitoring *source, bool remembers)
{
    source->remembers = remembers;
    for (size_t i = 0; i < TRC_LINES_CALLBACKS; i++) {
        trc_callback *callback = (trc_callback *)source->callbacks[i];
        if (callback != NULL) {
            callback->vectorcall = remembers ? forget_and_call : callback->then;
        }
    }
}

/* Removes tracer's callbacks from a tool id, which another tool may hold by now: that tool's callbacks are put back.
 * Tracer's are replaced by `left`: a mark, or None. Raises nothing. */
static void take_callbacks_back(const trc_lines_target *to, int tool, PyObject *left)
{
    for (size_t i = 0; i < to->callback_count; i++) {
        PyObject *object = trc_tool_exchange(tool, to->callbacks[i].event, left);
        bool ours = object != NULL && Py_IS_TYPE(object, to->held->callback_type) &&
                    ((trc_callback *)object)->then == to->callbacks[i].function &&
                    ((trc_callback *)object)->owner == to->held->object;
        if (object != NULL && object != Py_None && !ours) {
            Py_XDECREF(trc_tool_exchange(tool, to->callbacks[i].event, object));
        }
        PyErr_Clear();
        Py_XDECREF(object);
    }
}

/* Registers the callbacks. When every kind of event had a mark before, no event is off, which it notes. 0, or -1 with
 * an exception set. */
static int register_callbacks(trc_lines_monitoring *source, const trc_lines_target *to)
{
    const trc_tool *tool = &source->tool; /* its name is NULL once an audit hook has stopped the source */
    int result = 0;
    bool is_marked = true;
    for (size_t i = 0; result == 0 && tool->name != NULL && i < to->callback_count; i++) {
        vectorcallfunc function = to->callbacks[i].function;
        PyObject *object = trc_callback_new(to->held->callback_type, function, to->held->object, to->context);
        if (object != NULL) {
            ((trc_callback *)object)->then = function;
            Py_XSETREF(source->callbacks[i], Py_NewRef(object));
        }
        PyObject *before = object == NULL ? NULL : trc_tool_exchange(tool->id, to->callbacks[i].event, object);
        result = before == NULL ? -1 : 0;
        is_marked = is_marked && before == to->held->mark;
        Py_XDECREF(before);
        Py_XDECREF(object);
    }
    source->is_some_off = source->is_some_off && !(result == 0 && is_marked);
    trc_lines_monitoring_remember(source, source->remembers);
    return result;
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

static int take_constants(trc_lines_monitoring *source)
{
    PyObject *module = trc_tool_module();
    Py_XSETREF(source->missing, module == NULL ? NULL : PyObject_GetAttrString(module, "MISSING"));
    Py_XSETREF(source->disable, module == NULL ? NULL : PyObject_GetAttrString(module, "DISABLE"));
    return source->missing == NULL || source->disable == NULL || learn_makers(source) < 0 ? -1 : 0;
}

/* Gives the tool id back; the program may have done so already. Raises nothing. */
static void give_back(trc_lines_monitoring *source, const trc_lines_target *to)
{
    trc_tool mine = source->tool;
    source->tool = (trc_tool){NULL, 0};
    source->events = 0;
    if (mine.id == 0) { /* none was taken */
        return;
    }
    bool is_marked = false;
    if (mine.name != NULL && trc_tool_is_held(mine.id, mine.name)) {
        trc_tool_call("set_events", "(ii)", mine.id, 0);
        PyErr_Clear();
        is_marked = !source->is_some_off; /* from here on no event comes */
    }
    take_callbacks_back(to, mine.id, is_marked ? to->held->mark : Py_None);
    for (size_t i = 0; i < TRC_LINES_CALLBACKS; i++) {
        Py_CLEAR(source->callbacks[i]);
    }
    if (mine.name != NULL && trc_tool_is_held(mine.id, mine.name)) {
        trc_tool_call("free_tool_id", "(i)", mine.id);
        PyErr_Clear();
        for (size_t i = 0; TRC_FREEING_CLEARS && is_marked && i < to->callback_count; i++) {
            trc_tool_mark(mine.id, to->callbacks[i].event, to->held->mark);
        }
    }
    Py_XDECREF(mine.name);
}

static int set_local_events(const trc_lines_monitoring *source, PyCodeObject *code, int events)
{
    return trc_tool_call("set_local_events", "(iOi)", source->tool.id, code, events);
}

/* Whether the body of a code object begins on the code object's first line, as a lambda's does. From 3.15 on, a
 * generator expression has two beginnings; the first makes the generator. */
static bool begins_in_a_line(PyCodeObject *code)
{
    PyObject *bytes = PyCode_GetCode(code);
    const unsigned char *units = bytes == NULL ? NULL : (unsigned char *)PyBytes_AS_STRING(bytes);
    int size = bytes == NULL ? 0 : (int)PyBytes_GET_SIZE(bytes);
    bool found = false;
    for (int i = 0; i + TRC_RESUME_SIZE < size && !found; i += 2) {
        bool is_beginning = units[i] == RESUME && (units[i + 1] & 3) == 0;
        found = is_beginning && PyCode_Addr2Line(code, i) == PyCode_Addr2Line(code, i + TRC_RESUME_SIZE);
    }
    Py_XDECREF(bytes);
    PyErr_Clear();
    return found;
}

static int watch(const trc_lines_monitoring *source, PyCodeObject *code)
{
    bool hides = TRC_STARTS_HIDE_LINES && begins_in_a_line(code);
    return set_local_events(source, code, source->timed_events | (hides ? source->in_a_line : 0));
}

int trc_lines_monitoring_watch(trc_lines_monitoring *source, PyCodeObject *code)
{
    return trc_tool_is_ours(&source->tool) ? watch(source, code) : 0;
}

int trc_lines_monitoring_restart(trc_lines_monitoring *source)
{
    if (source->is_some_off && trc_tool_is_ours(&source->tool)) {
        if (trc_tool_call("restart_events", "()") < 0) {
            return -1;
        }
        source->is_some_off = false;
    }
    return 0;
}

/* Has the interpreter report the lines of the code objects in a list, and takes over the reference to the list. 0, or
 * -1 with an exception set, also when `codes` is NULL. */
static int set_lines(const trc_lines_monitoring *source, PyObject *codes)
{
    int result = codes == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; result == 0 && source->tool.name != NULL && i < PyList_GET_SIZE(codes); i++) {
        result = watch(source, (PyCodeObject *)PyList_GET_ITEM(codes, i));
    }
    Py_XDECREF(codes);
    return result;
}

/* Has the interpreter no longer report those of these code objects that no recorder times. Raises nothing. */
static void unset_lines(const trc_lines_monitoring *source, const trc_lines_target *to, PyObject *codes)
{
    for (Py_ssize_t i = 0; source->tool.name != NULL && i < PyList_GET_SIZE(codes); i++) {
        PyCodeObject *code = (PyCodeObject *)PyList_GET_ITEM(codes, i);
        if (!to->times(to->context, code)) {
            set_local_events(source, code, 0);
            PyErr_Clear();
        }
    }
}

/* Learns the events of code objects whose lines are timed. 0, or -1 with an exception set. */
static int learn_events(trc_lines_monitoring *source, const trc_lines_target *to)
{
    source->timed_events = events_of(to, TRC_IN_TIMED_CODE);
    source->in_a_line = events_of(to, TRC_IN_A_LINE);
    return source->timed_events < 0 || source->in_a_line < 0 ? -1 : 0;
}

/* Has the interpreter report what is wanted for all code. 0, or -1 with an exception set. */
static int set_events(trc_lines_monitoring *source, const trc_lines_target *to)
{
    int events = events_of(to, to->scopes(to->context));
    if (source->tool.name == NULL) {
        return 0; /* an audit hook has stopped the source */
    }
    if (events < 0 || (events != source->events && trc_tool_call("set_events", "(ii)", source->tool.id, events) < 0)) {
        return -1;
    }
    source->events = events;
    return 0;
}

int trc_lines_monitoring_start(trc_lines_monitoring *source, const trc_lines_target *to,
                               PyObject *(*codes_of)(const void *recorder), const void *recorder)
{
    bool fresh = !trc_tool_is_ours(&source->tool);
    if (fresh) {
        give_back(source, to); /* the rest of an id that another took from tracer */
    }
    bool ready = !fresh || trc_tool_take(&source->tool) == TRC_STARTED;
    if (ready && fresh) {
        source->is_some_off = true; /* who held the id before may have switched off anything */
        ready = take_constants(source) == 0 && learn_events(source, to) == 0 && register_callbacks(source, to) == 0;
    }
    /* The new recorder may want events that are off under this id, or in code that another recorder left out. */
    ready = ready && trc_lines_monitoring_restart(source) == 0 && set_events(source, to) == 0 &&
            set_lines(source, codes_of(recorder)) == 0;
    if (ready && fresh) { /* recorders that are still enabled may have lost the id before */
        ready = set_lines(source, to->codes(to->context)) == 0;
    }
    return ready ? 0 : -1;
}

void trc_lines_monitoring_stop(trc_lines_monitoring *source, const trc_lines_target *to, PyObject *codes)
{
    source->jump_in = NULL; /* code objects of the recorder may have kept it alive */
    if (codes != NULL && trc_tool_is_ours(&source->tool)) {
        unset_lines(source, to, codes);
    }
    if (!to->is_active(to->context)) {
        give_back(source, to);
    }
    else if (trc_tool_is_ours(&source->tool)) {
        set_events(source, to);
        PyErr_Clear();
    }
}

#endif
