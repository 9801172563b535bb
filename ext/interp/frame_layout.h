/* Where this interpreter keeps the frames of Python code, for whoever reads them in the middle of a change. The structs of
 * frames are in no public header: their heads are written down here, and checked once, against what the interpreter says of
 * the calling thread's own frames. */
#ifndef TRC_INTERP_FRAME_LAYOUT_H
#define TRC_INTERP_FRAME_LAYOUT_H

#include "core/samples/frame_chain.h"
#include "interp/compat.h"

/* The layout of this version. */
trc_frame_layout trc_frame_layout_here(void);

/* Whether the calling thread's frames are as the layout says: the same code objects as PyFrame_GetBack() finds. */
bool trc_frame_layout_holds(const trc_frame_layout *layout);

#if TRC_HAS_MONITORING

/* The head of an interpreter's frame, as far as callers are looked for. */
typedef struct trc_frame_head {
    uintptr_t code; /* with bits that say something else */
    const struct trc_frame_head *previous;
} trc_frame_head;

/* The frame of the Python function that called the one that the calling thread, whose state this is, runs, whether or not C
 * code came between; NULL where there is none. It may still be a shim around a call of a class. The thread has the GIL. */
static inline const trc_frame_head *trc_calling_frame(const PyThreadState *state)
{
    static const struct {
        size_t code, previous, instruction, stack, owner;
        uint8_t shims;
        size_t size;
    } head = TRC_FRAME_HEAD;
    const trc_frame_head *inner =
        (const trc_frame_head *)trc_frame_of(state); /* NULL: no Python code called the callback */
    const trc_frame_head *frame = inner == NULL ? NULL : inner->previous;
    while (frame != NULL && ((const uint8_t *)frame)[head.owner] >= head.shims) {
        frame = frame->previous;
    }
    return frame;
}

/* The code of a frame; of the one that called it, where this is a shim; NULL where there is none. Borrowed. */
PyCodeObject *trc_code_of_caller(const trc_frame_head *frame);

#endif

/* The state of the calling thread, whichever thread has the GIL, or NULL where it has none. A signal handler may call it. */
static inline const PyThreadState *trc_own_state(void)
{
    return PyGILState_GetThisThreadState();
}

#endif
