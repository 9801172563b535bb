/* The frames that a thread runs already when tracing begins, without tracer's own. */
#ifndef TRC_LIVE_FRAMES_H
#define TRC_LIVE_FRAMES_H

#include "interp/compat.h"

#include <stdbool.h>

typedef struct trc_live_frames {
    PyFrameObject **frames; /* owned, as are the references: outermost first */
    size_t count;
} trc_live_frames;

/* Returns the frames of a thread of this interpreter; none when memory is out. Frames of the package `tracer` are left
 * out. Where the command runs the program, all frames outside of the program are left out, too. Runs no code of the
 * program; the caller must hold off the garbage collector, and frees the frames. */
trc_live_frames trc_live_frames_take(PyThreadState *thread);
void trc_live_frames_free(trc_live_frames *live);

#endif
