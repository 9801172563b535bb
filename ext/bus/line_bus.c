/* Between the source of line events and the recorders of lines: see line_bus.h. */
#include "bus/line_bus.h"

#include "interp/user_callables.h"

void trc_line_bus_init(trc_line_bus *lines, const trc_held *held, PyInterpreterState *interpreter)
{
    lines->held = held;
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

static void find_only(trc_line_bus *lines)
{
    trc_line_recorder *first = lines->active;
    bool is_plain = first != NULL && first->next_active == NULL && first->timer.callable == NULL &&
                    !first->clock.is_of_thread && first->phase != TRC_RESTING;
    lines->only_active = is_plain ? first : NULL;
    lines->is_unusual = first == NULL || lines->remembers;
    trc_line_bus_close_gate(lines);
}

trc_line_thread_record *trc_line_bus_open_gate(trc_line_bus *lines, const PyThreadState *state)
{
    trc_line_thread_record *record = trc_context_part_of(trc_here.context, lines->only_active->key);
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
    find_only(lines);
    trc_lines_remember(lines);
}

static void list(trc_line_bus *lines, trc_line_recorder *recorder)
{
    recorder->serial = ++lines->serials;
    recorder->next_active = lines->active;
    lines->active = recorder;
    recorder->phase = TRC_STARTING;
    find_only(lines);
}

static void unlist(trc_line_bus *lines, trc_line_recorder *recorder, trc_phase next)
{
    trc_line_recorder **link = &lines->active;
    while (*link != recorder) {
        link = &(*link)->next_active;
    }
    *link = recorder->next_active;
    recorder->next_active = NULL;
    recorder->phase = next;
    find_only(lines);
}

int trc_line_bus_enable(trc_line_bus *lines, trc_line_recorder *recorder)
{
    if (trc_inside_has_this_thread(recorder->asking)) { /* `first_lines` would be asked about itself */
        PyErr_SetString(PyExc_RuntimeError, "cannot enable a line recorder from within its own first_lines");
        return -1;
    }
    trc_line_recorder_forget_parent(recorder);
    if (recorder->phase == TRC_RESTING) {
        recorder->phase = TRC_STARTING;
        find_only(lines);
        trc_line_recorder_begin(recorder);
        return 0;
    }
    if (recorder->phase != TRC_OFF) { /* under way: it will start anyway, or stop as if just after this call */
        return 0;
    }
    if (trc_line_recorder_open(recorder) < 0) {
        return -1;
    }
    list(lines, recorder);
    uint64_t serial = recorder->serial;
    if (trc_lines_start(lines, recorder) < 0) {
        if (trc_is_listed(recorder->phase) && recorder->serial == serial) {
            unlist(lines, recorder, TRC_OFF);
            trc_line_recorder_close(recorder);
            trc_lines_stop(lines, recorder);
        }
        return -1;
    }
    if (!trc_is_listed(recorder->phase) || recorder->serial != serial) { /* an audit hook disabled or restarted it */
        return 0;
    }
    trc_line_recorder_begin(recorder);
    return 0;
}

void trc_line_bus_disable(trc_line_bus *lines, trc_line_recorder *recorder)
{
    if (!trc_is_listed(recorder->phase)) {
        return;
    }
    /* The clock is read first: a custom timer runs code. */
    trc_tick now = recorder->phase == TRC_ON ? trc_clock_now(&recorder->clock) : 0;
    if (!trc_is_listed(recorder->phase)) {
        return;
    }
    unlist(lines, recorder, recorder->phase == TRC_ON ? TRC_STOPPING : TRC_OFF);
    if (recorder->phase == TRC_STOPPING) {
        trc_line_recorder_end(recorder, now, TRC_OFF);
    }
    trc_line_recorder_close(recorder);
    trc_lines_stop(lines, recorder);
}

void trc_line_bus_rest(trc_line_bus *lines, trc_line_recorder *recorder)
{
    if (!TRC_HAS_MONITORING) {
        /* A trace function is called for the lines of all code in its thread: to rest with it would cost too much. */
        trc_line_bus_disable(lines, recorder);
        return;
    }
    trc_tick now = recorder->phase == TRC_ON ? trc_clock_now(&recorder->clock) : 0; /* a custom timer runs code */
    if (recorder->phase == TRC_ON) {
        trc_line_recorder_end(recorder, now, TRC_RESTING);
        find_only(lines);
    }
}

void trc_line_bus_pause(trc_line_bus *lines)
{
    trc_line_iterator each;
    for (trc_line_recorder *recorder = trc_line_first(&each, lines); recorder != NULL;
         recorder = trc_line_next(&each)) {
        trc_line_recorder_pause(recorder);
    }
}

void trc_line_bus_resume(trc_line_bus *lines)
{
    trc_line_iterator each;
    for (trc_line_recorder *recorder = trc_line_first(&each, lines); recorder != NULL;
         recorder = trc_line_next(&each)) {
        trc_line_recorder_resume(recorder);
    }
}

void trc_line_bus_start_anew(trc_line_bus *lines)
{
    trc_line_iterator each;
    for (trc_line_recorder *recorder = trc_line_first(&each, lines); recorder != NULL;
         recorder = trc_line_next(&each)) {
        trc_line_recorder_clear(recorder, true);
    }
}
