/* A timer of the user's own: a Python callable that is read as a clock. It returns a time, or a pair of the time and the
 * CPU time of the calling thread. In the middle of an event it may raise, return
 * nonsense, let other threads run, or change the very profile that called it. */
#ifndef TRC_TIMER_H
#define TRC_TIMER_H

#include "core/base/clock.h"
#include "interp/user_callables.h"

typedef struct trc_timer {
    PyObject *callable; /* owned; NULL when there is no custom timer */
    double unit;        /* seconds of one unit of its integers; 0: it returns seconds */
    trc_tick last;      /* its latest time, returned again when it fails */
    int64_t last_cpu;   /* in ns: the CPU time that came with it, or TRC_NO_CPU */
    bool failed;        /* its first exception has been reported */
    trc_inside *calls;  /* owned: the threads inside it */
} trc_timer;

/* Returns the clock that reads `timer`, which must not move. */
trc_clock trc_timer_clock(trc_timer *timer);

/* Whether the calling thread is inside the timer. Every event asks this, so the usual no makes no call. */
static inline bool trc_timer_is_running(const trc_timer *timer)
{
    return timer->calls != NULL && trc_inside_has_this_thread(timer->calls);
}

#endif
