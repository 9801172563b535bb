/* What differs between CPython versions, and the only file that asks which one this is. */
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

/* The first of the interpreter's thread states, all of which are whole. A thread that C made links its own without the
 * interpreter's lock, and up to 3.11 before it has filled it in, but under a lock that this call takes too. */
static inline PyThreadState *trc_first_thread(PyInterpreterState *interpreter)
{
    PyThreadState *first = PyInterpreterState_ThreadHead(interpreter);
    PyThreadState_SetAsyncExc(ULONG_MAX, NULL); /* the id of no thread: locks, finds none, unlocks */
    return first;
}

#if PY_VERSION_HEX < 0x030D0000
/* The newest thread state older than `id`, or NULL. */
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

/* Whether the thread's profile function is this one, with this argument: another instance of the module may have set
 * the same with its own. */
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
 * exception set. From 3.13 on there is only a call for all threads: there nothing is done for the new ones while some
 * thread has another function, which that call would take away. */
static inline int trc_hook_threads(PyInterpreterState *interpreter, uint64_t newer_than, Py_tracefunc function,
                                   PyObject *argument)
{
#if PY_VERSION_HEX < 0x030D0000
    /* Threads may end from one to the next, so each is looked for anew. (One that an audit hook lets end while it is
     * being hooked is more than the interpreter itself can stand.) */
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

/* Takes `function` from the threads that have it with this argument. Raises nothing. From 3.13 on, while some thread has
 * another function, only from the calling one: the others must unhook themselves at their next event. */
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

/* Of 3.12 and later: sys.monitoring, and where the interpreter is: frames have an address that names them while they
 * live, whether or not there is a frame object. */
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

/* The value of a small int, by no call: that saves 14 of the 88 instructions that a line event takes here. -1 with an
 * exception set when it is no int, or none of a long. */
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

/* From 3.14 on, free_tool_id() takes the callbacks of a tool away. */
#define TRC_FREEING_CLEARS (PY_VERSION_HEX >= 0x030E0000)

/* From 3.15 on, PY_UNWIND and PY_THROW can be had for some code only; before, for all or none. */
#define TRC_UNWINDS_ARE_LOCAL (PY_VERSION_HEX >= 0x030F0000)

/* From 3.13 on, no LINE event comes for the line on which a function itself begins, as a lambda's does, unless PY_START is
 * reported in it too. */
#define TRC_STARTS_HIDE_LINES (PY_VERSION_HEX >= 0x030D0000)

/* The bytes of a RESUME instruction. From 3.15 on it has a cache, of which PyCode_Addr2Line() knows a line only as long as
 * nothing is reported in the code. */
#define TRC_RESUME_SIZE (PY_VERSION_HEX >= 0x030F0000 ? 4 : 2)

/* Up to 3.11, when throw() has ended what a generator or coroutine waits for, it goes on without an event. */
#define TRC_GOES_ON_UNSEEN (PY_VERSION_HEX < 0x030C0000)

/* Whether the thread is in a function that the interpreter called to report an event; what that calls is not reported. */
static inline bool trc_is_in_event(const PyThreadState *thread)
{
    return thread->tracing != 0;
}

/* Borrowed: what a dict has under a name, or NULL. Raises nothing and, unlike PyDict_GetItemString() from 3.13 on, tells
 * sys.unraisablehook nothing, which may be a function of the program. */
static inline PyObject *trc_look_up(PyObject *dict, const char *name)
{
    PyObject *key = PyUnicode_FromString(name);
    PyObject *value = key == NULL ? NULL : PyDict_GetItemWithError(dict, key);
    Py_XDECREF(key);
    PyErr_Clear();
    return value;
}

/* Holds the garbage collector off: where no code of the program may run, or while very many values are made, none of
 * which can be garbage (with 1,000,000 edges that is a third of the time). Returns what trc_resume_collection() is to
 * be told. No code of the program may run in between: it would find collection off, and may turn it on or off itself. */
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

#endif
