/* What tracer's own handlers of events take where the program runs: with the program in the processor's caches, not
 * with a loop that does nothing else. Where overhead is to be subtracted, a sample of the events is timed; dispatch/overhead_calibration.h
 * chooses it. */
#ifndef TRC_HANDLERS_H
#define TRC_HANDLERS_H

#include "core/base/clock.h"

#include <stdbool.h>

/* The kinds of handlers: by what an event tells. */
typedef enum trc_handler {
    TRC_HANDLES_CALL,
    TRC_HANDLES_RETURN,
    TRC_HANDLES_C_CALL,
    TRC_HANDLES_C_RETURN,
    TRC_HANDLES_RESUME,
    TRC_HANDLES_YIELD,
    TRC_HANDLES_CALL_SITE, /* a call of a function written in Python where it is called: nothing is recorded there */
    TRC_HANDLER_COUNT,
} trc_handler;

/* The timed events of one kind. The interpreter tells the place of an event as an int, by its distance from the start
 * of the code. It has the small ints at hand, and makes the others: an event far from the start costs more. */
typedef struct trc_handler_time {
    uint64_t events;
    trc_tick ticks;
    uint64_t far; /* of the events */
} trc_handler_time;

/* No handler takes so many ticks, 1 or 2 us where ticks are short: the thread was interrupted. */
#define TRC_INTERRUPTED 4096

static inline void trc_handler_took(trc_handler_time *time, trc_tick ticks, bool is_far)
{
    if (ticks >= 0 && ticks < TRC_INTERRUPTED) {
        time->events++;
        time->far += is_far;
        trc_add_ticks(&time->ticks, ticks);
    }
}

#endif
