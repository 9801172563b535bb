/* Where a function that is called or returns is told of and no more, as by PyEval_SetProfile and PyEval_SetTrace: whether a
 * generator or coroutine begins or goes on, is over or suspended. */
#ifndef TRC_GENERATORS_H
#define TRC_GENERATORS_H

#include "compat.h"

/* Whether calling it makes a generator, coroutine or the like, whose body can be resumed. */
static inline bool trc_code_is_resumable(const PyCodeObject *code)
{
    return (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE)) != 0;
}

/* Whether a frame that is entered goes on. */
bool trc_frame_is_resumed(PyFrameObject *frame, PyCodeObject *code);

/* Whether a frame that returns `value` (NULL: it raises) does so to go on later. */
bool trc_frame_is_suspended(PyFrameObject *frame, PyCodeObject *code, const PyObject *value);

#endif
