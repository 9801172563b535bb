/* What recorders of calls and of lines have in common: each is put on a list of enabled ones, begins, ends, begins anew,
 * has a clock and a filter, and records of threads in their contexts. Either is a trc_recording with more behind it.
 * dispatch/enabling.h enables and disables them. */
#ifndef TRC_RECORDING_H
#define TRC_RECORDING_H

#include "interp/filter.h"
#include "interp/timer.h"
#include "recorders/phase.h"
#include "recorders/record_list.h"
#include "recorders/shared.h"

/* What is another thing for calls than for lines. open gets what events need: 0, or -1 with an exception set. begin
 * follows when events come: it begins to record; with `here`, the frames that the calling thread runs already are recorded
 * too. stop ends recording, and closes. close gives back what open got. pause and resume are of the calling thread. traverse and free are those of its object, whose timer is visited and
 * cleared elsewhere. */
typedef struct trc_recording_kind {
    const char *name; /* for messages */
    int (*open)(trc_recording *recording);
    void (*begin)(trc_recording *recording, bool here);
    void (*stop)(trc_recording *recording);
    void (*close)(trc_recording *recording);
    void (*pause)(trc_recording *recording);
    void (*resume)(trc_recording *recording);
    int (*traverse)(const trc_recording *recording, visitproc visit, void *arg);
    void (*free)(trc_recording *recording);
} trc_recording_kind;

extern const trc_recording_kind trc_kind_calls; /* calls_lifecycle.c */
extern const trc_recording_kind trc_kind_lines; /* lines.c */

struct trc_recording {
    const trc_recording_kind *kind;
    trc_recording *next; /* in the list of the enabled ones */
    trc_shared *shared;  /* borrowed from the object */
    PyObject *object;    /* borrowed: the object that the recorder is part of */
    uint64_t serial;     /* larger when enabled later */
    uint64_t generation; /* how often recording began or began anew: an event that was under way then is not recorded */
    trc_phase phase;
    trc_context_key key; /* while listed: of the record in the context of each thread */
    trc_record_list records;
    trc_sampling *samples; /* of calls: owned, native samples; NULL where none are recorded */
    bool is_sampled;       /* of lines: native samples may have been added to them */
    trc_clock clock;
    trc_timer timer;
    trc_filter *filter; /* owned: set while disabled */
    bool runs_code;     /* an event may run code of the program, which may disable it, and drop its object */
    trc_moment enabled_at;
    trc_moment measured; /* ticks and nanoseconds while enabled, up to the last disable */
    trc_moment stopped_at;
};

/* Initializes a zeroed recorder. */
void trc_recording_init(trc_recording *recording, const trc_recording_kind *kind, PyObject *object, trc_shared *shared);

/* Reads the clock for an event. Returns false when the event is not to be recorded: it comes from the recorder's own
 * timer, or the recorder was stopped, cleared or started while its timer was read. */
static inline bool trc_recording_read_clock(const trc_recording *recording, trc_tick *now)
{
    if (trc_timer_is_running(&recording->timer)) {
        return false;
    }
    uint64_t generation = recording->generation;
    *now = trc_clock_now(&recording->clock);
    return trc_is_recording(recording->phase) && recording->generation == generation;
}

/* Returns the record of the calling thread, where it has one in its present state; or NULL. */
static inline trc_record_base *trc_recording_record_here(const trc_recording *recording)
{
    const trc_context *context = trc_context_here(&recording->shared->registry, trc_this_thread());
    return context == NULL ? NULL : trc_record_here(context, recording->key);
}

/* The recorder stops: how long it has been enabled up to now is noted. */
void trc_recording_stop_clock(trc_recording *recording);

/* How long the recorder has been enabled up to now, in ticks and nanoseconds. */
trc_moment trc_recording_measured(const trc_recording *recording);

/* The present moment; for a disabled recorder, the moment when it stopped, so that a finished profile always has the
 * same times. */
trc_moment trc_recording_latest(const trc_recording *recording);

/* Pauses every enabled recorder in the calling thread; goes on where the pause began. */
void trc_pause_all(const trc_shared *shared);
void trc_resume_all(const trc_shared *shared);

/* -- Lists -- */

/* The enabled recorders of one source, latest first; each removes itself before it goes. `owner`: the object that the
 * list is part of. list puts a recorder there, unlist takes it out, to the phase `next`. */
void trc_recording_list(trc_recording **list, trc_recording *recording);
void trc_recording_unlist(trc_recording **list, trc_recording *recording, trc_phase next);

/* Code of the program may run at a recorder: it may enable and disable others, and drop the list. So the iterator holds
 * the object of such a recorder, which holds the list's. It finds the next one by the serial number of this one. */
typedef struct trc_each_recording {
    trc_recording *const *list;
    trc_recording *recording;
    uint64_t serial; /* of the recorder */
    PyObject *kept;  /* owned: its object, or NULL */
} trc_each_recording;

static inline trc_recording *trc_come_to_recording(trc_each_recording *at, trc_recording *recording)
{
    bool runs_code = recording != NULL && recording->runs_code;
    at->recording = recording;
    at->serial = runs_code ? recording->serial : 0;
    at->kept = runs_code ? Py_NewRef(recording->object) : NULL;
    return recording;
}

static inline trc_recording *trc_first_recording(trc_each_recording *at, trc_recording *const *list)
{
    at->list = list;
    return trc_come_to_recording(at, *list);
}

/* Must be called until it returns NULL. */
static inline trc_recording *trc_next_recording(trc_each_recording *at)
{
    PyObject *kept = at->kept;
    trc_recording *next = kept == NULL ? at->recording->next : *at->list;
    while (kept != NULL && next != NULL && next->serial >= at->serial) {
        next = next->next;
    }
    trc_come_to_recording(at, next);
    Py_XDECREF(kept);
    return next;
}

#endif
