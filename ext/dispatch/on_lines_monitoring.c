/* Line events by sys.monitoring, for 3.12 and later: the callbacks, and what is recorded of their events. See
 * lines_monitoring.h.
 *
 *     LINE, JUMP (back to the same line)   on a line          PY_START              enter, where calls are seen
 *     PY_YIELD   / PY_RESUME, PY_THROW     suspend / resume   PY_RETURN, PY_UNWIND  leave
 *     CALL / C_RETURN, C_RAISE             a C callable begins / ends */
#include "dispatch/line_path.h"
#include "interp/callback.h"
#include "interp/identity.h"

#if TRC_HAS_MONITORING

const char trc_lines_backend[] = "monitoring";
const char trc_lines_reason[] = "the only one for lines on Python 3.12 and later";

static inline trc_dispatcher *dispatcher_of(PyObject *self)
{
    return ((trc_callback *)self)->context;
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
    trc_lines_line(dispatcher_of(self), state, (PyCodeObject *)args[0], trc_frame_of(state), line);
    Py_RETURN_NONE;
}

/* Returns the line of a jump back within a line, or -1 for any other jump. */
static long line_of_jump(trc_lines_monitoring *source, PyCodeObject *code, long from, long to)
{
    if (to < 0 || to >= from || from >= 2 * Py_SIZE(code)) {
        return -1;
    }
    if (source->jump_in != code || source->jump_offset != from) {
        int line = PyCode_Addr2Line(code, (int)from);
        if (line < 0 || PyCode_Addr2Line(code, (int)to) != line) {
            return -1;
        }
        source->jump_in = code;
        source->jump_offset = from;
        source->jump_line = line;
    }
    return source->jump_line;
}

/* A loop on one line has no LINE event for its rounds. Other jumps need not be reported again. */
static PyObject *on_jump(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 3);
    trc_dispatcher *dispatcher = dispatcher_of(self);
    long from = PyLong_AsLong(args[1]);
    long to = PyLong_AsLong(args[2]);
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyCodeObject *code = (PyCodeObject *)args[0];
    long line = line_of_jump(&dispatcher->shared.lines_monitoring, code, from, to);
    if (line < 0) {
        return trc_lines_monitoring_silence(&dispatcher->shared.lines_monitoring, true);
    }
    const PyThreadState *state = PyThreadState_Get();
    trc_lines_line(dispatcher, state, code, trc_frame_of(state), line);
    Py_RETURN_NONE;
}

static inline void tell(PyObject *self, trc_line_event event, PyObject *code, trc_activation id)
{
    trc_lines_event(dispatcher_of(self), event, (PyCodeObject *)code, id);
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

/* Looks at code, and adds it if it is in a filter. Returns false when no recorder times its lines or sees calls: then
 * these events need not be reported in it again. */
static bool meet(trc_dispatcher *dispatcher, PyCodeObject *code)
{
    uint64_t serials = dispatcher->shared.serials;
    bool wanted = false;
    trc_each_recording each;
    for (trc_line_recorder *recorder = trc_dispatch_first_lines(&each, dispatcher); recorder != NULL;
         recorder = trc_dispatch_next_lines(&each)) {
        trc_line_recorder_meet(recorder, code, NULL);
        wanted = wanted || recorder->sees_calls || trc_line_recorder_has(recorder, code);
    }
    return wanted || dispatcher->shared.serials != serials;
}

static PyObject *begin_or_go_on(PyObject *self, PyCodeObject *code, trc_line_event event)
{
    /* Code that runs meanwhile may remove the callback, to which there is no other reference. */
    PyObject *owner = Py_NewRef(((trc_callback *)self)->owner);
    trc_dispatcher *dispatcher = dispatcher_of(self);
    bool wanted = meet(dispatcher, code);
    trc_activation id = trc_frame_of(PyThreadState_Get());
    trc_each_recording each;
    for (trc_line_recorder *recorder = trc_dispatch_first_lines(&each, dispatcher); recorder != NULL;
         recorder = trc_dispatch_next_lines(&each)) {
        if (event != TRC_LINE_ENTER || recorder->sees_calls) {
            trc_line_recorder_event(recorder, event, code, id);
        }
    }
    PyObject *result =
        wanted ? Py_NewRef(Py_None) : trc_lines_monitoring_silence(&dispatcher->shared.lines_monitoring, false);
    Py_DECREF(owner);
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

/* Whether a call of a callable that is no function ends up in Python code: a class that makes its instances by Python
 * code, or an instance with a __call__ in Python. */
static bool ends_in_python(const trc_lines_monitoring *source, PyObject *callable)
{
    if (Py_TYPE(callable)->tp_call == source->call_by_python) {
        return true;
    }
    const PyTypeObject *type = PyType_Check(callable) ? (PyTypeObject *)callable : NULL;
    return type != NULL && (type->tp_init == source->init_by_python || type->tp_new == source->new_by_python);
}

static PyObject *on_call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 4);
    trc_dispatcher *dispatcher = dispatcher_of(self);
    PyObject *first = args[3] == dispatcher->shared.lines_monitoring.session.missing ? NULL : args[3];
    trc_callee callee;
    if (trc_callee_from_object(&callee, args[2], first, TRC_ALL_CALLABLES) &&
        !ends_in_python(&dispatcher->shared.lines_monitoring, args[2])) {
        const PyThreadState *state = PyThreadState_Get();
        trc_lines_c(dispatcher, state, true, (PyCodeObject *)args[0], trc_frame_of(state));
    }
    Py_RETURN_NONE;
}

static PyObject *on_c_ends(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)names;
    REQUIRE_CODE(args, nargsf, 1);
    const PyThreadState *state = PyThreadState_Get();
    trc_lines_c(dispatcher_of(self), state, false, (PyCodeObject *)args[0], trc_frame_of(state));
    Py_RETURN_NONE;
}

/* -- The back end -- */

static const trc_tool_callback callbacks[] = {
    {.event = "LINE", .function = on_line, .scopes = TRC_IN_TIMED_CODE},
    {.event = "JUMP", .function = on_jump, .scopes = TRC_IN_TIMED_CODE},
    {.event = "CALL", .function = on_call, .scopes = TRC_IN_TIMED_CODE | TRC_WITH_COSTS},
    {.event = "C_RETURN", .function = on_c_ends, .scopes = TRC_WITH_C},
    {.event = "C_RAISE", .function = on_c_ends, .scopes = TRC_WITH_C},
    {.event = "PY_RETURN", .function = on_leave, .scopes = TRC_IN_TIMED_CODE | TRC_WITH_CALLS},
    {.event = "PY_YIELD", .function = on_yield, .scopes = TRC_IN_TIMED_CODE | TRC_WITH_CALLS},
    {.event = "PY_RESUME", .function = on_resume, .scopes = TRC_IN_TIMED_CODE | TRC_WITH_CALLS | TRC_AT_FIRST_SIGHT},
    {.event = "PY_START", .function = on_start, .scopes = TRC_WITH_CALLS | TRC_AT_FIRST_SIGHT | TRC_IN_A_LINE},
    {.event = "PY_UNWIND", .function = on_leave, .scopes = TRC_WHERE_UNWINDS_ARE},
    {.event = "PY_THROW", .function = on_throw, .scopes = TRC_WHERE_UNWINDS_ARE},
};

_Static_assert(sizeof callbacks / sizeof *callbacks <= TRC_TOOL_EVENTS, "a session has room for each");

static trc_tool_target target_of(trc_dispatcher *dispatcher)
{
    return (trc_tool_target){&dispatcher->held, dispatcher, callbacks, sizeof callbacks / sizeof *callbacks};
}

/* The scopes for all code in which the enabled recorders want events. */
static int scopes_of(const trc_dispatcher *dispatcher)
{
    int wanted = TRC_IN_ALL_CODE;
    for (const trc_recording *each = dispatcher->shared.lines; each != NULL; each = each->next) {
        const trc_line_recorder *recorder = (const trc_line_recorder *)each;
        wanted |= each->filter != NULL ? TRC_AT_FIRST_SIGHT : 0;
        wanted |= recorder->sees_calls ? TRC_WITH_CALLS : 0;
        wanted |= recorder->sees_calls && recorder->costs.c > 0 ? TRC_WITH_COSTS : 0;
    }
    return wanted;
}

/* Adds the code objects of a recorder to a list. 0, or -1 with an exception set. */
static int add_codes(PyObject *codes, const trc_line_recorder *recorder)
{
    int result = 0;
    for (const trc_func *func = recorder->codes.first; result == 0 && func != NULL; func = func->hh.next) {
        result = PyList_Append(codes, (PyObject *)((const trc_linecode *)func->owner)->code);
    }
    return result;
}

/* New reference: a list of the code objects of a recorder, or of all enabled ones; or NULL with an exception set. Audit
 * hooks run while they are gone over, and may drop a recorder. */
static PyObject *codes_of(const trc_line_recorder *recorder)
{
    PyObject *codes = PyList_New(0);
    if (codes != NULL && add_codes(codes, recorder) < 0) {
        Py_CLEAR(codes);
    }
    return codes;
}

static PyObject *codes_of_all(const trc_dispatcher *dispatcher)
{
    PyObject *codes = PyList_New(0);
    for (const trc_recording *each = dispatcher->shared.lines; codes != NULL && each != NULL; each = each->next) {
        if (add_codes(codes, (const trc_line_recorder *)each) < 0) {
            Py_CLEAR(codes);
        }
    }
    return codes;
}

int trc_lines_start(trc_dispatcher *dispatcher, const trc_line_recorder *recorder)
{
    trc_lines_monitoring *source = &dispatcher->shared.lines_monitoring;
    trc_tool_target target = target_of(dispatcher);
    PyObject *kept = Py_NewRef(recorder->base.object);
    int is_fresh = trc_lines_monitoring_start(source, &target);
    trc_lines_remember(dispatcher);
    bool is_ready = is_fresh >= 0 && trc_lines_monitoring_set_scopes(source, &target, scopes_of(dispatcher)) == 0;
    /* Recorders that are still enabled may have lost the id before. */
    is_ready = is_ready &&
               trc_lines_monitoring_watch_all(source, is_fresh ? codes_of_all(dispatcher) : codes_of(recorder)) == 0;
    Py_DECREF(kept);
    return is_ready ? 0 : -1;
}

void trc_lines_stop(trc_dispatcher *dispatcher, const trc_line_recorder *recorder)
{
    trc_lines_monitoring *source = &dispatcher->shared.lines_monitoring;
    trc_tool_target target = target_of(dispatcher);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    /* The recorder's object may be gone already, or be gone after the first audit hook. */
    PyObject *codes = codes_of(recorder);
    PyObject *owner = Py_NewRef(dispatcher->held.object);
    source->jump_in = NULL; /* code objects of the recorder may have kept it alive */
    bool is_ours = codes != NULL && trc_tool_is_ours(&source->session.tool);
    for (Py_ssize_t i = 0; is_ours && i < PyList_GET_SIZE(codes); i++) {
        PyCodeObject *code = (PyCodeObject *)PyList_GET_ITEM(codes, i);
        if (!trc_lines_are_timed(dispatcher, code)) {
            trc_lines_monitoring_unwatch(source, code);
        }
    }
    if (dispatcher->shared.lines == NULL) {
        trc_lines_monitoring_stop(source, &target);
    }
    else if (trc_tool_is_ours(&source->session.tool)) {
        trc_lines_monitoring_set_scopes(source, &target, scopes_of(dispatcher));
    }
    PyErr_Clear();
    Py_XDECREF(codes);
    Py_DECREF(owner);
    PyErr_Restore(type, value, traceback);
}

void trc_lines_remember(trc_dispatcher *dispatcher)
{
    trc_lines_monitoring_remember(&dispatcher->shared.lines_monitoring, dispatcher->remembers);
}

bool trc_lines_reinstall(trc_dispatcher *dispatcher, PyObject *args)
{
    (void)dispatcher;
    (void)args;
    return false; /* no trace function is set */
}

#endif
