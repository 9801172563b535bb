/* What one Profile records, event by event: see calls.h. calls_lifecycle.h has its beginning and end.
 *
 * A custom timer runs Python code, which may disable, clear or drop the very profile that called it, or let other
 * threads do so. So the clock is read first, while no pointer into the recorder is held. */
#include "recorders/calls.h"

#include "recorders/contexts.h"

/* Returns the record of the calling thread for an event, and the time; NULL when the event is not to be recorded.
 * Threads that are not recorded read no clock. */
static trc_thread_record *recording_record(trc_recorder *recorder, trc_activation entering, trc_tick *now)
{
    trc_thread_record *known = trc_recorder_attached_record(recorder);
    bool is_left_out = known != NULL && (known->status != TRC_THREAD_RECORDED || known->base.paused);
    if (is_left_out || !trc_recording_read_clock(&recorder->base, now)) {
        return NULL;
    }
    if (known != NULL && !recorder->base.runs_code) {
        return known;
    }
    trc_thread_record *record = trc_recorder_current_record(recorder, entering, *now);
    return record == NULL || record->status != TRC_THREAD_RECORDED || record->base.paused ? NULL : record;
}

trc_thread_record *trc_recorder_plain_record(trc_recorder *recorder)
{
    trc_thread_record *record = trc_is_recording(recorder->base.phase) ? trc_recorder_record_here(recorder) : NULL;
    trc_callable_scope scope = recorder->scope < recorder->scope_on_stack ? recorder->scope : recorder->scope_on_stack;
    if (record != NULL) {
        trc_thread_record_review(record, scope, recorder->base.clock.kind);
    }
    return record != NULL && record->is_plain ? record : NULL;
}

void trc_recorder_find_suspension(trc_recorder *recorder, const trc_thread *thread, const trc_node *node,
                                  const void *key, trc_activation id, trc_tick now)
{
    const trc_suspension *suspension = trc_suspensions_take(&recorder->suspensions, id);
    if (suspension != NULL) {
        trc_recorder_end_suspension(recorder, thread, node, key, suspension, now);
    }
}

/* An enter that more belongs to than a push. */
__attribute__((noinline)) static void enter_at_length(trc_recorder *recorder, trc_thread *thread, trc_node *node,
                                                      trc_activation id, trc_entry entry, trc_tick now)
{
    const trc_tasks *tasks = thread->log == NULL ? NULL : thread->log->tasks;
    uint32_t before = tasks == NULL ? 0 : tasks->count;
    trc_thread_enter(thread, node, id, entry, now);
    if (tasks != NULL && tasks->count != before) { /* a task has begun */
        PyObject *name = trc_task_name(&recorder->timeline->words);
        if (name != NULL) {
            trc_tasks_name(&recorder->timeline->tasks, trc_thread_task(thread), name);
        }
    }
}

static inline void enter_context(trc_recorder *recorder, trc_thread *thread, trc_node *node, const void *key,
                                 trc_activation id, trc_entry entry, trc_tick now)
{
    bool is_plain = thread->log == NULL && !thread->overflowing && thread->stack.top != thread->stack.last;
    if (is_plain && !trc_thread_is_due(thread, now)) {
        trc_thread_push(thread, node, id, entry, now);
    }
    else {
        enter_at_length(recorder, thread, node, id, entry, now);
    }
    if (entry == TRC_RESUMED) {
        trc_recorder_find_suspension(recorder, thread, node, key, id, now);
    }
}

bool trc_recorder_enter_unexpected(trc_thread_record *record, trc_code_site *site, const trc_callee *callee,
                                   trc_activation id, trc_entry entry, trc_tick now)
{
    assert(trc_has_gil() && trc_record_is_here(&record->base));
    trc_recorder *recorder = record->recorder;
    trc_thread *thread = &record->thread;
    if (recorder->base.filter != NULL && !trc_filter_has(recorder->base.filter, site)) {
        recorder->base.shared->has_news |= site->is_new; /* as at the first sight of a function */
        return false;
    }
    trc_node *node = trc_thread_child(thread, callee->key);
    if (node == NULL) {
        node = trc_recorder_add_context(recorder, record, callee);
    }
    if (node != NULL) {
        enter_context(recorder, thread, node, callee->key, id, entry, now);
    }
    return true;
}

void trc_recorder_suspend_known(trc_recorder *recorder, trc_thread *thread, trc_activation id, const void *key,
                                trc_tick now)
{
    trc_thread_suspend(thread, id, now);
    *trc_suspensions_place(&recorder->suspensions, id) = (trc_suspension){id, key, thread, now};
}

void trc_recorder_enter(trc_recorder *recorder, const trc_callee *callee, trc_activation id, trc_entry entry)
{
    trc_tick now;
    trc_thread_record *record = recording_record(recorder, id, &now);
    if (record == NULL) {
        return;
    }
    if (trc_thread_is_on_top(&record->thread, id)) { /* it was adopted: it runs in a way that has no events */
        trc_thread_leave(&record->thread, id, now);
    }
    trc_node *node = trc_recorder_find_context(recorder, record, callee);
    if (node == NULL) {
        return;
    }
    enter_context(recorder, &record->thread, node, callee->key, id, entry, now);
    /* A new thread calls C functions before `threading` knows it, one for each other thread: only Python functions
     * count. */
    if (record->nameless && callee->scope == TRC_PYTHON) {
        trc_attribution before = trc_begin_own_work(recorder);
        trc_thread_record_learn_name(record);
        trc_end_own_work(recorder, before);
    }
}

void trc_recorder_leave(trc_recorder *recorder, trc_activation id)
{
    trc_tick now;
    trc_thread_record *record = recording_record(recorder, 0, &now);
    if (record != NULL) {
        trc_thread_leave(&record->thread, id, now);
    }
}

/* Returns the record of the calling thread, if its events are recorded; else NULL. */
static trc_thread_record *open_record(trc_recorder *recorder)
{
    trc_thread_record *record = trc_recorder_record_here(recorder);
    bool is_open = record != NULL && record->status == TRC_THREAD_RECORDED && record->base.paused == 0;
    return is_open ? record : NULL;
}

trc_thread_record *trc_recorder_recorded_here(trc_recorder *recorder, trc_tick *now)
{
    return recording_record(recorder, 0, now);
}

bool trc_recorder_records_here(trc_recorder *recorder)
{
    return open_record(recorder) != NULL;
}

void trc_recorder_note_unseen(trc_recorder *recorder, uint64_t calls)
{
    const trc_thread_record *record = open_record(recorder);
    if (record != NULL) {
        trc_func *func = trc_node_func(record->thread.stack.top->node);
        if (func != NULL) {
            func->unseen += calls;
        }
    }
}

void trc_recorder_suspend(trc_recorder *recorder, trc_activation id, const void *key)
{
    trc_tick now;
    trc_thread_record *record = recording_record(recorder, 0, &now);
    if (record == NULL) { /* it went on unseen: the suspension under its name, its own or another's, is over */
        trc_suspensions_take(&recorder->suspensions, id);
        return;
    }
    trc_recorder_suspend_known(recorder, &record->thread, id, key, now);
}

void trc_recorder_go_on(trc_recorder *recorder, const trc_callee *callee, trc_activation id)
{
    const trc_context *context = trc_context_here(&recorder->base.shared->registry, trc_this_thread());
    const trc_thread_record *record = context != NULL && trc_is_recording(recorder->base.phase)
                                          ? trc_context_part_of(context, recorder->base.key)
                                          : NULL;
    if (record != NULL && record->status == TRC_THREAD_RECORDED &&
        (record->thread.stack.top->id & ~(trc_activation)1) != id) {
        trc_recorder_enter(recorder, callee, id, TRC_RESUMED);
    }
}

void trc_recorder_switch_greenlet(trc_recorder *recorder, const void *from, bool is_over, const void *to, bool look)
{
    trc_tick now;
    if (!trc_recording_read_clock(&recorder->base, &now)) {
        return;
    }
    trc_thread_record *record = trc_recorder_attached_record(recorder);
    if (record == NULL && look) {
        trc_recorder_current_record(recorder, 0, now); /* attaching adopts the frames */
    }
    else if (record != NULL && record->status == TRC_THREAD_RECORDED) {
        now = record->base.paused ? record->thread.last : now;
        if (!trc_thread_switch(&record->thread, from, is_over, to, now) && look) {
            trc_recorder_adopt(recorder, record, 0, now);
        }
    }
}

void trc_recorder_look_again(trc_recorder *recorder, trc_activation entering)
{
    trc_tick now;
    trc_thread_record *record =
        trc_recording_read_clock(&recorder->base, &now) ? trc_recorder_current_record(recorder, entering, now) : NULL;
    if (record != NULL && record->status == TRC_THREAD_RECORDED) {
        trc_recorder_adopt(recorder, record, entering, record->base.paused ? record->thread.last : now);
    }
}

void trc_recorder_ignore_thread(trc_recorder *recorder)
{
    recorder->ignored_state_id = PyThreadState_GetID(PyThreadState_Get());
    trc_recorder_mute(recorder);
}

void trc_recorder_mute(trc_recorder *recorder)
{
    trc_tick now;
    trc_thread_record *record =
        trc_recording_read_clock(&recorder->base, &now) ? trc_recorder_current_record(recorder, 0, now) : NULL;
    if (record != NULL && record->status == TRC_THREAD_RECORDED) {
        bool cut_off = trc_recorder_is_cut_off(recorder, record);
        trc_thread_pause(&record->thread, cut_off ? record->thread.last : now);
        trc_thread_stop(&record->thread, cut_off ? record->thread.last : now);
        record->status = cut_off ? TRC_THREAD_CUT_OFF : TRC_THREAD_MUTED;
        trc_recorder_attribute(recorder, record);
        trc_gates_close(&recorder->base.shared->gates);
    }
}

void trc_recorder_give_up_threads(trc_recorder *recorder)
{
    for (trc_thread_record *record = trc_thread_records_first(&recorder->base.records); record != NULL;
         record = trc_thread_record_next(record)) {
        if (record->status == TRC_THREAD_RECORDED && trc_recorder_is_cut_off(recorder, record)) {
            record->status = TRC_THREAD_CUT_OFF;
            if (recorder->base.samples !=
                NULL) { /* the thread's signal handler may be on the stack that is freed now */
                trc_sampling_wait_for_handler(recorder->base.samples, (pid_t)record->base.context->native_id);
            }
            trc_thread_stop(&record->thread, record->thread.last);
            trc_gates_close(&recorder->base.shared->gates);
        }
    }
}

void trc_recorder_unmute(trc_recorder *recorder, bool here)
{
    trc_tick now;
    trc_thread_record *record =
        trc_recording_read_clock(&recorder->base, &now) ? trc_recorder_current_record(recorder, 0, now) : NULL;
    if (record != NULL && record->status != TRC_THREAD_RECORDED && record != &recorder->outsider) {
        trc_thread_start(&record->thread, now);
        record->status = TRC_THREAD_RECORDED;
        record->unadopted = false;
        trc_recorder_begin_waits(recorder, record, now);
        if (here) {
            trc_recorder_adopt(recorder, record, 0, now);
        }
        trc_recorder_attribute(recorder, record);
    }
}

/* Returns the calling thread's record, to pause or resume it, and the time; or NULL. A pause and its resume count even
 * when recording began anew while the timer was read. The timer's value is from before then, so `began` replaces it. */
static trc_thread_record *pausing_record(trc_recorder *recorder, trc_tick *now)
{
    if (trc_timer_is_running(&recorder->base.timer)) {
        return NULL;
    }
    uint64_t generation = recorder->base.generation;
    *now = trc_clock_now(&recorder->base.clock);
    if (recorder->base.generation != generation) {
        *now = recorder->began;
    }
    return trc_is_recording(recorder->base.phase) ? trc_recorder_current_record(recorder, 0, *now) : NULL;
}

void trc_recorder_pause(trc_recording *recording)
{
    trc_recorder *recorder = (trc_recorder *)recording;
    trc_tick now;
    trc_thread_record *record = pausing_record(recorder, &now);
    trc_gates_close(&recorder->base.shared->gates);
    if (record != NULL && record->base.paused++ == 0 && record->status == TRC_THREAD_RECORDED &&
        !trc_recorder_is_cut_off(recorder, record)) {
        trc_thread_pause(&record->thread, now);
        trc_recorder_attribute(recorder, record);
    }
}

void trc_recorder_resume(trc_recording *recording)
{
    trc_recorder *recorder = (trc_recorder *)recording;
    trc_tick now;
    trc_thread_record *record = pausing_record(recorder, &now);
    /* The thread is not paused when the profile was enabled in between. */
    if (record == NULL || record->base.paused == 0 || --record->base.paused > 0 ||
        record->status != TRC_THREAD_RECORDED || trc_recorder_is_cut_off(recorder, record)) {
        return;
    }
    trc_thread_resume(&record->thread, now);
    if (record->unadopted) {
        record->unadopted = false;
        trc_thread_stop(&record->thread, now); /* a switch of greenlets may have put frames there */
        trc_recorder_adopt(recorder, record, 0, now);
    }
    trc_recorder_attribute(recorder, record);
}

void trc_recorder_hold_logs(const trc_recorder *recorder, bool is_held)
{
    bool is_file = recorder->timeline != NULL && recorder->timeline->is_file;
    for (const trc_thread_record *record = trc_thread_records_first(&recorder->base.records); is_file && record != NULL;
         record = trc_thread_record_next(record)) {
        if (is_held) {
            trc_log_hold(record->thread.log);
        }
        else {
            trc_log_go_on(record->thread.log);
        }
    }
}

void trc_recorder_widen_scope(trc_recorder *recorder)
{
    if (recorder->scope > recorder->scope_on_stack) {
        recorder->scope_on_stack = recorder->scope;
    }
}
