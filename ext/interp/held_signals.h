/* Work of tracer's in the middle of a program, during which no signal comes in this thread: neither a handler's frames
 * nor a KeyboardInterrupt are below one of tracer's. */
#ifndef TRC_HELD_SIGNALS_H
#define TRC_HELD_SIGNALS_H

#include "interp/compat.h"

/* Does `work`, whatever handlers of signals raise that came before. `work` returns false where it sets an exception.
 * Returns whether none is set. */
bool trc_work_with_signals_held(bool (*work)(void *context), void *context);

#endif
