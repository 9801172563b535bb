/* A recorder's data at one moment: see snapshot.h. */
#include "types/snapshot.h"

#include "sources/backend.h"
#include "interp/extensions.h"
#include "interp/made_methods.h"
#include "sources/allocators.h"

#include "types/records.h"

#include <stdlib.h>

/* Names are looked up first, while every record is still in place. No code of the program may run meanwhile, so the
 * garbage collector is held off. */
static void refresh_names(trc_recorder *recorder)
{
    int collecting = trc_pause_collection();
    for (trc_thread_record *record = trc_thread_records_first(&recorder->base.records); record != NULL;
         record = trc_thread_record_next(record)) {
        Py_XSETREF(record->name, trc_thread_record_name(record));
    }
    trc_resume_collection(collecting);
}

/* Copies the recorder's functions in their order, so that their ids stay the same. Returns false when memory is out. */
static bool copy_functions(trc_snapshot *snapshot, const trc_functab *functions)
{
    for (const trc_func *func = functions->first; func != NULL; func = func->hh.next) {
        trc_identity *identity = trc_identity_copy(func->owner);
        if (identity == NULL) {
            return false;
        }
        if (trc_functab_add(&snapshot->functions, func->key, identity) == NULL) {
            trc_identity_free(identity);
            return false;
        }
    }
    return true;
}

/* Replaces the thread's own function ids by those of the recorder, and moments by the ticks since `origin`. Returns false when memory is out. */
static bool make_common(const trc_functab *funcs, trc_capture *capture, trc_tick origin)
{
    uint32_t *ids = calloc((size_t)funcs->count + 1, sizeof *ids);
    if (ids == NULL) {
        return false;
    }
    for (const trc_func *func = funcs->first; func != NULL; func = func->hh.next) {
        ids[func->id] = ((const trc_identity *)func->owner)->id;
    }
    for (uint32_t i = 1; i < capture->node_count; i++) {
        capture->nodes[i].func = ids[capture->nodes[i].func];
    }
    for (uint32_t i = 0; i < capture->overflow_count; i++) {
        trc_overflow_record *overflow = &capture->overflows[i];
        overflow->caller = overflow->caller == TRC_NO_FUNCTION ? TRC_NO_FUNCTION : ids[overflow->caller];
        overflow->callee = ids[overflow->callee];
    }
    for (uint32_t i = 0; i < capture->outermost_count; i++) {
        capture->outermost[i].func = ids[capture->outermost[i].func];
    }
    for (int extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        for (uint32_t i = 0; i < capture->extra_counts[extra]; i++) {
            capture->extras[extra][i].func = ids[capture->extras[extra][i].func];
        }
    }
    for (uint32_t i = 0; i < capture->unseen_count; i++) {
        capture->unseen[i].func = ids[capture->unseen[i].func];
    }
    for (uint32_t i = 0; i < capture->extra_counts[TRC_LONGEST_AT]; i++) {
        trc_tick *at = &capture->extras[TRC_LONGEST_AT][i].ticks;
        *at = trc_ticks_since(*at, origin);
    }
    free(ids);
    return true;
}

/* Returns false when memory is out. */
static bool copy_object_calls(trc_snapshot_thread *copy, const trc_object_table *table)
{
    copy->object_calls = malloc((HASH_CNT(hh, table->first) + 1) * sizeof *copy->object_calls);
    if (copy->object_calls == NULL) {
        return false;
    }
    for (const trc_object_calls *each = table->first; each != NULL; each = each->hh.next) {
        copy->object_calls[copy->object_call_count++] =
            (trc_object_calls_record){(uint32_t)(each->key >> 32), (uint32_t)each->key, each->calls, each->ticks};
    }
    return true;
}

static bool copy_threads(trc_snapshot *snapshot, const trc_recorder *recorder, trc_tick now, bool has_slices)
{
    size_t place = recorder->base.records.count; /* the records are newest first, the snapshot is oldest first */
    snapshot->threads = calloc(place + 1, sizeof *snapshot->threads);
    if (snapshot->threads == NULL) {
        return false;
    }
    snapshot->thread_count = place;
    for (const trc_thread_record *record = trc_thread_records_first(&recorder->base.records); record != NULL;
         record = trc_thread_record_next(record)) {
        trc_snapshot_thread *copy = &snapshot->threads[--place];
        bool running = trc_is_recording(recorder->base.phase) && record->status == TRC_THREAD_RECORDED;
        copy->name = Py_NewRef(record->name);
        copy->ident = record->base.context->ident;
        copy->native_id = record->base.context->native_id;
        copy->lost_calls = record->thread.lost_calls;
        copy->thread_count = record->thread_count;
        copy->cut_off = trc_recorder_is_cut_off(recorder, record);
        copy->last = trc_ticks_since(record->thread.last, record->began);
        trc_tick until = running ? trc_recorder_now_of(recorder, record, now) : now;
        if (until < record->thread.last) { /* the thread went on while a custom timer was read */
            until = record->thread.last;
        }
        copy->origin = recorder->base.clock.kind == TRC_CLOCK_CPU ? record->began : recorder->origin;
        int64_t cpu = trc_recorder_cpu_of(recorder, record);
        if (!trc_capture_thread(&copy->capture, &record->thread, until, running, cpu) ||
            !make_common(&record->thread.funcs, &copy->capture, copy->origin) ||
            !copy_object_calls(copy, &record->objects)) {
            return false;
        }
        copy->is_over = trc_context_is_over(record->base.context);
        trc_log_request request = {until, copy->origin, copy->capture.pending_wait, running, !has_slices};
        if (record->thread.log != NULL && !trc_log_capture_thread(&copy->log, &record->thread, &request)) {
            return false;
        }
    }
    return true;
}

/* Copies the memory of all threads, whose captures are there, at one moment. */
static bool copy_memory(trc_snapshot *snapshot, const trc_recorder *recorder)
{
    snapshot->has_memory = recorder->memory != NULL;
    if (!snapshot->has_memory) {
        return true;
    }
    if (trc_is_recording(recorder->base.phase)) {
        trc_memory_check(recorder->memory, trc_allocators_reach(&recorder->memory->heap));
    }
    trc_allocators_lock();
    if (trc_is_recording(recorder->base.phase)) {
        trc_memory_mark(recorder->memory);
    }
    bool copied = trc_memory_copy_sums(recorder->memory, &snapshot->memory);
    for (const trc_thread_record *record = trc_thread_records_first(&recorder->base.records); copied && record != NULL;
         record = trc_thread_record_next(record)) {
        trc_snapshot_thread *copy = &snapshot->threads[record->index];
        copied =
            trc_memory_copy(recorder->memory, &record->heap, &record->thread.tree, &copy->memory, &copy->memory_count);
    }
    trc_allocators_unlock();
    return copied;
}

/* Copies the native samples of all threads, whose captures are there: so each node of a sample is in one, since no other
 * thread adds nodes meanwhile. */
static bool copy_samples(trc_snapshot *snapshot, const trc_recorder *recorder)
{
    snapshot->has_samples = recorder->base.samples != NULL;
    if (!snapshot->has_samples) {
        return true;
    }
    trc_sampling_lock(recorder->base.samples);
    bool copied = trc_samples_copy_all(recorder->base.samples, &snapshot->samples);
    for (const trc_thread_record *record = trc_thread_records_first(&recorder->base.records); copied && record != NULL;
         record = trc_thread_record_next(record)) {
        copied = trc_samples_copy_thread(recorder->base.samples, record, &snapshot->threads[record->index].samples);
    }
    trc_sampling_unlock(recorder->base.samples);
    return copied;
}

static bool copy_timeline(trc_timeline_copy *copy, const trc_recorder *recorder)
{
    const trc_timeline *timeline = recorder->timeline;
    copy->unit = 1;
    if (timeline == NULL) { /* nothing was recorded yet */
        return true;
    }
    copy->least = timeline->store.least;
    copy->since = timeline->store.has_overwritten ? trc_ticks_since(timeline->store.since, recorder->origin) : 0;
    copy->unit = timeline->unit;
    copy->lost = timeline->store.lost;
    copy->tasks_dropped = timeline->tasks.dropped;
    copy->tasks = malloc(((size_t)timeline->tasks.count + 1) * sizeof *copy->tasks);
    for (uint32_t i = 0; copy->tasks != NULL && i < timeline->tasks.count; i++) {
        copy->tasks[i] = timeline->tasks.tasks[i];
        Py_XINCREF((PyObject *)copy->tasks[i].name);
        copy->task_count++;
    }
    return copy->tasks != NULL;
}

static int by_start(const void *one, const void *other)
{
    const trc_note *a = one, *b = other;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : (a->id < b->id ? -1 : a->id > b->id);
}

/* Tells the notes' moments from where their threads' are told from, and puts ranges into the order of these moments:
 * threads that have clocks of their own, or take turns in a custom timer, make notes out of order. */
static void make_notes_common(trc_snapshot *snapshot)
{
    bool is_sorted = true;
    for (int kind = 0; kind < TRC_NOTE_LISTS; kind++) {
        const trc_note_list *list = &snapshot->notes.lists[kind];
        for (uint32_t i = 0; i < list->count; i++) {
            trc_note *note = &list->notes[i];
            bool is_over = note->end_thread != TRC_NOT_OVER;
            note->start = trc_ticks_since(note->start, snapshot->threads[note->thread].origin);
            note->end = is_over ? trc_ticks_since(note->end, snapshot->threads[note->end_thread].origin) : -1;
            is_sorted = is_sorted && (kind != TRC_RANGES || i == 0 || note[-1].start <= note->start);
        }
    }
    if (!is_sorted) {
        const trc_note_list *ranges = &snapshot->notes.lists[TRC_RANGES];
        qsort(ranges->notes, ranges->count, sizeof *ranges->notes, by_start);
    }
}

int trc_snapshot_take(trc_snapshot *snapshot, trc_recorder *recorder, trc_moment imported_at, bool has_slices)
{
    memset(snapshot, 0, sizeof *snapshot);
    trc_functab_init(&snapshot->functions, &trc_system_allocator, trc_identity_free);
    /* The clock is read first: a custom timer runs code. A timer that looks at its own profile is not called again. */
    bool within = trc_timer_is_running(&recorder->base.timer);
    trc_tick now = within                                   ? recorder->base.timer.last
                   : trc_is_recording(recorder->base.phase) ? trc_clock_now(&recorder->base.clock)
                                                            : 0;
    refresh_names(recorder);
    if (!copy_functions(snapshot, &recorder->functions) || !copy_threads(snapshot, recorder, now, has_slices) ||
        !trc_recorder_copy_notes(recorder, &snapshot->notes, now) || !copy_timeline(&snapshot->timeline, recorder) ||
        !copy_memory(snapshot, recorder) || !copy_samples(snapshot, recorder)) {
        PyErr_NoMemory();
        return -1;
    }
    make_notes_common(snapshot);
    memcpy(snapshot->handlers, recorder->handlers, sizeof snapshot->handlers);
    trc_moment since_import = trc_moment_since(trc_recording_latest(&recorder->base), imported_at);
    snapshot->seconds_per_tick =
        trc_clock_seconds_per_tick(&recorder->base.clock, trc_recording_measured(&recorder->base), since_import);
    return 0;
}

void trc_snapshot_free(trc_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->thread_count; i++) {
        trc_capture_free(&snapshot->threads[i].capture, &trc_system_allocator);
        trc_log_capture_free(&snapshot->threads[i].log, &trc_system_allocator);
        free(snapshot->threads[i].memory);
        free(snapshot->threads[i].object_calls);
        free(snapshot->threads[i].samples.sample_counts);
        Py_XDECREF(snapshot->threads[i].name);
    }
    free(snapshot->threads);
    free(snapshot->memory.curve);
    trc_samples_free_copy(&snapshot->samples);
    for (uint32_t i = 0; i < snapshot->timeline.task_count; i++) {
        Py_XDECREF((PyObject *)snapshot->timeline.tasks[i].name);
    }
    free(snapshot->timeline.tasks);
    trc_notes_clear(&snapshot->notes);
    trc_functab_free(&snapshot->functions);
}

static const PyCodeObject *code_of(const trc_func *func)
{
    const trc_identity *identity = func->owner;
    return identity->kind == TRC_IDENTITY_CODE ? (const PyCodeObject *)identity->kept_alive : NULL;
}

static PyObject *functions_as_tuple(const trc_functab *functions)
{
    PyObject *tuple = PyTuple_New(functions->count);
    for (const trc_func *func = functions->first; tuple != NULL && func != NULL; func = func->hh.next) {
        PyObject *names = trc_identity_names(func->owner);
        if (names == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, func->id, names);
    }
    if (tuple != NULL && trc_name_made_methods(tuple, functions, code_of) < 0) {
        Py_CLEAR(tuple);
    }
    return tuple;
}

int trc_dict_take(PyObject *dict, const char *key, PyObject *value)
{
    int result = value == NULL ? -1 : PyDict_SetItemString(dict, key, value);
    Py_XDECREF(value);
    return result;
}

static int store_list(PyObject *dict, int list, const void *records, uint32_t count, size_t size)
{
    return trc_dict_take(dict, trc_record_keys[list], PyBytes_FromStringAndSize(records, (Py_ssize_t)(count * size)));
}

static int store_records(PyObject *dict, const trc_capture *capture)
{
    bool stored =
        store_list(dict, TRC_NODES, capture->nodes, capture->node_count, sizeof *capture->nodes) == 0 &&
        store_list(dict, TRC_OVERFLOWS, capture->overflows, capture->overflow_count, sizeof *capture->overflows) == 0 &&
        store_list(dict, TRC_OUTERMOST, capture->outermost, capture->outermost_count, sizeof *capture->outermost) == 0;
    for (int extra = 0; stored && extra < TRC_EXTRA_COUNT; extra++) {
        stored = store_list(dict, TRC_FIRST_EXTRA + extra, capture->extras[extra], capture->extra_counts[extra],
                            sizeof *capture->extras[extra]) == 0;
    }
    stored = stored &&
             store_list(dict, TRC_UNSEEN, capture->unseen, capture->unseen_count, sizeof *capture->unseen) == 0 &&
             store_list(dict, TRC_NODE_WAITS, capture->waits, capture->wait_count, sizeof *capture->waits) == 0 &&
             store_list(dict, TRC_NODE_COLLECTIONS, capture->collections, capture->collection_count,
                        sizeof *capture->collections) == 0;
    return stored ? 0 : -1;
}

/* What the file holds of a thread where a timeline was recorded. */
static int store_log(PyObject *dict, const trc_log_capture *log, bool is_over)
{
    if (log->bins == NULL) {
        return 0;
    }
    bool stored =
        trc_dict_take(dict, "slices",
                      PyBytes_FromStringAndSize((const char *)log->slices, (Py_ssize_t)log->slices_size)) == 0 &&
        trc_dict_take(dict, "bins", PyBytes_FromStringAndSize((const char *)log->bins, (Py_ssize_t)log->bins_size)) ==
            0 &&
        trc_dict_take(dict, "folded",
                      PyBytes_FromStringAndSize((const char *)log->overflow,
                                                (Py_ssize_t)(log->overflow_count * sizeof *log->overflow))) == 0 &&
        trc_dict_take(dict, "began", PyLong_FromLongLong(log->began)) == 0 &&
        trc_dict_take(dict, "ended", PyLong_FromLongLong(log->ended)) == 0 &&
        trc_dict_take(dict, "is_over", PyBool_FromLong(is_over)) == 0;
    return stored ? 0 : -1;
}

/* Puts the memory of a thread, if any is recorded, into its dict. 0, or -1 with an exception set. */
static int store_memory(PyObject *dict, const trc_snapshot_thread *thread)
{
    size_t size = thread->memory_count * sizeof *thread->memory;
    return thread->memory == NULL
               ? 0
               : trc_dict_take(dict, "memory",
                               PyBytes_FromStringAndSize((const char *)thread->memory, (Py_ssize_t)size));
}

static int store_object_calls(PyObject *dict, const trc_snapshot_thread *thread)
{
    size_t size = thread->object_call_count * sizeof *thread->object_calls;
    PyObject *bytes =
        size == 0 ? NULL : PyBytes_FromStringAndSize((const char *)thread->object_calls, (Py_ssize_t)size);
    return size == 0 ? 0 : trc_dict_take(dict, "object_calls", bytes);
}

/* The same for its native samples. */
static int store_samples(PyObject *dict, const trc_thread_samples *samples)
{
    if (samples->sample_counts == NULL) {
        return 0;
    }
    size_t size = samples->count * sizeof *samples->sample_counts;
    PyObject *cpu = PyFloat_FromDouble(samples->account.thread == 0 ? -1.0 : (double)samples->account.cpu * 1e-9);
    if (trc_dict_take(dict, "native_cpu", cpu) < 0) {
        return -1;
    }
    PyObject *real = samples->has_frames ? PyFloat_FromDouble((double)samples->account.real * 1e-9) : NULL;
    if (samples->has_frames && trc_dict_take(dict, "native_real", real) < 0) {
        return -1;
    }
    return trc_dict_take(dict, "native",
                         PyBytes_FromStringAndSize((const char *)samples->sample_counts, (Py_ssize_t)size));
}

/* Values are made one after the other: none is made while an exception is set. */
static int fill_thread(PyObject *dict, const trc_snapshot_thread *thread, double seconds_per_tick)
{
    PyObject *cut_off =
        thread->cut_off ? PyFloat_FromDouble((double)thread->last * seconds_per_tick) : Py_NewRef(Py_None);
    bool stored = trc_dict_take(dict, "cut_off", cut_off) == 0 &&
                  trc_dict_take(dict, "ident", PyLong_FromUnsignedLong(thread->ident)) == 0 &&
                  trc_dict_take(dict, "native_id", PyLong_FromUnsignedLong(thread->native_id)) == 0 &&
                  trc_dict_take(dict, "name", Py_NewRef(thread->name)) == 0 &&
                  trc_dict_take(dict, "sharers", PyLong_FromUnsignedLong(thread->thread_count)) == 0 &&
                  trc_dict_take(dict, "lost_calls", PyLong_FromUnsignedLongLong(thread->lost_calls)) == 0 &&
                  store_records(dict, &thread->capture) == 0 && store_log(dict, &thread->log, thread->is_over) == 0 &&
                  store_memory(dict, thread) == 0 && store_object_calls(dict, thread) == 0 &&
                  store_samples(dict, &thread->samples) == 0;
    return stored ? 0 : -1;
}

static PyObject *thread_as_dict(const trc_snapshot_thread *thread, double seconds_per_tick)
{
    PyObject *dict = PyDict_New();
    if (dict != NULL && fill_thread(dict, thread, seconds_per_tick) < 0) {
        Py_CLEAR(dict);
    }
    return dict;
}

/* New reference, or NULL with an exception set: the ids of the functions that belong in no row, the profiler's own
 * methods. */
static PyObject *left_out_as_tuple(const trc_functab *functions)
{
    PyObject *list = PyList_New(0);
    for (const trc_func *func = functions->first; list != NULL && func != NULL; func = func->hh.next) {
        if (((const trc_identity *)func->owner)->is_internal) {
            PyObject *id = PyLong_FromUnsignedLong(func->id);
            if (id == NULL || PyList_Append(list, id) < 0) {
                Py_CLEAR(list);
            }
            Py_XDECREF(id);
        }
    }
    PyObject *tuple = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return tuple;
}

static PyObject *threads_as_tuple(const trc_snapshot *snapshot)
{
    PyObject *threads = PyTuple_New((Py_ssize_t)snapshot->thread_count);
    for (size_t i = 0; threads != NULL && i < snapshot->thread_count; i++) {
        PyObject *thread = thread_as_dict(&snapshot->threads[i], snapshot->seconds_per_tick);
        if (thread == NULL) {
            Py_CLEAR(threads);
            break;
        }
        PyTuple_SET_ITEM(threads, (Py_ssize_t)i, thread);
    }
    return threads;
}

/* New reference: (events, ticks, far events) of each kind of handler, or None where nobody asked for them. */
static PyObject *handlers_as_tuple(const trc_handler_time *handlers, bool is_sampled)
{
    if (!is_sampled) {
        Py_RETURN_NONE;
    }
    PyObject *tuple = PyTuple_New(TRC_HANDLER_COUNT);
    for (int i = 0; tuple != NULL && i < TRC_HANDLER_COUNT; i++) {
        const trc_handler_time *handler = &handlers[i];
        PyObject *time = Py_BuildValue("(KLK)", (unsigned long long)handler->events, (long long)handler->ticks,
                                       (unsigned long long)handler->far);
        if (time == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, time);
    }
    return tuple;
}

static PyObject *scope_as_option(trc_callable_scope scope)
{
    return scope > TRC_BUILTINS ? PyUnicode_FromString("all") : PyBool_FromLong(scope == TRC_BUILTINS);
}

PyObject *trc_snapshot_as_dict(const trc_snapshot *snapshot, const trc_recorder *recorder)
{
    PyObject *dict = PyDict_New();
    if (dict != NULL &&
        (trc_dict_take(dict, "functions", functions_as_tuple(&snapshot->functions)) < 0 ||
         trc_dict_take(dict, "extensions", trc_find_extensions(&snapshot->functions)) < 0 ||
         trc_dict_take(dict, "left_out", left_out_as_tuple(&snapshot->functions)) < 0 ||
         trc_dict_take(dict, "threads", threads_as_tuple(snapshot)) < 0 ||
         trc_dict_take(dict, "backend", PyUnicode_FromString(recorder->backend->name)) < 0 ||
         trc_dict_take(dict, "clock", PyUnicode_FromString(trc_clock_name(&recorder->base.clock))) < 0 ||
         trc_dict_take(dict, "seconds_per_tick", PyFloat_FromDouble(snapshot->seconds_per_tick)) < 0 ||
         trc_dict_take(dict, "handlers", handlers_as_tuple(snapshot->handlers, recorder->is_sampled)) < 0 ||
         trc_dict_take(dict, "subcalls", PyBool_FromLong(recorder->subcalls)) < 0 ||
         trc_dict_take(dict, "builtins", scope_as_option(recorder->scope)) < 0 ||
         trc_dict_take(dict, "focus",
                       Py_NewRef(recorder->base.filter == NULL ? Py_None : recorder->base.filter->paths)) < 0)) {
        Py_CLEAR(dict);
    }
    return dict;
}
