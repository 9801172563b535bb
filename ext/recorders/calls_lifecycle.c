/* A recorder's life: see calls_lifecycle.h. */
#include "recorders/calls_lifecycle.h"

#include "interp/awaiters.h"
#include "interp/threads.h"
#include "recorders/line_silencer.h"
#include "recorders/sampled_lines.h"
#include "sources/allocators.h"
#include "sources/native_memory.h"

void trc_recorder_init(trc_recorder *recorder, PyObject *profiler, trc_shared *shared,
                       trc_internal_types internal_types)
{
    trc_recording_init(&recorder->base, &trc_kind_calls, profiler, shared);
    recorder->internal_types = internal_types;
    recorder->subcalls = recorder->every_thread = true;
    recorder->scope = TRC_BUILTINS;
    recorder->threads.list = &recorder->base.records;
    recorder->threads.clock = &recorder->base.clock;
    recorder->threads.node_budget = &recorder->node_budget;
    recorder->threads.recorder = recorder;
    recorder->outsider.status = TRC_THREAD_MUTED;
    recorder->timeline_file = -1;
    recorder->slowdown = -1;
    recorder->node_limit = TRC_NODE_LIMIT;
    recorder->function_limit = TRC_FUNCTION_LIMIT;
    trc_functab_init(&recorder->functions, &trc_system_allocator, trc_identity_free);
    trc_suspensions_init(&recorder->suspensions, &trc_system_allocator);
    atomic_store(&recorder->node_budget, recorder->node_limit);
}

/* The recorded data, taken out of its recorder. */
typedef struct recorded {
    trc_record_list records;
    trc_functab functions;
    trc_timeline *timeline;
    trc_notes notes;
    trc_memory *memory;
    trc_sampling *samples;
    trc_starts *starts;
} recorded;

static void free_starts(trc_starts *starts)
{
    if (starts != NULL) {
        trc_starts_free(starts);
        free(starts);
    }
}

static void free_recorded(recorded *old)
{
    trc_sampling_free(old->samples); /* first: until then a signal handler reads the records */
    for (trc_thread_record *record = trc_thread_records_first(&old->records); old->memory != NULL && record != NULL;
         record = trc_thread_record_next(record)) {
        trc_heap_thread_free(&old->memory->heap, &record->heap);
    }
    trc_memory_free(old->memory);
    trc_thread_records_free(&old->records);
    trc_timeline_free(old->timeline);
    trc_notes_clear(&old->notes);
    free_starts(old->starts);
    trc_functab_free(&old->functions); /* last: it drops references, which may run code */
}

/* Keeps threads muted or paused when the tables begin anew. */
static void carry_over(trc_recorder *recorder, const trc_record_list *before, trc_tick now)
{
    for (const trc_thread_record *old = trc_thread_records_first(before); old != NULL;
         old = trc_thread_record_next(old)) {
        trc_context *context = old->base.context;
        bool is_kept = (old->status != TRC_THREAD_RECORDED || old->base.paused) && !trc_context_is_over(context);
        trc_thread_record *record = is_kept ? trc_thread_records_get(&recorder->threads, context, now) : NULL;
        if (record != NULL) {
            trc_recorder_begin_thread(recorder, record, now);
            record->status = old->status;
            record->base.paused = old->base.paused;
        }
    }
}

/* The present moment, `now` on the recorder's clock, beside CLOCK_MONOTONIC: for the timeline. */
static trc_moment moment_of_notes(const trc_recorder *recorder, trc_tick now)
{
    if (recorder->base.clock.kind == TRC_CLOCK_COUNTER) {
        return trc_clock_moment(&recorder->base.clock);
    }
    return (trc_moment){now, trc_clock_monotonic()};
}

static void begin_notes(trc_recorder *recorder, trc_tick now)
{
    recorder->has_origin = true;
    recorder->origin = recorder->threads.origin = now;
    recorder->threads.timeline = recorder->timeline;
    if (recorder->timeline != NULL) {
        trc_timeline_begin(recorder->timeline, now);
    }
    recorder->notes.first = recorder->notes.last = moment_of_notes(recorder, now);
    recorder->notes.epoch = (double)trc_clock_epoch() * 1e-9;
}

static trc_activation find_awaiter(const void *context)
{
    const trc_recorder *recorder = context;
    PyFrameObject *frame = trc_outermost_awaiter();
    trc_activation id = frame == NULL ? 0 : trc_backend_activation_of(recorder->backend->kind, frame);
    Py_XDECREF(frame);
    return id;
}

/* 0, or -1 with an exception set. */
static int make_timeline(const trc_recorder *recorder, trc_timeline **timeline)
{
    *timeline = NULL;
    if (recorder->timeline_budget > 0) {
        *timeline = trc_timeline_new(&recorder->base.clock, recorder->timeline_budget, recorder->timeline_ring,
                                     recorder->timeline_file);
        if (*timeline == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        (*timeline)->tasks.find_awaiter = find_awaiter;
        (*timeline)->tasks.context = recorder;
    }
    return 0;
}

/* Has the allocators tell the recorder's heap. Returns -1 with an exception set where they tell another one. */
static int watch_memory(const trc_recorder *recorder)
{
    if (recorder->memory == NULL) {
        return 0;
    }
    trc_memory_begin(recorder->memory);
    trc_attributed unattributed = recorder->every_thread ? TRC_ATTRIBUTED_OUTSIDE : TRC_ATTRIBUTED_NOBODY;
    if (!trc_allocators_watch(&recorder->memory->heap, unattributed)) {
        PyErr_SetString(PyExc_RuntimeError, "another profile records memory in this process; disable that one first");
        return -1;
    }
    trc_native_memory_watch();
    trc_allocators_attribute(&recorder->memory->heap, (trc_attribution){TRC_ATTRIBUTED_NOBODY, NULL, NULL});
    trc_memory_watch(recorder->memory);
    return 0;
}

static void unwatch_memory(const trc_recorder *recorder)
{
    if (recorder->memory == NULL) {
        return;
    }
    trc_memory_rest(recorder->memory);
    bool is_recording = trc_is_recording(recorder->base.phase);
    if (is_recording) {
        trc_memory_check(recorder->memory, trc_allocators_reach(&recorder->memory->heap));
    }
    trc_allocators_unwatch(&recorder->memory->heap);
    if (is_recording) {
        trc_memory_mark(recorder->memory); /* the curve's end: no thread changes the heap any more */
    }
}

/* 0, or -1 with an exception set. */
static int make_memory(const trc_recorder *recorder, trc_memory **memory)
{
    *memory = recorder->keeps_memory ? trc_memory_new() : NULL;
    if (recorder->keeps_memory && *memory == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

/* 0, or -1 with an exception set. */
static int make_starts(const trc_recorder *recorder, trc_starts **starts)
{
    bool counts = TRC_HAS_MONITORING && trc_recorder_is_of_samples(recorder) && recorder->slowdown > 0;
    *starts = counts ? malloc(sizeof **starts) : NULL;
    if (counts && *starts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (counts) {
        trc_starts_init(*starts, &trc_system_allocator, recorder->slowdown, trc_clock_process_cpu());
    }
    return 0;
}

/* -- Samples -- */

/* 0, or -1 with an exception set. */
static int make_samples(trc_recorder *recorder, trc_sampling **samples)
{
    *samples = NULL;
    if (recorder->sample_hz > 0) {
        *samples = trc_samples_new(recorder->sample_hz, recorder->every_thread, &recorder->base.shared->slots);
        if (*samples != NULL && trc_recorder_is_of_samples(recorder)) {
            trc_samples_note_frames(*samples, recorder->has_native, recorder->internal_types.folder);
            trc_sampling_limit(*samples, recorder->slowdown);
            trc_line_silencer_attach(recorder, *samples);
        }
        if (*samples == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    }
    return 0;
}

static int refuse_samples(const trc_recorder *recorder)
{
    PyErr_Format(PyExc_RuntimeError, "%s cannot be sampled: the program has handlers for all real-time signals",
                 trc_recorder_is_of_samples(recorder) ? "Python code" : "native code");
    return -1;
}

/* What samples need, which may be NULL. 0, or -1 with an exception set. */
static int take_signal(const trc_recorder *recorder, trc_sampling *samples)
{
    return samples == NULL || trc_sampling_take_signal(samples) ? 0 : refuse_samples(recorder);
}

/* 0, or -1 with an exception set. */
static int begin_samples(const trc_recorder *recorder)
{
    return recorder->base.samples == NULL || trc_sampling_begin(recorder->base.samples) ? 0 : refuse_samples(recorder);
}

static void end_samples(const trc_recorder *recorder)
{
    if (recorder->base.samples != NULL) {
        trc_sampling_end(recorder->base.samples);
    }
}

void trc_recorder_sample_on(trc_recorder *recorder)
{
    if (recorder->base.samples == NULL || !trc_is_recording(recorder->base.phase)) {
        return;
    }
    trc_sampling_go_on(recorder->base.samples);
    const trc_thread_record *record = trc_recorder_record_here(recorder);
    if (record != NULL && record != &recorder->outsider) {
        pid_t here = (pid_t)PyThread_get_thread_native_id();
        trc_sampling_watch(recorder->base.samples, here, record->index, record, true);
        trc_link_lines(recorder->base.shared, record->base.context);
    }
}

/* What is recorded beside calls begins with the new tables. Where it cannot any more, that is told. */
static void watch_anew(const trc_recorder *recorder)
{
    if (begin_samples(recorder) < 0) { /* in a child: else the signal was there a moment ago */
        PyErr_WriteUnraisable(recorder->base.object);
    }
    if (watch_memory(recorder) < 0) { /* an interpreter with a lock of its own has begun to watch meanwhile */
        PyErr_WriteUnraisable(recorder->base.object);
    }
}

/* Begins with empty tables. The caller owns the old ones, in `old`. 0, or -1 with an exception set and nothing
 * changed. A child begins also where native code cannot be sampled any more: what it has is its parent's. */
static int begin_anew(trc_recorder *recorder, recorded *old, bool is_child)
{
    trc_tick now = trc_is_recording(recorder->base.phase) ? trc_clock_now(&recorder->base.clock) : 0;
    trc_timeline *timeline = NULL;
    trc_memory *memory = NULL;
    trc_sampling *samples = NULL;
    trc_starts *starts = NULL;
    if (trc_is_listed(recorder->base.phase)) {
        if (make_timeline(recorder, &timeline) < 0) {
            return -1;
        }
        if (make_memory(recorder, &memory) < 0 || make_starts(recorder, &starts) < 0 ||
            make_samples(recorder, &samples) < 0 || (!is_child && take_signal(recorder, samples) < 0)) {
            free_starts(starts);
            trc_timeline_free(timeline);
            trc_memory_free(memory);
            trc_sampling_free(samples);
            return -1;
        }
        trc_context_renew(&recorder->base.key);
        trc_gates_close(&recorder->base.shared->gates);
    }
    unwatch_memory(recorder);
    end_samples(recorder);
    *old = (recorded){recorder->base.records, recorder->functions,    recorder->timeline, recorder->notes,
                      recorder->memory,       recorder->base.samples, recorder->starts};
    recorder->timeline = timeline;
    recorder->memory = memory;
    recorder->base.samples = samples;
    recorder->starts = starts;
    recorder->notes = (trc_notes){.epoch = 0};
    recorder->base.records = (trc_record_list){.count = 0};
    recorder->threads.timeline = timeline;
    recorder->threads.origin = now;
    trc_functab_init(&recorder->functions, old->functions.allocator, old->functions.release);
    recorder->base.measured = (trc_moment){0, 0};
    memset(recorder->handlers, 0, sizeof recorder->handlers);
    recorder->base.enabled_at = trc_clock_moment(&recorder->base.clock);
    atomic_store(&recorder->node_budget, recorder->node_limit);
    trc_suspensions_free(&recorder->suspensions);
    recorder->base.generation++;
    recorder->began = recorder->origin = now;
    recorder->has_origin = false;
    if (trc_is_recording(recorder->base.phase)) {
        begin_notes(recorder, now);
    }
    watch_anew(recorder);
    if (trc_recorder_is_of_samples(recorder) &&
        trc_starts_monitoring_restart(&recorder->base.shared->starts_monitoring) < 0) {
        PyErr_WriteUnraisable(recorder->base.object); /* what is off stays off, and would be told as exact */
    }
    if (trc_is_recording(recorder->base.phase)) {
        carry_over(recorder, &old->records, now);
        trc_recorder_adopt_threads(recorder, true, now);
    }
    return 0;
}

int trc_recorder_clear(trc_recorder *recorder)
{
    recorded old;
    if (begin_anew(recorder, &old, false) < 0) {
        return -1;
    }
    free_recorded(&old);
    trc_registry_tidy(&recorder->base.shared->registry);
    trc_filter_forget(recorder->base.filter);
    trc_filter_forget(recorder->line_filter);
    return 0;
}

int trc_recorder_clear_copy(trc_recorder *recorder)
{
    recorded old;
    recorder->timeline_file = -1; /* which the parent goes on writing */
    return begin_anew(recorder, &old, true);
}

static void free_calls(trc_recording *recording)
{
    trc_recorder *recorder = (trc_recorder *)recording;
    trc_recorder_clear(recorder);
    trc_filter_free(recorder->line_filter);
    recorder->line_filter = NULL;
    trc_line_silencer_free(recorder->line_silencer);
    recorder->line_silencer = NULL;
    Py_CLEAR(recorder->why);
    Py_CLEAR(recorder->costs);
}

static int traverse_calls(const trc_recording *recording, visitproc visit, void *arg)
{
    const trc_recorder *recorder = (const trc_recorder *)recording;
    Py_VISIT(recorder->costs);
    int visited = trc_timeline_traverse(recorder->timeline, visit, arg);
    visited = visited != 0 ? visited : trc_notes_traverse(&recorder->notes, visit, arg);
    if (visited != 0) {
        return visited;
    }
    for (const trc_thread_record *record = trc_thread_records_first(&recorder->base.records); record != NULL;
         record = trc_thread_record_next(record)) {
        Py_VISIT(record->name);
    }
    for (const trc_func *func = recorder->functions.first; func != NULL; func = func->hh.next) {
        int result = trc_identity_traverse(func->owner, visit, arg);
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

static int open_calls(trc_recording *recording)
{
    trc_recorder *recorder = (trc_recorder *)recording;
    if ((recorder->timeline == NULL && make_timeline(recorder, &recorder->timeline) < 0) ||
        (recorder->memory == NULL && make_memory(recorder, &recorder->memory) < 0) ||
        (recorder->starts == NULL && make_starts(recorder, &recorder->starts) < 0) ||
        (recorder->base.samples == NULL && make_samples(recorder, &recorder->base.samples) < 0)) {
        return -1;
    }
    if (recorder->starts != NULL) {
        trc_allowance_go_on(&recorder->starts->allowance, trc_clock_process_cpu());
    }
    recorder->base.timer.failed = false;
    recorder->scope_on_stack = recorder->scope;
    recorder->owner_state_id = PyThreadState_GetID(PyThreadState_Get());
    if (trc_context_here(&recorder->base.shared->registry, trc_this_thread()) ==
        NULL) { /* whose allocations are nobody's now */
        PyErr_NoMemory();
        return -1;
    }
    if (watch_memory(recorder) < 0) {
        return -1;
    }
    if (begin_samples(recorder) < 0 || trc_registry_open(&recorder->base.shared->registry, &recorder->base.key) < 0) {
        unwatch_memory(recorder);
        end_samples(recorder);
        return -1;
    }
    return 0;
}

static void close_calls(trc_recording *recording)
{
    trc_recorder *recorder = (trc_recorder *)recording;
    unwatch_memory(recorder);
    end_samples(recorder);
    trc_registry_close(&recorder->base.shared->registry, &recorder->base.key);
}

static void begin_calls(trc_recording *recording, bool here)
{
    trc_recorder *recorder = (trc_recorder *)recording;
    trc_tick now = trc_clock_now(&recorder->base.clock);
    if (recorder->base.phase != TRC_STARTING) { /* a custom timer or an audit hook has disabled or started it */
        return;
    }
    for (trc_thread_record *record = trc_thread_records_first(&recorder->base.records); record != NULL;
         record = trc_thread_record_next(record)) {
        record->status = TRC_THREAD_RECORDED;
        record->base.paused = 0;
        record->unadopted = false;
        trc_recorder_begin_thread(recorder, record, now);
    }
    recorder->base.enabled_at = trc_clock_moment(&recorder->base.clock);
    recorder->base.phase = TRC_ON;
    recorder->base.generation++;
    recorder->began = now;
    if (!recorder->has_origin) {
        begin_notes(recorder, now);
    }
    trc_recorder_adopt_threads(recorder, here, now);
    recorder->base.shared->has_news = true;
}

trc_tick trc_recorder_now_of(const trc_recorder *recorder, const trc_thread_record *record, trc_tick now)
{
    if (record->base.paused || trc_context_is_over(record->base.context) || trc_recorder_is_cut_off(recorder, record)) {
        return record->thread.last;
    }
    return recorder->base.clock.kind == TRC_CLOCK_CPU
               ? trc_clock_now_of(&recorder->base.clock, record->base.context->native_id, record->thread.last)
               : now;
}

static void stop_calls(trc_recording *recording)
{
    trc_recorder *recorder = (trc_recorder *)recording;
    unwatch_memory(recorder);
    end_samples(recorder);
    if (trc_is_recording(recorder->base.phase)) {
        trc_recording_stop_clock(&recorder->base);
        for (trc_thread_record *record = trc_thread_records_first(&recorder->base.records); record != NULL;
             record = trc_thread_record_next(record)) {
            record->status = trc_recorder_is_cut_off(recorder, record) ? TRC_THREAD_CUT_OFF : record->status;
        }
        recorder->base.phase = TRC_CLOSING;
        trc_tick now = trc_clock_now(&recorder->base.clock);
        for (trc_thread_record *record = trc_thread_records_first(&recorder->base.records); record != NULL;
             record = trc_thread_record_next(record)) {
            int64_t cpu = trc_recorder_cpu_of(recorder, record);
            trc_tick until = trc_recorder_now_of(recorder, record, now);
            if (cpu != TRC_NO_CPU) {
                trc_thread_look_at_waits(&record->thread, until, cpu);
            }
            trc_thread_stop(&record->thread, until);
        }
        recorder->notes.last = moment_of_notes(recorder, now);
        trc_suspensions_free(&recorder->suspensions);
    }
    close_calls(recording);
}

bool trc_recorder_copy_notes(const trc_recorder *recorder, trc_notes *copy, trc_tick now)
{
    bool copied = trc_notes_copy(copy, &recorder->notes);
    if (trc_is_recording(recorder->base.phase)) {
        copy->last = moment_of_notes(recorder, now);
    }
    return copied;
}

const trc_recording_kind trc_kind_calls = {
    "profiler",         open_calls,          begin_calls,    stop_calls, close_calls,
    trc_recorder_pause, trc_recorder_resume, traverse_calls, free_calls,
};
