/* What a Profile that is made of samples counts: the beginnings of functions and of lines, as they are told. */
#ifndef TRC_COUNTING_STARTS_H
#define TRC_COUNTING_STARTS_H

#include "interp/frame_layout.h"
#include "recorders/attaching.h"

#if TRC_HAS_MONITORING

/* A function of the calling thread, whose state this is, begins. Returns false when it is not to be told of any more, in no
 * thread. */
bool trc_recorder_count_start(trc_recorder *recorder, trc_code_site *site, const PyThreadState *state);

/* The same of a line of its code. */
bool trc_recorder_count_line(trc_recorder *recorder, trc_code_site *site, int32_t line);

/* The recorder goes on after a rest: it is told again of the lines of which it was told. */
void trc_recorder_watch_lines_again(const trc_recorder *recorder);

static inline bool trc_recorder_counts_as_usual(const trc_recorder *recorder, const PyThreadState *state)
{
    const trc_thread_record *record = trc_context_part_of(trc_here.context, recorder->base.key);
    return record != NULL && record->base.state_id == state->id && trc_is_recording(recorder->base.phase) &&
           !atomic_load_explicit(&recorder->is_called_for, memory_order_relaxed) &&
           record->status == TRC_THREAD_RECORDED && record->base.paused == 0 && !record->nameless &&
           recorder->starts->allowance.left > 0;
}

/* The same as count_start() of a function that is known, called from where it was called before. Returns false, and nothing is
 * counted, where that is not so, or anything is unusual. */
static inline bool trc_recorder_count_again(const trc_recorder *recorder, const PyCodeObject *code,
                                            const PyThreadState *state)
{
    bool is_usual = trc_recorder_counts_as_usual(recorder, state);
    trc_start_count *callee = is_usual ? trc_starts_latest(recorder->starts, code) : NULL;
    if (callee == NULL || callee->is_silent) {
        return false;
    }
    const trc_frame_head *caller = trc_calling_frame(state);
    if (!trc_starts_count_again(recorder->starts, callee, caller == NULL ? 0 : caller->code & ~(uintptr_t)7)) {
        return false;
    }
    trc_allowance_pay(&recorder->starts->allowance);
    return true;
}

/* The same of a line. */
static inline bool trc_recorder_hit_again(const trc_recorder *recorder, const PyCodeObject *code, int32_t line,
                                          const PyThreadState *state)
{
    bool is_usual = trc_recorder_counts_as_usual(recorder, state);
    const trc_start_count *of = is_usual ? trc_starts_latest(recorder->starts, code) : NULL;
    trc_line_hits *hits = of == NULL ? NULL : trc_starts_latest_line(recorder->starts, trc_line_key(of, line));
    if (hits == NULL || hits->is_silent) {
        return false;
    }
    hits->hits++;
    trc_allowance_pay(&recorder->starts->allowance);
    return true;
}

#endif

#endif
