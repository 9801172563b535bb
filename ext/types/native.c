/* The native samples of a snapshot as Python values: see native.h. */
#include "types/native.h"

#include <string.h>

#define LEAST_PERIODS 20 /* of CPU time, from which on a thread without enough samples is told of */

int trc_check_native(int hz)
{
    const char *refusal = trc_sampling_refusal();
    if (hz < 0 || hz > TRC_MOST_HZ) {
        PyErr_Format(PyExc_ValueError, "native must be False, True or samples a second from 1 to %d, not %d",
                     TRC_MOST_HZ, hz);
        return -1;
    }
    if (hz > 0 && refusal != NULL) {
        PyErr_SetString(PyExc_RuntimeError, refusal);
        return -1;
    }
    return 0;
}

static PyObject *text(const char *bytes)
{
    return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)strlen(bytes), "backslashreplace");
}

/* A tuple of `count` values, each of which `make` makes of a record. */
static PyObject *tuple_of(const void *records, uint32_t count, size_t size, PyObject *(*make)(const void *record))
{
    PyObject *tuple = PyTuple_New(count);
    for (uint32_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *value = make((const char *)records + i * size);
        if (value == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, value);
    }
    return tuple;
}

static PyObject *file_as_tuple(const void *record)
{
    const trc_file_copy *file = record;
    char id[2 * sizeof file->build_id + 1] = "";
    for (size_t i = 0; i < file->build_id_size; i++) {
        id[2 * i] = "0123456789abcdef"[file->build_id[i] >> 4];
        id[2 * i + 1] = "0123456789abcdef"[file->build_id[i] & 15];
        id[2 * i + 2] = 0;
    }
    PyObject *path = PyUnicode_DecodeFSDefault(file->path);
    return path == NULL ? NULL
                        : Py_BuildValue("(NsKKK)", path, id, (unsigned long long)file->start,
                                        (unsigned long long)file->end, (unsigned long long)file->offset);
}

static PyObject *symbol_as_tuple(const void *record)
{
    const trc_symbol_record *symbol = record;
    PyObject *name = text(symbol->name);
    return name == NULL ? NULL : Py_BuildValue("(NIK)", name, symbol->module, (unsigned long long)symbol->start);
}

static PyObject *sample_counts_as_bytes(const trc_sample_count_record *sample_counts, uint32_t count)
{
    return PyBytes_FromStringAndSize((const char *)sample_counts, (Py_ssize_t)(count * sizeof *sample_counts));
}

static PyObject *other_as_tuple(const void *record)
{
    const trc_other_thread *other = record;
    PyObject *name = text(other->account.name), *samples = sample_counts_as_bytes(other->sample_counts, other->count);
    if (name == NULL || samples == NULL) {
        Py_XDECREF(name);
        Py_XDECREF(samples);
        return NULL;
    }
    return Py_BuildValue("(NidN)", name, (int)other->account.thread, (double)other->account.cpu * 1e-9, samples);
}

PyObject *trc_others_as_tuple(const trc_samples_copy *samples)
{
    return tuple_of(samples->others, samples->other_count, sizeof *samples->others, other_as_tuple);
}

static PyObject *real_time_of(const void *record)
{
    const trc_other_thread *other = record;
    return PyFloat_FromDouble((double)other->account.real * 1e-9);
}

PyObject *trc_real_times_as_tuple(const trc_samples_copy *samples)
{
    return tuple_of(samples->others, samples->other_count, sizeof *samples->others, real_time_of);
}

/* -- Threads that could not be sampled -- */

static uint64_t weight_of(const trc_sample_count_record *sample_counts, uint32_t count)
{
    uint64_t weight = 0;
    for (uint32_t i = 0; i < count; i++) {
        weight += sample_counts[i].kind == TRC_IN_WAIT ? 0 : sample_counts[i].weight;
    }
    return weight;
}

/* Why a thread could not be sampled, or not all the time; NULL: it could. */
static const char *why_refused(const trc_account *account, uint64_t weight, int64_t period)
{
    int64_t periods = account->cpu / period;
    if (account->error != 0) {
        return strerror(account->error);
    }
    return periods >= LEAST_PERIODS && weight < (uint64_t)periods / 2 ? "it blocks signals" : NULL;
}

static int add_refused(PyObject *list, PyObject *name, const char *why)
{
    PyObject *pair = name == NULL ? NULL : Py_BuildValue("(Os)", name, why);
    int result = pair == NULL ? -1 : PyList_Append(list, pair);
    Py_XDECREF(pair);
    return result;
}

static int add_threads(PyObject *list, const trc_snapshot *snapshot)
{
    int64_t period = snapshot->samples.period;
    for (size_t i = 0; i < snapshot->thread_count; i++) {
        const trc_snapshot_thread *thread = &snapshot->threads[i];
        const trc_thread_samples *samples = &thread->samples;
        const char *why = why_refused(&samples->account, weight_of(samples->sample_counts, samples->count), period);
        PyObject *name = NULL;
        if (why != NULL) {
            name =
                thread->name == NULL || thread->name == Py_None ? text(samples->account.name) : Py_NewRef(thread->name);
        }
        int result = why == NULL ? 0 : add_refused(list, name, why);
        Py_XDECREF(name);
        if (result < 0) {
            return -1;
        }
    }
    return 0;
}

/* New reference: the name of a thread that was seen before it had a record, as Python has it if it has one now. */
static PyObject *name_of(const trc_snapshot *snapshot, const trc_account *account)
{
    for (size_t i = 0; i < snapshot->thread_count; i++) {
        const trc_snapshot_thread *thread = &snapshot->threads[i];
        if (thread->native_id == (unsigned long)account->thread && thread->name != NULL && thread->name != Py_None) {
            return Py_NewRef(thread->name);
        }
    }
    return text(account->name);
}

PyObject *trc_refused_as_tuple(const trc_snapshot *snapshot)
{
    const trc_samples_copy *samples = &snapshot->samples;
    PyObject *list = PyList_New(0);
    int result = list == NULL ? -1 : add_threads(list, snapshot);
    for (uint32_t i = 0; result == 0 && i < samples->other_count; i++) {
        const trc_other_thread *other = &samples->others[i];
        const char *why = why_refused(&other->account, weight_of(other->sample_counts, other->count), samples->period);
        PyObject *name = why == NULL ? NULL : name_of(snapshot, &other->account);
        result = why == NULL ? 0 : add_refused(list, name, why);
        Py_XDECREF(name);
    }
    if (result == 0 && samples->is_crowded) {
        PyObject *name = text("others");
        result = add_refused(list, name, "more threads ran at a time than can be sampled");
        Py_XDECREF(name);
    }
    PyObject *tuple = result < 0 ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return tuple;
}

PyObject *trc_native_as_dict(const trc_snapshot *snapshot, const trc_recorder *recorder)
{
    if (!snapshot->has_samples || !recorder->has_native) {
        Py_RETURN_NONE;
    }
    const trc_samples_copy *samples = &snapshot->samples;
    PyObject *dict = PyDict_New();
    if (dict != NULL &&
        (trc_dict_take(dict, "hz", PyLong_FromLong(recorder->sample_hz)) < 0 ||
         trc_dict_take(dict, "period", PyFloat_FromDouble((double)samples->period * 1e-9)) < 0 ||
         trc_dict_take(dict, "means", PyUnicode_FromString("timer")) < 0 ||
         trc_dict_take(dict, "signals", PyLong_FromUnsignedLongLong(samples->signals)) < 0 ||
         trc_dict_take(dict, "cut", PyLong_FromUnsignedLongLong(samples->cut)) < 0 ||
         trc_dict_take(dict, "lost", PyLong_FromUnsignedLongLong(samples->lost)) < 0 ||
         trc_dict_take(dict, "refused", trc_refused_as_tuple(snapshot)) < 0 ||
         trc_dict_take(dict, "modules",
                       tuple_of(samples->files, samples->file_count, sizeof *samples->files, file_as_tuple)) < 0 ||
         trc_dict_take(dict, "symbols",
                       tuple_of(samples->symbols, samples->symbol_count, sizeof *samples->symbols, symbol_as_tuple)) <
             0 ||
         trc_dict_take(dict, "frames",
                       PyBytes_FromStringAndSize((const char *)samples->frames,
                                                 (Py_ssize_t)(samples->frame_count * sizeof *samples->frames))) < 0 ||
         trc_dict_take(dict, "stacks",
                       PyBytes_FromStringAndSize((const char *)samples->chains,
                                                 (Py_ssize_t)(samples->chain_count * sizeof *samples->chains))) < 0 ||
         trc_dict_take(dict, "others", trc_others_as_tuple(samples)) < 0)) {
        Py_CLEAR(dict);
    }
    return dict;
}
