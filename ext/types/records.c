/* Records of threads, and costs of tracing, as Python passes them: see records.h. */
#include "types/records.h"

#define KEY_OF_EXTRA(constant, name, key, merge, doc) key,
const char *const trc_record_keys[TRC_LIST_COUNT] = {
    "nodes", "folds", "outers", TRC_EXTRAS(KEY_OF_EXTRA) "unseen", "node_waits", "collections"};

PyObject *trc_record_keys_as_tuple(void)
{
    PyObject *tuple = PyTuple_New(TRC_LIST_COUNT);
    for (int i = 0; tuple != NULL && i < TRC_LIST_COUNT; i++) {
        PyObject *key = PyUnicode_InternFromString(trc_record_keys[i]);
        if (key == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, key);
    }
    return tuple;
}

/* Returns one list of records of this size from a thread, borrowed, or NULL with an exception set. */
static void *borrow(PyObject *thread, int list, size_t size, uint32_t *count)
{
    PyObject *records = PyTuple_GET_ITEM(thread, list);
    if (!PyBytes_Check(records)) {
        PyErr_SetString(PyExc_TypeError, "the records of a thread are bytes");
        return NULL;
    }
    size_t length = (size_t)PyBytes_GET_SIZE(records);
    if (length % size != 0 || length / size >= UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "the records of a thread have a wrong size");
        return NULL;
    }
    *count = (uint32_t)(length / size);
    return PyBytes_AS_STRING(records);
}

/* Fills a capture with the records of a thread, borrowed. 0, or -1 with an exception set. */
static int capture_from_bytes(trc_capture *capture, PyObject *thread)
{
    if (!PyTuple_Check(thread) || PyTuple_GET_SIZE(thread) != TRC_LIST_COUNT) {
        PyErr_SetString(PyExc_TypeError, "a thread is a tuple of bytes, one for each of RECORDS");
        return -1;
    }
    capture->nodes = borrow(thread, TRC_NODES, sizeof *capture->nodes, &capture->node_count);
    capture->overflows = borrow(thread, TRC_OVERFLOWS, sizeof *capture->overflows, &capture->overflow_count);
    capture->outermost = borrow(thread, TRC_OUTERMOST, sizeof *capture->outermost, &capture->outermost_count);
    for (int extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        capture->extras[extra] =
            borrow(thread, TRC_FIRST_EXTRA + extra, sizeof *capture->extras[extra], &capture->extra_counts[extra]);
    }
    capture->unseen = borrow(thread, TRC_UNSEEN, sizeof *capture->unseen, &capture->unseen_count);
    capture->waits = borrow(thread, TRC_NODE_WAITS, sizeof *capture->waits, &capture->wait_count);
    capture->collections =
        borrow(thread, TRC_NODE_COLLECTIONS, sizeof *capture->collections, &capture->collection_count);
    return PyErr_Occurred() ? -1 : 0;
}

int trc_roll_up(trc_rollup *rollup, PyObject *threads, PyObject *rows)
{
    const uint32_t *row_of = (const uint32_t *)(void *)PyBytes_AS_STRING(rows);
    uint32_t func_count = (uint32_t)((size_t)PyBytes_GET_SIZE(rows) / sizeof *row_of);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(threads); i++) {
        trc_capture capture;
        if (capture_from_bytes(&capture, PyTuple_GET_ITEM(threads, i)) < 0) {
            return -1;
        }
        switch (trc_rollup_add(rollup, &capture, row_of, func_count)) {
        case TRC_ROLLUP_OK:
            break;
        case TRC_ROLLUP_NO_MEMORY:
            PyErr_NoMemory();
            return -1;
        case TRC_ROLLUP_DAMAGED:
            PyErr_SetString(PyExc_ValueError, "a record of a thread names what is not there");
            return -1;
        }
    }
    return 0;
}

/* Converts seconds into ticks. */
static trc_cost scaled(double callee, double caller, double scale)
{
    return (trc_cost){callee / scale, caller / scale};
}

static int parse_call_costs(trc_call_costs *costs, PyObject *given, double scale)
{
    double first[2], again[2];
    if (!PyTuple_Check(given) || !PyArg_ParseTuple(given, "(dd)(dd)", &first[0], &first[1], &again[0], &again[1])) {
        PyErr_SetString(PyExc_TypeError, "the costs of a call are ((callee, caller), (callee, caller)), all float");
        return -1;
    }
    *costs = (trc_call_costs){scaled(first[0], first[1], scale), scaled(again[0], again[1], scale)};
    return 0;
}

int trc_parse_costs(trc_costs *costs, PyObject *given, PyObject *rows, double scale)
{
    size_t func_count = (size_t)PyBytes_GET_SIZE(rows) / sizeof(uint32_t);
    PyObject *kinds, *calls;
    double callee, caller, unseen = -1;
    if (!PyTuple_Check(given) ||
        !PyArg_ParseTuple(given, "SO!(dd)|d", &kinds, &PyTuple_Type, &calls, &callee, &caller, &unseen)) {
        PyErr_SetString(PyExc_TypeError, "compensation is None or (kinds, calls, resume[, unseen])");
        return -1;
    }
    costs->compensation.resume = scaled(callee, caller, scale);
    costs->compensation.is_mixed = unseen >= 0;
    costs->compensation.unseen = unseen >= 0 ? unseen / scale : 0;
    Py_ssize_t count = PyTuple_GET_SIZE(calls);
    bool right = count <= TRC_KINDS && (size_t)PyBytes_GET_SIZE(kinds) == func_count;
    for (size_t i = 0; right && i < func_count; i++) {
        right = (unsigned char)PyBytes_AS_STRING(kinds)[i] < count;
    }
    if (!right) {
        PyErr_SetString(PyExc_ValueError, "compensation needs a kind for each function, and costs for each kind");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (parse_call_costs(&costs->calls[i], PyTuple_GET_ITEM(calls, i), scale) < 0) {
            return -1;
        }
    }
    costs->compensation.kind_of = (const uint8_t *)PyBytes_AS_STRING(kinds);
    costs->compensation.calls = costs->calls;
    return 0;
}
