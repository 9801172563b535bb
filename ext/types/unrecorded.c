/* tracer's own code that runs in the middle of a program, aside from it: no profiler, debugger or coverage tool is told
 * of it. Other files decide what is recorded, and what the code does.
 *
 * A preceded function replaces a builtin of the program and runs code before it. An audit hook would see the same
 * calls, but makes id(), sys._getframe() and every import four times as slow. */
#include "types/unrecorded.h"

#include "sources/allocators.h"
#include "types/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <structmember.h>

const char trc_call_untracked_doc[] =
    "call_untracked($module, function, /, *args)\n--\n\n"
    "Return function(*args). Meanwhile no tracing or profiling function and no sys.monitoring callback is called in\n"
    "this thread, and what the thread allocates is in no figure of memory.";

const char trc_call_soon_doc[] =
    "call_soon($module, function, /)\n--\n\n"
    "Have the main thread call function() aside when that thread next executes Python code. When too many such calls\n"
    "are waiting, function() is never called.\n\n"
    "Raises RuntimeError in any interpreter but the main one.";

const char trc_call_through_doc[] =
    "call_through($module, function, /)\n--\n\n"
    "Return function(), which is called aside, and again as long as a KeyboardInterrupt comes out of it.\n\n"
    "For functions that do nothing before they hold such interrupts off: an interrupt may come before the first line\n"
    "of a function written in Python.";

const char trc_precede_doc[] = "precede($module, function, before, /)\n--\n\n"
                               "Return a callable that looks like `function`. A call of it calls before(...) aside,\n"
                               "then function(...), both with the arguments of the call.\n\n"
                               "An Exception that before() raises is dropped.";

const char trc_follow_doc[] = "follow($module, function, after, /)\n--\n\n"
                              "The same, but after(...) is called behind function(...), where that returns.";

static PyObject *call_untracked(PyObject *function, PyObject *const *args, size_t count, PyObject *names)
{
    PyThreadState *thread = PyThreadState_Get();
    bool was_suppressed = trc_allocators_suppress(true);
    PyThreadState_EnterTracing(thread);
    PyObject *result = PyObject_Vectorcall(function, args, count, names);
    PyThreadState_LeaveTracing(thread);
    trc_allocators_suppress(was_suppressed);
    return result;
}

PyObject *trc_call_untracked(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count < 1) {
        PyErr_SetString(PyExc_TypeError, "call_untracked() needs a function");
        return NULL;
    }
    return call_untracked(args[0], args + 1, (size_t)count - 1, NULL);
}

static int call_pending(void *function)
{
    PyObject *result = call_untracked(function, NULL, 0, NULL);
    if (result == NULL) {
        PyErr_WriteUnraisable(function);
    }
    Py_XDECREF(result);
    Py_DECREF((PyObject *)function);
    return 0;
}

PyObject *trc_call_soon(PyObject *module, PyObject *function)
{
    (void)module;
    /* The main interpreter runs pending calls, with neither this interpreter's memory nor, perhaps, its lock. */
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(PyExc_RuntimeError, "call_soon() works in the main interpreter only: call the function itself");
        return NULL;
    }
    if (Py_AddPendingCall(call_pending, Py_NewRef(function)) < 0) {
        Py_DECREF(function);
    }
    Py_RETURN_NONE;
}

PyObject *trc_call_through(PyObject *module, PyObject *function)
{
    (void)module;
    PyObject *result = call_untracked(function, NULL, 0, NULL);
    while (result == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_Clear();
        result = call_untracked(function, NULL, 0, NULL);
    }
    return result;
}

/* -- Preceded functions -- */

typedef struct preceded {
    PyObject_HEAD
    PyObject *function; /* owned */
    PyObject *before;   /* owned */
    vectorcallfunc call;
} preceded;

static PyObject *preceded_call(PyObject *self, PyObject *const *args, size_t count_and_flag, PyObject *names)
{
    size_t count = (size_t)PyVectorcall_NARGS(count_and_flag);
    PyObject *function = Py_NewRef(((preceded *)self)->function);
    PyObject *before = Py_NewRef(((preceded *)self)->before);
    PyObject *result = call_untracked(before, args, count, names);
    if (result != NULL || PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
        Py_XSETREF(result, PyObject_Vectorcall(function, args, count, names));
    }
    Py_DECREF(before);
    Py_DECREF(function);
    return result;
}

/* `before` is called behind the function. */
static PyObject *followed_call(PyObject *self, PyObject *const *args, size_t count_and_flag, PyObject *names)
{
    size_t count = (size_t)PyVectorcall_NARGS(count_and_flag);
    PyObject *after = Py_NewRef(((preceded *)self)->before), *function = Py_NewRef(((preceded *)self)->function);
    PyObject *result = PyObject_Vectorcall(function, args, count, names);
    PyObject *done = result == NULL ? NULL : call_untracked(after, args, count, names);
    if (result != NULL && done == NULL) {
        if (PyErr_ExceptionMatches(PyExc_Exception)) {
            PyErr_Clear();
        }
        else {
            Py_CLEAR(result);
        }
    }
    Py_XDECREF(done);
    Py_DECREF(after);
    Py_DECREF(function);
    return result;
}

/* The function answers for every attribute: name, documentation, signature, how it is pickled. */
static PyObject *preceded_getattro(PyObject *self, PyObject *name)
{
    return PyObject_GetAttr(((preceded *)self)->function, name);
}

static PyObject *preceded_repr(PyObject *self)
{
    return PyObject_Repr(((preceded *)self)->function);
}

/* Equal to the function, so that sets such as os.supports_fd find it. */
static Py_hash_t preceded_hash(PyObject *self)
{
    return PyObject_Hash(((preceded *)self)->function);
}

static PyObject *preceded_compare(PyObject *self, PyObject *other, int operation)
{
    PyObject *same = Py_IS_TYPE(other, Py_TYPE(self)) ? ((preceded *)other)->function : other;
    return PyObject_RichCompare(((preceded *)self)->function, same, operation);
}

static int preceded_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((preceded *)self)->function);
    Py_VISIT(((preceded *)self)->before);
    return 0;
}

static void preceded_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((preceded *)self)->function);
    Py_XDECREF(((preceded *)self)->before);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *make_preceded(PyObject *module, PyObject *const *args, Py_ssize_t count, vectorcallfunc call)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError,
                        call == preceded_call ? "precede() needs two functions" : "follow() needs two functions");
        return NULL;
    }
    PyTypeObject *type = trc_state_of_module(module)->preceded_type;
    preceded *self = (preceded *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->function = Py_NewRef(args[0]);
        self->before = Py_NewRef(args[1]);
        self->call = call;
    }
    return (PyObject *)self;
}

PyObject *trc_precede(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    return make_preceded(module, args, count, preceded_call);
}

PyObject *trc_follow(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    return make_preceded(module, args, count, followed_call);
}

PyTypeObject *trc_preceded_type(PyObject *module)
{
    PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(preceded, call), READONLY, NULL},
        {.name = NULL},
    };
    PyType_Slot slots[] = {
        {Py_tp_doc, (void *)"A function before which another one is called. precede() makes it."},
        {Py_tp_dealloc, preceded_dealloc},
        {Py_tp_traverse, preceded_traverse},
        {Py_tp_call, PyVectorcall_Call},
        {Py_tp_getattro, preceded_getattro},
        {Py_tp_repr, preceded_repr},
        {Py_tp_hash, preceded_hash},
        {Py_tp_richcompare, preceded_compare},
        {Py_tp_members, members},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = "tracer._core.Preceded",
        .basicsize = sizeof(preceded),
        .flags =
            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
