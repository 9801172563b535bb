/* add_up(): flat records, of a live profile or a file, into the dictionaries that a Stats object holds. */
#include "state.h"

#include "../core/rollup.h"

#include <stdlib.h>

const char trc_add_up_doc[] =
    "add_up(threads, rows, labels, seconds_per_tick, callers, compensation=None, /)\n--\n\n"
    "Add the records of threads up into (stats, resumes, (taken out, kept)).\n\n"
    "threads: tuple of (nodes, folds, outers, waits), the packed records of ext/core/capture.h, as bytes.\n"
    "rows: bytes, one native uint32 a function: its row, or 2**32 - 1 to leave it out.\n"
    "labels: tuple, the key of each row. seconds_per_tick: float. callers: whether to tell callers.\n\n"
    "stats is {label: (primitive calls, ncalls, tottime, cumtime, {caller: (ncalls, primitive calls, tottime,\n"
    "cumtime)})}, seconds, as pstats has it. resumes is {label: (resumes, primitive resumes, {caller: (resumes,\n"
    "primitive resumes)}, suspended)}, of the rows that were resumed; suspended in seconds.\n\n"
    "compensation: None, or (kinds, calls, resume): what tracing cost, which is taken out of the times. kinds: bytes,\n"
    "one a function, a position in calls; calls: a tuple of (first, again), each (callee, caller), the seconds that a\n"
    "call added to the time of each, when it was the first from an activation of its caller, and when it was not;\n"
    "resume: the same (callee, caller) of a resume. taken out: seconds, of which so many were kept because there was no such\n"
    "time. Raises ValueError when a record names what is not there.";

/* Borrows the records from four bytes objects. -1 with an exception set. */
static int capture_from_bytes(trc_capture *capture, PyObject *thread)
{
    PyObject *nodes, *folds, *outers, *waits;
    if (!PyArg_ParseTuple(thread, "SSSS;a thread is (nodes, folds, outers, waits)", &nodes, &folds, &outers, &waits)) {
        return -1;
    }
    size_t sizes[4] = {(size_t)PyBytes_GET_SIZE(nodes), (size_t)PyBytes_GET_SIZE(folds),
                       (size_t)PyBytes_GET_SIZE(outers), (size_t)PyBytes_GET_SIZE(waits)};
    if (sizes[0] % sizeof(trc_node_record) != 0 || sizes[1] % sizeof(trc_fold_record) != 0 ||
        sizes[2] % sizeof(trc_outer_record) != 0 || sizes[3] % sizeof(trc_wait_record) != 0 ||
        sizes[0] / sizeof(trc_node_record) >= UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "the records of a thread have a wrong size");
        return -1;
    }
    capture->nodes = (trc_node_record *)PyBytes_AS_STRING(nodes);
    capture->node_count = (uint32_t)(sizes[0] / sizeof(trc_node_record));
    capture->folds = (trc_fold_record *)PyBytes_AS_STRING(folds);
    capture->fold_count = (uint32_t)(sizes[1] / sizeof(trc_fold_record));
    capture->outers = (trc_outer_record *)PyBytes_AS_STRING(outers);
    capture->outer_count = (uint32_t)(sizes[2] / sizeof(trc_outer_record));
    capture->waits = (trc_wait_record *)PyBytes_AS_STRING(waits);
    capture->wait_count = (uint32_t)(sizes[3] / sizeof(trc_wait_record));
    return 0;
}

static int roll_up(trc_rollup *rollup, PyObject *threads, PyObject *rows)
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

/* dict[key] = value, taking over `value`. */
static int store(PyObject *dict, PyObject *key, PyObject *value)
{
    int result = value == NULL ? -1 : PyDict_SetItem(dict, key, value);
    Py_XDECREF(value);
    return result;
}

static PyObject *build_stat(const trc_figures *figures, double scale)
{
    return Py_BuildValue("(KKddN)", (unsigned long long)figures->primitive_calls, (unsigned long long)figures->calls,
                         scale * (double)figures->self, scale * (double)figures->cum, PyDict_New());
}

static PyObject *build_caller(const trc_figures *figures, double scale)
{
    return Py_BuildValue("(KKdd)", (unsigned long long)figures->calls, (unsigned long long)figures->primitive_calls,
                         scale * (double)figures->self, scale * (double)figures->cum);
}

static PyObject *build_resumes(const trc_figures *figures, trc_tick suspended, double scale)
{
    return Py_BuildValue("(KKNd)", (unsigned long long)figures->resumes, (unsigned long long)figures->primitive_resumes,
                         PyDict_New(), scale * (double)suspended);
}

static PyObject *build_caller_resumes(const trc_figures *figures)
{
    return Py_BuildValue("(KK)", (unsigned long long)figures->resumes, (unsigned long long)figures->primitive_resumes);
}

/* The dict of callers in the tuple that `dict` has for a label. Borrowed; NULL, maybe with an exception, when there is
 * none. */
static PyObject *callers_of(PyObject *dict, PyObject *label, Py_ssize_t position)
{
    PyObject *value = PyDict_GetItemWithError(dict, label);
    return value == NULL ? NULL : PyTuple_GET_ITEM(value, position);
}

static int fill_rows(const trc_rollup *rollup, PyObject *labels, double scale, PyObject *stats, PyObject *resumes)
{
    for (uint32_t row = 0; row < rollup->row_count; row++) {
        const trc_figures *figures = &rollup->rows[row];
        PyObject *label = PyTuple_GET_ITEM(labels, row);
        if (!rollup->present[row]) {
            continue;
        }
        if (store(stats, label, build_stat(figures, scale)) < 0 ||
            (figures->resumes > 0 &&
             store(resumes, label, build_resumes(figures, rollup->suspended[row], scale)) < 0)) {
            return -1;
        }
    }
    return 0;
}

static int fill_callers(const trc_rollup *rollup, PyObject *labels, double scale, PyObject *stats, PyObject *resumes)
{
    for (uint32_t i = 0; i < rollup->edge_count; i++) {
        const trc_row_edge *edge = &rollup->edges[i];
        PyObject *caller = PyTuple_GET_ITEM(labels, edge->caller);
        PyObject *callee = PyTuple_GET_ITEM(labels, edge->callee);
        PyObject *callers = callers_of(stats, callee, 4);
        if (callers != NULL && store(callers, caller, build_caller(&edge->figures, scale)) < 0) {
            return -1;
        }
        if (edge->figures.resumes > 0) {
            callers = callers_of(resumes, callee, 2);
            if (callers != NULL && store(callers, caller, build_caller_resumes(&edge->figures)) < 0) {
                return -1;
            }
        }
    }
    return PyErr_Occurred() ? -1 : 0;
}

#define KINDS 8 /* of functions, at most */

typedef struct costs {
    trc_compensation compensation;
    trc_call_costs calls[KINDS];
} costs;

/* From seconds into ticks. */
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

/* 0, or -1 with an exception set. */
static int parse_costs(costs *costs, PyObject *given, size_t func_count, double scale)
{
    PyObject *kinds, *calls;
    double callee, caller;
    if (!PyTuple_Check(given) || !PyArg_ParseTuple(given, "SO!(dd)", &kinds, &PyTuple_Type, &calls, &callee, &caller)) {
        PyErr_SetString(PyExc_TypeError, "compensation is None or (kinds, calls, resume)");
        return -1;
    }
    costs->compensation.resume = scaled(callee, caller, scale);
    Py_ssize_t count = PyTuple_GET_SIZE(calls);
    bool right = count <= KINDS && (size_t)PyBytes_GET_SIZE(kinds) == func_count;
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

PyObject *trc_add_up(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *threads, *rows, *labels, *given = Py_None;
    double scale;
    int callers;
    costs costs;
    if (!PyArg_ParseTuple(args, "O!SO!dp|O:add_up", &PyTuple_Type, &threads, &rows, &PyTuple_Type, &labels, &scale,
                          &callers, &given)) {
        return NULL;
    }
    if (given != Py_None && parse_costs(&costs, given, (size_t)PyBytes_GET_SIZE(rows) / sizeof(uint32_t), scale) < 0) {
        return NULL;
    }
    PyObject *stats = PyDict_New();
    PyObject *resumes = PyDict_New();
    PyObject *result = NULL;
    trc_rollup rollup;
    int collecting = trc_pause_collection();
    if (!trc_rollup_init(&rollup, &trc_system_allocator, (uint32_t)PyTuple_GET_SIZE(labels))) {
        PyErr_NoMemory();
    }
    rollup.compensation = given == Py_None ? NULL : &costs.compensation;
    if (!PyErr_Occurred() && stats != NULL && resumes != NULL && roll_up(&rollup, threads, rows) == 0 &&
        fill_rows(&rollup, labels, scale, stats, resumes) == 0 &&
        (!callers || fill_callers(&rollup, labels, scale, stats, resumes) == 0)) {
        result =
            Py_BuildValue("(OO(dd))", stats, resumes, scale * (double)rollup.taken_out, scale * (double)rollup.kept);
    }
    trc_resume_collection(collecting);
    trc_rollup_free(&rollup);
    Py_XDECREF(stats);
    Py_XDECREF(resumes);
    return result;
}
