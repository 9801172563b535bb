/* Lines by PyEval_SetTrace: see lines_settrace.h. */
#include "sources/lines_settrace.h"

#include <stdlib.h>

int trc_lines_settrace_traverse(const trc_lines_settrace *source, visitproc visit, void *arg)
{
    for (const trc_replaced *replaced = source->replaced; replaced != NULL; replaced = replaced->next) {
        Py_VISIT(replaced->object);
    }
    return 0;
}

void trc_lines_settrace_clear(trc_lines_settrace *source)
{
    while (source->replaced != NULL) {
        trc_replaced *replaced = source->replaced;
        source->replaced = replaced->next;
        Py_XDECREF(replaced->object);
        free(replaced);
    }
}

#if !TRC_HAS_MONITORING

static bool is_hooked(const PyThreadState *thread, const trc_held *held, Py_tracefunc function)
{
    return thread->c_tracefunc == function && thread->c_traceobj == held->object;
}

bool trc_lines_settrace_is_hooked_by_program(const trc_held *held, Py_tracefunc function)
{
    const PyThreadState *thread = PyThreadState_Get();
    return thread->c_tracefunc != function && thread->c_traceobj == held->object;
}

static bool has_other(const PyThreadState *thread, const trc_held *held)
{
    return thread->c_tracefunc != NULL && thread->c_traceobj != held->object;
}

/* Sets the trace function of the threads whose state is newer than `newer_than`, but not where another tool has its
 * own. 0, or -1 with an exception set. */
static int hook_threads(const trc_lines_settrace *source, const trc_held *held, Py_tracefunc function,
                        uint64_t newer_than)
{
    PyThreadState *thread = trc_older_thread(source->interpreter, UINT64_MAX);
    while (thread != NULL && thread->id > newer_than) {
        uint64_t id = thread->id;
        if (!has_other(thread, held) && _PyEval_SetTrace(thread, function, held->object) < 0) {
            return -1;
        }
        thread = trc_older_thread(source->interpreter, id);
    }
    return 0;
}

void trc_lines_settrace_hook_new_threads(trc_lines_settrace *source, const trc_held *held, Py_tracefunc function)
{
    uint64_t known = source->newest_thread;
    source->newest_thread = trc_first_thread(source->interpreter)->id;
    if (hook_threads(source, held, function, known) < 0) {
        PyErr_WriteUnraisable(held->object);
    }
}

/* Replaces the trace function that `threading` gives to each thread that it starts, if that is `old`. Without it a
 * thread may run to its end before a hooked thread has an event. Raises nothing. */
static void replace_in_threading(PyObject *old, PyObject *new)
{
    PyObject *modules = PySys_GetObject("modules");
    PyObject *threading = modules == NULL || !PyDict_Check(modules) ? NULL : trc_look_up(modules, "threading");
    if (threading == NULL || !PyModule_Check(threading)) {
        return;
    }
    PyObject *names = PyModule_GetDict(threading);
    if (trc_look_up(names, "_trace_hook") == old) {
        PyDict_SetItemString(names, "_trace_hook", new);
        PyErr_Clear();
    }
}

/* Takes the calling thread from another tool that traces it, after a warning. That tool gets the thread back in the
 * end. 0, or -1 with an exception set. */
static int replace_other(trc_lines_settrace *source, const trc_held *held, Py_tracefunc function)
{
    PyThreadState *thread = PyThreadState_Get();
    if (!has_other(thread, held)) {
        return 0;
    }
    if (PyErr_WarnEx(PyExc_RuntimeWarning,
                     "lines are timed by sys.settrace on this version of Python: the debugger or coverage measurement "
                     "that uses it too sees nothing meanwhile",
                     1) < 0) {
        return -1;
    }
    if (!has_other(thread, held)) { /* a warning runs code */
        return 0;
    }
    trc_replaced *replaced = malloc(sizeof *replaced);
    if (replaced == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    *replaced = (trc_replaced){source->replaced, thread->id, thread->c_tracefunc, Py_XNewRef(thread->c_traceobj)};
    source->replaced = replaced;
    return _PyEval_SetTrace(thread, function, held->object);
}

int trc_lines_settrace_start(trc_lines_settrace *source, const trc_held *held, Py_tracefunc function)
{
    if (replace_other(source, held, function) < 0) {
        return -1;
    }
    replace_in_threading(Py_None, held->object);
    source->newest_thread = trc_first_thread(source->interpreter)->id;
    return hook_threads(source, held, function, 0);
}

/* Gives threads back to the tools that had them, the latest first, if they live and have no trace function. */
static void give_back(trc_lines_settrace *source)
{
    trc_replaced *replaced;
    while ((replaced = source->replaced) != NULL) {
        source->replaced = replaced->next;
        PyThreadState *thread = trc_older_thread(source->interpreter, replaced->state_id + 1);
        if (thread != NULL && thread->id == replaced->state_id && thread->c_tracefunc == NULL &&
            _PyEval_SetTrace(thread, replaced->function, replaced->object) < 0) {
            PyErr_WriteUnraisable(replaced->object);
        }
        Py_XDECREF(replaced->object);
        free(replaced);
    }
}

void trc_lines_settrace_stop(trc_lines_settrace *source, const trc_held *held, Py_tracefunc function)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    replace_in_threading(held->object, Py_None);
    PyThreadState *thread = trc_older_thread(source->interpreter, UINT64_MAX);
    while (thread != NULL) {
        uint64_t id = thread->id;
        if (is_hooked(thread, held, function) && _PyEval_SetTrace(thread, NULL, NULL) < 0) {
            PyErr_WriteUnraisable(NULL);
        }
        thread = trc_older_thread(source->interpreter, id);
    }
    give_back(source);
    PyErr_Restore(type, value, traceback);
}

#endif
