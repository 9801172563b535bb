/* add_up(): flat records, of a live profile or a file, into the dictionaries that a Stats object holds. */
#include "types/sums.h"

#include "types/records.h"

const char trc_add_up_doc[] =
    "add_up(threads, rows, labels, seconds_per_tick, callers, compensation=None, /)\n--\n\n"
    "Add the records of threads up into (stats, resumes, figures, (taken out, kept)).\n\n"
    "threads: a tuple of threads. Each is a tuple of bytes: packed records of ext/core/report/capture.h, in the order\n"
    "of RECORDS.\n"
    "rows: bytes, a native uint32 for each function: its row, or 2**32 - 1 to leave the function out.\n"
    "labels: a tuple, the key of each row. seconds_per_tick: float. callers: whether to tell callers.\n\n"
    "stats: {label: (primitive calls, ncalls, tottime, cumtime, {caller: (ncalls, primitive calls, tottime,\n"
    "cumtime)})}, in seconds, as pstats has it.\n"
    "resumes: {label: (resumes, primitive resumes, {caller: (resumes, primitive resumes)})}, of the rows that were\n"
    "resumed.\n"
    "figures: {name: {label: seconds}}, the figures that functions have and edges have not, where they are not 0.\n"
    "TRC_EXTRAS in ext/core/tree/figures.h names these figures.\n\n"
    "compensation: None, or (kinds, calls, resume, unseen): the costs of tracing, which are taken out of the times.\n"
    "kinds: bytes, for each function a position in calls. calls: a tuple of pairs (first, again), each of them (callee,\n"
    "caller): the seconds that a call added to the time of the callee and of the caller. first is for the first call\n"
    "from an activation of the caller, again for later ones. resume: such a (callee, caller) for a resume.\n"
    "unseen: the seconds of the caller for a call of what has no row. Without it, costs are those of an old file: a\n"
    "later call then costs the same whatever else its caller calls.\n"
    "taken out: the seconds of these costs. kept: the part of them that stayed, because the times had less.\n\n"
    "Raises ValueError when a record names something that does not exist.";

/* dict[key] = value; takes over `value`. */
static int store(PyObject *dict, PyObject *key, PyObject *value)
{
    int result = value == NULL ? -1 : PyDict_SetItem(dict, key, value);
    Py_XDECREF(value);
    return result;
}

static PyObject *build_stat(const trc_figures *figures, double scale)
{
    return Py_BuildValue("(KKddN)", (unsigned long long)figures->primitive_calls, (unsigned long long)figures->calls,
                         scale * (double)figures->self, scale * (double)figures->cumulative, PyDict_New());
}

static PyObject *build_caller(const trc_figures *figures, double scale)
{
    return Py_BuildValue("(KKdd)", (unsigned long long)figures->calls, (unsigned long long)figures->primitive_calls,
                         scale * (double)figures->self, scale * (double)figures->cumulative);
}

static PyObject *build_resumes(const trc_figures *figures)
{
    return Py_BuildValue("(KKN)", (unsigned long long)figures->resumes, (unsigned long long)figures->primitive_resumes,
                         PyDict_New());
}

static PyObject *build_caller_resumes(const trc_figures *figures)
{
    return Py_BuildValue("(KK)", (unsigned long long)figures->resumes, (unsigned long long)figures->primitive_resumes);
}

/* Returns the dict of callers in the tuple that `dict` has for a label, borrowed. Returns NULL when there is none,
 * maybe with an exception set. */
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
            (figures->resumes > 0 && store(resumes, label, build_resumes(figures)) < 0)) {
            return -1;
        }
    }
    return 0;
}

/* New reference: {label: seconds} of one extra. NULL with an exception set. */
static PyObject *build_extra(const trc_rollup *rollup, PyObject *labels, double scale, trc_extra extra)
{
    PyObject *dict = PyDict_New();
    for (uint32_t row = 0; dict != NULL && row < rollup->row_count; row++) {
        trc_tick ticks = rollup->extras[row][extra];
        if (rollup->present[row] && ticks != 0 &&
            store(dict, PyTuple_GET_ITEM(labels, row), PyFloat_FromDouble(scale * (double)ticks)) < 0) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

static int fill_extras(const trc_rollup *rollup, PyObject *labels, double scale, PyObject *extras)
{
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        PyObject *seconds = build_extra(rollup, labels, scale, extra);
        int stored = seconds == NULL ? -1 : PyDict_SetItemString(extras, trc_traits_of(extra)->name, seconds);
        Py_XDECREF(seconds);
        if (stored < 0) {
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

PyObject *trc_add_up(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *threads, *rows, *labels, *given = Py_None;
    double scale;
    int callers;
    trc_costs costs;
    if (!PyArg_ParseTuple(args, "O!SO!dp|O:add_up", &PyTuple_Type, &threads, &rows, &PyTuple_Type, &labels, &scale,
                          &callers, &given)) {
        return NULL;
    }
    if (given != Py_None && trc_parse_costs(&costs, given, rows, scale) < 0) {
        return NULL;
    }
    PyObject *stats = PyDict_New();
    PyObject *resumes = PyDict_New();
    PyObject *extras = PyDict_New();
    PyObject *result = NULL;
    trc_rollup rollup;
    int collecting = trc_pause_collection();
    if (!trc_rollup_init(&rollup, &trc_system_allocator, (uint32_t)PyTuple_GET_SIZE(labels))) {
        PyErr_NoMemory();
    }
    rollup.compensation = given == Py_None ? NULL : &costs.compensation;
    rollup.is_without_edges = !callers;
    if (!PyErr_Occurred() && stats != NULL && resumes != NULL && extras != NULL &&
        trc_roll_up(&rollup, threads, rows) == 0 && fill_rows(&rollup, labels, scale, stats, resumes) == 0 &&
        fill_extras(&rollup, labels, scale, extras) == 0 && fill_callers(&rollup, labels, scale, stats, resumes) == 0) {
        result = Py_BuildValue("(OOO(dd))", stats, resumes, extras, scale * (double)rollup.taken_out,
                               scale * (double)rollup.kept);
    }
    trc_resume_collection(collecting);
    trc_rollup_free(&rollup);
    Py_XDECREF(stats);
    Py_XDECREF(resumes);
    Py_XDECREF(extras);
    return result;
}
