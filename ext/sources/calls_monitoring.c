/* Calls by sys.monitoring: see calls_monitoring.h. */
#include "sources/calls_monitoring.h"

#include "interp/callback.h"
#include "sources/allocators.h"

#include <stddef.h>

int trc_calls_monitoring_traverse(const trc_calls_monitoring *source, visitproc visit, void *arg)
{
    Py_VISIT(source->tool.name);
    Py_VISIT(source->missing);
    Py_VISIT(source->disable);
    Py_VISIT(source->mark);
    for (size_t i = 0; i < TRC_CALLS_CALLBACKS; i++) {
        Py_VISIT(source->callbacks[i]);
    }
    return 0;
}

static void clear_callbacks(trc_calls_monitoring *source)
{
    for (size_t i = 0; i < TRC_CALLS_CALLBACKS; i++) {
        Py_CLEAR(source->callbacks[i]);
    }
}

void trc_calls_monitoring_clear(trc_calls_monitoring *source)
{
    Py_CLEAR(source->tool.name);
    Py_CLEAR(source->missing);
    Py_CLEAR(source->disable);
    Py_CLEAR(source->mark);
    clear_callbacks(source);
}

#if TRC_HAS_MONITORING

/* Whether calls are counted by this callback: where C calls are reported, CALL comes for all calls. */
static bool counts(const trc_calls_callback *callback, const trc_calls_wanted *wanted)
{
    return callback->counted != NULL && (callback->scope == TRC_PYTHON) == (wanted->scope == TRC_PYTHON);
}

/* Returns the function of a callback that the recorders need now. */
static vectorcallfunc function_for(const trc_calls_callback *callback, const trc_calls_wanted *wanted,
                                   trc_calls_timed timed)
{
    bool is_counted = wanted->sampled > 0 && counts(callback, wanted);
    if (wanted->sampled > 0 && (timed == TRC_TIMES_ALL || (timed == TRC_TIMES_COUNTED && is_counted))) {
        return callback->timed;
    }
    bool is_filtered = wanted->filtered > 0 && callback->filtered != NULL;
    return is_counted           ? callback->counted
           : is_filtered        ? callback->filtered
           : wanted->logged > 0 ? callback->logged
                                : callback->function;
}

/* Apart from its caller, which saves no register so. */
__attribute__((noinline)) static PyObject *forget_then_call(PyObject *self, PyObject *const *args, size_t nargsf,
                                                            PyObject *names)
{
    trc_allocators_forget(args[1]);
    return ((trc_callback *)self)->then(self, args, nargsf, names);
}

/* A callback where memory is recorded. The interpreter made an int for the place of the event, where it keeps none so
 * large: then nobody else holds that int. */
static PyObject *forget_and_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    if ((uint32_t)nargsf >= 2 && Py_REFCNT(args[1]) == 1) {
        return forget_then_call(self, args, nargsf, names);
    }
    return ((trc_callback *)self)->then(self, args, nargsf, names);
}

static void set_function(PyObject *object, const trc_calls_callback *callback, const trc_calls_wanted *wanted,
                         trc_calls_timed timed)
{
    trc_callback *set = (trc_callback *)object;
    set->then = function_for(callback, wanted, timed);
    set->vectorcall = wanted->remembering > 0 ? forget_and_call : set->then;
}

void trc_calls_monitoring_time(trc_calls_monitoring *source, const trc_calls_target *to, trc_calls_timed timed)
{
    for (size_t i = 0; i < to->callback_count; i++) {
        if (source->callbacks[i] != NULL) {
            set_function(source->callbacks[i], &to->callbacks[i], to->wanted, timed);
        }
    }
}

/* Registers a callback for each kind of event. Returns 1 when each kind had a mark of tracer's before, 0 when not, or
 * -1 with an exception set. An audit hook may stop the source meanwhile, and start it again with another id. */
static int register_callbacks(trc_calls_monitoring *source, const trc_calls_target *to, int tool)
{
    const PyObject *name = source->tool.name;
    int result = 1;
    for (size_t i = 0; result >= 0 && i < to->callback_count; i++) {
        const trc_calls_callback *callback = &to->callbacks[i];
        PyObject *object = trc_callback_new(to->held->callback_type, NULL, to->held->object, to->context);
        if (object != NULL) {
            set_function(object, callback, to->wanted, TRC_TIMES_NONE);
        }
        PyObject *before = object == NULL ? NULL : trc_tool_exchange(tool, callback->event, object);
        bool is_marked = before == to->held->mark || before == source->mark;
        result = before == NULL ? -1 : is_marked ? result : 0;
        if (before != NULL && source->tool.name == name) {
            Py_XSETREF(source->callbacks[i], Py_NewRef(object));
        }
        Py_XDECREF(before);
        Py_XDECREF(object);
    }
    return result;
}

/* Has the interpreter report again what is off, unless the recorder with this filter leaves all of that out: a restart
 * also switches on what other tools have switched off. 0, or -1 with an exception set. */
static int restart(trc_calls_monitoring *source, uint64_t filter)
{
    if (source->off == TRC_NOTHING || source->off == filter) {
        return 0;
    }
    if (trc_tool_call("restart_events", "()") < 0) {
        return -1;
    }
    source->off = TRC_NOTHING;
    return 0;
}

/* Replaces all callbacks by `left`: a mark, or None. An audit hook may refuse one; the others are still replaced.
 * Raises nothing. */
static void unregister_callbacks(const trc_calls_target *to, int tool, PyObject *left)
{
    for (size_t i = 0; i < to->callback_count; i++) {
        Py_XDECREF(trc_tool_exchange(tool, to->callbacks[i].event, left));
        PyErr_Clear();
    }
}

/* Gives everything back. Raises nothing. Audit hooks run meanwhile, and may start the source again, with another id. */
static void give_back(trc_calls_monitoring *source, const trc_calls_target *to)
{
    trc_calls_monitoring old = *source;
    if (old.tool.name == NULL) { /* somebody freed the id */
        clear_callbacks(source);
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    *source = (trc_calls_monitoring){.mark = Py_XNewRef(old.mark), .off = old.off, .filters = old.filters};
    PyObject *mark = old.off == TRC_NOTHING ? to->held->mark : old.mark;
    if (trc_tool_is_held(old.tool.id, old.tool.name)) {
        trc_tool_call("set_events", "(ii)", old.tool.id, 0);
        PyErr_Clear();
        if (!TRC_FREEING_CLEARS) {
            unregister_callbacks(to, old.tool.id, mark == NULL ? Py_None : mark);
        }
    }
    if (trc_tool_is_held(old.tool.id, old.tool.name)) {
        trc_tool_call("free_tool_id", "(i)", old.tool.id);
        PyErr_Clear();
        for (size_t i = 0; TRC_FREEING_CLEARS && mark != NULL && i < to->callback_count; i++) {
            trc_tool_mark(old.tool.id, to->callbacks[i].event, mark);
        }
    }
    trc_calls_monitoring_clear(&old);
    PyErr_Restore(type, value, traceback);
}

static int take_constants(trc_calls_monitoring *source)
{
    PyObject *module = trc_tool_module();
    Py_XSETREF(source->missing, module == NULL ? NULL : PyObject_GetAttrString(module, "MISSING"));
    Py_XSETREF(source->disable, module == NULL ? NULL : PyObject_GetAttrString(module, "DISABLE"));
    source->mark = source->mark == NULL ? trc_tool_mark_new() : source->mark;
    return source->missing == NULL || source->disable == NULL || source->mark == NULL ? -1 : 0;
}

/* Has the interpreter report the events that are wanted. 0, or -1 with an exception set. */
static int set_events(trc_calls_monitoring *source, const trc_calls_target *to)
{
    trc_callable_scope scope = to->wanted->scope;
    int events = 0;
    for (size_t i = 0; i < to->callback_count; i++) {
        int bit = trc_tool_event(to->callbacks[i].event);
        if (bit < 0) {
            return -1;
        }
        events |= to->callbacks[i].scope <= scope ? bit : 0;
    }
    source->scope = scope;
    if (events == source->events) {
        return 0;
    }
    if (trc_tool_call("set_events", "(ii)", source->tool.id, events) < 0) {
        return -1;
    }
    source->events = events;
    return 0;
}

trc_start_result trc_calls_monitoring_start(trc_calls_monitoring *source, const trc_calls_target *to, uint64_t filter)
{
    if (trc_tool_is_ours(&source->tool)) {
        trc_calls_monitoring_time(source, to, TRC_TIMES_NONE);
        bool failed = restart(source, filter) < 0 || set_events(source, to) < 0;
        return failed ? TRC_START_FAILED : TRC_STARTED;
    }
    trc_start_result taken = trc_tool_take(&source->tool);
    if (taken != TRC_STARTED) {
        return taken;
    }
    source->events = 0;
    int tool = source->tool.id;
    PyObject *name = Py_NewRef(source->tool.name);
    int marked = take_constants(source) == 0 ? register_callbacks(source, to, tool) : -1;
    if (source->tool.name != name) { /* an audit hook stopped the source meanwhile */
        PyErr_Clear();
        if (trc_tool_is_held(tool, Py_None)) {
            unregister_callbacks(to, tool, Py_None);
        }
        Py_DECREF(name);
        return taken;
    }
    source->off = marked == 1 ? source->off : TRC_ANYTHING; /* who held the id before may have switched off anything */
    if (marked < 0 || restart(source, filter) < 0 || set_events(source, to) < 0) {
        give_back(source, to);
        taken = TRC_START_FAILED;
    }
    Py_DECREF(name);
    return taken;
}

void trc_calls_monitoring_stop(trc_calls_monitoring *source, const trc_calls_target *to)
{
    if (to->wanted->recorders == 0) {
        give_back(source, to);
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (trc_tool_is_ours(&source->tool)) {
        trc_calls_monitoring_time(source, to, TRC_TIMES_NONE);
        set_events(source, to); /* a failure leaves more events than are wanted, which only costs time */
        PyErr_Clear();
    }
    PyErr_Restore(type, value, traceback);
}

/* Brings code up to date with the events that are set. The interpreter does so when a body starts or goes on, and, when
 * events are set, for all frames on the threads' present stacks; otherwise only for code whose own events change. */
static void update(const trc_calls_monitoring *source, PyCodeObject *code)
{
    int bit = trc_tool_event("PY_START");
    if (bit >= 0 && trc_tool_call("set_local_events", "(iOi)", source->tool.id, code, bit) == 0) {
        trc_tool_call("set_local_events", "(iOi)", source->tool.id, code, 0);
    }
}

bool trc_calls_monitoring_instrument_frames(trc_calls_monitoring *source, const trc_live_frames *live)
{
    if (live->count == 0) {
        return true;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    bool borrows = !trc_tool_is_ours(&source->tool);
    bool ready = !borrows || trc_tool_take(&source->tool) == TRC_STARTED;
    for (size_t i = 0; ready && i < live->count; i++) {
        PyCodeObject *code = PyFrame_GetCode(live->frames[i]);
        update(source, code);
        PyErr_Clear();
        Py_DECREF(code);
    }
    if (ready && borrows) {
        Py_CLEAR(source->tool.name);
        trc_tool_call("free_tool_id", "(i)", source->tool.id);
    }
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    return ready;
}

/* Finds where a frame object holds the address of the interpreter's frame, which no public header tells. It looks for
 * the known address of the running frame in that frame's object. Returns 0 when nothing is running or the address is
 * not there. */
static size_t find_address_in_frame_object(void)
{
    trc_activation address = trc_frame_of(PyThreadState_Get());
    PyFrameObject *frame = PyEval_GetFrame();
    if (address == 0 || frame == NULL) {
        return 0;
    }
    size_t place = offsetof(PyObject, ob_type) + sizeof(PyTypeObject *);
    for (; place + sizeof(void *) <= (size_t)PyFrame_Type.tp_basicsize; place += sizeof(void *)) {
        if (*(trc_activation *)((char *)frame + place) == address) {
            return place;
        }
    }
    return 0;
}

trc_activation trc_calls_monitoring_activation_of(PyFrameObject *frame)
{
    size_t place = find_address_in_frame_object();
    return place == 0 ? 0 : *(trc_activation *)((char *)frame + place);
}

#endif
