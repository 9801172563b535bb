/* What a profile that is made of samples knows: see sampled.h. */
#include "types/sampled.h"

#include "types/native.h"

#include <stdlib.h>

/* A function's calls, as Python reads them. */
typedef struct count_record {
    uint32_t function;
    uint32_t is_partial; /* there may be more */
    uint64_t calls;
} count_record;

typedef struct edge_record {
    uint32_t caller; /* TRC_NO_CALLER: none of a function in Python */
    uint32_t callee;
    uint64_t calls;
} edge_record;

/* A line's hits. */
typedef struct hits_record {
    uint32_t function;
    int32_t line;
    uint32_t is_partial;
    uint32_t reserved; /* 0 */
    uint64_t hits;
} hits_record;

/* A line on which samples fell. */
typedef struct line_record {
    uint32_t code;
    int32_t line;
    uint64_t own;
    uint64_t total;
} line_record;

static PyObject *text_of(const trc_text_size *size, const uint8_t *characters)
{
    for (uint32_t i = 0; size->kind == 4 && i < size->length; i++) {
        Py_UCS4 character;
        memcpy(&character, characters + 4 * (size_t)i, sizeof character);
        if (character > 0x10FFFF) { /* it was read while it changed */
            return PyUnicode_FromString("?");
        }
    }
    return PyUnicode_FromKindAndData((int)size->kind, characters, (Py_ssize_t)size->length);
}

/* New reference: (file, first line, name, qualified name). */
static PyObject *names_of(const trc_code_description *code)
{
    trc_code_parts parts = trc_code_parts_of(code);
    PyObject *file = text_of(&code->file, parts.file), *name = text_of(&code->name, parts.name);
    PyObject *qualname = text_of(&code->qualname, parts.qualname), *names = NULL;
    if (file != NULL && name != NULL && qualname != NULL) {
        names = Py_BuildValue("(OiOO)", file, (int)code->first_line, name, qualname);
    }
    Py_XDECREF(file);
    Py_XDECREF(name);
    Py_XDECREF(qualname);
    return names;
}

static PyObject *codes_as_tuple(const trc_frames_copy *frames)
{
    PyObject *tuple = PyTuple_New(frames->code_count);
    for (uint32_t i = 0; tuple != NULL && i < frames->code_count; i++) {
        PyObject *names = names_of(frames->codes[i]);
        if (names == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, names);
    }
    return tuple;
}

/* What the filters say of each code. */
static PyObject *filtered_as_bytes(const trc_recorder *recorder, PyObject *codes)
{
    const trc_filter *of_code = recorder->base.filter, *of_lines = recorder->line_filter;
    Py_ssize_t count = codes == NULL ? 0 : PyTuple_GET_SIZE(codes);
    PyObject *bytes = codes == NULL ? NULL : PyBytes_FromStringAndSize(NULL, count);
    for (Py_ssize_t i = 0; bytes != NULL && i < count; i++) {
        PyObject *file = PyTuple_GET_ITEM(PyTuple_GET_ITEM(codes, i), 0);
        bool in = of_code == NULL || trc_filter_has_file(of_code, file);
        bool has_lines = of_lines == NULL ? in : trc_filter_has_file(of_lines, file);
        PyBytes_AS_STRING(bytes)[i] = (char)((in ? 0 : 1) | (has_lines ? 0 : 2));
    }
    return bytes;
}

/* Makes bytes of so many records. Returns where the first of them is to be written; NULL with an exception set. */
static void *room_for(PyObject **bytes, size_t count, size_t size)
{
    *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * size));
    return *bytes == NULL ? NULL : PyBytes_AS_STRING(*bytes);
}

static PyObject *lines_as_bytes(const trc_frames_copy *frames)
{
    PyObject *bytes;
    line_record *record = room_for(&bytes, frames->line_count, sizeof *record);
    for (uint32_t i = 0; record != NULL && i < frames->line_count; i++) {
        const trc_sampled_line *line = &frames->lines[i];
        *record++ = (line_record){line->code, line->line, line->own, line->total};
    }
    return bytes;
}

/* Whether a function was called while it was counted. Else it is known as a caller alone. */
static bool was_called(const trc_start_count *count)
{
    return count->latest != NULL;
}

static PyObject *counts_as_bytes(const trc_starts *starts)
{
    const trc_start_count *first = starts == NULL ? NULL : starts->counts, *each;
    size_t count = 0;
    for (each = first; each != NULL; each = each->hh.next) {
        count += was_called(each);
    }
    PyObject *bytes;
    count_record *record = room_for(&bytes, count, sizeof *record);
    for (each = record == NULL ? NULL : first; each != NULL; each = each->hh.next) {
        if (was_called(each)) {
            *record++ = (count_record){each->func->id, each->is_silent, each->calls};
        }
    }
    return bytes;
}

static PyObject *edges_as_bytes(const trc_starts *starts)
{
    const trc_start_edge *first = starts == NULL ? NULL : starts->edges;
    PyObject *bytes;
    edge_record *record = room_for(&bytes, HASH_CNT(hh, first), sizeof *record);
    for (const trc_start_edge *each = record == NULL ? NULL : first; each != NULL; each = each->hh.next) {
        *record++ = (edge_record){(uint32_t)(each->key >> 32), (uint32_t)each->key, each->calls};
    }
    return bytes;
}

static PyObject *hits_as_bytes(const trc_starts *starts)
{
    const trc_line_hits *first = starts == NULL ? NULL : starts->lines;
    PyObject *bytes;
    hits_record *record = room_for(&bytes, HASH_CNT(hh, first), sizeof *record);
    for (const trc_line_hits *each = record == NULL ? NULL : first; each != NULL; each = each->hh.next) {
        int32_t line = (int32_t)(uint32_t)each->key;
        *record++ = (hits_record){(uint32_t)(each->key >> 32), line, each->is_silent, 0, each->hits};
    }
    return bytes;
}

static uint64_t sum_of_squares(const trc_snapshot *snapshot)
{
    uint64_t squares = 0;
    for (size_t i = 0; i < snapshot->thread_count; i++) {
        squares += snapshot->threads[i].samples.squares;
    }
    for (uint32_t i = 0; i < snapshot->samples.other_count; i++) {
        squares += snapshot->samples.others[i].squares;
    }
    return squares;
}

PyObject *trc_sampled_as_dict(const trc_snapshot *snapshot, const trc_recorder *recorder)
{
    const trc_samples_copy *samples = &snapshot->samples;
    const trc_starts *starts = recorder->starts;
    PyObject *dict = PyDict_New();
    if (dict != NULL &&
        (trc_dict_take(dict, "rate", PyLong_FromLong(recorder->sample_hz)) < 0 ||
         trc_dict_take(dict, "period", PyFloat_FromDouble((double)samples->period * 1e-9)) < 0 ||
         trc_dict_take(dict, "slowdown", PyFloat_FromDouble(recorder->slowdown)) < 0 ||
         trc_dict_take(dict, "samples", PyLong_FromUnsignedLongLong(samples->signals)) < 0 ||
         trc_dict_take(dict, "squares", PyLong_FromUnsignedLongLong(sum_of_squares(snapshot))) < 0 ||
         trc_dict_take(dict, "lost", PyLong_FromUnsignedLongLong(samples->lost)) < 0 ||
         trc_dict_take(dict, "broken", PyLong_FromUnsignedLongLong(samples->broken)) < 0 ||
         trc_dict_take(dict, "in_events", PyLong_FromUnsignedLongLong(samples->in_events)) < 0 ||
         trc_dict_take(dict, "at_lines", PyLong_FromUnsignedLongLong(samples->at_lines)) < 0 ||
         trc_dict_take(dict, "spent", PyFloat_FromDouble((double)samples->spent * 1e-9)) < 0 ||
         trc_dict_take(dict, "events", PyLong_FromUnsignedLongLong(starts == NULL ? 0 : starts->allowance.events)) <
             0 ||
         trc_dict_take(dict, "event_cost", PyFloat_FromDouble(starts == NULL ? 0.0 : starts->allowance.cost * 1e-9)) <
             0 ||
         trc_dict_take(dict, "has_counts", PyBool_FromLong(starts != NULL)) < 0 ||
         trc_dict_take(dict, "others", trc_others_as_tuple(samples)) < 0 ||
         trc_dict_take(dict, "real_times", trc_real_times_as_tuple(samples)) < 0 ||
         trc_dict_take(dict, "refused", trc_refused_as_tuple(snapshot)) < 0 ||
         trc_dict_take(dict, "codes", codes_as_tuple(&samples->python)) < 0 ||
         trc_dict_take(dict, "filtered", filtered_as_bytes(recorder, PyDict_GetItemString(dict, "codes"))) < 0 ||
         trc_dict_take(dict, "nodes",
                       PyBytes_FromStringAndSize((const char *)samples->python.nodes,
                                                 (Py_ssize_t)(samples->python.node_count * sizeof(trc_frame_node)))) <
             0 ||
         trc_dict_take(dict, "lines", lines_as_bytes(&samples->python)) < 0 ||
         trc_dict_take(dict, "counts", counts_as_bytes(starts)) < 0 ||
         trc_dict_take(dict, "edges", edges_as_bytes(starts)) < 0 ||
         trc_dict_take(dict, "hits", recorder->line_filter == NULL ? Py_NewRef(Py_None) : hits_as_bytes(starts)) < 0)) {
        Py_CLEAR(dict);
    }
    return dict;
}
