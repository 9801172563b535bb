/* Lines by PyEval_SetTrace, up to 3.11. The interpreter keeps one trace function a thread; it reports every line of all
 * code, and no C callable. A thread in which another tool traces lines (a debugger, a coverage measurement) is left to
 * that tool. Only in the thread that enables a recorder is the other tool shut out meanwhile. Existing threads are
 * hooked at the start; new threads by `threading`, or at the next event of any hooked thread. This file hooks threads;
 * the trace function is in dispatch/on_lines_settrace.c. */
#ifndef TRC_LINES_SETTRACE_H
#define TRC_LINES_SETTRACE_H

#include "sources/held.h"

/* The trace function that another tool had in a thread. */
typedef struct trc_replaced {
    struct trc_replaced *next;
    uint64_t state_id; /* PyThreadState_GetID() of the thread */
    Py_tracefunc function;
    PyObject *object; /* owned */
} trc_replaced;

typedef struct trc_lines_settrace {
    PyInterpreterState *interpreter;
    uint64_t newest_thread; /* id of the newest thread state that is hooked */
    trc_replaced *replaced; /* owned: what threads that enabled a recorder get back, the latest first */
} trc_lines_settrace;

#if !TRC_HAS_MONITORING

/* Hooks all threads. 0, or -1 with an exception set: then the caller must call trc_lines_settrace_stop(). */
int trc_lines_settrace_start(trc_lines_settrace *source, const trc_held *held, Py_tracefunc function);

/* Unhooks all threads. Raises nothing. */
void trc_lines_settrace_stop(trc_lines_settrace *source, const trc_held *held, Py_tracefunc function);

/* has_new_threads: whether a thread exists that did not exist when threads were hooked. hook_new_threads: hooks those
 * threads. Both raise nothing. */
static inline bool trc_lines_settrace_has_new_threads(const trc_lines_settrace *source)
{
    return PyInterpreterState_ThreadHead(source->interpreter)->id != source->newest_thread;
}

void trc_lines_settrace_hook_new_threads(trc_lines_settrace *source, const trc_held *held, Py_tracefunc function);

/* Whether the program passed to sys.settrace(), in the calling thread, what sys.gettrace() had returned there. */
bool trc_lines_settrace_is_hooked_by_program(const trc_held *held, Py_tracefunc function);

#endif

int trc_lines_settrace_traverse(const trc_lines_settrace *source, visitproc visit, void *arg);
void trc_lines_settrace_clear(trc_lines_settrace *source);

#endif
