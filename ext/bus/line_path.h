/* The path of almost every line event, inlined into the callbacks: one recorder is enabled, and the thread is known.
 * Where several recorders are enabled, each is told. */
#ifndef TRC_LINE_PATH_H
#define TRC_LINE_PATH_H

#include "bus/line_bus.h"

/* Returns the calling thread's record, and its own time now, when a single recorder is enabled and knows the thread;
 * else NULL. */
static inline trc_line_thread_record *trc_lines_only_record(trc_line_bus *lines, const PyThreadState *state,
                                                            trc_tick *now)
{
    trc_line_recorder *recorder = lines->only_active;
    if (recorder == NULL) {
        return NULL;
    }
    trc_tick read = trc_clock_now(&recorder->base.clock); /* first: what follows is no part of the line's time */
    trc_line_thread_record *record = atomic_load_explicit(&lines->gate, memory_order_relaxed);
    if (record->open_to != state->id) {
        record = trc_line_bus_open_gate(lines, state);
    }
    if (record != NULL) {
        *now = trc_ticks_since(read, record->skipped);
    }
    return record;
}

static inline void trc_lines_line(trc_line_bus *lines, const PyThreadState *state, PyCodeObject *code,
                                  trc_activation id, long line)
{
    trc_tick now;
    trc_line_thread_record *record = trc_lines_only_record(lines, state, &now);
    if (record != NULL) {
        if (!trc_linethread_line(&record->thread, id, code, line, now)) {
            trc_line_recorder_first_line(lines->only_active, record, code, id, line, now);
        }
        return;
    }
    trc_each_recording at;
    for (trc_line_recorder *each = trc_line_first(&at, lines); each != NULL; each = trc_line_next(&at)) {
        trc_line_recorder_line(each, code, id, line);
    }
}

/* The activation calls a C callable, or that callable ends. */
static inline void trc_lines_c(trc_line_bus *lines, const PyThreadState *state, bool begins, PyCodeObject *code,
                               trc_activation id)
{
    trc_tick now;
    trc_line_thread_record *record = trc_lines_only_record(lines, state, &now);
    if (record != NULL) {
        begins ? trc_linethread_enter_c(&record->thread, id, now) : trc_linethread_leave_c(&record->thread, id, now);
        return;
    }
    trc_line_event event = begins ? TRC_LINE_CALL_C : TRC_LINE_C_ENDS;
    trc_each_recording at;
    for (trc_line_recorder *each = trc_line_first(&at, lines); each != NULL; each = trc_line_next(&at)) {
        trc_line_recorder_event(each, event, code, id);
    }
}

static inline void trc_lines_event(trc_line_bus *lines, trc_line_event event, PyCodeObject *code, trc_activation id)
{
    if (lines->only_active != NULL) {
        trc_line_recorder_event(lines->only_active, event, code, id);
        return;
    }
    trc_each_recording at;
    for (trc_line_recorder *each = trc_line_first(&at, lines); each != NULL; each = trc_line_next(&at)) {
        trc_line_recorder_event(each, event, code, id);
    }
}

#endif
