/* call_paths() and merge_paths(): the calling contexts of threads as arrays in preorder. */
#include "types/paths.h"

#include "types/records.h"

const char trc_call_paths_doc[] =
    "call_paths(threads, rows, unkept, seconds_per_tick, compensation=None, /)\n--\n\n"
    "Merge the calling contexts of threads, in preorder, into (depth, row, calls, resumes, time, waited), each\n"
    "bytes.\n\n"
    "threads, rows, seconds_per_tick, compensation: as for add_up(). unkept: the row for the time of calls whose\n"
    "path was not kept.\n\n"
    "depth and row are native uint32, calls and resumes uint64, time and waited int64. time is own time in\n"
    "nanoseconds, waited the part of it that was waited. The\n"
    "times of a row are rounded so that they add up to its own time, rounded. The first context is the root: depth 0,\n"
    "row 2**32 - 1.\n\n"
    "Raises ValueError when a record names something that does not exist.";

const char trc_merge_paths_doc[] =
    "merge_paths(trees, /)\n--\n\n"
    "Merge several results of call_paths() into one: paths of the same rows are added. trees: a tuple of results.\n\n"
    "Raises ValueError when a result is no tree in preorder.";

/* The times of nodes in nanoseconds. What rounding loses at one node of a row is added at the next, so that the nodes
 * of a row add up to the row's figures. */
typedef struct row_time {
    trc_tick exact; /* ticks so far */
    int64_t given;  /* ns */
} row_time;

typedef struct rounding {
    double seconds_per_tick;
    uint32_t row_count;
    row_time *rows;  /* owned; with one more for overflowed calls; NULL where ticks are nanoseconds */
    row_time *waits; /* of what was waited, behind `rows` */
} rounding;

static int64_t next_time(const rounding *sums, row_time *rows, uint32_t row, trc_tick ticks)
{
    if (rows == NULL) {
        return ticks;
    }
    row_time *of = &rows[row < sums->row_count ? row : sums->row_count];
    trc_add_ticks(&of->exact, ticks);
    int64_t whole = trc_nearest(sums->seconds_per_tick * (double)of->exact * 1e9);
    int64_t time = (int64_t)((uint64_t)whole - (uint64_t)of->given);
    of->given = whole;
    return time;
}

enum { DEPTH, ROW, CALLS, RESUMES, TIME, WAITED, COLUMNS };
static const size_t width_of[COLUMNS] = {sizeof(uint32_t), sizeof(uint32_t), sizeof(uint64_t),
                                         sizeof(uint64_t), sizeof(int64_t),  sizeof(int64_t)};

static void fill(const trc_paths *paths, const uint32_t *order, const rounding *sums, void *columns[COLUMNS])
{
    for (uint32_t k = 0; k < paths->count; k++) {
        const trc_path *path = &paths->nodes[order[k]];
        ((uint32_t *)columns[ROW])[k] = path->row;
        ((uint64_t *)columns[CALLS])[k] = path->calls;
        ((uint64_t *)columns[RESUMES])[k] = path->resumes;
        ((int64_t *)columns[TIME])[k] = next_time(sums, sums->rows, path->row, path->self);
        ((int64_t *)columns[WAITED])[k] = next_time(sums, sums->waits, path->row, path->waited);
    }
}

/* New reference: a tuple of bytes. NULL with an exception set. */
static PyObject *paths_as_tuple(const trc_paths *paths, const rounding *sums)
{
    PyObject *result = PyTuple_New(COLUMNS);
    uint32_t *order = trc_alloc(paths->allocator, paths->count * sizeof *order);
    void *columns[COLUMNS];
    if (result == NULL || order == NULL) {
        goto no_memory;
    }
    for (int i = 0; i < COLUMNS; i++) {
        PyObject *column = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(paths->count * width_of[i]));
        if (column == NULL) {
            goto no_memory;
        }
        PyTuple_SET_ITEM(result, i, column);
        columns[i] = PyBytes_AS_STRING(column);
    }
    trc_paths_preorder(paths, order, columns[DEPTH]);
    fill(paths, order, sums, columns);
    trc_free(paths->allocator, order);
    return result;

no_memory:
    trc_free(paths->allocator, order);
    Py_XDECREF(result);
    return PyErr_NoMemory();
}

/* Returns one more than the largest row. */
static uint32_t count_rows(PyObject *rows)
{
    const uint32_t *row_of = (const uint32_t *)(void *)PyBytes_AS_STRING(rows);
    uint32_t count = 0;
    for (size_t i = 0; i < (size_t)PyBytes_GET_SIZE(rows) / sizeof *row_of; i++) {
        count = row_of[i] != TRC_LEFT_OUT && row_of[i] >= count ? row_of[i] + 1 : count;
    }
    return count;
}

PyObject *trc_call_paths(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *threads, *rows, *given = Py_None, *result = NULL;
    unsigned int unkept;
    double scale;
    trc_costs costs;
    if (!PyArg_ParseTuple(args, "O!SId|O:call_paths", &PyTuple_Type, &threads, &rows, &unkept, &scale, &given)) {
        return NULL;
    }
    if (given != Py_None && trc_parse_costs(&costs, given, rows, scale) < 0) {
        return NULL;
    }
    trc_paths paths;
    trc_rollup rollup;
    rounding sums = {.seconds_per_tick = scale, .row_count = count_rows(rows)};
    size_t places = (size_t)sums.row_count + 1;
    sums.rows = trc_alloc(&trc_system_allocator, 2 * places * sizeof *sums.rows);
    sums.waits = sums.rows == NULL ? NULL : sums.rows + places;
    bool ready = trc_rollup_init(&rollup, &trc_system_allocator, sums.row_count) && sums.rows != NULL;
    ready = trc_paths_init(&paths, &trc_system_allocator) && ready;
    rollup.paths = &paths;
    rollup.is_without_edges = true;
    rollup.unkept = unkept;
    rollup.compensation = given == Py_None ? NULL : &costs.compensation;
    if (!ready) {
        PyErr_NoMemory();
    }
    else if (trc_roll_up(&rollup, threads, rows) == 0) {
        PyObject *columns = paths_as_tuple(&paths, &sums);
        result = columns == NULL ? NULL : Py_BuildValue("(Nd)", columns, given == Py_None ? 1.0 : rollup.part);
    }
    trc_free(&trc_system_allocator, sums.rows);
    trc_rollup_free(&rollup);
    trc_paths_free(&paths);
    return result;
}

/* Adds a tree. `open` has room for a path as long as the tree has nodes. 0, or -1 with an exception set. */
static int merge(trc_paths *paths, const void *columns[COLUMNS], uint32_t count, uint32_t *open)
{
    const uint32_t *depths = columns[DEPTH], *rows = columns[ROW];
    open[0] = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t depth = depths[k];
        if (k == 0 ? depth != 0 : depth == 0 || depth > depths[k - 1] + 1) {
            PyErr_SetString(PyExc_ValueError, "this is no tree in preorder");
            return -1;
        }
        if (k > 0) {
            open[depth] = trc_paths_step(paths, open[depth - 1], rows[k]);
            if (open[depth] == TRC_NO_PATH) {
                PyErr_NoMemory();
                return -1;
            }
        }
        trc_path *path = &paths->nodes[open[depth]];
        path->calls += ((const uint64_t *)columns[CALLS])[k];
        path->resumes += ((const uint64_t *)columns[RESUMES])[k];
        trc_add_ticks(&path->self, ((const int64_t *)columns[TIME])[k]);
        trc_add_ticks(&path->waited, ((const int64_t *)columns[WAITED])[k]);
    }
    return 0;
}

static int merge_tuple(trc_paths *paths, PyObject *tree)
{
    PyObject *given[COLUMNS];
    const void *columns[COLUMNS];
    if (!PyTuple_Check(tree) ||
        !PyArg_ParseTuple(tree, "SSSSSS", &given[0], &given[1], &given[2], &given[3], &given[4], &given[5])) {
        PyErr_SetString(PyExc_TypeError, "a tree is (depth, row, calls, resumes, time, waited), all bytes");
        return -1;
    }
    size_t count = (size_t)PyBytes_GET_SIZE(given[DEPTH]) / width_of[DEPTH];
    for (int i = 0; i < COLUMNS; i++) {
        columns[i] = PyBytes_AS_STRING(given[i]);
        if ((size_t)PyBytes_GET_SIZE(given[i]) != count * width_of[i] || count >= UINT32_MAX) {
            PyErr_SetString(PyExc_ValueError, "the columns of a tree have different lengths");
            return -1;
        }
    }
    uint32_t *open = trc_alloc(paths->allocator, (count + 1) * sizeof *open);
    if (open == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int result = merge(paths, columns, (uint32_t)count, open);
    trc_free(paths->allocator, open);
    return result;
}

PyObject *trc_merge_paths(PyObject *module, PyObject *trees)
{
    (void)module;
    if (!PyTuple_Check(trees)) {
        PyErr_SetString(PyExc_TypeError, "merge_paths() takes a tuple of trees");
        return NULL;
    }
    trc_paths paths;
    PyObject *result = NULL;
    bool well = trc_paths_init(&paths, &trc_system_allocator);
    if (!well) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; well && i < PyTuple_GET_SIZE(trees); i++) {
        well = merge_tuple(&paths, PyTuple_GET_ITEM(trees, i)) == 0;
    }
    if (well) {
        result = paths_as_tuple(&paths, &(rounding){0});
    }
    trc_paths_free(&paths);
    return result;
}
