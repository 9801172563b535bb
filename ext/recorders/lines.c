/* What one LineRecorder records: see lines.h.
 *
 * A custom timer runs Python code, which may disable, clear or drop the very recorder that called it. So may
 * `first_lines`, and the audit hooks that the interpreter calls when events are set. So the clock is read while no
 * pointer into the recorder is held, and all that such code may have changed is looked at again after it. */
#include "recorders/lines.h"

#include "interp/code_lines.h"
#include "interp/threads.h"
#include "sources/allocators.h"

#include <assert.h>
#include <stdlib.h>

static void free_code(void *owner)
{
    trc_linecode *linecode = owner;
    PyCodeObject *code = linecode->code;
    trc_linemap_free(&linecode->map, &trc_system_allocator);
    free(linecode);
    Py_DECREF(code);
}

void trc_line_recorder_init(trc_line_recorder *recorder, PyObject *object, trc_shared *shared)
{
    trc_recording_init(&recorder->base, &trc_kind_lines, object, shared);
    recorder->base.runs_code = true;
    recorder->forks = shared->forks;
    trc_functab_init(&recorder->codes, &trc_system_allocator, free_code);
}

static void free_records(trc_record_base *record)
{
    while (record != NULL) {
        trc_record_base *next = record->next;
        trc_linethread_free(&((trc_line_thread_record *)record)->thread);
        trc_record_drop_context(record);
        free(record);
        record = next;
    }
}

/* Allocations belong to no line of the recorder any more. */
static void drop_lines(const trc_line_recorder *recorder)
{
    if (recorder->base.clock.is_of_thread) {
        trc_allocators_drop_lines();
    }
}

void trc_line_recorder_clear(trc_line_recorder *recorder, bool kept)
{
    if (trc_is_listed(recorder->base.phase)) {
        trc_context_renew(&recorder->base.key);
        trc_gates_close(&recorder->base.shared->gates);
    }
    trc_record_base *records = recorder->base.records.first;
    trc_functab codes = recorder->codes;
    recorder->base.records = (trc_record_list){.count = 0};
    recorder->forks = recorder->base.shared->forks;
    recorder->base.measured = (trc_moment){0, 0};
    recorder->base.enabled_at = trc_clock_moment(&recorder->base.clock);
    recorder->base.generation++;
    if (!kept) {
        recorder->left_out = 0;
        trc_functab_init(&recorder->codes, codes.allocator, codes.release);
    }
    drop_lines(recorder);
    if (recorder->base.is_sampled) {
        recorder->base.is_sampled = false;
        trc_link_all_lines(recorder->base.shared);
    }
    free_records(records); /* before the codes, whose maps they use */
    trc_registry_tidy(&recorder->base.shared->registry);
    if (!kept) {
        trc_functab_free(&codes);
        trc_filter_forget(recorder->base.filter);
    }
}

static void free_lines(trc_recording *recording)
{
    trc_line_recorder *recorder = (trc_line_recorder *)recording;
    trc_line_recorder_clear(recorder, false);
    Py_CLEAR(recorder->first_lines);
}

static int traverse_lines(const trc_recording *recording, visitproc visit, void *arg)
{
    const trc_line_recorder *recorder = (const trc_line_recorder *)recording;
    Py_VISIT(recorder->first_lines);
    for (const trc_func *func = recorder->codes.first; func != NULL; func = func->hh.next) {
        Py_VISIT(((const trc_linecode *)func->owner)->code);
    }
    return 0;
}

/* -- Threads -- */

/* Returns a record for one more thread, or NULL when memory is out. */
static trc_line_thread_record *new_record(trc_line_recorder *recorder)
{
    trc_line_thread_record *record = (trc_line_thread_record *)trc_records_find_over(&recorder->base.records);
    if (record != NULL) {
        trc_linethread_forget(&record->thread); /* activations that its thread did not leave */
        return record;
    }
    record = calloc(1, sizeof *record);
    if (record != NULL) {
        trc_linethread_init(&record->thread, &trc_system_allocator, recorder->sees_calls, recorder->costs);
        record->thread.goes_on_unseen = TRC_GOES_ON_UNSEEN;
        if (trc_clock_has_cpu(&recorder->base.clock)) {
            trc_linethread_tell_waits(&record->thread, &recorder->base.clock);
        }
        trc_records_add(&recorder->base.records, &record->base);
    }
    return record;
}

/* Gets the record of a thread at its first event, and at the first one under another state. NULL when memory is out. */
static trc_line_thread_record *attach(trc_line_recorder *recorder, trc_context *context)
{
    trc_line_thread_record *record = (trc_line_thread_record *)trc_records_find(&recorder->base.records, context);
    if (record == NULL) {
        record = new_record(recorder);
    }
    else if (record->base.state_id != context->state_id) {
        trc_linethread_forget_running(&record->thread); /* activations that the state before did not leave */
    }
    if (record != NULL) {
        record->open_to = 0;
        trc_record_set_context(&recorder->base.records, &record->base, context);
        trc_context_set_part(context, recorder->base.key, record);
        if (recorder->base.clock.is_of_thread) {
            trc_allocators_attribute_lines(&record->thread);
        }
        trc_link_lines(recorder->base.shared, context);
    }
    return record;
}

/* Returns the calling thread's record, made at its first event, or NULL when memory is out. */
static trc_line_thread_record *current_record(trc_line_recorder *recorder)
{
    assert(trc_has_gil());
    trc_context *context = trc_context_here(&recorder->base.shared->registry, trc_this_thread());
    trc_record_base *record = context == NULL ? NULL : trc_record_here(context, recorder->base.key);
    assert(record == NULL || trc_record_is_here(record));
    return record != NULL || context == NULL ? (trc_line_thread_record *)record : attach(recorder, context);
}

/* Returns the calling thread's record, and its own time now; or NULL when its events are not recorded. */
static trc_line_thread_record *record_and_time(trc_line_recorder *recorder, trc_tick *now)
{
    if (!trc_recording_read_clock(&recorder->base, now)) {
        return NULL;
    }
    trc_line_thread_record *record = current_record(recorder);
    if (record == NULL || record->base.paused) {
        return NULL;
    }
    *now = trc_ticks_since(*now, record->skipped);
    return record;
}

static void pause_lines(trc_recording *recording)
{
    trc_line_recorder *recorder = (trc_line_recorder *)recording;
    bool within = trc_timer_is_running(&recorder->base.timer);
    trc_tick now = within ? 0 : trc_clock_now(&recorder->base.clock);
    trc_line_thread_record *record = trc_is_recording(recorder->base.phase) ? current_record(recorder) : NULL;
    if (record != NULL && record->base.paused++ == 0) {
        record->paused_at = now;
        record->open_to = 0;
        if (!within) {
            trc_linethread_look_if_due(&record->thread, trc_ticks_since(now, record->skipped));
        }
    }
}

static void resume_lines(trc_recording *recording)
{
    trc_line_recorder *recorder = (trc_line_recorder *)recording;
    bool within = trc_timer_is_running(&recorder->base.timer);
    trc_tick now = within ? 0 : trc_clock_now(&recorder->base.clock);
    trc_line_thread_record *record = trc_is_recording(recorder->base.phase) ? current_record(recorder) : NULL;
    /* The thread is not paused when the recorder was cleared or enabled in between. */
    if (record != NULL && record->base.paused > 0 && --record->base.paused == 0) {
        trc_add_ticks(&record->skipped, trc_ticks_since(now, record->paused_at));
        trc_off_cpu_meter *meter = &record->thread.meter;
        if (meter->clock == NULL || within) {
            trc_off_cpu_meter_forget(meter);
        }
        else {
            trc_off_cpu_meter_begin(meter, trc_ticks_since(now, record->skipped), trc_off_cpu_meter_read_cpu(meter));
        }
    }
}

/* Adds up the time of the lines that a record's thread runs now; a thread that has ended runs none. `now` is the time
 * on the recorder's clock. Returns the thread's own time. */
static trc_tick catch_up(const trc_line_recorder *recorder, trc_line_thread_record *record, trc_tick now)
{
    const trc_tick unknown = INT64_MIN;
    if (record->base.paused) {
        now = record->paused_at;
    }
    else if (recorder->base.clock.is_of_thread && record->base.context->ident != PyThread_get_thread_ident()) {
        now = unknown;
    }
    else if (recorder->base.clock.kind == TRC_CLOCK_CPU) {
        now = trc_clock_now_of(&recorder->base.clock, record->base.context->native_id, unknown);
    }
    trc_tick own_now = trc_ticks_since(now, record->skipped);
    if (now != unknown && !trc_context_is_over(record->base.context)) {
        bool looks = !record->base.paused && trc_off_cpu_meter_is_worth_it(&record->thread.meter, own_now);
        int64_t cpu = looks ? trc_cpu_of(&recorder->base.clock, record->base.state_id, record->base.context->native_id)
                            : TRC_NO_CPU;
        trc_linethread_catch_up(&record->thread, own_now, cpu);
    }
    return own_now;
}

/* -- Code objects -- */

/* Keeps the code object. 0, or -1 with an exception set. */
static int keep(trc_line_recorder *recorder, PyCodeObject *code, long first, size_t count, const int32_t *first_lines)
{
    trc_linecode *linecode = calloc(1, sizeof *linecode);
    if (linecode == NULL ||
        !trc_linemap_init(&linecode->map, &trc_system_allocator, (int32_t)first, (uint32_t)count, first_lines)) {
        free(linecode);
        PyErr_NoMemory();
        return -1;
    }
    linecode->code = (PyCodeObject *)Py_NewRef((PyObject *)code);
    if (trc_functab_add(&recorder->codes, code, linecode) == NULL) {
        free_code(linecode);
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static int add_code(trc_line_recorder *recorder, PyCodeObject *code)
{
    if (trc_line_recorder_has(recorder, code)) {
        return 0;
    }
    if (recorder->codes.count >= TRC_LINE_CODE_LIMIT) {
        recorder->left_out++;
        return 0;
    }
    long first, last;
    bool has_lines = trc_find_span(code, &first, &last);
    if (PyErr_Occurred()) {
        return -1;
    }
    recorder->left_out += !has_lines && first < last; /* it has too many lines */
    size_t count = has_lines ? (size_t)(last - first) + 1 : 0;
    if (trc_inside_enter(&recorder->asking) < 0) {
        return -1;
    }
    PyObject *object = Py_NewRef(recorder->base.object);
    trc_pause_all(recorder->base.shared);
    int32_t *first_lines = trc_ask_first_lines(recorder->first_lines, code, first, count);
    trc_resume_all(recorder->base.shared);
    trc_inside_leave(&recorder->asking);
    int result = 0;
    if (!trc_line_recorder_has(recorder, code)) {
        result = keep(recorder, code, has_lines ? first : code->co_firstlineno, count, first_lines);
        if (result == 0 && (trc_is_recording(recorder->base.phase) || recorder->base.phase == TRC_RESTING)) {
            result = trc_lines_monitoring_watch(&recorder->base.shared->lines_monitoring, code);
        }
        result = result == 0 ? 1 : -1;
    }
    free(first_lines);
    Py_DECREF(object);
    return result;
}

int trc_line_recorder_add(trc_line_recorder *recorder, PyCodeObject *code)
{
    int added = add_code(recorder, code);
    /* A filter may have left the code out, so that some of its events are off. */
    return added > 0 && trc_lines_monitoring_restart(&recorder->base.shared->lines_monitoring) < 0 ? -1 : added;
}

void trc_line_recorder_meet(trc_line_recorder *recorder, PyCodeObject *code, PyFrameObject *frame)
{
    trc_code_site site = {code, frame, false, false};
    if (recorder->base.filter == NULL || trc_line_recorder_has(recorder, code) ||
        !trc_filter_has(recorder->base.filter, &site)) {
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (add_code(recorder, code) < 0) {
        recorder->left_out++;
        PyErr_Clear();
    }
    PyErr_Restore(type, value, traceback);
}

/* -- Events -- */

/* Gives the calling thread a table for a code object of the recorder. Returns false when the recorder does not time the
 * code, the thread has the table, or memory is out. */
static bool add_table(trc_line_recorder *recorder, trc_line_thread_record *record, const PyCodeObject *code)
{
    const trc_func *func = trc_functab_find(&recorder->codes, code);
    if (func == NULL || trc_linetabs_find(&record->thread.tables, code) != NULL) {
        return false;
    }
    if (trc_linetabs_add(&record->thread.tables, code, &((const trc_linecode *)func->owner)->map) == NULL) {
        record->thread.lost++;
        return false;
    }
    return true;
}

void trc_line_recorder_first_line(trc_line_recorder *recorder, trc_line_thread_record *record, PyCodeObject *code,
                                  trc_activation id, long line, trc_tick now)
{
    if (add_table(recorder, record, code)) {
        trc_linethread_line(&record->thread, id, code, line, now);
    }
}

/* An activation leaves the line it is on, or begins it anew: notes the resident memory of the process. */
static void look_at_resident(const trc_linethread *thread, trc_activation id)
{
    const trc_lineframe *frame = trc_linethread_look_up(thread, id);
    if (frame != NULL && frame->at != NULL && !frame->waits) {
        uint64_t resident = trc_allocators_resident();
        frame->at->resident = resident > frame->at->resident ? resident : frame->at->resident;
    }
}

void trc_line_recorder_line(trc_line_recorder *recorder, PyCodeObject *code, trc_activation id, long line)
{
    trc_tick now;
    trc_line_thread_record *record = record_and_time(recorder, &now);
    if (record != NULL && recorder->base.clock.is_of_thread) {
        look_at_resident(&record->thread, id);
    }
    if (record != NULL && !trc_linethread_line(&record->thread, id, code, line, now)) {
        trc_line_recorder_first_line(recorder, record, code, id, line, now);
    }
}

void trc_line_recorder_event(trc_line_recorder *recorder, trc_line_event event, PyCodeObject *code, trc_activation id)
{
    trc_tick now;
    trc_line_thread_record *record = record_and_time(recorder, &now);
    if (record == NULL) {
        return;
    }
    trc_linethread *thread = &record->thread;
    if (recorder->base.clock.is_of_thread && (event == TRC_LINE_LEAVE || event == TRC_LINE_SUSPEND)) {
        look_at_resident(thread, id);
    }
    switch (event) {
    case TRC_LINE_CALL_C:
        trc_linethread_enter_c(thread, id, now);
        break;
    case TRC_LINE_C_ENDS:
        trc_linethread_leave_c(thread, id, now);
        break;
    case TRC_LINE_ENTER:
        trc_linethread_enter(thread, id, code, now);
        break;
    case TRC_LINE_LEAVE:
        trc_linethread_leave(thread, id, now);
        break;
    case TRC_LINE_SUSPEND:
        trc_linethread_suspend(thread, id, now);
        break;
    case TRC_LINE_RESUME:
        trc_linethread_resume(thread, id, code, now);
        break;
    }
}

/* -- Begin and end -- */

/* Adds the code that runs already, in any thread, and is in the filter. */
static void meet_what_runs(trc_line_recorder *recorder)
{
    if (recorder->base.filter == NULL) {
        return;
    }
    uint64_t generation = recorder->base.generation;
    PyThreadState *thread = trc_first_thread(PyInterpreterState_Get());
    while (thread != NULL) {
        uint64_t id = thread->id;
        int collecting = trc_pause_collection();
        trc_live_frames live = trc_filter_take_live_frames(recorder->base.filter, thread);
        trc_resume_collection(collecting); /* before `first_lines`, which may itself turn collection off or on */
        for (size_t i = 0; i < live.count && recorder->base.generation == generation; i++) {
            PyCodeObject *code = PyFrame_GetCode(live.frames[i]);
            trc_line_recorder_meet(recorder, code, live.frames[i]);
            Py_DECREF((PyObject *)code);
        }
        trc_live_frames_free(&live);
        /* `first_lines` lets other threads run and end, so the next one is looked up anew. */
        PyThreadState *next = NULL;
        for (thread = trc_first_thread(PyInterpreterState_Get()); thread != NULL; thread = PyThreadState_Next(thread)) {
            next = thread->id < id && (next == NULL || thread->id > next->id) ? thread : next;
        }
        thread = next;
    }
}

void trc_line_recorder_forget_parent(trc_line_recorder *recorder)
{
    if (!trc_is_listed(recorder->base.phase) && recorder->forks != recorder->base.shared->forks) {
        trc_line_recorder_clear(recorder, true);
    }
}

static int open_lines(trc_recording *recording)
{
    trc_line_recorder *recorder = (trc_line_recorder *)recording;
    if (trc_registry_open(&recorder->base.shared->registry, &recorder->base.key) < 0) {
        return -1;
    }
    recorder->base.timer.failed = false;
    return 0;
}

static void begin_lines(trc_recording *recording, bool here)
{
    (void)here;
    trc_line_recorder *recorder = (trc_line_recorder *)recording;
    if (recording->phase != TRC_STARTING) { /* an audit hook has disabled or started it */
        return;
    }
    for (trc_record_base *record = recorder->base.records.first; record != NULL; record = record->next) {
        record->paused = 0;
    }
    recording->enabled_at = trc_clock_moment(&recording->clock);
    recording->phase = TRC_ON;
    recording->generation++;
    meet_what_runs(recorder);
}

void trc_line_recorder_end(trc_line_recorder *recorder, trc_tick now, trc_phase next)
{
    assert(trc_is_recording(recorder->base.phase));
    trc_recording_stop_clock(&recorder->base);
    recorder->base.phase = next;
    for (trc_line_thread_record *record = trc_line_records_first(recorder); record != NULL;
         record = trc_line_record_next(record)) {
        trc_linethread_rest(&record->thread, catch_up(recorder, record, now));
    }
}

static void close_lines(trc_recording *recording)
{
    trc_line_recorder *recorder = (trc_line_recorder *)recording;
    drop_lines(recorder);
    trc_registry_close(&recorder->base.shared->registry, &recorder->base.key);
}

static void stop_lines(trc_recording *recording)
{
    trc_line_recorder *recorder = (trc_line_recorder *)recording;
    if (trc_is_recording(recorder->base.phase)) {
        trc_line_recorder_end(recorder, trc_clock_now(&recorder->base.clock), TRC_CLOSING);
    }
    close_lines(recording);
}

void trc_line_recorder_catch_up(trc_line_recorder *recorder)
{
    trc_line_recorder_forget_parent(recorder);
    bool within = trc_timer_is_running(&recorder->base.timer);
    trc_tick now = within                                   ? recorder->base.timer.last
                   : trc_is_recording(recorder->base.phase) ? trc_clock_now(&recorder->base.clock)
                                                            : 0;
    for (trc_line_thread_record *record = trc_line_records_first(recorder);
         trc_is_recording(recorder->base.phase) && record != NULL; record = trc_line_record_next(record)) {
        catch_up(recorder, record, now);
    }
}

bool trc_line_recorder_tells_waits(const trc_line_recorder *recorder)
{
    return trc_clock_has_cpu(&recorder->base.clock) &&
           (recorder->base.clock.kind != TRC_CLOCK_INJECTED || recorder->base.timer.last_cpu != TRC_NO_CPU);
}

const trc_recording_kind trc_kind_lines = {
    "line recorder", open_lines,   begin_lines,    stop_lines, close_lines,
    pause_lines,     resume_lines, traverse_lines, free_lines,
};
