/* What a thread runs already when tracing begins: the frames on its stack, without tracer's own. */
#ifndef TRC_LIVE_FRAMES_H
#define TRC_LIVE_FRAMES_H

#include "interp/compat.h"

#include <stdbool.h>

typedef struct trc_live_frames {
    PyFrameObject **frames; /* owned, and references to them: outermost first */
    size_t count;
} trc_live_frames;

/* The frames of a thread of this interpreter: none when memory is out. Frames of the package `tracer` are left out, and
 * where the command runs a program, so is everything outside of that. Runs no code of the program; the garbage collector
 * must be held off. */
trc_live_frames trc_live_frames_take(PyThreadState *thread);
void trc_live_frames_free(trc_live_frames *live);

#endif
