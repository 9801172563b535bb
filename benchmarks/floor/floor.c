/* The floor: what the interpreter itself charges for telling of calls. A profiler that receives the events tracer asks for
 * with builtins=True, reads a clock once at each enter and each leave, and does nothing else: no table, no look-up.
 * Of sys.monitoring where there is such a thing, of PyEval_SetProfile before (there of the calling thread alone).
 * It is of the benchmarks, not of the package. */
#include <Python.h>
#include <structmember.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define TOOL_ID 4 /* the one tracer takes when it is free */

typedef struct floor_state {
    PyTypeObject *callback_type; /* owned */
    int64_t last;                /* what the clock showed last: read so that a test can tell that it was */
} floor_state;

typedef struct callback {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *module; /* owned: the state that is written to is in it */
    int64_t *last;    /* borrowed: of that state */
} callback;

static inline int64_t read_clock(void)
{
#if defined(__x86_64__)
    return (int64_t)__rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return (int64_t)ticks;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
#endif
}

/* -- sys.monitoring -- */

static PyObject *on_python(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)args, (void)nargsf, (void)names;
    *((callback *)self)->last = read_clock();
    Py_RETURN_NONE;
}

/* CALL comes for every callable, and a Python function has events of its own: what is entered here is what
 * PyEval_SetProfile would report, as in tracer. */
static PyObject *on_c(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *names)
{
    (void)nargsf, (void)names;
    PyTypeObject *type = Py_TYPE(args[2]); /* by identity: a check for subtypes costs a call, and there are none */
    if (type == &PyCFunction_Type || type == &PyMethodDescr_Type || type == &PyCMethod_Type) {
        *((callback *)self)->last = read_clock();
    }
    Py_RETURN_NONE;
}

static const struct {
    const char *name;
    vectorcallfunc function;
} events[] = {
    {"PY_START", on_python},  {"PY_RESUME", on_python}, {"PY_THROW", on_python},
    {"PY_RETURN", on_python}, {"PY_YIELD", on_python},  {"PY_UNWIND", on_python},
    {"CALL", on_c},           {"C_RETURN", on_c},       {"C_RAISE", on_c},
};

#define EVENTS (sizeof events / sizeof *events)

/* Borrowed: sys.monitoring, or NULL without an exception: this Python has none. */
static PyObject *monitoring(void)
{
    return PySys_GetObject("monitoring");
}

/* The bit of an event, or -1 with an exception set. */
static int event_bit(const char *name)
{
    PyObject *numbers = PyObject_GetAttrString(monitoring(), "events");
    PyObject *number = numbers == NULL ? NULL : PyObject_GetAttrString(numbers, name);
    long bit = number == NULL ? -1 : PyLong_AsLong(number);
    Py_XDECREF(numbers);
    Py_XDECREF(number);
    return (int)bit;
}

/* Whether there is a result, which is let go of; else an exception is set. */
static bool done(PyObject *result)
{
    Py_XDECREF(result);
    return result != NULL;
}

static bool start_monitoring(PyObject *module)
{
    floor_state *state = PyModule_GetState(module);
    if (!done(PyObject_CallMethod(monitoring(), "use_tool_id", "is", TOOL_ID, "floor"))) {
        return false;
    }
    int all = 0;
    for (size_t i = 0; i < EVENTS; i++) {
        int bit = event_bit(events[i].name);
        callback *self = bit < 0 ? NULL : (callback *)state->callback_type->tp_alloc(state->callback_type, 0);
        if (self == NULL) {
            return false;
        }
        self->vectorcall = events[i].function;
        self->module = Py_NewRef(module);
        self->last = &state->last;
        bool registered = done(PyObject_CallMethod(monitoring(), "register_callback", "iiO", TOOL_ID, bit, self));
        Py_DECREF(self);
        if (!registered) {
            return false;
        }
        all |= bit;
    }
    return done(PyObject_CallMethod(monitoring(), "set_events", "ii", TOOL_ID, all));
}

static bool stop_monitoring(void)
{
    if (!done(PyObject_CallMethod(monitoring(), "set_events", "ii", TOOL_ID, 0))) {
        return false;
    }
    for (size_t i = 0; i < EVENTS; i++) {
        int bit = event_bit(events[i].name);
        if (bit < 0 || !done(PyObject_CallMethod(monitoring(), "register_callback", "iiO", TOOL_ID, bit, Py_None))) {
            return false;
        }
    }
    return done(PyObject_CallMethod(monitoring(), "free_tool_id", "i", TOOL_ID));
}

/* -- PyEval_SetProfile: each of its events is an enter or a leave -- */

static int on_profile(PyObject *module, PyFrameObject *frame, int what, PyObject *arg)
{
    (void)frame, (void)what, (void)arg;
    ((floor_state *)PyModule_GetState(module))->last = read_clock();
    return 0;
}

/* -- The module -- */

static PyObject *start(PyObject *module, PyObject *unused)
{
    (void)unused;
    if (monitoring() == NULL) {
        PyEval_SetProfile(on_profile, module);
    }
    else if (!start_monitoring(module)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *stop(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    if (monitoring() == NULL) {
        PyEval_SetProfile(NULL, NULL);
    }
    else if (!stop_monitoring()) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *last(PyObject *module, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLongLong(((floor_state *)PyModule_GetState(module))->last);
}

static void callback_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((callback *)self)->module);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef callback_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(callback, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static int module_exec(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, callback_dealloc},
        {Py_tp_call, PyVectorcall_Call},
        {Py_tp_members, callback_members},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "bench_floor.Callback",
        .basicsize = sizeof(callback),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    floor_state *state = PyModule_GetState(module);
    state->callback_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return state->callback_type == NULL ? -1 : 0;
}

static int module_clear(PyObject *module)
{
    Py_CLEAR(((floor_state *)PyModule_GetState(module))->callback_type);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    Py_VISIT(((floor_state *)PyModule_GetState(module))->callback_type);
    return 0;
}

static PyMethodDef functions[] = {
    {"start", start, METH_NOARGS, "start(): receive the events and read the clock at each."},
    {"stop", stop, METH_NOARGS, "stop(): receive them no more."},
    {"last", last, METH_NOARGS, "last(): what the clock showed at the last event, in its own ticks."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,         .m_name = "bench_floor", .m_doc = "The least that a profiler of calls can cost.",
    .m_size = sizeof(floor_state), .m_methods = functions,  .m_slots = module_slots,
    .m_traverse = module_traverse, .m_clear = module_clear, .m_free = module_free,
};

PyMODINIT_FUNC PyInit_bench_floor(void)
{
    return PyModuleDef_Init(&definition);
}
