/* Makes the main thread give up the interpreter's lock (the GIL) every few ms, for a moment, so that a thread of tracer's
 * own gets it.
 *
 * A thread that waits for the GIL asks for it after a switch interval in which nobody let go. A program that releases
 * the GIL by itself more often than that, as an event loop does that polls, is never asked, and takes the GIL back
 * before the waiting thread has woken up: that one waits for seconds. What asks here is a thread without the GIL, by
 * a pending call: only the main thread runs those, so that other threads that poll are not asked. */
#ifndef TRC_GIL_YIELDER_H
#define TRC_GIL_YIELDER_H

#include "interp/compat.h"

typedef struct trc_gil_yielder trc_gil_yielder;

/* Starts the thread that asks. It inherits the calling thread's mask of signals. NULL, without an exception, when the
 * system lets no thread start. */
trc_gil_yielder *trc_gil_yielder_start(void);

/* The main thread is asked from `delay` us after this call on, until this is called again or trc_gil_yielder_stop(). */
void trc_gil_yielder_from(trc_gil_yielder *yielder, long long delay);

/* Stops the thread, waits until it is over, and frees its memory. A forked child has no thread to wait for. Takes NULL,
 * too. */
void trc_gil_yielder_stop(trc_gil_yielder *yielder);

/* The system's number of the thread. It may be seen for a moment after trc_gil_yielder_stop(). */
unsigned long trc_gil_yielder_native_id(const trc_gil_yielder *yielder);

#endif
