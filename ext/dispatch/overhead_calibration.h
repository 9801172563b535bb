/* The sample of events whose handlers are timed (recorders/handlers.h), while the only recorder of a back end asks for
 * it: bursts, each of the events up to and with the next call. Of many events before that call only the first few are
 * timed. From one burst to the next calls are counted, which costs a call one decrement. The distance is random, so that
 * it is in step with no loop of the program. */
#ifndef TRC_OVERHEAD_CALIBRATION_H
#define TRC_OVERHEAD_CALIBRATION_H

#include "recorders/calls.h"

/* Counting and timing together add 16 instructions to the 650 to 830 that tracing adds to a call. */
#define TRC_BURST_DISTANCE 512 /* calls, on average */
#define TRC_BURST_LIMIT 16     /* events that are timed: generators may go on for long without a call */

typedef struct trc_calibration {
    int32_t left;      /* calls until the next burst; in a burst 0 or less: it counts events */
    uint32_t distance; /* calls from the last burst to the next */
    uint64_t random;
} trc_calibration;

/* An event of the sample. */
typedef struct trc_sample {
    trc_recorder *recorder; /* NULL: nobody wants to know, or it is no longer enabled */
    trc_tick ticks;         /* when it began; after its end, how long it took */
} trc_sample;

void trc_calibration_init(trc_calibration *calibration);

/* After a call that was not in a burst: whether one is to begin. The count is stored after the handler has read the
 * clock: a store shortly before makes the processor's counter slow to read, by 2 ns. */
static inline bool trc_calibration_counts_down(trc_calibration *calibration)
{
    return --calibration->left <= 0;
}

/* After an event in a burst: whether no more are timed before the call that ends it. */
static inline bool trc_calibration_is_full(trc_calibration *calibration)
{
    bool is_full = calibration->left <= -TRC_BURST_LIMIT;
    calibration->left -= !is_full;
    return is_full;
}

/* Ends a burst with a call. Returns for how many calls that one stands. */
uint32_t trc_calibration_end_burst(trc_calibration *calibration);

/* `only` is the only enabled recorder of a back end, or NULL. Returns it if it wants to know, else NULL. */
static inline trc_recorder *trc_sampled(trc_recorder *only)
{
    return only != NULL && only->is_sampled ? only : NULL;
}

trc_sample trc_sample_begin(trc_recorder *only);
void trc_sample_end(trc_sample *sample, const trc_recorder *only);

/* After its end: keeps how long its handler took, and whether the event was far from the start of its code, if events in
 * this code are recorded. */
void trc_sample_keep(const trc_sample *sample, trc_handler handler, PyCodeObject *code, bool is_far);

#endif
