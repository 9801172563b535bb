/* Calls by sys.monitoring: see calls_monitoring.h. */
#include "sources/calls_monitoring.h"

#include "sources/allocators.h"

#include <stddef.h>

int trc_calls_monitoring_traverse(const trc_calls_monitoring *source, visitproc visit, void *arg)
{
    Py_VISIT(source->mark);
    return trc_tool_session_traverse(&source->session, visit, arg);
}

void trc_calls_monitoring_clear(trc_calls_monitoring *source)
{
    Py_CLEAR(source->mark);
    trc_tool_session_clear(&source->session);
}

#if TRC_HAS_MONITORING

/* Whether calls are counted by this callback: where C calls are reported, CALL comes for all calls. */
static bool counts(const trc_tool_callback *callback, const trc_calls_wanted *wanted)
{
    return callback->counted != NULL && (callback->scopes == TRC_PYTHON) == (wanted->scope == TRC_PYTHON);
}

/* Returns the function of a callback that the recorders need now. */
static vectorcallfunc function_for(const trc_tool_callback *callback, const trc_calls_wanted *wanted,
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

static void set_function(PyObject *object, const trc_tool_callback *callback, const trc_calls_wanted *wanted,
                         trc_calls_timed timed)
{
    trc_callback *set = (trc_callback *)object;
    set->then = function_for(callback, wanted, timed);
    set->vectorcall = wanted->remembering > 0 ? forget_and_call : set->then;
}

void trc_calls_monitoring_time(trc_calls_monitoring *source, const trc_tool_target *to, const trc_calls_wanted *wanted,
                               trc_calls_timed timed)
{
    for (size_t i = 0; i < to->count; i++) {
        if (source->session.callbacks[i] != NULL) {
            set_function(source->session.callbacks[i], &to->callbacks[i], wanted, timed);
        }
    }
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

static void give_back(trc_calls_monitoring *source, const trc_tool_target *to)
{
    PyObject *mark = source->off == TRC_NOTHING ? to->held->mark : source->mark;
    mark = Py_XNewRef(mark); /* an audit hook may start the source again */
    trc_tool_session_end(&source->session, to, mark == NULL ? Py_None : mark);
    Py_XDECREF(mark);
}

/* Has the interpreter report the events that are wanted. 0, or -1 with an exception set. */
static int set_events(trc_calls_monitoring *source, const trc_tool_target *to, const trc_calls_wanted *wanted)
{
    int scope = (int)wanted->scope, events = 0;
    for (size_t i = 0; i < to->count; i++) {
        int bit = trc_tool_event(to->callbacks[i].event);
        if (bit < 0) {
            return -1;
        }
        events |= to->callbacks[i].scopes <= scope ? bit : 0;
    }
    source->scope = wanted->scope;
    return trc_tool_session_set_events(&source->session, events);
}

trc_start_result trc_calls_monitoring_start(trc_calls_monitoring *source, const trc_tool_target *to,
                                            const trc_calls_wanted *wanted, uint64_t filter)
{
    trc_tool_session *session = &source->session;
    if (trc_tool_is_ours(&session->tool)) {
        trc_calls_monitoring_time(source, to, wanted, TRC_TIMES_NONE);
        bool failed = restart(source, filter) < 0 || set_events(source, to, wanted) < 0;
        return failed ? TRC_START_FAILED : TRC_STARTED;
    }
    trc_tool_session_end(session, to, Py_None); /* the rest of an id that another took from tracer */
    source->mark = source->mark == NULL ? trc_tool_mark_new() : source->mark;
    if (source->mark == NULL) {
        return TRC_START_FAILED;
    }
    trc_start_result taken = trc_tool_take(&session->tool);
    if (taken != TRC_STARTED) {
        return taken;
    }
    const PyObject *name = session->tool.name;
    int marked = trc_tool_session_begin(session, to, source->mark);
    if (session->tool.name != name) { /* an audit hook has stopped the source meanwhile */
        return taken;
    }
    trc_calls_monitoring_time(source, to, wanted, TRC_TIMES_NONE);
    source->off = marked == 1 ? source->off : TRC_ANYTHING; /* who held the id before may have switched off anything */
    if (marked < 0 || restart(source, filter) < 0 || set_events(source, to, wanted) < 0) {
        give_back(source, to);
        taken = TRC_START_FAILED;
    }
    return taken;
}

void trc_calls_monitoring_stop(trc_calls_monitoring *source, const trc_tool_target *to, const trc_calls_wanted *wanted)
{
    if (wanted->recorders == 0) {
        give_back(source, to);
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (trc_tool_is_ours(&source->session.tool)) {
        trc_calls_monitoring_time(source, to, wanted, TRC_TIMES_NONE);
        set_events(source, to, wanted); /* a failure leaves more events than are wanted, which only costs time */
        PyErr_Clear();
    }
    PyErr_Restore(type, value, traceback);
}

/* Brings code up to date with the events that are set. The interpreter does so when a body starts or goes on, and, when
 * events are set, for all frames on the threads' present stacks; otherwise only for code whose own events change. */
static void update(const trc_calls_monitoring *source, PyCodeObject *code)
{
    int bit = trc_tool_event("PY_START");
    if (bit >= 0 && trc_tool_call("set_local_events", "(iOi)", source->session.tool.id, code, bit) == 0) {
        trc_tool_call("set_local_events", "(iOi)", source->session.tool.id, code, 0);
    }
}

bool trc_calls_monitoring_instrument_frames(trc_calls_monitoring *source, const trc_live_frames *live)
{
    if (live->count == 0) {
        return true;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    bool borrows = !trc_tool_is_ours(&source->session.tool);
    bool ready = !borrows || trc_tool_take(&source->session.tool) == TRC_STARTED;
    for (size_t i = 0; ready && i < live->count; i++) {
        PyCodeObject *code = PyFrame_GetCode(live->frames[i]);
        update(source, code);
        PyErr_Clear();
        Py_DECREF(code);
    }
    if (ready && borrows) {
        Py_CLEAR(source->session.tool.name);
        trc_tool_call("free_tool_id", "(i)", source->session.tool.id);
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
