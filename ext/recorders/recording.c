/* What recorders of calls and of lines have in common: see recording.h. */
#include "recorders/recording.h"

#include <assert.h>

void trc_recording_init(trc_recording *recording, const trc_recording_kind *kind, PyObject *object, trc_shared *shared)
{
    recording->kind = kind;
    recording->object = object;
    recording->shared = shared;
    recording->clock = shared->wall;
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
    assert(recording->phase == TRC_OFF && trc_has_gil());
    recording->serial = ++recording->shared->serials;
    recording->next = *list;
    recording->phase = TRC_STARTING;
    *list = recording;
}

void trc_recording_unlist(trc_recording **list, trc_recording *recording, trc_phase next)
{
    assert(trc_is_listed(recording->phase) && trc_has_gil());
    while (*list != recording) {
        list = &(*list)->next;
    }
    *list = recording->next;
    recording->next = NULL;
    recording->phase = next;
}

static void pause_each(trc_recording *const *list)
{
    trc_each_recording each;
    for (trc_recording *one = trc_first_recording(&each, list); one != NULL; one = trc_next_recording(&each)) {
        one->kind->pause(one);
    }
}

static void resume_each(trc_recording *const *list)
{
    trc_each_recording each;
    for (trc_recording *one = trc_first_recording(&each, list); one != NULL; one = trc_next_recording(&each)) {
        one->kind->resume(one);
    }
}

/* Lines are paused last, and go on first. */
void trc_pause_all(const trc_shared *shared)
{
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        pause_each(&shared->calls[kind]);
    }
    pause_each(&shared->lines);
}

void trc_resume_all(const trc_shared *shared)
{
    resume_each(&shared->lines);
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        resume_each(&shared->calls[kind]);
    }
}
