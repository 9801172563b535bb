/* What a thread runs already when tracing begins: the frames on its stack, without tracer's own. */
#ifndef TRC_RUNNING_H
#define TRC_RUNNING_H

#include "interp/compat.h"

#include <stdbool.h>

typedef struct trc_running {
    PyFrameObject **frames; /* owned, and references to them: outermost first */
    size_t count;
} trc_running;

/* The frames of a thread of this interpreter: none when memory is out. Frames of the package `tracer` are left out, and
 * where the command runs a program, so is everything outside of that. Runs no code of the program; the garbage collector
 * must be held off. */
trc_running trc_running_take(PyThreadState *thread);
void trc_running_free(trc_running *running);

#endif
