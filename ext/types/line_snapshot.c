/* What a LineRecorder has recorded, as Python values: see line_snapshot.h. */
#include "types/line_snapshot.h"

#include "interp/identity.h"
#include "interp/made_methods.h"

#include <stdlib.h>

/* A line of a thread, as packed. */
typedef struct line_record {
    uint32_t code; /* position among the code objects */
    uint32_t line;
    uint64_t hits;
    trc_tick ticks;
    trc_tick c_ticks; /* -1: not known */
    trc_tick own;     /* -1: not known */
    trc_tick suspended;
    trc_tick cost;
} line_record;

_Static_assert(sizeof(line_record) == 56, "it is read by others");

static const PyCodeObject *code_of(const trc_func *func)
{
    return ((const trc_linecode *)func->owner)->code;
}

static PyObject *codes_as_tuple(const trc_line_recorder *recorder)
{
    PyObject *codes = PyTuple_New(recorder->codes.count);
    for (const trc_func *func = recorder->codes.first; codes != NULL && func != NULL; func = func->hh.next) {
        PyObject *names = trc_code_names(code_of(func));
        if (names == NULL) {
            Py_CLEAR(codes);
            break;
        }
        PyTuple_SET_ITEM(codes, func->id, names);
    }
    if (codes != NULL && trc_name_made_methods(codes, &recorder->codes, code_of) < 0) {
        Py_CLEAR(codes);
    }
    return codes;
}

/* What records of memory know a packed line by, and the resident memory that was seen at its end, as packed. */
typedef struct line_memory_record {
    uint32_t number; /* among all lines of its thread */
    uint32_t reserved;
    uint64_t resident;
} line_memory_record;

_Static_assert(sizeof(line_memory_record) == 16, "it is read by others");

/* Packs them in the order of pack_thread(), and returns their number. With `to` NULL it only counts. */
static size_t pack_memory(line_memory_record *to, const trc_linethread *thread)
{
    size_t count = 0;
    for (const trc_linetab *table = thread->tables.first; table != NULL; table = table->hh.next) {
        for (uint32_t row = 0; row < table->map->row_count; row++) {
            const trc_line *line = &table->lines[row];
            if (line->hits != 0 && to != NULL) {
                to[count] = (line_memory_record){line->number, 0, line->resident};
            }
            count += line->hits != 0;
        }
    }
    return count;
}

static PyObject *memory_as_bytes(const trc_linethread *thread)
{
    size_t size = pack_memory(NULL, thread) * sizeof(line_memory_record);
    line_memory_record *records = malloc(size + 1);
    if (records == NULL) {
        return PyErr_NoMemory();
    }
    pack_memory(records, thread);
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)records, (Py_ssize_t)size);
    free(records);
    return bytes;
}

/* Packs the lines of one table that have hits, one behind the other, and returns their number. With `to` NULL it only
 * counts. */
static size_t pack_table(line_record *to, const trc_linetab *table, uint32_t code, bool knows_own)
{
    size_t count = 0;
    for (uint32_t row = 0; row < table->map->row_count; row++) {
        const trc_line *line = &table->lines[row];
        if (line->hits == 0) {
            continue;
        }
        if (to != NULL) {
            to[count] = (line_record){.code = code,
                                      .line = (uint32_t)table->map->lines[row],
                                      .hits = line->hits,
                                      .ticks = line->ticks,
                                      .c_ticks = TRC_HAS_MONITORING ? line->c_ticks : -1,
                                      .own = knows_own ? line->own : -1,
                                      .suspended = line->suspended,
                                      .cost = line->cost};
        }
        count++;
    }
    return count;
}

static size_t pack_thread(line_record *to, const trc_line_recorder *recorder, const trc_line_thread_record *record)
{
    size_t count = 0;
    for (const trc_linetab *table = record->thread.tables.first; table != NULL; table = table->hh.next) {
        const trc_func *func = trc_functab_find(&recorder->codes, table->key);
        count += pack_table(to == NULL ? NULL : to + count, table, func->id, recorder->sees_calls);
    }
    return count;
}

/* What a line of a thread waited, where it did, as packed. */
typedef struct line_wait_record {
    uint32_t line;     /* position in the thread's packed lines */
    uint32_t reserved; /* 0 */
    trc_tick ticks;
} line_wait_record;

_Static_assert(sizeof(line_wait_record) == 16, "it is read by others");

/* Packs the waits of a thread's lines, in the order of pack_thread(), and returns their number. With `to` NULL it only
 * counts. */
static size_t pack_waits(line_wait_record *to, const trc_linethread *thread)
{
    size_t count = 0;
    uint32_t position = 0;
    for (const trc_linetab *table = thread->tables.first; table != NULL; table = table->hh.next) {
        for (uint32_t row = 0; row < table->map->row_count; row++) {
            const trc_line *line = &table->lines[row];
            if (line->waited != 0 && to != NULL) {
                to[count] = (line_wait_record){position, 0, line->waited};
            }
            count += line->waited != 0;
            position += line->hits != 0; /* a line that waited was hit */
        }
    }
    return count;
}

static PyObject *waits_as_bytes(const trc_linethread *thread)
{
    size_t size = pack_waits(NULL, thread) * sizeof(line_wait_record);
    line_wait_record *records = malloc(size + 1);
    if (records == NULL) {
        return PyErr_NoMemory();
    }
    pack_waits(records, thread);
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)records, (Py_ssize_t)size);
    free(records);
    return bytes;
}

/* The CPU time of a line of a thread, where samples fell on it, as packed. */
typedef struct line_sample_record {
    uint32_t line;     /* position in the thread's packed lines */
    uint32_t reserved; /* 0 */
    int64_t python;    /* ns */
    int64_t native;
} line_sample_record;

_Static_assert(sizeof(line_sample_record) == 24, "it is read by others");

/* Packs the samples of a thread's lines, in the order of pack_thread(), and returns their number. With `to` NULL it only
 * counts; other threads may add to lines meanwhile, so no more than `room` are packed. */
static size_t pack_samples(line_sample_record *to, size_t room, const trc_linethread *thread)
{
    size_t count = 0;
    uint32_t position = 0;
    for (const trc_linetab *table = thread->tables.first; table != NULL; table = table->hh.next) {
        for (uint32_t row = 0; row < table->map->row_count; row++) {
            const trc_line *line = &table->lines[row];
            int64_t python = atomic_load(&line->cpu.python), native = atomic_load(&line->cpu.native);
            bool has_samples = line->hits != 0 && python + native > 0 && (to == NULL || count < room);
            if (has_samples && to != NULL) {
                to[count] = (line_sample_record){position, 0, python, native};
            }
            count += has_samples;
            position += line->hits != 0;
        }
    }
    return count;
}

static PyObject *samples_as_bytes(const trc_linethread *thread)
{
    size_t room = pack_samples(NULL, 0, thread);
    line_sample_record *records = malloc(room * sizeof *records + 1);
    if (records == NULL) {
        return PyErr_NoMemory();
    }
    size_t count = pack_samples(records, room, thread);
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)records, (Py_ssize_t)(count * sizeof *records));
    free(records);
    return bytes;
}

static PyObject *lines_as_bytes(const trc_line_recorder *recorder, const trc_line_thread_record *record)
{
    size_t size = pack_thread(NULL, recorder, record) * sizeof(line_record);
    line_record *records = malloc(size + 1);
    if (records == NULL) {
        return PyErr_NoMemory();
    }
    pack_thread(records, recorder, record);
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)records, (Py_ssize_t)size);
    free(records);
    return bytes;
}

static PyObject *thread_as_dict(const trc_line_recorder *recorder, const trc_line_thread_record *record)
{
    PyObject *lines = lines_as_bytes(recorder, record);
    PyObject *dict = lines == NULL ? NULL
                                   : Py_BuildValue("{s:k,s:k,s:O}", "ident", record->base.context->ident, "native_id",
                                                   record->base.context->native_id, "lines", lines);
    Py_XDECREF(lines);
    if (dict != NULL && trc_line_recorder_tells_waits(recorder)) {
        PyObject *waits = waits_as_bytes(&record->thread);
        if (waits == NULL || PyDict_SetItemString(dict, "line_waits", waits) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(waits);
    }
    if (dict != NULL && recorder->base.is_sampled) {
        PyObject *samples = samples_as_bytes(&record->thread);
        if (samples == NULL || PyDict_SetItemString(dict, "line_samples", samples) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(samples);
    }
    if (dict != NULL && recorder->base.clock.is_of_thread) {
        PyObject *memory = memory_as_bytes(&record->thread);
        if (memory == NULL || PyDict_SetItemString(dict, "line_memory", memory) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(memory);
    }
    return dict;
}

/* Returns the number of events for which memory was out. */
static uint64_t lost_events(const trc_line_recorder *recorder)
{
    uint64_t lost = 0;
    for (const trc_line_thread_record *record = trc_line_records_first(recorder); record != NULL;
         record = trc_line_record_next(record)) {
        lost += record->thread.lost;
    }
    return lost;
}

/* New reference: a tuple of the threads, the oldest first. NULL with an exception set. */
static PyObject *threads_as_tuple(const trc_line_recorder *recorder)
{
    Py_ssize_t place = (Py_ssize_t)recorder->base.records.count;
    PyObject *threads = PyTuple_New(place);
    for (const trc_line_thread_record *record = trc_line_records_first(recorder); threads != NULL && record != NULL;
         record = trc_line_record_next(record)) {
        PyObject *thread = thread_as_dict(recorder, record);
        if (thread == NULL) {
            Py_CLEAR(threads);
            break;
        }
        PyTuple_SET_ITEM(threads, --place, thread);
    }
    return threads;
}

PyObject *trc_line_snapshot_as_dict(const trc_line_recorder *recorder, double tick, double measured)
{
    if (recorder->base.is_sampled) {
        trc_share_out_samples(recorder->base.shared);
    }
    PyObject *codes = codes_as_tuple(recorder);
    PyObject *threads = codes == NULL ? NULL : threads_as_tuple(recorder);
    PyObject *dict = NULL;
    if (threads != NULL) {
        dict = Py_BuildValue("{s:O,s:O,s:d,s:d,s:s,s:s,s:O,s:K,s:K}", "codes", codes, "threads", threads,
                             "seconds_per_tick", tick, "measured", measured, "backend", trc_lines_backend, "clock",
                             trc_clock_name(&recorder->base.clock), "calls", recorder->sees_calls ? Py_True : Py_False,
                             "left_out", (unsigned long long)recorder->left_out, "lost",
                             (unsigned long long)lost_events(recorder));
    }
    Py_XDECREF(codes);
    Py_XDECREF(threads);
    return dict;
}
