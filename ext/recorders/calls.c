/* What one Profile records, event by event: see calls.h. calls_lifecycle.h has its beginning and end.
 *
 * A custom timer runs Python code, which may disable, clear or drop the very profile that called it, or let other
 * threads do so. So the clock is read first, while no pointer into the recorder is held. */
#include "recorders/calls.h"

#include "interp/live_frames.h"
#include "interp/threads.h"
#include "sources/allocators.h"

static const char other_key; /* its address is the key of all functions past the limit */

/* -- Functions and contexts -- */

/* Returns the recorder's record of a function; all functions past the limit share one. Returns NULL when memory is
 * out. */
static trc_func *find_function(trc_recorder *recorder, const trc_callee *callee)
{
    trc_functab *functions = &recorder->functions;
    trc_func *func = trc_functab_find(functions, callee->key);
    if (func != NULL) {
        return func;
    }
    bool known =
        (long)functions->count < recorder->function_limit || trc_callee_is_internal(callee, &recorder->internal_types);
    const void *key = known ? callee->key : &other_key;
    func = known ? NULL : trc_functab_find(functions, key);
    if (func != NULL) {
        return func;
    }
    trc_identity *identity = known ? trc_identity_new(callee, &recorder->internal_types) : trc_identity_other();
    if (identity == NULL) {
        return NULL;
    }
    func = trc_functab_add(functions, key, identity);
    if (func == NULL) {
        trc_identity_free(identity);
        return NULL;
    }
    identity->id = func->id;
    return func;
}

/* -- Memory -- */

/* What the calling thread, whose record this is, allocates from now on belongs to where it is. */
static void credit(const trc_recorder *recorder, trc_thread_record *record)
{
    if (recorder->memory != NULL) {
        bool is_recorded = record->status == TRC_THREAD_RECORDED && record->base.paused == 0;
        trc_credit how = is_recorded ? TRC_CREDIT_NODE : TRC_CREDIT_NOBODY;
        trc_allocators_credit(&recorder->memory->heap, (trc_creditor){how, &record->heap, &record->thread});
    }
}

/* What the recorder itself allocates is nobody's: from one to the other. */
static trc_creditor begin_own_work(const trc_recorder *recorder)
{
    trc_creditor nobody = {TRC_CREDIT_NOBODY, NULL, NULL};
    return recorder->memory == NULL ? nobody : trc_allocators_credit(&recorder->memory->heap, nobody);
}

static void end_own_work(const trc_recorder *recorder, trc_creditor before)
{
    if (recorder->memory != NULL) {
        trc_allocators_credit(&recorder->memory->heap, before);
    }
}

/* Native samples of a thread from now on belong to its nodes; of one that is not to be recorded there are none. */
static void watch(const trc_recorder *recorder, const trc_thread_record *record, bool is_here)
{
    if (recorder->samples != NULL && record != NULL) {
        trc_samples_watch(recorder->samples, record, is_here);
        recorder->base.host->link_lines(recorder->base.host, record->base.context->native_id);
    }
}

/* -- Contexts -- */

/* Returns the context of a call that is not among the known ones. Returns NULL when memory is out: the call counts as
 * lost. */
static trc_node *new_context(trc_recorder *recorder, trc_thread_record *record, const trc_callee *callee)
{
    trc_functab *own = &record->thread.funcs;
    trc_func *func = trc_functab_find(own, callee->key);
    if (func == NULL) {
        const trc_func *function = find_function(recorder, callee);
        if (function != NULL && function->key != callee->key) {
            trc_node *node = trc_thread_child(&record->thread, function->key);
            if (node != NULL) {
                return node;
            }
            func = trc_functab_find(own, function->key);
        }
        if (function != NULL && func == NULL) {
            func = trc_functab_add(own, function->key, function->owner);
            if (func != NULL) {
                func->is_coroutine = trc_identity_is_coroutine(function->owner);
            }
            recorder->base.host->has_news = true;
        }
    }
    if (func == NULL) {
        record->thread.lost_calls++;
        return NULL;
    }
    trc_node *node = trc_thread_add_child(&record->thread, func);
    if (record->thread.overflowing) {
        recorder->base.host->close_gates(recorder->base.host);
    }
    return node;
}

static inline trc_node *make_context(trc_recorder *recorder, trc_thread_record *record, const trc_callee *callee)
{
    if (recorder->memory == NULL) {
        return new_context(recorder, record, callee);
    }
    trc_creditor before = begin_own_work(recorder);
    trc_node *node = new_context(recorder, record, callee);
    end_own_work(recorder, before);
    return node;
}

static trc_node *find_context(trc_recorder *recorder, trc_thread_record *record, const trc_callee *callee)
{
    trc_node *node = trc_thread_child(&record->thread, callee->key);
    return node == NULL ? make_context(recorder, record, callee) : node;
}

/* -- Threads -- */

/* Puts the frames that a thread runs already onto its stack, up to the activation that is being entered. Frames on the
 * stack stay as long as they match. They may not: a thread may be found in the middle of an event, with a frame that
 * has ended since. */
static void adopt_frames(trc_recorder *recorder, trc_thread_record *record, const trc_live_frames *live,
                         trc_activation entering, trc_tick now)
{
    size_t depth = (size_t)(record->thread.stack.top - record->thread.stack.frames);
    size_t adopted = 0;
    for (; adopted < live->count; adopted++) {
        trc_activation id = recorder->base.host->activation_of(recorder->backend, live->frames[adopted]);
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
        trc_node *node = there == NULL ? find_context(recorder, record, &callee) : NULL;
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
static void adopt(trc_recorder *recorder, trc_thread_record *record, trc_activation entering, trc_tick now)
{
    int collecting = trc_pause_collection();
    trc_live_frames live = trc_filter_take_live_frames(recorder->base.filter, PyThreadState_Get());
    trc_activation bottom = live.count == 0 ? 0 : recorder->base.host->activation_of(recorder->backend, live.frames[0]);
    bottom = bottom == entering ? 0 : bottom;
    trc_activation known = bottom_of(&record->thread.stack);
    if (known != 0 && known != bottom) {
        trc_thread_stop(&record->thread, now);
    }
    bool first_event = trc_context_part_of(record->base.context, recorder->base.key) ==
                       NULL; /* so no C function is on its stack yet */
    if (known == bottom ? first_event
                        : recorder->base.host->instrument_frames(recorder->base.host, recorder->backend, &live)) {
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
    return thread != NULL && !recorder->base.host->is_installed(recorder->backend, thread);
}

int64_t trc_recorder_cpu_of(const trc_recorder *recorder, const trc_thread_record *record)
{
    bool is_told = record->thread.waits != NULL && record->status == TRC_THREAD_RECORDED && !record->base.paused &&
                   !trc_recorder_is_cut_off(recorder, record);
    return is_told ? trc_cpu_of(&recorder->base.clock, record->base.state_id, record->base.context->native_id)
                   : TRC_NO_CPU;
}

/* Where the thread's CPU time is not known here, the thread begins at its next event. */
static void begin_waits(const trc_recorder *recorder, trc_thread_record *record, trc_tick now)
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
    begin_waits(recorder, record, record->began);
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
            live.count == 0 && !calling ? NULL : trc_registry_context_of(&recorder->base.host->registry, thread);
        trc_thread_record *record = context == NULL ? NULL : trc_thread_records_get(&recorder->threads, context, now);
        if (record != NULL && record->status == TRC_THREAD_RECORDED) {
            trc_recorder_begin_thread(recorder, record, now);
            record->unadopted = record->base.paused > 0;
            if (!record->unadopted) {
                adopt_frames(recorder, record, &live, 0, record->thread.last);
            }
        }
        watch(recorder, record, calling);
        if (record != NULL && calling && !(here && trc_is_in_event(thread))) {
            trc_context_set_part(context, recorder->base.key, record);
            credit(recorder, record);
        }
        trc_live_frames_free(&live);
    }
    trc_resume_collection(collecting);
}

/* Gets the record at the first event of a thread that is wanted, or of a new state of it; `entering` is the activation
 * that is being entered, or 0. */
static trc_thread_record *attach(trc_recorder *recorder, trc_activation entering, trc_tick now)
{
    trc_context *context = trc_context_here(&recorder->base.host->registry, trc_this_thread());
    if (context == NULL) {
        return NULL;
    }
    begin_own_work(recorder);
    bool is_known = trc_context_part_of(context, recorder->base.key) != NULL; /* by another state */
    uint32_t before = recorder->threads.list.count;
    const trc_record_base *known = trc_records_find(&recorder->threads.list, context);
    bool fresh = known == NULL || known->state_id != context->state_id;
    trc_thread_record *record = trc_thread_records_get(&recorder->threads, context, now);
    if (record == NULL) {
        return NULL;
    }
    if (recorder->threads.list.count != before) {
        record->began = recorder->base.clock.kind == TRC_CLOCK_CPU ? now : recorder->began;
    }
    /* A record that exists with an empty stack begins with that stack. */
    if (record->status == TRC_THREAD_RECORDED && (fresh || bottom_of(&record->thread.stack) != 0)) {
        adopt(recorder, record, entering, now);
    }
    trc_context_set_part(context, recorder->base.key, record);
    if (!is_known) {
        recorder->base.host->has_news = true;
    }
    watch(recorder, record, true);
    credit(recorder, record);
    return record;
}

/* Returns the record of the calling thread, or NULL when it is not attached yet. */
static inline trc_thread_record *attached_record(trc_recorder *recorder)
{
    const PyThreadState *thread = trc_this_thread();
    trc_context *context = trc_context_here(&recorder->base.host->registry, thread);
    if (context != NULL && trc_context_part_of(context, recorder->base.key) == NULL && !is_wanted(recorder, thread)) {
        trc_context_set_part(context, recorder->base.key, &recorder->outsider);
        if (recorder->samples != NULL) {
            trc_sampling_skip(recorder->samples, (pid_t)PyThread_get_thread_native_id());
        }
        credit(recorder, &recorder->outsider);
    }
    return context == NULL ? NULL : (trc_thread_record *)trc_record_here(context, recorder->base.key);
}

/* Returns the record of the calling thread, or NULL when memory is out. */
static inline trc_thread_record *current_record(trc_recorder *recorder, trc_activation entering, trc_tick now)
{
    trc_thread_record *record = attached_record(recorder);
    return record != NULL ? record : attach(recorder, entering, now);
}

/* -- Events -- */

/* Returns the record of the calling thread for an event, and the time; NULL when the event is not to be recorded.
 * Threads that are not recorded read no clock. */
static trc_thread_record *recording_record(trc_recorder *recorder, trc_activation entering, trc_tick *now)
{
    const trc_thread_record *known = attached_record(recorder);
    bool is_left_out = known != NULL && (known->status != TRC_THREAD_RECORDED || known->base.paused);
    if (is_left_out || !trc_recording_read_clock(&recorder->base, now)) {
        return NULL;
    }
    trc_thread_record *record = current_record(recorder, entering, *now);
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
    trc_recorder *recorder = record->recorder;
    trc_thread *thread = &record->thread;
    if (recorder->base.filter != NULL && !trc_filter_has(recorder->base.filter, site)) {
        return false;
    }
    trc_node *node = trc_thread_child(thread, callee->key);
    if (node == NULL) {
        node = make_context(recorder, record, callee);
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
    trc_node *node = find_context(recorder, record, callee);
    if (node == NULL) {
        return;
    }
    enter_context(recorder, &record->thread, node, callee->key, id, entry, now);
    /* A new thread calls C functions before `threading` knows it, one for each other thread: only Python functions
     * count. */
    if (record->nameless && callee->scope == TRC_PYTHON) {
        trc_creditor before = begin_own_work(recorder);
        trc_thread_record_learn_name(record);
        end_own_work(recorder, before);
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
    const trc_context *context = trc_context_here(&recorder->base.host->registry, trc_this_thread());
    const trc_thread_record *record = context != NULL && trc_is_recording(recorder->base.phase)
                                          ? trc_context_part_of(context, recorder->base.key)
                                          : NULL;
    if (record != NULL && record->status == TRC_THREAD_RECORDED &&
        (record->thread.stack.top->id & ~(trc_activation)1) != id) {
        trc_recorder_enter(recorder, callee, id, TRC_RESUMED);
    }
}

void trc_recorder_switch(trc_recorder *recorder, const void *from, bool is_over, const void *to, bool look)
{
    trc_tick now;
    if (!trc_recording_read_clock(&recorder->base, &now)) {
        return;
    }
    trc_thread_record *record = attached_record(recorder);
    if (record == NULL && look) {
        attach(recorder, 0, now); /* attaching adopts the frames */
    }
    else if (record != NULL && record->status == TRC_THREAD_RECORDED) {
        now = record->base.paused ? record->thread.last : now;
        if (!trc_thread_switch(&record->thread, from, is_over, to, now) && look) {
            adopt(recorder, record, 0, now);
        }
    }
}

void trc_recorder_look_again(trc_recorder *recorder, trc_activation entering)
{
    trc_tick now;
    trc_thread_record *record =
        trc_recording_read_clock(&recorder->base, &now) ? current_record(recorder, entering, now) : NULL;
    if (record != NULL && record->status == TRC_THREAD_RECORDED) {
        adopt(recorder, record, entering, record->base.paused ? record->thread.last : now);
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
        trc_recording_read_clock(&recorder->base, &now) ? current_record(recorder, 0, now) : NULL;
    if (record != NULL && record->status == TRC_THREAD_RECORDED) {
        bool cut_off = trc_recorder_is_cut_off(recorder, record);
        trc_thread_pause(&record->thread, cut_off ? record->thread.last : now);
        trc_thread_stop(&record->thread, cut_off ? record->thread.last : now);
        record->status = cut_off ? TRC_THREAD_CUT_OFF : TRC_THREAD_MUTED;
        credit(recorder, record);
        recorder->base.host->close_gates(recorder->base.host);
    }
}

void trc_recorder_give_up_threads(trc_recorder *recorder)
{
    for (trc_thread_record *record = trc_thread_records_first(&recorder->threads); record != NULL;
         record = trc_thread_record_next(record)) {
        if (record->status == TRC_THREAD_RECORDED && trc_recorder_is_cut_off(recorder, record)) {
            record->status = TRC_THREAD_CUT_OFF;
            if (recorder->samples != NULL) { /* the thread's signal handler may be on the stack that is freed now */
                trc_sampling_settle(recorder->samples, (pid_t)record->base.context->native_id);
            }
            trc_thread_stop(&record->thread, record->thread.last);
            recorder->base.host->close_gates(recorder->base.host);
        }
    }
}

void trc_recorder_unmute(trc_recorder *recorder, bool here)
{
    trc_tick now;
    trc_thread_record *record =
        trc_recording_read_clock(&recorder->base, &now) ? current_record(recorder, 0, now) : NULL;
    if (record != NULL && record->status != TRC_THREAD_RECORDED && record != &recorder->outsider) {
        trc_thread_start(&record->thread, now);
        record->status = TRC_THREAD_RECORDED;
        record->unadopted = false;
        begin_waits(recorder, record, now);
        if (here) {
            adopt(recorder, record, 0, now);
        }
        credit(recorder, record);
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
    return trc_is_recording(recorder->base.phase) ? current_record(recorder, 0, *now) : NULL;
}

void trc_recorder_pause(trc_recording *recording)
{
    trc_recorder *recorder = (trc_recorder *)recording;
    trc_tick now;
    trc_thread_record *record = pausing_record(recorder, &now);
    recorder->base.host->close_gates(recorder->base.host);
    if (record != NULL && record->base.paused++ == 0 && record->status == TRC_THREAD_RECORDED &&
        !trc_recorder_is_cut_off(recorder, record)) {
        trc_thread_pause(&record->thread, now);
        credit(recorder, record);
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
        adopt(recorder, record, 0, now);
    }
    credit(recorder, record);
}

void trc_recorder_hold_logs(const trc_recorder *recorder, bool is_held)
{
    bool is_file = recorder->timeline != NULL && recorder->timeline->is_file;
    for (const trc_thread_record *record = trc_thread_records_first(&recorder->threads); is_file && record != NULL;
         record = trc_thread_record_next(record)) {
        if (is_held) {
            trc_log_hold(record->thread.log);
        }
        else {
            trc_log_go_on(record->thread.log);
        }
    }
}

void trc_recorder_raise_scope(trc_recorder *recorder)
{
    if (recorder->scope > recorder->scope_on_stack) {
        recorder->scope_on_stack = recorder->scope;
    }
}
