/* The sys.monitoring back end, for 3.12 and later: a tool of its own beside the program's, told of every thread. The
 * interpreter calls an object for each kind of event; ours are of a type whose calls cost nothing but themselves (a
 * heap type with a vectorcall slot: 10 to 20 ns less an event than a builtin function).
 *
 *     PY_START, PY_RESUME, PY_THROW      enter a frame          CALL                enter what is written in C
 *     PY_RETURN, PY_YIELD, PY_UNWIND     leave it               C_RETURN, C_RAISE   leave it
 *
 * Activations are named after the interpreter's frame, which is where it is while it lives, whatever else happens: an
 * event whose counterpart was not reported finds nothing of its name, and changes nothing. */
#include "sources/calls_monitoring.h"

#include "interp/callback.h"
#include "bus/fast_path.h"
#include "interp/tool.h"

#if TRC_HAS_MONITORING

/* What it keeps in the dispatcher while it is started. */
typedef struct trc_monitoring {
    trc_tool tool;
    int events;        /* the set that is reported */
    trc_level level;   /* the highest that an enabled recorder wants */
    bool is_focused;   /* the callbacks are those that ask whether the code is looked at */
    PyObject *missing; /* owned: sys.monitoring.MISSING, or NULL */
    PyObject *disable; /* owned: sys.monitoring.DISABLE, or NULL */
    /* Kept when it is stopped: whether events may be off at some place, under an id that has a mark. NOTHING, ANYTHING, or
     * the number of the focus that leaves out all such places. */
    uint64_t off;
    uint64_t focuses; /* how many were given a number */
} trc_monitoring;

#define NOTHING 0
#define ANYTHING UINT64_MAX

_Static_assert(sizeof(trc_monitoring) <= sizeof(trc_room), "it has room");

static inline trc_monitoring *mine(trc_dispatcher *dispatcher)
{
    return (trc_monitoring *)(void *)&dispatcher->rooms[TRC_MONITORING];
}

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
static inline bool find_callee(trc_callee *callee, trc_dispatcher *dispatcher, PyObject *const *args, size_t nargsf)
{
    if (PyVectorcall_NARGS(nargsf) < 4) {
        return false;
    }
    const trc_monitoring *monitoring = mine(dispatcher);
    PyObject *first = args[3] == monitoring->missing ? NULL : args[3];
    return trc_callee_from_object(callee, args[2], first, monitoring->level);
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

/* An event is switched off at some place: one that all enabled recorders leave out. */
static void note_off(trc_dispatcher *dispatcher)
{
    trc_monitoring *monitoring = mine(dispatcher);
    const trc_recorder *first = dispatcher->active[TRC_MONITORING];
    trc_focus *focus = first == NULL || first->next_active != NULL ? NULL : first->focus;
    if (focus != NULL && focus->number == 0) {
        focus->number = ++monitoring->focuses;
    }
    uint64_t number = focus == NULL ? ANYTHING : focus->number;
    monitoring->off = monitoring->off == NOTHING || monitoring->off == number ? number : ANYTHING;
}

static PyObject *answer(PyObject *self, bool is_wanted)
{
    trc_dispatcher *dispatcher = dispatcher_of(self);
    if (is_wanted || mine(dispatcher)->disable == NULL) {
        Py_RETURN_NONE;
    }
    note_off(dispatcher);
    return Py_NewRef(mine(dispatcher)->disable);
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

/* Has it call ours at all kinds: those that the recorders need. 1 when each had a mark of ours before, 0 when not, or -1
 * with an exception set. */
static int register_callbacks(trc_dispatcher *dispatcher, int tool)
{
    int result = 1;
    for (size_t i = 0; result >= 0 && i < EVENT_KINDS; i++) {
        /* Asked for each, for an audit hook may enable another recorder meanwhile. */
        bool is_focused = dispatcher->focused[TRC_MONITORING] > 0;
        vectorcallfunc function = is_focused ? event_kinds[i].focused : event_kinds[i].function;
        PyObject *object = trc_callback_new(dispatcher->callback_type, function, (PyObject *)dispatcher);
        PyObject *before = object == NULL ? NULL : trc_tool_exchange(tool, event_kinds[i].name, object);
        bool is_marked = before == dispatcher->mark || before == dispatcher->focus_mark;
        result = before == NULL ? -1 : is_marked ? result : 0;
        Py_XDECREF(before);
        Py_XDECREF(object);
    }
    mine(dispatcher)->is_focused = result >= 0 && dispatcher->focused[TRC_MONITORING] > 0;
    return result;
}

/* Has it call those that the recorders need now. Not negative, or -1 with an exception set. */
static int refocus(trc_dispatcher *dispatcher)
{
    bool is_focused = dispatcher->focused[TRC_MONITORING] > 0;
    return is_focused == mine(dispatcher)->is_focused ? 0 : register_callbacks(dispatcher, mine(dispatcher)->tool.id);
}

/* Has it report what it was told to report no more, if the recorder may look at some of it: that has other tools told again
 * of what they have switched off. 0, or -1 with an exception set. */
static int restart(trc_monitoring *monitoring, const trc_recorder *recorder)
{
    bool is_left_out = recorder->focus != NULL && recorder->focus->number == monitoring->off;
    if (monitoring->off == NOTHING || is_left_out) {
        return 0;
    }
    if (trc_tool_call("restart_events", "()") < 0) {
        return -1;
    }
    monitoring->off = NOTHING;
    return 0;
}

/* Has it call nothing that records any more, but what is `left`: a mark, or None. Each is tried, whatever becomes of the others:
 * an audit hook may refuse one. Raises nothing. */
static void unregister_callbacks(int tool, PyObject *left)
{
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        Py_XDECREF(trc_tool_exchange(tool, event_kinds[i].name, left));
        PyErr_Clear();
    }
}

/* Gives everything back. Raises nothing. Audit hooks run on the way, and may have us start again, with another id. */
static void give_back(trc_dispatcher *dispatcher)
{
    trc_monitoring old = *mine(dispatcher);
    if (old.tool.name == NULL) {
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    *mine(dispatcher) = (trc_monitoring){.off = old.off, .focuses = old.focuses};
    PyObject *mark = old.off == NOTHING ? dispatcher->mark : dispatcher->focus_mark;
    if (trc_tool_is_held(old.tool.id, old.tool.name)) {
        trc_tool_call("set_events", "(ii)", old.tool.id, 0);
        PyErr_Clear();
        if (!TRC_FREEING_CLEARS) {
            unregister_callbacks(old.tool.id, mark);
        }
    }
    if (trc_tool_is_held(old.tool.id, old.tool.name)) {
        trc_tool_call("free_tool_id", "(i)", old.tool.id);
        PyErr_Clear();
        for (size_t i = 0; TRC_FREEING_CLEARS && i < EVENT_KINDS; i++) {
            trc_tool_mark(old.tool.id, event_kinds[i].name, mark);
        }
    }
    Py_DECREF(old.tool.name);
    Py_XDECREF(old.missing);
    Py_XDECREF(old.disable);
    PyErr_Restore(type, value, traceback);
}

static int take_constants(trc_monitoring *monitoring)
{
    PyObject *module = trc_tool_module();
    Py_XSETREF(monitoring->missing, module == NULL ? NULL : PyObject_GetAttrString(module, "MISSING"));
    Py_XSETREF(monitoring->disable, module == NULL ? NULL : PyObject_GetAttrString(module, "DISABLE"));
    return monitoring->missing == NULL || monitoring->disable == NULL ? -1 : 0;
}

/* Has the interpreter report the events that the enabled recorders want. 0, or -1 with an exception set. */
static int set_events(trc_dispatcher *dispatcher)
{
    trc_monitoring *monitoring = mine(dispatcher);
    trc_level level = TRC_PYTHON;
    for (const trc_recorder *recorder = dispatcher->active[TRC_MONITORING]; recorder != NULL;
         recorder = recorder->next_active) {
        level = recorder->level > level ? recorder->level : level;
        level = recorder->level_on_stack > level ? recorder->level_on_stack : level;
    }
    int events = 0;
    for (size_t i = 0; i < EVENT_KINDS; i++) {
        int bit = trc_tool_event(event_kinds[i].name);
        if (bit < 0) {
            return -1;
        }
        events |= event_kinds[i].level <= level ? bit : 0;
    }
    monitoring->level = level;
    if (events == monitoring->events) {
        return 0;
    }
    if (trc_tool_call("set_events", "(ii)", monitoring->tool.id, events) < 0) {
        return -1;
    }
    monitoring->events = events;
    return 0;
}

static trc_start_result start(trc_dispatcher *dispatcher, const trc_recorder *recorder)
{
    trc_monitoring *monitoring = mine(dispatcher);
    if (trc_tool_is_ours(&monitoring->tool)) {
        bool failed = refocus(dispatcher) < 0 || restart(monitoring, recorder) < 0 || set_events(dispatcher) < 0;
        return failed ? TRC_START_FAILED : TRC_STARTED;
    }
    trc_start_result taken = trc_tool_take(&monitoring->tool);
    if (taken != TRC_STARTED) {
        return taken;
    }
    monitoring->events = 0;
    int tool = monitoring->tool.id;
    PyObject *name = Py_NewRef(monitoring->tool.name);
    int marked = take_constants(monitoring) == 0 ? register_callbacks(dispatcher, tool) : -1;
    if (monitoring->tool.name != name) { /* an audit hook had us stop meanwhile */
        PyErr_Clear();
        if (trc_tool_is_held(tool, Py_None)) {
            unregister_callbacks(tool, Py_None);
        }
        Py_DECREF(name);
        return taken;
    }
    monitoring->off = marked == 1 ? monitoring->off : ANYTHING; /* for all we know, by who held the id before */
    if (marked < 0 || restart(monitoring, recorder) < 0 || set_events(dispatcher) < 0) {
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
    if (trc_tool_is_ours(&mine(dispatcher)->tool)) {
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
    int bit = trc_tool_event(event_kinds[0].name);
    if (bit >= 0 && trc_tool_call("set_local_events", "(iOi)", monitoring->tool.id, code, bit) == 0) {
        trc_tool_call("set_local_events", "(iOi)", monitoring->tool.id, code, 0);
    }
}

bool trc_monitoring_reach(trc_dispatcher *dispatcher, const trc_running *running)
{
    if (running->count == 0) {
        return true;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    trc_monitoring *monitoring = mine(dispatcher);
    bool borrows = !trc_tool_is_ours(&monitoring->tool);
    bool reached = !borrows || trc_tool_take(&monitoring->tool) == TRC_STARTED;
    for (size_t i = 0; reached && i < running->count; i++) {
        PyCodeObject *code = PyFrame_GetCode(running->frames[i]);
        update(monitoring, code);
        PyErr_Clear();
        Py_DECREF(code);
    }
    if (reached && borrows) {
        Py_CLEAR(monitoring->tool.name);
        trc_tool_call("free_tool_id", "(i)", monitoring->tool.id);
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

static int traverse(trc_dispatcher *dispatcher, visitproc visit, void *arg)
{
    const trc_monitoring *monitoring = mine(dispatcher);
    Py_VISIT(monitoring->tool.name);
    Py_VISIT(monitoring->missing);
    Py_VISIT(monitoring->disable);
    return 0;
}

static void clear(trc_dispatcher *dispatcher)
{
    trc_monitoring *monitoring = mine(dispatcher);
    Py_CLEAR(monitoring->tool.name);
    Py_CLEAR(monitoring->missing);
    Py_CLEAR(monitoring->disable);
}

const trc_backend_methods trc_monitoring_methods = {
    .start = start,
    .stop = stop,
    .activation_of = activation_of,
    .reach = trc_monitoring_reach,
    .traverse = traverse,
    .clear = clear,
};

#endif
