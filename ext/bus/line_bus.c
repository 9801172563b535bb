/* Between the source of line events and the recorders of lines: see line_bus.h. */
#include "bus/line_bus.h"

void trc_line_bus_init(trc_line_bus *lines, const trc_held *held, trc_host *host, PyInterpreterState *interpreter)
{
    lines->held = held;
    lines->host = host;
    trc_line_bus_close_gate(lines);
    lines->settrace.interpreter = interpreter;
}

int trc_line_bus_traverse(const trc_line_bus *lines, visitproc visit, void *arg)
{
    int result = trc_lines_monitoring_traverse(&lines->monitoring, visit, arg);
    return result != 0 ? result : trc_lines_settrace_traverse(&lines->settrace, visit, arg);
}

void trc_line_bus_clear(trc_line_bus *lines)
{
    trc_lines_monitoring_clear(&lines->monitoring);
    trc_lines_settrace_clear(&lines->settrace);
}

void trc_line_bus_tally(trc_line_bus *lines)
{
    trc_line_recorder *first = (trc_line_recorder *)lines->active;
    bool is_plain = first != NULL && first->base.next == NULL && first->base.timer.callable == NULL &&
                    !first->base.clock.is_of_thread && first->base.phase != TRC_RESTING;
    lines->only_active = is_plain ? first : NULL;
    lines->is_unusual = first == NULL || lines->remembers;
    trc_line_bus_close_gate(lines);
}

trc_line_thread_record *trc_line_bus_open_gate(trc_line_bus *lines, const PyThreadState *state)
{
    trc_line_thread_record *record = trc_context_part_of(trc_here.context, lines->only_active->base.key);
    if (record == NULL || record->base.state_id != state->id || record->base.paused) {
        return NULL;
    }
    record->open_to = state->id;
    atomic_store_explicit(&lines->gate, record, memory_order_relaxed);
    return record;
}

void trc_line_bus_remember(trc_line_bus *lines, bool remembers)
{
    lines->remembers = remembers;
    trc_line_bus_tally(lines);
    trc_lines_remember(lines);
}

bool trc_line_bus_go_on(trc_line_bus *lines, trc_line_recorder *recorder)
{
    bool is_resting = recorder->base.phase == TRC_RESTING;
    if (is_resting) {
        recorder->base.phase = TRC_STARTING;
        trc_line_bus_tally(lines);
        recorder->base.kind->begin(&recorder->base, true);
    }
    return is_resting;
}

void trc_line_bus_rest(trc_line_bus *lines, trc_line_recorder *recorder)
{
    trc_tick now =
        recorder->base.phase == TRC_ON ? trc_clock_now(&recorder->base.clock) : 0; /* a custom timer runs code */
    if (recorder->base.phase == TRC_ON) {
        trc_line_recorder_end(recorder, now, TRC_RESTING);
        trc_line_bus_tally(lines);
    }
}

void trc_line_bus_start_anew(trc_line_bus *lines)
{
    trc_each_recording each;
    for (trc_line_recorder *recorder = trc_line_first(&each, lines); recorder != NULL;
         recorder = trc_line_next(&each)) {
        trc_line_recorder_clear(recorder, true);
    }
}
