/* Lines told of no more, where no event comes: see line_silencer.h. */
#include "recorders/line_silencer.h"

#include "interp/line_instruction.h"
#include "recorders/starts.h"

#include <stdatomic.h>
#include <stdlib.h>

struct trc_line_silencer {
    const trc_recorder *recorder; /* NULL: it is over; needs the GIL */
    atomic_bool is_asked;         /* the main thread has a call pending */
    atomic_int users;             /* the recorder, the pending call */
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
static void silence(const trc_recorder *recorder, uint64_t code)
{
    trc_shared *shared = recorder->base.shared;
    for (trc_recording *each = shared->calls[TRC_SAMPLES_ALONE]; each != NULL; each = each->next) {
        trc_starts *starts = ((trc_recorder *)each)->starts;
        if (starts != NULL) {
            trc_starts_silence_lines(starts, code);
        }
    }
    trc_starts_monitoring_unwatch_lines(&shared->starts_monitoring, (const void *)(uintptr_t)code);
}

void trc_recorder_silence_slow_lines(const trc_recorder *recorder)
{
    trc_sampling *samples = recorder->base.samples;
    _Atomic uint64_t *chosen = samples == NULL ? NULL : &samples->counts.slow_lines.chosen;
    uint64_t code = chosen == NULL || atomic_load(chosen) == 0 ? 0 : atomic_exchange(chosen, 0);
    if (code != 0 && recorder->starts != NULL) {
        silence(recorder, code);
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

/* Called by the sampling's thread, without the GIL. */
static void ask(void *argument)
{
    trc_line_silencer *silencer = argument;
    if (atomic_exchange(&silencer->is_asked, true)) {
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
    bool is_main = PyInterpreterState_Get() == PyInterpreterState_Main(); /* pending calls are its alone */
    bool wants = is_main && recorder->line_filter != NULL && recorder->slowdown > 0;
    samples->layout.code.stops = wants && silencer_of(recorder) != NULL ? trc_line_instruction() : 0;
    if (samples->layout.code.stops != 0) {
        samples->on_slow_lines = ask;
        samples->slow_lines_context = recorder->line_silencer;
    }
}

#else

void trc_recorder_silence_slow_lines(const trc_recorder *recorder)
{
    (void)recorder;
}

void trc_line_silencer_attach(trc_recorder *recorder, trc_sampling *samples)
{
    (void)recorder, (void)samples;
}

#endif
