/* The threads of a Profile: see attaching.h. */
#include "recorders/attaching.h"

#include "interp/live_frames.h"
#include "interp/threads.h"
#include "recorders/contexts.h"
#include "recorders/sampled_lines.h"

/* Native samples of a thread from now on belong to its nodes; of one that is not to be recorded there are none. */
static void watch(const trc_recorder *recorder, const trc_thread_record *record, bool is_here)
{
    if (recorder->base.samples != NULL && record != NULL) {
        trc_samples_watch(recorder->base.samples, record, is_here);
        trc_link_lines(recorder->base.shared, record->base.context);
    }
}

/* Puts the frames that a thread runs already onto its stack, up to the activation that is being entered. Frames on the
 * stack stay as long as they match. They may not: a thread may be found in the middle of an event, with a frame that
 * has ended since. */
static void adopt_frames(trc_recorder *recorder, trc_thread_record *record, const trc_live_frames *live,
                         trc_activation entering, trc_tick now)
{
    size_t depth = (size_t)(record->thread.stack.top - record->thread.stack.frames);
    size_t adopted = 0;
    for (; adopted < live->count; adopted++) {
        trc_activation id = trc_backend_activation_of(recorder->backend->kind, live->frames[adopted]);
        if (id == 0 || id == entering) {
            break;
        }
        PyCodeObject *code = PyFrame_GetCode(live->frames[adopted]);
        const trc_frame *there = adopted < depth ? &record->thread.stack.frames[adopted + 1] : NULL;
        if (there != NULL && (there->id != id || there->node->key != code)) {
            trc_thread_leave(&record->thread, there->id, now);
            depth = adopted;
            there = NULL;
        }
        trc_callee callee = {code, (PyObject *)code, TRC_PYTHON};
        trc_node *node = there == NULL ? trc_recorder_find_context(recorder, record, &callee) : NULL;
        if (node != NULL) {
            trc_thread_enter(&record->thread, node, id, TRC_RUNNING, now);
        }
        Py_DECREF(code);
    }
    if (adopted < depth) {
        trc_thread_leave(&record->thread, record->thread.stack.frames[adopted + 1].id, now);
    }
}

/* Returns the activation at the bottom of a stack, or 0 when the stack is empty. */
static trc_activation bottom_of(const trc_stack *stack)
{
    return stack->top == stack->frames ? 0 : stack->frames[1].id;
}

/* Puts the frames that the calling thread runs onto its stack, unless they are there. They differ from the adopted
 * frames when the thread has switched to another greenlet unseen. */
void trc_recorder_adopt(trc_recorder *recorder, trc_thread_record *record, trc_activation entering, trc_tick now)
{
    if (trc_recorder_is_of_samples(recorder)) { /* no event would take them off */
        return;
    }
    int collecting = trc_pause_collection();
    trc_live_frames live = trc_filter_take_live_frames(recorder->base.filter, PyThreadState_Get());
    trc_activation bottom = live.count == 0 ? 0 : trc_backend_activation_of(recorder->backend->kind, live.frames[0]);
    bottom = bottom == entering ? 0 : bottom;
    trc_activation known = bottom_of(&record->thread.stack);
    if (known != 0 && known != bottom) {
        trc_thread_stop(&record->thread, now);
    }
    bool first_event = trc_context_part_of(record->base.context, recorder->base.key) ==
                       NULL; /* so no C function is on its stack yet */
    if (known == bottom ? first_event
                        : trc_calls_monitoring_instrument_frames(&recorder->base.shared->calls_monitoring, &live)) {
        adopt_frames(recorder, record, &live, entering, now);
    }
    trc_live_frames_free(&live);
    trc_resume_collection(collecting);
}

static bool is_wanted(const trc_recorder *recorder, const PyThreadState *thread)
{
    return thread->id != recorder->ignored_state_id &&
           (recorder->every_thread || thread->id == recorder->owner_state_id);
}

bool trc_recorder_is_cut_off(const trc_recorder *recorder, const trc_thread_record *record)
{
    if (!trc_is_recording(recorder->base.phase) || record->status != TRC_THREAD_RECORDED) {
        return record->status == TRC_THREAD_CUT_OFF;
    }
    const PyThreadState *thread = trc_state_of(record->base.state_id);
    bool may_go =
        recorder->backend->kind == TRC_SETPROFILE; /* nobody can take a callback of sys.monitoring's away unseen */
    return thread != NULL && may_go &&
           !trc_calls_setprofile_is_installed(&recorder->base.shared->calls_setprofile, thread);
}

int64_t trc_recorder_cpu_of(const trc_recorder *recorder, const trc_thread_record *record)
{
    bool is_told = record->thread.waits != NULL && record->status == TRC_THREAD_RECORDED && !record->base.paused &&
                   !trc_recorder_is_cut_off(recorder, record);
    return is_told ? trc_cpu_of(&recorder->base.clock, record->base.state_id, record->base.context->native_id)
                   : TRC_NO_CPU;
}

/* Where the thread's CPU time is not known here, the thread begins at its next event. */
void trc_recorder_begin_waits(const trc_recorder *recorder, trc_thread_record *record, trc_tick now)
{
    int64_t cpu = trc_recorder_cpu_of(recorder, record);
    if (cpu != TRC_NO_CPU) {
        trc_thread_begin_waits(&record->thread, now, cpu);
    }
}

void trc_recorder_begin_thread(const trc_recorder *recorder, trc_thread_record *record, trc_tick now)
{
    bool own = recorder->base.clock.kind == TRC_CLOCK_CPU;
    record->began = own ? trc_clock_now_of(&recorder->base.clock, record->base.context->native_id, 0) : now;
    if (own) {
        trc_thread_begin_log_at(&record->thread, record->began);
    }
    trc_thread_start(&record->thread, record->began);
    trc_recorder_begin_waits(recorder, record, record->began);
}

/* Another thread that runs no frames gets its record at its first event. Its frames are looked at again then, for the
 * thread may have been found in the middle of an event. */
void trc_recorder_adopt_threads(trc_recorder *recorder, bool here, trc_tick now)
{
    int collecting = trc_pause_collection();
    PyThreadState *current = PyThreadState_Get();
    PyThreadState *thread = trc_first_thread(PyInterpreterState_Get());
    for (; thread != NULL; thread = PyThreadState_Next(thread)) {
        if (!is_wanted(recorder, thread)) {
            continue;
        }
        bool calling = thread == current;
        trc_live_frames live =
            calling && !here ? (trc_live_frames){NULL, 0} : trc_filter_take_live_frames(recorder->base.filter, thread);
        trc_context *context =
            live.count == 0 && !calling ? NULL : trc_registry_context_of(&recorder->base.shared->registry, thread);
        trc_thread_record *record = context == NULL ? NULL : trc_thread_records_get(&recorder->threads, context, now);
        if (record != NULL && record->status == TRC_THREAD_RECORDED) {
            trc_recorder_begin_thread(recorder, record, now);
            record->unadopted = record->base.paused > 0;
            if (!record->unadopted && !trc_recorder_is_of_samples(recorder)) {
                adopt_frames(recorder, record, &live, 0, record->thread.last);
            }
        }
        watch(recorder, record, calling);
        if (record != NULL && calling && !(here && trc_is_in_event(thread))) {
            trc_context_set_part(context, recorder->base.key, record);
            trc_recorder_attribute(recorder, record);
        }
        trc_live_frames_free(&live);
    }
    trc_resume_collection(collecting);
}

/* Gets the record at the first event of a thread that is wanted, or of a new state of it; `entering` is the activation
 * that is being entered, or 0. */
static trc_thread_record *attach(trc_recorder *recorder, trc_activation entering, trc_tick now)
{
    trc_context *context = trc_context_here(&recorder->base.shared->registry, trc_this_thread());
    if (context == NULL) {
        return NULL;
    }
    trc_begin_own_work(recorder);
    bool is_known = trc_context_part_of(context, recorder->base.key) != NULL; /* by another state */
    uint32_t before = recorder->base.records.count;
    const trc_record_base *known = trc_records_find(&recorder->base.records, context);
    bool fresh = known == NULL || known->state_id != context->state_id;
    trc_thread_record *record = trc_thread_records_get(&recorder->threads, context, now);
    if (record == NULL) {
        return NULL;
    }
    if (recorder->base.records.count != before) {
        record->began = recorder->base.clock.kind == TRC_CLOCK_CPU ? now : recorder->began;
    }
    /* A record that exists with an empty stack begins with that stack. */
    if (record->status == TRC_THREAD_RECORDED && (fresh || bottom_of(&record->thread.stack) != 0)) {
        trc_recorder_adopt(recorder, record, entering, now);
    }
    trc_context_set_part(context, recorder->base.key, record);
    if (!is_known) {
        recorder->base.shared->has_news = true;
    }
    watch(recorder, record, true);
    trc_recorder_attribute(recorder, record);
    return record;
}

/* Returns the record of the calling thread, or NULL when it is not attached yet. */
trc_thread_record *trc_recorder_attached_record(trc_recorder *recorder)
{
    const PyThreadState *thread = trc_this_thread();
    trc_context *context = trc_context_here(&recorder->base.shared->registry, thread);
    if (context != NULL && trc_context_part_of(context, recorder->base.key) == NULL && !is_wanted(recorder, thread)) {
        trc_context_set_part(context, recorder->base.key, &recorder->outsider);
        if (recorder->base.samples != NULL) {
            trc_sampling_skip(recorder->base.samples, (pid_t)PyThread_get_thread_native_id());
        }
        trc_recorder_attribute(recorder, &recorder->outsider);
    }
    return context == NULL ? NULL : (trc_thread_record *)trc_record_here(context, recorder->base.key);
}

/* Returns the record of the calling thread, or NULL when memory is out. */
trc_thread_record *trc_recorder_current_record(trc_recorder *recorder, trc_activation entering, trc_tick now)
{
    assert(trc_has_gil());
    trc_thread_record *record = trc_recorder_attached_record(recorder);
    record = record != NULL ? record : attach(recorder, entering, now);
    assert(record == NULL || trc_record_is_here(&record->base));
    return record;
}
