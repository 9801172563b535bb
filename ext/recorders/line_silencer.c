/* Lines told of no more, where no event comes: see line_silencer.h. */
#include "recorders/line_silencer.h"

#include "recorders/starts.h"

#include <stdatomic.h>
#include <stdlib.h>

struct trc_line_silencer {
    trc_recorder *recorder; /* NULL: it is over; needs the GIL */
    bool may_call;          /* the main thread hears of calls: only in the main interpreter */
    atomic_bool is_asked;   /* the main thread has a call pending */
    atomic_int users;       /* the recorder, the pending call */
};

static void let_go(trc_line_silencer *silencer)
{
    if (atomic_fetch_sub(&silencer->users, 1) == 1) {
        free(silencer);
    }
}

void trc_line_silencer_free(trc_line_silencer *silencer)
{
    if (silencer != NULL) {
        silencer->recorder = NULL;
        let_go(silencer);
    }
}

#if TRC_HAS_MONITORING

/* One tool tells all recorders: none of them is told of these lines any more. */
static trc_line_answer silence(const trc_recorder *recorder, uint64_t code)
{
    trc_shared *shared = recorder->base.shared;
    for (trc_recording *each = shared->calls[TRC_SAMPLES_ALONE]; each != NULL; each = each->next) {
        trc_starts *starts = ((trc_recorder *)each)->starts;
        if (starts != NULL) {
            trc_starts_silence_lines(starts, code);
        }
    }
    bool was_watched = trc_starts_monitoring_unwatch_lines(&shared->starts_monitoring, (const void *)(uintptr_t)code);
    return was_watched ? TRC_LINES_ENDED : TRC_LINES_OF_OTHERS;
}

void trc_recorder_silence_slow_lines(trc_recorder *recorder)
{
    if (!atomic_load_explicit(&recorder->is_called_for, memory_order_relaxed)) {
        return;
    }
    atomic_store(&recorder->is_called_for, false);
    trc_slow_lines *slow = recorder->base.samples == NULL ? NULL : &recorder->base.samples->counts.slow_lines;
    uint64_t code = slow == NULL ? 0 : trc_slow_lines_take(slow);
    if (code != 0) {
        trc_slow_lines_answer(slow, silence(recorder, code));
    }
}

/* Called by the interpreter in the main thread, with the GIL. */
static int see_to_it(void *argument)
{
    trc_line_silencer *silencer = argument;
    atomic_store(&silencer->is_asked, false);
    if (silencer->recorder != NULL) {
        trc_recorder_silence_slow_lines(silencer->recorder);
    }
    let_go(silencer);
    return 0;
}

/* Called by the sampling's thread, without the GIL; the recorder is there as long as that is. */
static void ask(void *argument)
{
    trc_line_silencer *silencer = argument;
    atomic_store(&silencer->recorder->is_called_for, true);
    if (!silencer->may_call || atomic_exchange(&silencer->is_asked, true)) {
        return;
    }
    atomic_fetch_add(&silencer->users, 1);
    if (Py_AddPendingCall(see_to_it, silencer) < 0) { /* too many calls are pending */
        atomic_store(&silencer->is_asked, false);
        let_go(silencer);
    }
}

static trc_line_silencer *silencer_of(trc_recorder *recorder)
{
    if (recorder->line_silencer == NULL) {
        trc_line_silencer *silencer = calloc(1, sizeof *silencer);
        if (silencer != NULL) {
            silencer->recorder = recorder;
            atomic_init(&silencer->users, 1);
        }
        recorder->line_silencer = silencer;
    }
    return recorder->line_silencer;
}

void trc_line_silencer_attach(trc_recorder *recorder, trc_sampling *samples)
{
    bool wants = recorder->line_filter != NULL && recorder->slowdown > 0;
    trc_line_silencer *silencer = wants ? silencer_of(recorder) : NULL;
    if (silencer != NULL) {
        atomic_store(&silencer->is_asked, false); /* in a forked child the call may be gone */
        silencer->may_call = TRC_ADDED_CALLS_WAKE && PyInterpreterState_Get() == PyInterpreterState_Main();
        samples->layout.code.stops = TRC_LINE_INSTRUCTION;
        samples->on_slow_lines = ask;
        samples->slow_lines_context = silencer;
    }
}

#else

void trc_recorder_silence_slow_lines(trc_recorder *recorder)
{
    (void)recorder;
}

void trc_line_silencer_attach(trc_recorder *recorder, trc_sampling *samples)
{
    (void)recorder, (void)samples;
}

#endif
