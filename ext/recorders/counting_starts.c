/* What a Profile that is made of samples counts: see counting_starts.h. */
#include "recorders/counting_starts.h"

#include "interp/code_lines.h"
#include "recorders/contexts.h"
#include "recorders/line_silencer.h"

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
    trc_allowance_measure(&recorder->starts->allowance, (int64_t)weight * counts->period);
}

/* The allowance is used up, as far as is known. */
static void review(const trc_recorder *recorder)
{
    int64_t cpu = trc_clock_process_cpu(), samples = atomic_load(&recorder->base.samples->spent);
    measure(recorder);
    if (!trc_allowance_refill(&recorder->starts->allowance, cpu, samples)) {
        trc_starts_silence(recorder->starts, cpu);
    }
}

/* What an event of the calling thread is worth. */
typedef enum worth { NOTHING, NOTHING_HERE, COUNTED } worth;

static worth worth_of(trc_recorder *recorder)
{
    trc_recorder_silence_slow_lines(recorder);
    if (recorder->starts == NULL || !trc_is_recording(recorder->base.phase)) {
        return recorder->starts == NULL ? NOTHING : NOTHING_HERE;
    }
    trc_thread_record *record = trc_recorder_current_record(recorder, 0, 0);
    if (record != NULL && record->nameless) {
        trc_thread_record_learn_name(record);
    }
    bool is_recorded = record != NULL && record->status == TRC_THREAD_RECORDED && record->base.paused == 0;
    return is_recorded ? COUNTED : NOTHING_HERE; /* the event is of all threads */
}

/* An event has come that is not counted here: it has to be paid for all the same. Returns whether more are to come. */
static bool pay_elsewhere(trc_recorder *recorder, uint64_t *elsewhere, const bool *is_silent)
{
    ++*elsewhere;
    if (!trc_allowance_pay(&recorder->starts->allowance)) {
        review(recorder);
    }
    return !*is_silent;
}

/* Whether the lines of a function are counted. */
static bool has_lines(const trc_recorder *recorder, trc_start_count *of, trc_code_site *site)
{
    if (of->lines == TRC_LINES_UNKNOWN) {
        bool is_counted = recorder->line_filter != NULL && trc_filter_has(recorder->line_filter, site) &&
                          trc_starts_monitoring_watch_lines(&recorder->base.shared->starts_monitoring, site->code);
        of->lines = is_counted ? TRC_LINES_COUNTED : TRC_LINES_LEFT_OUT;
    }
    return of->lines == TRC_LINES_COUNTED;
}

void trc_recorder_watch_lines_again(const trc_recorder *recorder)
{
    trc_start_count *first = recorder->starts == NULL ? NULL : recorder->starts->counts;
    for (trc_start_count *each = first; each != NULL; each = each->hh.next) {
        if (each->lines == TRC_LINES_COUNTED) {
            trc_starts_monitoring_watch_lines(&recorder->base.shared->starts_monitoring,
                                              (PyCodeObject *)(uintptr_t)each->key);
        }
    }
}

/* The beginnings of a function are not told of any more. Then that of a body that begins in the function's first line is not,
 * either, as a hit of the line. */
static void silence_first_line(trc_recorder *recorder, trc_code_site *site)
{
    if (recorder->starts == NULL || recorder->line_filter == NULL || !TRC_STARTS_HIDE_LINES ||
        !trc_code_begins_in_a_line(site->code)) {
        return;
    }
    trc_start_count *of = count_of(recorder, site->code);
    trc_line_hits *hits = of == NULL || !has_lines(recorder, of, site)
                              ? NULL
                              : trc_starts_line(recorder->starts, of, site->code->co_firstlineno);
    if (hits != NULL) {
        hits->is_silent = true;
    }
}

/* Counts a call. Returns whether the next one is to be told of, too. */
static bool count_start(trc_recorder *recorder, trc_code_site *site, const PyThreadState *state)
{
    worth worth = worth_of(recorder);
    if (worth != NOTHING && recorder->line_filter != NULL) {
        trc_start_count *of = count_of(recorder, site->code);
        (void)(of != NULL && has_lines(recorder, of, site)); /* they are told of from now on */
    }
    if (worth == NOTHING || (recorder->base.filter != NULL && !trc_filter_has(recorder->base.filter, site))) {
        return false;
    }
    trc_start_count *callee = count_of(recorder, site->code);
    if (callee == NULL || callee->is_silent) {
        return false;
    }
    if (worth == NOTHING_HERE) {
        return pay_elsewhere(recorder, &callee->elsewhere, &callee->is_silent);
    }
    PyCodeObject *code = trc_code_of_caller(trc_calling_frame(state));
    const trc_start_count *caller = code == NULL ? NULL : count_of(recorder, code);
    if ((code != NULL && caller == NULL) || !trc_starts_count(recorder->starts, callee, caller)) {
        callee->is_silent = true; /* memory is out, or there are too many functions */
    }
    if (!trc_allowance_pay(&recorder->starts->allowance)) {
        review(recorder);
    }
    return !callee->is_silent;
}

/* Nothing is counted, but threads begin. A function is told of as long as threads begin there, or get their names. */
static bool meet_thread(trc_recorder *recorder)
{
    trc_thread_record *record = trc_recorder_current_record(recorder, 0, 0);
    bool is_new = record != NULL && record->nameless;
    if (is_new) {
        trc_thread_record_learn_name(record);
    }
    return is_new;
}

bool trc_recorder_count_start(trc_recorder *recorder, trc_code_site *site, const PyThreadState *state)
{
    if (recorder->slowdown == 0) {
        return trc_is_recording(recorder->base.phase) && meet_thread(recorder);
    }
    bool goes_on = count_start(recorder, site, state);
    if (!goes_on) {
        silence_first_line(recorder, site);
    }
    return goes_on;
}

bool trc_recorder_count_line(trc_recorder *recorder, trc_code_site *site, int32_t line)
{
    worth worth = recorder->line_filter == NULL ? NOTHING : worth_of(recorder);
    trc_start_count *of = worth == NOTHING ? NULL : count_of(recorder, site->code);
    if (of == NULL || !has_lines(recorder, of, site)) {
        return false;
    }
    trc_line_hits *hits = trc_starts_line(recorder->starts, of, line);
    if (hits == NULL || hits->is_silent) {
        return false;
    }
    if (worth == NOTHING_HERE) {
        return pay_elsewhere(recorder, &hits->elsewhere, &hits->is_silent);
    }
    hits->hits++;
    if (!trc_allowance_pay(&recorder->starts->allowance)) {
        review(recorder);
    }
    return !hits->is_silent;
}

#endif
