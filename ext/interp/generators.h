/* PyEval_SetProfile and PyEval_SetTrace report only that a function is entered or returns. These functions tell whether
 * a generator or coroutine begins or goes on, is over or suspended. */
#ifndef TRC_GENERATORS_H
#define TRC_GENERATORS_H

#include "interp/compat.h"

/* Whether a call makes a coroutine: something that can be a task. */
static inline bool trc_code_is_coroutine(const PyCodeObject *code)
{
    return (code->co_flags & (CO_COROUTINE | CO_ITERABLE_COROUTINE)) != 0;
}

/* Whether a call makes a generator, coroutine or the like, whose body can be resumed. */
static inline bool trc_code_is_resumable(const PyCodeObject *code)
{
    return trc_code_is_coroutine(code) || (code->co_flags & (CO_GENERATOR | CO_ASYNC_GENERATOR)) != 0;
}

/* The questions below, for code that is resumable. */
bool trc_generator_is_resumed(PyFrameObject *frame, PyCodeObject *code);
bool trc_generator_is_suspended(PyFrameObject *frame, PyCodeObject *code);

/* Whether a frame that is entered is resumed. */
static inline bool trc_frame_is_resumed(PyFrameObject *frame, PyCodeObject *code)
{
    return trc_code_is_resumable(code) && trc_generator_is_resumed(frame, code);
}

/* Whether a frame that returns `value` (NULL: raises) is suspended and may go on later. */
static inline bool trc_frame_is_suspended(PyFrameObject *frame, PyCodeObject *code, const PyObject *value)
{
    return value != NULL && trc_code_is_resumable(code) && trc_generator_is_suspended(frame, code);
}

#endif
