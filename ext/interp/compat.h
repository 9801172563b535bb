/* The differences between CPython versions. Only this file asks for the version. */
#ifndef TRC_COMPAT_H
#define TRC_COMPAT_H

#include <Python.h>
#include <opcode.h>

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#if PY_VERSION_HEX < 0x030B0000
#error "tracer needs CPython 3.11 or later"
#endif

/* Returns the first of the interpreter's thread states, all of which are complete. A thread that C code made links its
 * own state without the interpreter's lock, up to 3.11 before the state is filled in. It does so under a lock that the
 * second call takes too. */
static inline PyThreadState *trc_first_thread(PyInterpreterState *interpreter)
{
    PyThreadState *first = PyInterpreterState_ThreadHead(interpreter);
    PyThreadState_SetAsyncExc(ULONG_MAX, NULL); /* the id of no thread: takes the lock, finds none, lets go */
    return first;
}

#if PY_VERSION_HEX < 0x030D0000
/* Returns the newest thread state older than `id`, or NULL. */
static inline PyThreadState *trc_older_thread(PyInterpreterState *interpreter, uint64_t id)
{
    PyThreadState *found = NULL;
    for (PyThreadState *thread = trc_first_thread(interpreter); thread != NULL; thread = PyThreadState_Next(thread)) {
        if (thread->id < id && (found == NULL || thread->id > found->id)) {
            found = thread;
        }
    }
    return found;
}
#endif

/* Whether the thread's profile function is `function` with this argument: another instance of the module may have set
 * the same function with its own argument. */
static inline bool trc_is_hooked(const PyThreadState *thread, Py_tracefunc function, const PyObject *argument)
{
    return thread->c_profilefunc == function && thread->c_profileobj == argument;
}

static inline bool trc_any_thread_has_other(PyInterpreterState *interpreter, Py_tracefunc function,
                                            const PyObject *argument)
{
    PyThreadState *thread = trc_first_thread(interpreter);
    while (thread != NULL && (thread->c_profilefunc == NULL || trc_is_hooked(thread, function, argument))) {
        thread = PyThreadState_Next(thread);
    }
    return thread != NULL;
}

/* Sets the profile function of the threads whose state is newer than `newer_than` (0: of all). Returns 0, or -1 with an
 * exception set. From 3.13 on, the only call is for all threads and would replace the function of each. So new threads
 * are not hooked while some thread has another function. */
static inline int trc_hook_threads(PyInterpreterState *interpreter, uint64_t newer_than, Py_tracefunc function,
                                   PyObject *argument)
{
#if PY_VERSION_HEX < 0x030D0000
    /* Threads may end between two calls, so each thread is looked up anew. (If an audit hook ends the thread that is
     * being hooked, the interpreter itself fails.) */
    PyThreadState *thread = trc_older_thread(interpreter, UINT64_MAX);
    while (thread != NULL && thread->id > newer_than) {
        uint64_t id = thread->id;
        if (_PyEval_SetProfile(thread, function, argument) < 0) {
            return -1;
        }
        thread = trc_older_thread(interpreter, id);
    }
#else
    if (newer_than == 0 || !trc_any_thread_has_other(interpreter, function, argument)) {
        PyEval_SetProfileAllThreads(function, argument);
    }
#endif
    return 0;
}

/* Takes `function` from the threads that have it with this argument. Raises nothing. From 3.13 on, while some thread
 * has another function, only the calling thread is unhooked: the others must unhook themselves at their next event. */
static inline void trc_unhook_threads(PyInterpreterState *interpreter, Py_tracefunc function, const PyObject *argument)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
#if PY_VERSION_HEX < 0x030D0000
    PyThreadState *thread = trc_older_thread(interpreter, UINT64_MAX);
    while (thread != NULL) {
        uint64_t id = thread->id;
        if (trc_is_hooked(thread, function, argument) && _PyEval_SetProfile(thread, NULL, NULL) < 0) {
            PyErr_WriteUnraisable(NULL);
        }
        thread = trc_older_thread(interpreter, id);
    }
#else
    if (!trc_any_thread_has_other(interpreter, function, argument)) {
        PyEval_SetProfileAllThreads(NULL, NULL);
    }
    else if (trc_is_hooked(PyThreadState_Get(), function, argument)) {
        PyEval_SetProfile(NULL, NULL);
    }
#endif
    PyErr_Restore(type, value, traceback);
}

/* The calling thread's state, without a check that there is one: an event has a thread. */
static inline PyThreadState *trc_this_thread(void)
{
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_GetUnchecked();
#else
    return _PyThreadState_UncheckedGet();
#endif
}

/* Whether the calling thread, which may have no state, holds the lock of the interpreter. Before 3.12 all interpreters
 * share one lock, and the state that is found is that of whoever holds the lock: it is the thread's own where the thread
 * has noted it. A thread that runs another interpreter than its first is not known to hold the lock then. */
static inline bool trc_holds(const PyInterpreterState *interpreter)
{
    const PyThreadState *running = trc_this_thread();
#if PY_VERSION_HEX >= 0x030C0000
    return running != NULL && running->interp == interpreter;
#else
    (void)interpreter;
    return running != NULL && running == PyGILState_GetThisThreadState();
#endif
}

/* Whether the calling thread may touch the interpreter's objects: it has the GIL, or, in a build without one, it is
 * attached. A contract: see core/base/contract.h. */
static inline bool trc_has_gil(void)
{
    return PyGILState_Check() != 0;
}

/* The interpreter that was made last. If that is the main one, no other is there. Before 3.12 all interpreters share one
 * lock, and the main one stands for all. */
static inline const PyInterpreterState *trc_newest_interpreter(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyInterpreterState_Head();
#else
    return PyInterpreterState_Main();
#endif
}

/* 3.12 and later have sys.monitoring and tell which frame runs: the address of the interpreter's frame names the frame
 * while it lives, with or without a frame object. */
#if PY_VERSION_HEX >= 0x030C0000
#define TRC_HAS_MONITORING 1
static inline uintptr_t trc_frame_of(const PyThreadState *thread)
{
#if PY_VERSION_HEX >= 0x030D0000
    return (uintptr_t)thread->current_frame;
#else
    return (uintptr_t)thread->cframe->current_frame;
#endif
}

/* New reference: the code that a frame of such an address runs; NULL where there is no frame. */
static inline PyObject *trc_frame_code(uintptr_t frame)
{
    return frame == 0 ? NULL : PyUnstable_InterpreterFrame_GetCode((struct _PyInterpreterFrame *)frame);
}

/* The value of a small int, without a call: that saves 14 of the 88 instructions of a line event. Returns -1 with an
 * exception set when the object is no int, or too large for a long. */
static inline long trc_small_int(PyObject *object)
{
    if (PyLong_CheckExact(object) && PyUnstable_Long_IsCompact((PyLongObject *)object)) {
        return (long)PyUnstable_Long_CompactValue((PyLongObject *)object);
    }
    return PyLong_AsLong(object);
}
#else
#define TRC_HAS_MONITORING 0
#endif

/* From 3.13 on, a fork counts the threads of the process when after_in_parent() has been called, and warns of them. */
#define TRC_COUNTS_THREADS_LAST (PY_VERSION_HEX >= 0x030D0000)

/* From 3.13 on, a call that a thread without the GIL adds (Py_AddPendingCall) wakes the main thread. Before, it does not, and what
 * that was about to look at is put off: a signal, too. */
#define TRC_ADDED_CALLS_WAKE (PY_VERSION_HEX >= 0x030D0000)

/* From 3.14 on, free_tool_id() removes the callbacks of the tool. */
#define TRC_FREEING_CLEARS (PY_VERSION_HEX >= 0x030E0000)

/* From 3.15 on, PY_UNWIND and PY_THROW can be set for some code only; before, for all code or none. */
#define TRC_UNWINDS_ARE_LOCAL (PY_VERSION_HEX >= 0x030F0000)

/* From 3.13 on, the line on which a function begins has no LINE event when its body begins there too, as a lambda's
 * does, unless PY_START is reported in the function. */
#define TRC_STARTS_HIDE_LINES (PY_VERSION_HEX >= 0x030D0000)

/* The bytes of a RESUME instruction. From 3.15 on, it has a cache, for which PyCode_Addr2Line() gives a line only while
 * nothing is reported in the code. */
#define TRC_RESUME_SIZE (PY_VERSION_HEX >= 0x030F0000 ? 4 : 2)

/* Up to 3.11: a generator or coroutine goes on without an event when throw() has ended what it awaits. */
#define TRC_GOES_ON_UNSEEN (PY_VERSION_HEX < 0x030C0000)

/* What differs between a code object and one that took its place in memory: only from 3.12 on it has a number of its
 * own. */
#if PY_VERSION_HEX >= 0x030C0000
#define TRC_CODE_VERSION offsetof(PyCodeObject, co_version)
#else
#define TRC_CODE_VERSION offsetof(PyCodeObject, co_stacksize)
#endif

/* Where a thread's state has its innermost frame, and the heads of frames, as core/samples/frame_layout.h tells of them.
 * From `shims` on, `owner` says that a frame is none of a function's, but stands where C code called. */
#if PY_VERSION_HEX >= 0x030D0000
#define TRC_STATE_FRAME {.frame = offsetof(PyThreadState, current_frame)}
#else
#define TRC_STATE_FRAME \
    {.frame = offsetof(PyThreadState, cframe), .has_link = true, .link_frame = offsetof(_PyCFrame, current_frame)}
#endif

#if PY_VERSION_HEX >= 0x030E0000
#define TRC_FRAME_HEAD {.code = 0, .previous = 8, .instruction = 56, .owner = 74, .shims = 3, .size = 80}
#elif PY_VERSION_HEX >= 0x030C0000
#define TRC_FRAME_HEAD {.code = 0, .previous = 8, .instruction = 56, .stack = 64, .owner = 70, .shims = 3, .size = 72}
#else
#define TRC_FRAME_HEAD {.code = 32, .previous = 48, .instruction = 56, .owner = 69, .shims = 3, .size = 72}
#endif

/* The instruction that stands in the place of another where the interpreter is to tell of a line; 0 where there is none. */
#ifdef INSTRUMENTED_LINE
#define TRC_LINE_INSTRUCTION INSTRUMENTED_LINE
#else
#define TRC_LINE_INSTRUCTION 0
#endif

/* Whether the thread is in a function that the interpreter called to report an event. Calls from there are not
 * reported. */
static inline bool trc_is_in_event(const PyThreadState *thread)
{
    return thread->tracing != 0;
}

/* Returns the dict's value for a name, borrowed, or NULL. Raises nothing. From 3.13 on, PyDict_GetItemString() reports
 * errors to sys.unraisablehook, which may be a function of the program; this function does not. */
static inline PyObject *trc_look_up(PyObject *dict, const char *name)
{
    PyObject *key = PyUnicode_FromString(name);
    PyObject *value = key == NULL ? NULL : PyDict_GetItemWithError(dict, key);
    Py_XDECREF(key);
    PyErr_Clear();
    return value;
}

/* Returns an attribute of a type, as its bases have it, borrowed, or NULL. Reads only dictionaries: an attribute look-up
 * could run code of the program. Raises nothing. */
static inline PyObject *trc_look_up_inherited(const PyTypeObject *type, const char *name)
{
    PyObject *found = NULL;
    for (Py_ssize_t i = 0; found == NULL && i < PyTuple_GET_SIZE(type->tp_mro); i++) {
        const PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(type->tp_mro, i);
        found = base->tp_dict == NULL ? NULL : trc_look_up(base->tp_dict, name);
    }
    return found;
}

/* Stops the garbage collector where no code of the program may run, and while very many values are made, none of which
 * can be garbage (with 1,000,000 edges that saves a third of the time). Returns the argument for
 * trc_resume_collection(). No code of the program may run in between: it would find collection off, and may itself turn
 * it on or off. */
static inline int trc_pause_collection(void)
{
    return PyGC_Disable();
}

static inline void trc_resume_collection(int was_enabled)
{
    if (was_enabled) {
        PyGC_Enable();
    }
}

/* -- Objects -- */

/* Returns the dict of a type, a new reference, or NULL without an exception. */
static inline PyObject *trc_type_dict(PyTypeObject *type)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyType_GetDict(type); /* that of a static type is another one in each interpreter */
#else
    return Py_XNewRef(type->tp_dict);
#endif
}

/* Whether the interpreter has a function that visits the objects that its garbage collector tracks. */
#if PY_VERSION_HEX >= 0x030C0000
#define TRC_COLLECTOR_VISITS 1
#else
#define TRC_COLLECTOR_VISITS 0
#endif

/* The bytes of an object in front of its address, of an object that the collector can track: as sys.getsizeof() adds
 * them. */
static inline size_t trc_size_before(const PyTypeObject *type)
{
    size_t size = 2 * sizeof(uintptr_t); /* PyGC_Head */
#if PY_VERSION_HEX >= 0x030C0000
    const unsigned long flags = Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF;
#else
    const unsigned long flags = Py_TPFLAGS_MANAGED_DICT;
#endif
    size += type->tp_flags & flags ? 2 * sizeof(PyObject *) : 0;
    return size;
}

/* The bytes of an object's block of memory in front of the object. */
static inline size_t trc_size_in_front(const PyTypeObject *type)
{
    size_t size = trc_size_before(type);
    return type->tp_flags & Py_TPFLAGS_HAVE_GC ? size : size - 2 * sizeof(uintptr_t);
}

/* Whether objects of the type have attributes in a dict, which may not have been made yet. */
static inline bool trc_has_attributes(const PyTypeObject *type)
{
    return type->tp_dictoffset != 0 || (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
}

/* Whether an int is stored in one digit, so that it has the size of any other such int. */
static inline bool trc_is_short_int(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyUnstable_Long_IsCompact((PyLongObject *)object);
#else
    Py_ssize_t size = Py_SIZE(object);
    return size == 1 || size == -1;
#endif
}

#if PY_VERSION_HEX < 0x030C0000
/* The beginnings of a frame object and of the interpreter's frame, as all of 3.11 has them. No public function of 3.11
 * reads a variable and leaves the frame as it is: PyFrame_GetLocals() writes to a dict that the frame keeps, and what
 * stands in that dict becomes the variables again when a trace function written in Python returns. */
typedef struct trc_inner_frame {
    PyObject *function;
    PyObject *globals;
    PyObject *builtins;
    PyObject *locals;
    PyCodeObject *code;
    PyFrameObject *object;
    struct trc_inner_frame *previous;
    void *instruction;
    int top;
    bool is_entry;
    char owner;
    PyObject *variables[];
} trc_inner_frame;

typedef struct trc_outer_frame {
    PyObject_HEAD
    PyFrameObject *back;
    trc_inner_frame *inner;
} trc_outer_frame;

enum { TRC_IN_CELL = 0x40 | 0x80 }; /* bits in co_localspluskinds: the function's own cell, one of a function around */
#endif

/* Returns what a variable of a function's frame holds, a new reference; NULL, without an exception, when it holds
 * nothing. `place`: of its name in the code's co_localsplusnames. Leaves the frame as it is, and runs no code of the
 * program. */
static inline PyObject *trc_frame_variable(PyFrameObject *frame, const PyCodeObject *code, Py_ssize_t place)
{
#if PY_VERSION_HEX >= 0x030C0000
    PyObject *value = PyFrame_GetVar(frame, PyTuple_GET_ITEM(code->co_localsplusnames, place));
    PyErr_Clear();
    return value;
#else
    const trc_inner_frame *inner = ((trc_outer_frame *)(void *)frame)->inner;
    bool is_known = inner != NULL && inner->code == code;
    if (!is_known || (inner->object != frame && inner->object != NULL)) { /* NULL: it has ended */
        return NULL;
    }
    PyObject *value = inner->variables[place];
    bool is_in_cell = PyBytes_AS_STRING(code->co_localspluskinds)[place] & TRC_IN_CELL;
    return Py_XNewRef(is_in_cell && value != NULL && PyCell_Check(value) ? PyCell_GET(value) : value);
#endif
}

#endif
