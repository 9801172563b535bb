/* Line events by sys.monitoring, for 3.12 and later: a tool of its own, beside the one that is told of calls. The
 * interpreter reports what happens in the code objects whose lines are timed, and nothing of others, but for what can only
 * be had for all code: PY_UNWIND and PY_THROW up to 3.14, the first sight of code where a recorder has a focus, and all
 * calls where it sees those.
 *
 *     LINE, JUMP (back to the same line)   on a line          PY_START              enter, where calls are seen
 *     PY_YIELD   / PY_RESUME, PY_THROW     suspend / resume   PY_RETURN, PY_UNWIND  leave
 *     CALL / C_RETURN, C_RAISE             a C callable begins / ends */
#include "interp/callback.h"
#include "bus/bus.h"

#if TRC_HAS_MONITORING

const char trc_lines_backend[] = "monitoring";
const char trc_lines_reason[] = "the only one for lines on Python 3.12 and later";

static inline trc_dispatcher *dispatcher_of(PyObject *self)
{
    return (trc_dispatcher *)((trc_callback *)self)->owner;
}

static inline trc_lines *lines_of(PyObject *self)
{
    return &dispatcher_of(self)->lines;
}

#define REQUIRE_CODE(args, nargsf, count)                                           \
    if (PyVectorcall_NARGS(nargsf) < (count) || !PyCode_Check((args)[0])) {         \
        PyErr_SetString(PyExc_TypeError, "this is called by the interpreter only"); \
        return NULL;                                                                \
    }

/* -- The callbacks -- */

static PyObject *on_line(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 2);
    const PyThreadState *state = PyThreadState_Get();
    long line = trc_small_int(args[1]);
    if (line == -1 && PyErr_Occurred()) {
        return NULL;
    }
    trc_lines_line(lines_of(self), state, (PyCodeObject *)args[0], trc_frame_of(state), line);
    Py_RETURN_NONE;
}

/* What a callback returns so that the event is reported no more at that place. */
static PyObject *silence(const trc_lines *lines)
{
    return Py_NewRef(lines->disable == NULL ? Py_None : lines->disable);
}

/* The line that a jump comes back to, or -1 when it is no jump back within a line. */
static long line_of_jump(trc_lines *lines, PyCodeObject *code, long from, long to)
{
    if (to < 0 || to >= from || from >= 2 * Py_SIZE(code)) {
        return -1;
    }
    if (lines->jump_in != code || lines->jump_offset != from) {
        int line = PyCode_Addr2Line(code, (int)from);
        if (line < 0 || PyCode_Addr2Line(code, (int)to) != line) {
            return -1;
        }
        lines->jump_in = code;
        lines->jump_offset = from;
        lines->jump_line = line;
    }
    return lines->jump_line;
}

/* A loop on one line comes by without a LINE event. Other jumps are not to be reported again, whoever is enabled. */
static PyObject *on_jump(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 3);
    trc_lines *lines = lines_of(self);
    long from = PyLong_AsLong(args[1]);
    long to = PyLong_AsLong(args[2]);
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyCodeObject *code = (PyCodeObject *)args[0];
    long line = line_of_jump(lines, code, from, to);
    if (line < 0) {
        return silence(lines);
    }
    const PyThreadState *state = PyThreadState_Get();
    trc_lines_line(lines, state, code, trc_frame_of(state), line);
    Py_RETURN_NONE;
}

static inline void tell(PyObject *self, trc_line_event event, PyObject *code, trc_activation id)
{
    trc_lines_event(lines_of(self), event, (PyCodeObject *)code, id);
}

static PyObject *on_leave(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 1);
    tell(self, TRC_LINE_LEAVE, args[0], trc_frame_of(PyThreadState_Get()));
    Py_RETURN_NONE;
}

static PyObject *on_yield(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 1);
    tell(self, TRC_LINE_SUSPEND, args[0], trc_frame_of(PyThreadState_Get()));
    Py_RETURN_NONE;
}

static PyObject *on_throw(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 1);
    tell(self, TRC_LINE_RESUME, args[0], trc_frame_of(PyThreadState_Get()));
    Py_RETURN_NONE;
}

/* Code is looked at, to be added if it is in a focus. False when nobody times its lines or sees calls: then these events
 * need not be reported again in it. */
static bool meet(trc_lines *lines, PyCodeObject *code)
{
    uint64_t serials = lines->serials;
    bool wanted = false;
    TRC_FOR_EACH_LINE_RECORDER(lines, recorder, {
        trc_line_recorder_meet(recorder, code, NULL);
        wanted = wanted || recorder->sees_calls || trc_line_recorder_has(recorder, code);
    });
    return wanted || lines->serials != serials;
}

static PyObject *begin_or_go_on(PyObject *self, PyCodeObject *code, trc_line_event event)
{
    /* What is asked meanwhile may take the callback away, which nobody else holds. */
    trc_dispatcher *dispatcher = (trc_dispatcher *)Py_NewRef((PyObject *)dispatcher_of(self));
    trc_lines *lines = &dispatcher->lines;
    bool wanted = meet(lines, code);
    trc_activation id = trc_frame_of(PyThreadState_Get());
    TRC_FOR_EACH_LINE_RECORDER(lines, recorder, {
        if (event != TRC_LINE_ENTER || recorder->sees_calls) {
            trc_line_recorder_event(recorder, event, code, id);
        }
    });
    lines->is_some_off = lines->is_some_off || !wanted;
    PyObject *result = wanted ? Py_NewRef(Py_None) : silence(lines);
    Py_DECREF((PyObject *)dispatcher);
    return result;
}

static PyObject *on_start(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 1);
    return begin_or_go_on(self, (PyCodeObject *)args[0], TRC_LINE_ENTER);
}

static PyObject *on_resume(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 1);
    return begin_or_go_on(self, (PyCodeObject *)args[0], TRC_LINE_RESUME);
}

/* Whether a callable that is no function hands on to one that is written in Python: a class that makes its instances by
 * that, or an instance with a __call__. */
static bool ends_in_python(const trc_lines *lines, PyObject *callable)
{
    if (Py_TYPE(callable)->tp_call == lines->call_by_python) {
        return true;
    }
    const PyTypeObject *type = PyType_Check(callable) ? (PyTypeObject *)callable : NULL;
    return type != NULL && (type->tp_init == lines->init_by_python || type->tp_new == lines->new_by_python);
}

static PyObject *on_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 4);
    const trc_lines *lines = lines_of(self);
    PyObject *first = args[3] == lines->missing ? NULL : args[3];
    trc_callee callee;
    if (trc_callee_from_object(&callee, args[2], first, TRC_ALL_CALLABLES) && !ends_in_python(lines, args[2])) {
        const PyThreadState *state = PyThreadState_Get();
        trc_lines_c(lines_of(self), state, true, (PyCodeObject *)args[0], trc_frame_of(state));
    }
    Py_RETURN_NONE;
}

static PyObject *on_c_ends(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 1);
    const PyThreadState *state = PyThreadState_Get();
    trc_lines_c(lines_of(self), state, false, (PyCodeObject *)args[0], trc_frame_of(state));
    Py_RETURN_NONE;
}

/* -- The tool -- */

/* Where an event is to be reported. */
typedef enum event_scope {
    IN_TIMED_CODE = 1,  /* in code objects whose lines are timed */
    AT_FIRST_SIGHT = 2, /* in all code, when a recorder has a focus */
    IN_ALL_CODE = 4,    /* in all code, always */
    WITH_CALLS = 8,     /* in all code, when a recorder sees calls */
    WITH_COSTS = 16,    /* in all code, when a recorder sees calls and counts what they cost */
    WITH_C = 32,        /* no event to ask for: it comes with CALL */
    IN_A_LINE = 64,     /* in code objects whose lines are timed, when they begin in the midst of a line */
} event_scope;

#define WHERE_UNWINDS_ARE (TRC_UNWINDS_ARE_LOCAL ? IN_TIMED_CODE | WITH_CALLS : IN_ALL_CODE)

typedef struct event_kind {
    const char *name;
    vectorcallfunc function;
    int scopes;
} event_kind;

static const event_kind event_kinds[] = {
    {"LINE", on_line, IN_TIMED_CODE},
    {"JUMP", on_jump, IN_TIMED_CODE},
    {"CALL", on_call, IN_TIMED_CODE | WITH_COSTS},
    {"C_RETURN", on_c_ends, WITH_C},
    {"C_RAISE", on_c_ends, WITH_C},
    {"PY_RETURN", on_leave, IN_TIMED_CODE | WITH_CALLS},
    {"PY_YIELD", on_yield, IN_TIMED_CODE | WITH_CALLS},
    {"PY_RESUME", on_resume, IN_TIMED_CODE | WITH_CALLS | AT_FIRST_SIGHT},
    {"PY_START", on_start, WITH_CALLS | AT_FIRST_SIGHT | IN_A_LINE},
    {"PY_UNWIND", on_leave, WHERE_UNWINDS_ARE},
    {"PY_THROW", on_throw, WHERE_UNWINDS_ARE},
};

#define EVENT_KINDS (sizeof event_kinds / sizeof *event_kinds)

/* The set of events that have one of these scopes, or -1 with an exception set. */
static int events_of(int scopes)
{
    int events = 0;
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        int bit = (event_kinds[i].scopes & scopes) == 0 ? 0 : trc_tool_event(event_kinds[i].name);
        if (bit < 0) {
            return -1;
        }
        events |= bit;
    }
    return events;
}

static int wanted_scopes(const trc_lines *lines)
{
    int scopes = IN_ALL_CODE;
    for (const trc_line_recorder *recorder = lines->active; recorder != NULL; recorder = recorder->next_active) {
        scopes |= recorder->focus != NULL ? AT_FIRST_SIGHT : 0;
        scopes |= recorder->sees_calls ? WITH_CALLS : 0;
        scopes |= recorder->sees_calls && recorder->costs.c > 0 ? WITH_COSTS : 0;
    }
    return scopes;
}

/* Takes our callbacks from a tool id, which may be another tool's by now: theirs are put back. Of ours is `left` a mark, or
 * None. Raises nothing. */
static void take_callbacks_back(const trc_dispatcher *dispatcher, int tool, PyObject *left)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        PyObject *object = trc_tool_exchange(tool, event_kinds[i].name, left);
        bool ours = object != NULL && Py_IS_TYPE(object, dispatcher->callback_type) &&
                    ((trc_callback *)object)->vectorcall == event_kinds[i].function &&
                    ((trc_callback *)object)->owner == (const PyObject *)dispatcher;
        if (object != NULL && object != Py_None && !ours) {
            Py_XDECREF(trc_tool_exchange(tool, event_kinds[i].name, object));
        }
        PyErr_Clear();
        Py_XDECREF(object);
    }
}

/* Notes that nothing is off when all had a mark before. 0, or -1 with an exception set. */
static int register_callbacks(trc_dispatcher *dispatcher)
{
    const trc_tool *tool = &dispatcher->lines.tool; /* there is none any more when an audit hook was faster */
    int result = 0;
    bool is_marked = true;
    for (size_t i = 0; result == 0 && tool->name != NULL && i < EVENT_KINDS; i++) {
        PyObject *object = trc_callback_new(dispatcher->callback_type, event_kinds[i].function, (PyObject *)dispatcher);
        PyObject *before = object == NULL ? NULL : trc_tool_exchange(tool->id, event_kinds[i].name, object);
        result = before == NULL ? -1 : 0;
        is_marked = is_marked && before == dispatcher->mark;
        Py_XDECREF(before);
        Py_XDECREF(object);
    }
    dispatcher->lines.is_some_off = dispatcher->lines.is_some_off && !(result == 0 && is_marked);
    return result;
}

/* Learns what a class has whose __init__, __new__ and __call__ are written in Python. 0, or -1 with an exception set. */
static int learn_makers(trc_lines *lines)
{
    if (lines->init_by_python != NULL) {
        return 0;
    }
    PyObject *made = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){sOsOsO}", "Made", "__init__", Py_None,
                                           "__new__", Py_None, "__call__", Py_None);
    if (made == NULL) {
        return -1;
    }
    lines->init_by_python = ((PyTypeObject *)made)->tp_init;
    lines->new_by_python = ((PyTypeObject *)made)->tp_new;
    lines->call_by_python = ((PyTypeObject *)made)->tp_call;
    Py_DECREF(made);
    return 0;
}

static int take_constants(trc_lines *lines)
{
    PyObject *module = trc_tool_module();
    Py_XSETREF(lines->missing, module == NULL ? NULL : PyObject_GetAttrString(module, "MISSING"));
    Py_XSETREF(lines->disable, module == NULL ? NULL : PyObject_GetAttrString(module, "DISABLE"));
    return lines->missing == NULL || lines->disable == NULL || learn_makers(lines) < 0 ? -1 : 0;
}

/* Lets go of the tool id, which the program may have given back already. Raises nothing. */
static void give_back(const trc_dispatcher *dispatcher, trc_lines *lines)
{
    trc_tool mine = lines->tool;
    lines->tool = (trc_tool){NULL, 0};
    lines->events = 0;
    if (mine.id == 0) { /* none was taken */
        return;
    }
    bool is_marked = false;
    if (mine.name != NULL && trc_tool_is_held(mine.id, mine.name)) {
        trc_tool_call("set_events", "(ii)", mine.id, 0);
        PyErr_Clear();
        is_marked = !lines->is_some_off; /* no event comes any more */
    }
    take_callbacks_back(dispatcher, mine.id, is_marked ? dispatcher->mark : Py_None);
    if (mine.name != NULL && trc_tool_is_held(mine.id, mine.name)) {
        trc_tool_call("free_tool_id", "(i)", mine.id);
        PyErr_Clear();
        for (size_t i = 0; TRC_FREEING_CLEARS && is_marked && i < EVENT_KINDS; i++) {
            trc_tool_mark(mine.id, event_kinds[i].name, dispatcher->mark);
        }
    }
    Py_XDECREF(mine.name);
}

static int set_local_events(const trc_lines *lines, PyCodeObject *code, int events)
{
    return trc_tool_call("set_local_events", "(iOi)", lines->tool.id, code, events);
}

/* Whether the code object's body begins on the line where the code object does, as that of a lambda. From 3.15 on a
 * generator expression has two beginnings, the first of which makes the generator. */
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

static int watch(const trc_lines *lines, PyCodeObject *code)
{
    bool hides = TRC_STARTS_HIDE_LINES && begins_in_a_line(code);
    int events = events_of(IN_TIMED_CODE | (hides ? IN_A_LINE : 0));
    return events < 0 || set_local_events(lines, code, events) < 0 ? -1 : 0;
}

int trc_lines_watch(trc_dispatcher *dispatcher, PyCodeObject *code)
{
    trc_lines *lines = &dispatcher->lines;
    return trc_tool_is_ours(&lines->tool) ? watch(lines, code) : 0;
}

bool trc_lines_here(trc_dispatcher *dispatcher, PyObject *args)
{
    (void)dispatcher;
    (void)args;
    return false; /* no trace function is set */
}

int trc_lines_restart(trc_dispatcher *dispatcher)
{
    trc_lines *lines = &dispatcher->lines;
    if (lines->is_some_off && trc_tool_is_ours(&lines->tool)) {
        if (trc_tool_call("restart_events", "()") < 0) {
            return -1;
        }
        lines->is_some_off = false;
    }
    return 0;
}

/* The code objects of a recorder, in a list: audit hooks may run while events are set. NULL with an exception set. */
static PyObject *codes_of(const trc_line_recorder *recorder)
{
    PyObject *codes = PyList_New(0);
    for (const trc_func *func = recorder->codes.first; codes != NULL && func != NULL; func = func->hh.next) {
        if (PyList_Append(codes, (PyObject *)((const trc_linecode *)func->owner)->code) < 0) {
            Py_CLEAR(codes);
        }
    }
    return codes;
}

/* Has the lines of a recorder's code objects reported. 0, or -1 with an exception set. */
static int set_lines(const trc_lines *lines, const trc_line_recorder *recorder)
{
    PyObject *codes = codes_of(recorder);
    int result = codes == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; result == 0 && lines->tool.name != NULL && i < PyList_GET_SIZE(codes); i++) {
        result = watch(lines, (PyCodeObject *)PyList_GET_ITEM(codes, i));
    }
    Py_XDECREF(codes);
    return result;
}

/* Has those of these code objects reported no more that nobody times. Raises nothing. */
static void unset_lines(const trc_lines *lines, PyObject *codes)
{
    for (Py_ssize_t i = 0; lines->tool.name != NULL && i < PyList_GET_SIZE(codes); i++) {
        PyCodeObject *code = (PyCodeObject *)PyList_GET_ITEM(codes, i);
        if (!trc_lines_time(lines, code)) {
            set_local_events(lines, code, 0);
            PyErr_Clear();
        }
    }
}

/* Has the interpreter report what is wanted of all code. 0, or -1 with an exception set. */
static int set_events(trc_lines *lines)
{
    int events = events_of(wanted_scopes(lines));
    if (lines->tool.name == NULL) {
        return 0; /* an audit hook was faster */
    }
    if (events < 0 || (events != lines->events && trc_tool_call("set_events", "(ii)", lines->tool.id, events) < 0)) {
        return -1;
    }
    lines->events = events;
    return 0;
}

int trc_lines_start(trc_dispatcher *dispatcher)
{
    trc_lines *lines = &dispatcher->lines;
    trc_line_recorder *recorder = lines->active; /* the new one */
    PyObject *kept = Py_NewRef(recorder->object);
    bool fresh = !trc_tool_is_ours(&lines->tool);
    if (fresh) {
        give_back(dispatcher, lines); /* what is left of one that was taken from us */
    }
    bool ready = !fresh || trc_tool_take(&lines->tool) == TRC_STARTED;
    if (ready && fresh) {
        lines->is_some_off = true; /* for all we know, by who held the id before */
        ready = take_constants(lines) == 0 && register_callbacks(dispatcher) == 0;
    }
    /* Where events are off, of this id or in code that a recorder left out, the new recorder may want them. */
    ready = ready && trc_lines_restart(dispatcher) == 0 && set_events(lines) == 0 && set_lines(lines, recorder) == 0;
    if (ready && fresh) { /* the id before may have been taken from under recorders that are enabled still */
        TRC_FOR_EACH_LINE_RECORDER(lines, other, ready = ready && set_lines(lines, other) == 0);
    }
    Py_DECREF(kept);
    return ready ? 0 : -1;
}

void trc_lines_stop(trc_dispatcher *dispatcher, const trc_line_recorder *recorder)
{
    trc_lines *lines = &dispatcher->lines;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    /* Its object may be gone already when this is called at its end, and be gone after the first audit hook. */
    PyObject *codes = codes_of(recorder);
    PyErr_Clear();
    Py_INCREF((PyObject *)dispatcher);
    lines->jump_in = NULL; /* which its code objects may have kept alive */
    if (codes != NULL && trc_tool_is_ours(&lines->tool)) {
        unset_lines(lines, codes);
    }
    if (lines->active == NULL) {
        give_back(dispatcher, lines);
    }
    else if (trc_tool_is_ours(&lines->tool)) {
        set_events(lines);
        PyErr_Clear();
    }
    Py_XDECREF(codes);
    Py_DECREF((PyObject *)dispatcher);
    PyErr_Restore(type, value, traceback);
}

#endif
