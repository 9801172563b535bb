/* Calls by PyEval_SetProfile, on every version: it reports Python functions, and builtin functions and methods. The
 * interpreter keeps one profile function a thread. Existing threads are hooked at the start. New threads are hooked at
 * the next event of any hooked thread that is not the return of a Python function; so are threads that C code makes.
 * This file hooks threads; the profile function is in dispatch/on_calls_setprofile.c. */
#ifndef TRC_CALLS_SETPROFILE_H
#define TRC_CALLS_SETPROFILE_H

#include "sources/held.h"

typedef struct trc_calls_setprofile {
    PyInterpreterState *interpreter;
    Py_tracefunc function;  /* what threads are hooked with, since the first start */
    uint64_t newest_thread; /* id of the newest thread state that has been hooked */
} trc_calls_setprofile;

/* Whether the thread's events still come: somebody may have taken away the function that makes them. */
static inline bool trc_calls_setprofile_is_installed(const trc_calls_setprofile *source, const PyThreadState *thread)
{
    return thread->c_profilefunc == source->function;
}

/* Hooks the calling thread, or every thread. 0, or -1 with an exception set. */
int trc_calls_setprofile_start(trc_calls_setprofile *source, const trc_held *held, Py_tracefunc function,
                               bool every_thread);

/* Unhooks all threads. Raises nothing. Some threads may have to unhook themselves, at their next event. */
void trc_calls_setprofile_stop(const trc_calls_setprofile *source, const trc_held *held);

/* Whether a thread exists that did not exist when threads were hooked. */
static inline bool trc_calls_setprofile_has_new_threads(const trc_calls_setprofile *source)
{
    return PyInterpreterState_ThreadHead(source->interpreter)->id != source->newest_thread;
}

/* Counts the present threads as no longer new. Returns the id of the newest thread state before. */
uint64_t trc_calls_setprofile_note_threads(trc_calls_setprofile *source);

/* Hooks the threads whose state is newer than `newer_than`. Raises nothing. */
void trc_calls_setprofile_hook(const trc_calls_setprofile *source, const trc_held *held, uint64_t newer_than);

#endif
