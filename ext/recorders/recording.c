/* What recorders of calls and of lines have in common: see recording.h. */
#include "recorders/recording.h"

#include <assert.h>

void trc_recording_init(trc_recording *recording, const trc_recording_kind *kind, PyObject *object, trc_host *host)
{
    recording->kind = kind;
    recording->object = object;
    recording->host = host;
    recording->clock = host->wall;
}

/* For how long a recorder has been enabled up to a moment. */
static trc_moment measured_until(const trc_recording *recording, trc_moment moment)
{
    trc_moment since = trc_moment_since(moment, recording->enabled_at);
    return (trc_moment){recording->measured.ticks + since.ticks, recording->measured.nanoseconds + since.nanoseconds};
}

void trc_recording_stop_clock(trc_recording *recording)
{
    recording->stopped_at = trc_clock_moment(&recording->clock);
    recording->measured = measured_until(recording, recording->stopped_at);
}

trc_moment trc_recording_measured(const trc_recording *recording)
{
    bool is_running = trc_is_recording(recording->phase);
    return is_running ? measured_until(recording, trc_clock_moment(&recording->clock)) : recording->measured;
}

trc_moment trc_recording_latest(const trc_recording *recording)
{
    return trc_is_recording(recording->phase) ? trc_clock_moment(&recording->clock) : recording->stopped_at;
}

void trc_recording_list(trc_recording **list, trc_recording *recording)
{
    assert(recording->phase == TRC_OFF);
    recording->serial = ++recording->host->serials;
    recording->next = *list;
    recording->phase = TRC_STARTING;
    *list = recording;
}

void trc_recording_unlist(trc_recording **list, trc_recording *recording, trc_phase next)
{
    while (*list != recording) {
        list = &(*list)->next;
    }
    *list = recording->next;
    recording->next = NULL;
    recording->phase = next;
}
