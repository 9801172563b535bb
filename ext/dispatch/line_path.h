/* The path of almost every line event, inlined into the callbacks: one recorder is enabled, and the thread is known.
 * Where several recorders are enabled, each is told. */
#ifndef TRC_LINE_PATH_H
#define TRC_LINE_PATH_H

#include "dispatch/line_backend.h"

/* Opens the gate to the calling thread, whose state this is, if the only recorder knows it and nothing is unusual about it.
 * Returns the record then; else NULL. */
static inline trc_line_thread_record *trc_lines_open_gate(trc_dispatcher *dispatcher, const PyThreadState *state)
{
    trc_line_thread_record *record = trc_context_part_of(trc_here.context, dispatcher->only_lines->base.key);
    if (record == NULL || record->base.state_id != state->id || record->base.paused) {
        return NULL;
    }
    record->open_to = state->id;
    atomic_store_explicit(&dispatcher->shared.gates.lines, record, memory_order_relaxed);
    return record;
}

/* Returns the calling thread's record, and its own time now, when a single recorder is enabled and knows the thread;
 * else NULL. */
static inline trc_line_thread_record *trc_lines_only_record(trc_dispatcher *dispatcher, const PyThreadState *state,
                                                            trc_tick *now)
{
    trc_line_recorder *recorder = dispatcher->only_lines;
    if (recorder == NULL) {
        return NULL;
    }
    trc_tick read = trc_clock_now(&recorder->base.clock); /* first: what follows is no part of the line's time */
    trc_line_thread_record *record = atomic_load_explicit(&dispatcher->shared.gates.lines, memory_order_relaxed);
    if (record->open_to != state->id) {
        record = trc_lines_open_gate(dispatcher, state);
    }
    assert(record == NULL || (trc_has_gil() && trc_record_is_here(&record->base)));
    if (record != NULL) {
        *now = trc_ticks_since(read, record->skipped);
    }
    return record;
}

static inline void trc_lines_line(trc_dispatcher *dispatcher, const PyThreadState *state, PyCodeObject *code,
                                  trc_activation id, long line)
{
    trc_tick now;
    trc_line_thread_record *record = trc_lines_only_record(dispatcher, state, &now);
    if (record != NULL) {
        if (!trc_linethread_line(&record->thread, id, code, line, now)) {
            trc_line_recorder_first_line(dispatcher->only_lines, record, code, id, line, now);
        }
        return;
    }
    trc_each_recording at;
    for (trc_line_recorder *each = trc_dispatch_first_lines(&at, dispatcher); each != NULL;
         each = trc_dispatch_next_lines(&at)) {
        trc_line_recorder_line(each, code, id, line);
    }
}

/* The activation calls a C callable, or that callable ends. */
static inline void trc_lines_c(trc_dispatcher *dispatcher, const PyThreadState *state, bool begins, PyCodeObject *code,
                               trc_activation id)
{
    trc_tick now;
    trc_line_thread_record *record = trc_lines_only_record(dispatcher, state, &now);
    if (record != NULL) {
        begins ? trc_linethread_enter_c(&record->thread, id, now) : trc_linethread_leave_c(&record->thread, id, now);
        return;
    }
    trc_line_event event = begins ? TRC_LINE_CALL_C : TRC_LINE_C_ENDS;
    trc_each_recording at;
    for (trc_line_recorder *each = trc_dispatch_first_lines(&at, dispatcher); each != NULL;
         each = trc_dispatch_next_lines(&at)) {
        trc_line_recorder_event(each, event, code, id);
    }
}

static inline void trc_lines_event(trc_dispatcher *dispatcher, trc_line_event event, PyCodeObject *code,
                                   trc_activation id)
{
    if (dispatcher->only_lines != NULL) {
        trc_line_recorder_event(dispatcher->only_lines, event, code, id);
        return;
    }
    trc_each_recording at;
    for (trc_line_recorder *each = trc_dispatch_first_lines(&at, dispatcher); each != NULL;
         each = trc_dispatch_next_lines(&at)) {
        trc_line_recorder_event(each, event, code, id);
    }
}

#endif
