/* What a Profile that is made of samples counts: see counting_starts.h. */
#include "recorders/counting_starts.h"

#include "recorders/contexts.h"

#if TRC_HAS_MONITORING

/* Returns the record of a function, which may be new; NULL when memory is out. */
static trc_start_count *count_of(trc_recorder *recorder, PyCodeObject *code)
{
    trc_start_count *count = trc_starts_find(recorder->starts, code);
    if (count == NULL) {
        trc_callee callee = {code, (PyObject *)code, TRC_PYTHON};
        const trc_func *func = trc_recorder_find_function(recorder, &callee);
        count = func == NULL || func->key != code ? NULL : trc_starts_add(recorder->starts, func);
    }
    return count;
}

/* Learns what events cost here, by the samples so far that fell in them. */
static void measure(const trc_recorder *recorder)
{
    const trc_counting *counts = &recorder->base.samples->counts;
    uint64_t weight = atomic_load_explicit(&counts->in_events, memory_order_relaxed);
    trc_allowance_measure(&recorder->starts->allowance, (int64_t)weight * counts->period, weight);
}

/* The allowance is used up, as far as is known. */
static void review(const trc_recorder *recorder)
{
    int64_t cpu = trc_clock_process_cpu();
    measure(recorder);
    if (!trc_allowance_refill(&recorder->starts->allowance, cpu)) {
        trc_starts_silence(recorder->starts, cpu);
    }
}

bool trc_recorder_count_start(trc_recorder *recorder, trc_code_site *site, const PyThreadState *state)
{
    if (!trc_is_recording(recorder->base.phase) || recorder->starts == NULL) {
        return recorder->starts != NULL;
    }
    const trc_thread_record *record = trc_recorder_current_record(recorder, 0, 0);
    if (record == NULL || record->status != TRC_THREAD_RECORDED || record->base.paused > 0) {
        return true; /* the event is of all threads */
    }
    if (recorder->base.filter != NULL && !trc_filter_has(recorder->base.filter, site)) {
        return false;
    }
    trc_start_count *callee = count_of(recorder, site->code);
    if (callee == NULL || callee->is_silent) {
        return false;
    }
    PyCodeObject *caller = trc_code_of_caller(trc_calling_frame(state));
    trc_starts_count(recorder->starts, callee, caller == NULL ? NULL : count_of(recorder, caller));
    if (!trc_allowance_pay(&recorder->starts->allowance)) {
        review(recorder);
    }
    return !callee->is_silent;
}

#endif
