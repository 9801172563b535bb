/* The sys.monitoring back end, for 3.12 and later: a tool of its own beside the program's, told of every thread. The
 * interpreter calls an object for each kind of event; ours are of a type whose calls cost nothing but themselves (a
 * heap type with a vectorcall slot: 10 to 20 ns less an event than a builtin function).
 *
 *     PY_START, PY_RESUME, PY_THROW      enter a frame          CALL                enter what is written in C
 *     PY_RETURN, PY_YIELD, PY_UNWIND     leave it               C_RETURN, C_RAISE   leave it
 *
 * Activations are named after the interpreter's frame, which is where it is while it lives, whatever else happens: an
 * event whose counterpart was not reported finds nothing of its name, and changes nothing. */
#include "callback.h"
#include "hot.h"

#if TRC_HAS_MONITORING

static inline trc_dispatcher *dispatcher_of(PyObject *self)
{
    return (trc_dispatcher *)((trc_callback *)self)->owner;
}

/* -- The callbacks. They return None: never DISABLE, which would hide later calls at the same place (but see the
 *    focused ones). A program can get hold of them, so they look at what they are given. -- */

#define REQUIRE_CODE(args, nargsf)                                                  \
    if (PyVectorcall_NARGS(nargsf) < 1 || !PyCode_Check((args)[0])) {               \
        PyErr_SetString(PyExc_TypeError, "this is called by the interpreter only"); \
        return NULL;                                                                \
    }

static inline PyObject *enter(PyObject *self, PyObject *const *args, size_t nargsf, trc_entry entry)
{
    REQUIRE_CODE(args, nargsf);
    trc_callee callee = {args[0], args[0], TRC_PYTHON};
    PyThreadState *state = PyThreadState_Get();
    trc_hot_enter(dispatcher_of(self), TRC_MONITORING, state, &callee, trc_frame_of(state), entry);
    Py_RETURN_NONE;
}

static PyObject *on_start(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    return enter(self, args, nargsf, TRC_CALLED);
}

static PyObject *on_resume(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    return enter(self, args, nargsf, TRC_RESUMED);
}

static PyObject *on_leave(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    PyThreadState *state = PyThreadState_Get();
    trc_hot_leave(dispatcher_of(self), TRC_MONITORING, state, trc_frame_of(state), TRC_PYTHON);
    Py_RETURN_NONE;
}

static PyObject *on_yield(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    PyThreadState *state = PyThreadState_Get();
    trc_hot_suspend(dispatcher_of(self), TRC_MONITORING, state, trc_frame_of(state), args[0]);
    Py_RETURN_NONE;
}

/* What a CALL event with these arguments calls, or its end is about; false when that is of no interest. */
static inline bool find_callee(trc_callee *callee, const trc_dispatcher *dispatcher, PyObject *const *args,
                               size_t nargsf)
{
    if (PyVectorcall_NARGS(nargsf) < 4) {
        return false;
    }
    PyObject *first = args[3] == dispatcher->monitoring.missing ? NULL : args[3];
    return trc_callee_from_object(callee, args[2], first, dispatcher->monitoring.level);
}

static PyObject *on_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    trc_callee callee;
    if (find_callee(&callee, dispatcher_of(self), args, nargsf)) {
        PyThreadState *state = PyThreadState_Get();
        trc_hot_enter(dispatcher_of(self), TRC_MONITORING, state, &callee, trc_frame_of(state) | 1, TRC_CALLED);
    }
    Py_RETURN_NONE;
}

static PyObject *on_c_leave(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    trc_callee callee;
    if (find_callee(&callee, dispatcher_of(self), args, nargsf)) {
        PyThreadState *state = PyThreadState_Get();
        trc_hot_leave(dispatcher_of(self), TRC_MONITORING, state, trc_frame_of(state) | 1, callee.level);
    }
    Py_RETURN_NONE;
}

/* -- The callbacks where a recorder has a focus. In code that all leave out they return DISABLE, and the interpreter
 *    reports that event no more at that place: one verdict, and then such code runs as if nobody looked. It cannot be
 *    told so of PY_THROW, PY_UNWIND and the ends of C calls; of these there is one look into a table. -- */

static PyObject *answer(PyObject *self, bool is_wanted)
{
    trc_monitoring *monitoring = &dispatcher_of(self)->monitoring;
    if (is_wanted || monitoring->disable == NULL) {
        Py_RETURN_NONE;
    }
    monitoring->has_silenced = true;
    return Py_NewRef(monitoring->disable);
}

static inline trc_place place_of(PyObject *code)
{
    return (trc_place){(PyCodeObject *)code, NULL, false, false};
}

static inline bool enter_focused(PyObject *self, PyObject *code, trc_entry entry)
{
    trc_place place = place_of(code);
    trc_callee callee = {code, code, TRC_PYTHON};
    const PyThreadState *state = PyThreadState_Get();
    return trc_hot_enter_in(dispatcher_of(self), TRC_MONITORING, state, &place, &callee, trc_frame_of(state), entry);
}

static PyObject *on_start_focused(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    return answer(self, enter_focused(self, args[0], TRC_CALLED));
}

static PyObject *on_resume_focused(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    return answer(self, enter_focused(self, args[0], TRC_RESUMED));
}

static PyObject *on_throw_focused(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    enter_focused(self, args[0], TRC_RESUMED);
    Py_RETURN_NONE;
}

static inline bool leave_focused(PyObject *self, PyObject *code)
{
    trc_place place = place_of(code);
    const PyThreadState *state = PyThreadState_Get();
    return trc_hot_leave_in(dispatcher_of(self), TRC_MONITORING, state, &place, trc_frame_of(state), TRC_PYTHON);
}

static PyObject *on_return_focused(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    return answer(self, leave_focused(self, args[0]));
}

static PyObject *on_unwind_focused(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    leave_focused(self, args[0]);
    Py_RETURN_NONE;
}

static PyObject *on_yield_focused(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    trc_place place = place_of(args[0]);
    const PyThreadState *state = PyThreadState_Get();
    return answer(self, trc_hot_suspend_in(dispatcher_of(self), TRC_MONITORING, state, &place, trc_frame_of(state)));
}

static PyObject *on_call_focused(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    trc_dispatcher *dispatcher = dispatcher_of(self);
    trc_place place = place_of(args[0]);
    trc_callee callee;
    if (!find_callee(&callee, dispatcher, args, nargsf)) {
        return answer(self, trc_hot_wants(dispatcher, TRC_MONITORING, &place));
    }
    const PyThreadState *state = PyThreadState_Get();
    return answer(self, trc_hot_enter_in(dispatcher, TRC_MONITORING, state, &place, &callee, trc_frame_of(state) | 1,
                                         TRC_CALLED));
}

static PyObject *on_c_leave_focused(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf);
    trc_place place = place_of(args[0]);
    trc_callee callee;
    if (find_callee(&callee, dispatcher_of(self), args, nargsf)) {
        const PyThreadState *state = PyThreadState_Get();
        trc_hot_leave_in(dispatcher_of(self), TRC_MONITORING, state, &place, trc_frame_of(state) | 1, callee.level);
    }
    Py_RETURN_NONE;
}

/* -- The tool -- */

/* The kinds of events, in the interpreter's own numbering (sys.monitoring.events). */
typedef struct event_kind {
    const char *name;
    vectorcallfunc function;
    vectorcallfunc focused; /* the one to call where a recorder has a focus */
    trc_level level;        /* at which it is wanted */
} event_kind;

static const event_kind event_kinds[] = {
    {"PY_START", on_start, on_start_focused, TRC_PYTHON},
    {"PY_RESUME", on_resume, on_resume_focused, TRC_PYTHON},
    {"PY_THROW", on_resume, on_throw_focused, TRC_PYTHON},
    {"PY_RETURN", on_leave, on_return_focused, TRC_PYTHON},
    {"PY_YIELD", on_yield, on_yield_focused, TRC_PYTHON},
    {"PY_UNWIND", on_leave, on_unwind_focused, TRC_PYTHON},
    {"CALL", on_call, on_call_focused, TRC_BUILTINS},
    {"C_RETURN", on_c_leave, on_c_leave_focused, TRC_BUILTINS},
    {"C_RAISE", on_c_leave, on_c_leave_focused, TRC_BUILTINS},
};

#define EVENT_KINDS (sizeof event_kinds / sizeof *event_kinds)

static const int tool_ids[] = {4, 3, 5, 2}; /* 2 last: the program's own cProfile would need it; 0 and 1 are others' */

#define TOOL_IDS (sizeof tool_ids / sizeof *tool_ids)

/* Borrowed: the module sys.monitoring; NULL when the interpreter is at its end, with an exception set. */
static PyObject *monitoring_module(void)
{
    PyObject *module = PySys_GetObject("monitoring");
    if (module == NULL) {
        PyErr_SetString(PyExc_RuntimeError,
                        "sys.monitoring is not to be had: the interpreter is at its end, or out of memory");
    }
    return module;
}

/* Calls a function of sys.monitoring. 0, or -1 with an exception set. */
static int call(const char *function, const char *format, ...)
{
    PyObject *module = monitoring_module();
    PyObject *callable = module == NULL ? NULL : PyObject_GetAttrString(module, function);
    va_list values;
    va_start(values, format);
    PyObject *args = callable == NULL ? NULL : Py_VaBuildValue(format, values);
    va_end(values);
    PyObject *result = args == NULL ? NULL : PyObject_CallObject(callable, args);
    Py_XDECREF(callable);
    Py_XDECREF(args);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

/* The bit of a kind of event, or -1 with an exception set. */
static int event_bit(const event_kind *kind)
{
    PyObject *module = monitoring_module();
    PyObject *events = module == NULL ? NULL : PyObject_GetAttrString(module, "events");
    PyObject *number = events == NULL ? NULL : PyObject_GetAttrString(events, kind->name);
    long bit = number == NULL ? -1 : PyLong_AsLong(number);
    Py_XDECREF(events);
    Py_XDECREF(number);
    return (int)bit;
}

/* Sets RuntimeError: who holds the tool ids. */
static void raise_taken(void)
{
    PyObject *module = monitoring_module();
    PyObject *holders = module == NULL ? NULL : PyUnicode_FromString("");
    for (size_t i = 0; holders != NULL && i < TOOL_IDS; i++) {
        PyObject *name = PyObject_CallMethod(module, "get_tool", "i", tool_ids[i]);
        PyObject *more =
            name == NULL ? NULL : PyUnicode_FromFormat("%U%s%d: %S", holders, i == 0 ? "" : ", ", tool_ids[i], name);
        Py_XDECREF(name);
        Py_SETREF(holders, more);
    }
    if (holders != NULL) {
        PyErr_Format(PyExc_RuntimeError, "no tool id of sys.monitoring is free (%U)", holders);
        Py_DECREF(holders);
    }
}

static trc_start_result take_tool(trc_monitoring *monitoring)
{
    PyObject *name = PyUnicode_FromString("tracer");
    for (size_t i = 0; name != NULL && i < TOOL_IDS; i++) {
        if (call("use_tool_id", "(iO)", tool_ids[i], name) == 0) {
            monitoring->tool_name = name;
            monitoring->tool = tool_ids[i];
            monitoring->events = 0;
            return TRC_STARTED;
        }
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) {
            Py_DECREF(name);
            return TRC_START_FAILED;
        }
        PyErr_Clear();
    }
    if (name == NULL) {
        return TRC_START_FAILED;
    }
    Py_DECREF(name);
    raise_taken();
    return TRC_START_TAKEN;
}

/* Whether the id is still held by who took it under this name. Raises nothing. */
static bool is_held(int tool, const PyObject *name)
{
    PyObject *module = monitoring_module();
    PyObject *holder = module == NULL ? NULL : PyObject_CallMethod(module, "get_tool", "i", tool);
    Py_XDECREF(holder); /* only its address is of interest */
    PyErr_Clear();
    return holder == name;
}

/* Whether there is a tool id, and still ours: code of the program can give it back, and another tool then take it. */
static bool holds_tool(trc_monitoring *monitoring)
{
    if (monitoring->tool_name != NULL && !is_held(monitoring->tool, monitoring->tool_name)) {
        Py_CLEAR(monitoring->tool_name);
    }
    return monitoring->tool_name != NULL;
}

/* Has the interpreter call `object` at a kind of event. 0, or -1 with an exception set. */
static int register_callback(int tool, const event_kind *kind, PyObject *object)
{
    int bit = event_bit(kind);
    return bit < 0 ? -1 : call("register_callback", "(iiO)", tool, bit, object);
}

/* Has it call ours at all kinds: those that the recorders need. 0, or -1 with an exception set. */
static int register_callbacks(trc_dispatcher *dispatcher, int tool)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < EVENT_KINDS; i++) {
        /* Asked for each, for an audit hook may enable another recorder meanwhile. */
        bool is_focused = dispatcher->focused[TRC_MONITORING] > 0;
        vectorcallfunc function = is_focused ? event_kinds[i].focused : event_kinds[i].function;
        PyObject *object = trc_callback_new(dispatcher->callback_type, function, (PyObject *)dispatcher);
        result = object == NULL ? -1 : register_callback(tool, &event_kinds[i], object);
        Py_XDECREF(object);
    }
    dispatcher->monitoring.is_focused = result == 0 && dispatcher->focused[TRC_MONITORING] > 0;
    return result;
}

/* Has it call those that the recorders need now. 0, or -1 with an exception set. */
static int refocus(trc_dispatcher *dispatcher)
{
    bool is_focused = dispatcher->focused[TRC_MONITORING] > 0;
    return is_focused == dispatcher->monitoring.is_focused
               ? 0
               : register_callbacks(dispatcher, dispatcher->monitoring.tool);
}

/* Has it report what it was told to report no more: a new recorder may look at it. 0, or -1 with an exception set. */
static int restart(trc_monitoring *monitoring)
{
    if (!monitoring->has_silenced) {
        return 0;
    }
    monitoring->has_silenced = false;
    return call("restart_events", "()");
}

/* Has it call nothing any more. Each is tried, whatever becomes of the others: an audit hook may refuse one. Raises
 * nothing. */
static void unregister_callbacks(int tool)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        register_callback(tool, &event_kinds[i], Py_None);
        PyErr_Clear();
    }
}

/* Gives everything back. Raises nothing. Audit hooks run on the way, and may have us start again, with another id. */
static void give_back(trc_dispatcher *dispatcher)
{
    trc_monitoring mine = dispatcher->monitoring;
    if (mine.tool_name == NULL) {
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    dispatcher->monitoring = (trc_monitoring){0};
    if (is_held(mine.tool, mine.tool_name)) {
        call("set_events", "(ii)", mine.tool, 0);
        PyErr_Clear();
        unregister_callbacks(mine.tool);
    }
    if (is_held(mine.tool, mine.tool_name)) {
        call("free_tool_id", "(i)", mine.tool);
        PyErr_Clear();
    }
    Py_DECREF(mine.tool_name);
    Py_XDECREF(mine.missing);
    Py_XDECREF(mine.disable);
    PyErr_Restore(type, value, traceback);
}

static int take_constants(trc_monitoring *monitoring)
{
    PyObject *module = monitoring_module();
    Py_XSETREF(monitoring->missing, module == NULL ? NULL : PyObject_GetAttrString(module, "MISSING"));
    Py_XSETREF(monitoring->disable, module == NULL ? NULL : PyObject_GetAttrString(module, "DISABLE"));
    return monitoring->missing == NULL || monitoring->disable == NULL ? -1 : 0;
}

/* Has the interpreter report the events that the enabled recorders want. 0, or -1 with an exception set. */
static int set_events(trc_dispatcher *dispatcher)
{
    trc_monitoring *monitoring = &dispatcher->monitoring;
    trc_level level = TRC_PYTHON;
    for (const trc_recorder *recorder = dispatcher->active[TRC_MONITORING]; recorder != NULL;
         recorder = recorder->next_active) {
        level = recorder->level > level ? recorder->level : level;
        level = recorder->level_on_stack > level ? recorder->level_on_stack : level;
    }
    int events = 0;
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        int bit = event_bit(&event_kinds[i]);
        if (bit < 0) {
            return -1;
        }
        events |= event_kinds[i].level <= level ? bit : 0;
    }
    monitoring->level = level;
    if (events == monitoring->events) {
        return 0;
    }
    if (call("set_events", "(ii)", monitoring->tool, events) < 0) {
        return -1;
    }
    monitoring->events = events;
    return 0;
}

static trc_start_result start(trc_dispatcher *dispatcher, const trc_recorder *recorder)
{
    (void)recorder;
    trc_monitoring *monitoring = &dispatcher->monitoring;
    if (holds_tool(monitoring)) {
        bool failed = refocus(dispatcher) < 0 || restart(monitoring) < 0 || set_events(dispatcher) < 0;
        return failed ? TRC_START_FAILED : TRC_STARTED;
    }
    trc_start_result taken = take_tool(monitoring);
    if (taken != TRC_STARTED) {
        return taken;
    }
    int tool = monitoring->tool;
    PyObject *name = Py_NewRef(monitoring->tool_name);
    /* Where a tool that held the id before us has switched an event off, it would be off for us too. */
    bool ready = take_constants(monitoring) == 0 && register_callbacks(dispatcher, tool) == 0 &&
                 call("restart_events", "()") == 0;
    if (monitoring->tool_name != name) { /* an audit hook had us stop meanwhile */
        PyErr_Clear();
        if (is_held(tool, Py_None)) {
            unregister_callbacks(tool);
        }
    }
    else if (!ready || set_events(dispatcher) < 0) {
        give_back(dispatcher);
        taken = TRC_START_FAILED;
    }
    Py_DECREF(name);
    return taken;
}

static void stop(trc_dispatcher *dispatcher)
{
    if (dispatcher->active[TRC_MONITORING] == NULL) {
        give_back(dispatcher);
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (holds_tool(&dispatcher->monitoring)) {
        /* More events than are wanted, and callbacks that ask too much, cost time and nothing else. */
        set_events(dispatcher);
        PyErr_Clear();
        refocus(dispatcher);
        PyErr_Clear();
    }
    PyErr_Restore(type, value, traceback);
}

/* The interpreter brings code up to date with the events that are set when a body starts or goes on, and that of all
 * frames on the threads' present stacks when they are set; beyond that, code whose own events change. */
static void update(const trc_monitoring *monitoring, PyCodeObject *code)
{
    int bit = event_bit(&event_kinds[0]);
    if (bit >= 0 && call("set_local_events", "(iOi)", monitoring->tool, code, bit) == 0) {
        call("set_local_events", "(iOi)", monitoring->tool, code, 0);
    }
}

bool trc_monitoring_reach(trc_dispatcher *dispatcher, const trc_running *running)
{
    if (running->count == 0) {
        return true;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    trc_monitoring *monitoring = &dispatcher->monitoring;
    bool borrows = !holds_tool(monitoring);
    bool reached = !borrows || take_tool(monitoring) == TRC_STARTED;
    for (size_t i = 0; reached && i < running->count; i++) {
        PyCodeObject *code = PyFrame_GetCode(running->frames[i]);
        update(monitoring, code);
        PyErr_Clear();
        Py_DECREF(code);
    }
    if (reached && borrows) {
        Py_CLEAR(monitoring->tool_name);
        call("free_tool_id", "(i)", monitoring->tool);
    }
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    return reached;
}

/* A frame object holds the address of the interpreter's frame, at a place that is no public knowledge. It is found by
 * looking in the object of the frame that is running, whose address is known. 0 when nothing is running. */
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

static trc_activation activation_of(PyFrameObject *frame)
{
    size_t place = find_address_in_frame_object();
    return place == 0 ? 0 : *(trc_activation *)((char *)frame + place);
}

static bool reports(const PyThreadState *thread)
{
    (void)thread;
    return true;
}

const trc_backend trc_monitoring_backend = {
    .kind = TRC_MONITORING,
    .name = "monitoring",
    .why = "the default on Python 3.12 and later",
    .sees_all_callables = true,
    .start = start,
    .stop = stop,
    .reach = trc_monitoring_reach,
    .activation_of = activation_of,
    .reports = reports,
};

#endif
