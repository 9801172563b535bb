/* The phases that a recorder goes through when it is enabled and disabled. */
#ifndef TRC_PHASE_H
#define TRC_PHASE_H

#include <stdbool.h>

/* Each follows on the one before it, but for those of which it is said otherwise. Custom timers and audit hooks run in the
 * midst of most, and may ask for the next one.
 *
 *                   on the bus's list   records */
typedef enum trc_phase {
    TRC_OFF,      /*      no             no     */
    TRC_CLOSING,  /*      no             no     what events needed is given back; then off */
    TRC_STARTING, /*      yes            no     after off: its source is asked for events; off again when that fails */
    TRC_RESTING,  /*      yes            no     after on, of lines: events come still, so that starting takes no time */
    TRC_ON,       /*      yes            yes    after starting */
    TRC_STOPPING, /*      no             yes    the clock is read once more */
} trc_phase;

static inline bool trc_is_listed(trc_phase phase)
{
    return phase >= TRC_STARTING && phase <= TRC_ON;
}

static inline bool trc_is_recording(trc_phase phase)
{
    return phase >= TRC_ON;
}

#endif
