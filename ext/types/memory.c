/* The memory of a snapshot as Python values: see memory.h. */
#include "types/memory.h"

#include "sources/native_memory.h"

static PyObject *as_bytes(const void *records, uint32_t count, size_t size)
{
    return PyBytes_FromStringAndSize(records, (Py_ssize_t)(count * size));
}

static PyObject *amount(trc_amount amount)
{
    return Py_BuildValue("(KK)", (unsigned long long)amount.bytes, (unsigned long long)amount.blocks);
}

PyObject *trc_memory_as_dict(const trc_snapshot *snapshot)
{
    if (!snapshot->has_memory) {
        Py_RETURN_NONE;
    }
    const trc_memory_sums *sums = &snapshot->memory;
    PyObject *dict = PyDict_New();
    if (dict != NULL &&
        (trc_dict_take(dict, "live", amount(sums->live)) < 0 || trc_dict_take(dict, "peak", amount(sums->peak)) < 0 ||
         trc_dict_take(dict, "missed", amount(sums->missed)) < 0 ||
         trc_dict_take(dict, "lost", PyLong_FromUnsignedLongLong(sums->lost)) < 0 ||
         trc_dict_take(dict, "outside", as_bytes(&sums->outside, 1, sizeof sums->outside)) < 0 ||
         trc_dict_take(dict, "other", as_bytes(&sums->other, 1, sizeof sums->other)) < 0 ||
         trc_dict_take(dict, "began", PyLong_FromLongLong(sums->began)) < 0 ||
         trc_dict_take(dict, "cut_off", PyLong_FromLongLong(sums->cut_off)) < 0 ||
         trc_dict_take(dict, "native", PyBool_FromLong(trc_native_memory_is_there())) < 0 ||
         trc_dict_take(dict, "resident", PyLong_FromUnsignedLongLong(sums->most_resident)) < 0 ||
         trc_dict_take(dict, "curve", as_bytes(sums->curve->points, sums->curve->count, sizeof(trc_curve_point))) <
             0)) {
        Py_CLEAR(dict);
    }
    return dict;
}

const char trc_sees_native_doc[] =
    "sees_native_memory()\n--\n\n"
    "Return whether this process was started with the preloaded library, by which the memory of C code is recorded.";

PyObject *trc_sees_native(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(trc_native_memory_is_there());
}

const char trc_memory_view_doc[] =
    "memory_view(nodes, overflow, memory, measure, /)\n--\n\n"
    "Return (nodes, overflow) of a thread in which the own time of a context is an amount of memory, and its calls are\n"
    "blocks.\n\n"
    "nodes, overflow, memory: bytes, the packed records of a thread. measure: the position of a name in MEASURES.\n\n"
    "Raises ValueError when a record names something that does not exist.";

/* Returns the number of records in `bytes`, or -1 with an exception set. */
static Py_ssize_t count_records(PyObject *bytes, size_t size)
{
    size_t length = (size_t)PyBytes_GET_SIZE(bytes);
    if (length % size != 0 || length / size >= UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "the records of a thread have a wrong size");
        return -1;
    }
    return (Py_ssize_t)(length / size);
}

static PyObject *copy_of(PyObject *bytes)
{
    return PyBytes_FromStringAndSize(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes));
}

PyObject *trc_see_memory(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *nodes, *overflow, *memory;
    int measure;
    if (!PyArg_ParseTuple(args, "SSSi:memory_view", &nodes, &overflow, &memory, &measure)) {
        return NULL;
    }
    Py_ssize_t node_count = count_records(nodes, sizeof(trc_node_record));
    Py_ssize_t overflow_count = node_count < 0 ? -1 : count_records(overflow, sizeof(trc_overflow_record));
    Py_ssize_t count = overflow_count < 0 ? -1 : count_records(memory, sizeof(trc_memory_record));
    if (count < 0) {
        return NULL;
    }
    if (measure < 0 || measure >= TRC_MEASURE_COUNT) {
        PyErr_Format(PyExc_ValueError, "measure must be from 0 to %d, not %d", TRC_MEASURE_COUNT - 1, measure);
        return NULL;
    }
    PyObject *seen_nodes = copy_of(nodes), *seen_overflow = copy_of(overflow), *result = NULL;
    if (seen_nodes != NULL && seen_overflow != NULL) {
        bool is_whole = trc_memory_view(
            (trc_node_record *)(void *)PyBytes_AS_STRING(seen_nodes), (uint32_t)node_count,
            (trc_overflow_record *)(void *)PyBytes_AS_STRING(seen_overflow), (uint32_t)overflow_count,
            (const trc_memory_record *)(const void *)PyBytes_AS_STRING(memory), (uint32_t)count, (trc_measure)measure);
        if (is_whole) {
            result = PyTuple_Pack(2, seen_nodes, seen_overflow);
        }
        else {
            PyErr_SetString(PyExc_ValueError, "a record of a thread names what is not there");
        }
    }
    Py_XDECREF(seen_nodes);
    Py_XDECREF(seen_overflow);
    return result;
}
