/* What tracer's own handlers of events take where the program runs: with the program in the processor's caches, not
 * with a loop that does nothing else. Where overhead is to be subtracted, a sample of the events is timed; bus/sampler.h
 * chooses it. */
#ifndef TRC_HANDLERS_H
#define TRC_HANDLERS_H

#include "core/base/clock.h"

/* The kinds of handlers: by what an event tells. */
typedef enum trc_handler {
    TRC_HANDLES_CALL,
    TRC_HANDLES_RETURN,
    TRC_HANDLES_C_CALL,
    TRC_HANDLES_C_RETURN,
    TRC_HANDLES_RESUME,
    TRC_HANDLES_YIELD,
    TRC_HANDLER_COUNT,
} trc_handler;

/* The timed events of one kind. */
typedef struct trc_handler_time {
    uint64_t events;
    trc_tick ticks;
} trc_handler_time;

/* No handler takes so many ticks, 1 or 2 us where ticks are short: the thread was interrupted. */
#define TRC_INTERRUPTED 4096

static inline void trc_handler_took(trc_handler_time *time, trc_tick ticks)
{
    if (ticks >= 0 && ticks < TRC_INTERRUPTED) {
        time->events++;
        trc_add_ticks(&time->ticks, ticks);
    }
}

#endif
