/* A timer of the user's own: a Python callable read as a clock. It may do anything in the middle of an event: raise,
 * return nonsense, let other threads run, or change the very profile that asked. */
#ifndef TRC_TIMER_H
#define TRC_TIMER_H

#include "core/base/clock.h"
#include "interp/user_callables.h"

typedef struct trc_timer {
    PyObject *callable; /* owned; NULL when there is no custom timer */
    double unit;        /* seconds of its integers; 0: it returns seconds */
    trc_tick last;      /* what it is taken to say when it fails */
    bool failed;        /* reported once */
    trc_inside *calls;  /* owned: the threads that are in it */
} trc_timer;

/* The clock that reads `timer`, which must stay where it is. */
trc_clock trc_timer_clock(trc_timer *timer);

/* Whether the calling thread is inside the timer. Every event asks, so the common no takes no call. */
static inline bool trc_timer_is_running(const trc_timer *timer)
{
    return timer->calls != NULL && trc_inside_has_this_thread(timer->calls);
}

#endif
