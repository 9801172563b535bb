/* The phases that a recorder goes through when it is enabled and disabled. */
#ifndef TRC_PHASE_H
#define TRC_PHASE_H

#include <stdbool.h>

/* Custom timers and audit hooks run in the middle of most phases, and may ask for another phase.
 *
 *     phase        on its list         records   from there to
 *     off                no              no      starting
 *     starting           yes             no      on; off, when the source refuses; closing
 *     on                 yes             yes     stopping; resting
 *     resting            yes             no      starting; off
 *     stopping           no              yes     closing
 *     closing            no              no      off
 *
 * Only a recorder of lines rests: its events still come, so that it starts in next to no time. */
typedef enum trc_phase {
    TRC_OFF,
    TRC_CLOSING,  /* the resources for events are given back */
    TRC_STARTING, /* the source is asked for events */
    TRC_RESTING,
    TRC_ON,
    TRC_STOPPING, /* the clock is read for the last time */
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
