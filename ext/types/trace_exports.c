/* export_slices() and count_slices(): a thread's slices in the formats of other tools. ext/core/report/trace_export.h says
 * what is written; this file checks what Python hands over. */
#include "types/trace_exports.h"

#include "core/report/trace_export.h"

const char trc_export_slices_doc[] =
    "export_slices(form, slices, rows, in_c, pieces, others, times, number, write, /)\n--\n\n"
    "Write the slices of a thread as a part of an export, by calls of write(bytes).\n\n"
    "form: 'chrome', 'perfetto', 'speedscope', or a column of the samples of 'firefox': 'stacks', 'deltas', 'weights'.\n"
    "slices: a tuple of buffers, as read_slices() returns them.\n"
    "rows: bytes, a native uint32 for each node: its row, or 2**32 - 1 where nothing is exported.\n"
    "in_c: bytes, a byte for each row, 1 for a function written in C.\n"
    "pieces, others: tuples of bytes, one for each row: text to put beside the numbers. Two more pieces are for gaps, in\n"
    "Python and in C; without these no gap is exported.\n"
    "times: (ns a tick, ns to shift by, first tick, last tick): what is outside is cut off.\n"
    "number: perfetto: that of the packets' sequence; else 0.\n\n"
    "Returns for samples (parents, rows, their number): of each stack the number of the one below it, from 1, 0 for\n"
    "none, and its row, in bytes of native uint32. For speedscope (moment of the last event, ns in which a frame was\n"
    "open). Else None.";

const char trc_count_slices_doc[] = "count_slices(starts, ends, least, /)\n--\n\n"
                                    "Return how many slices last at least so many ticks.";

enum { STARTS, ENDS, NODES, DEPTHS, PARENTS, TAGS, VALUES, COLUMNS };
static const size_t width_of[COLUMNS] = {8, 8, 4, 4, 4, 4, 8};

/* What Python hands over, as the core takes it. */
typedef struct sheet {
    trc_trace_export export;
    Py_buffer columns[COLUMNS];
    int column_count; /* of those that must be released */
    trc_piece *pieces;
    trc_piece *others;
} sheet;

static void close_sheet(sheet *sheet)
{
    while (sheet->column_count > 0) {
        PyBuffer_Release(&sheet->columns[--sheet->column_count]);
    }
    PyMem_Free(sheet->pieces);
    PyMem_Free(sheet->others);
}

/* 0, or -1 with an exception set. */
static int take_columns(sheet *sheet, PyObject *slices)
{
    if (!PyTuple_Check(slices) || PyTuple_GET_SIZE(slices) != COLUMNS) {
        PyErr_SetString(PyExc_TypeError, "slices are a tuple of 7 columns");
        return -1;
    }
    for (int i = 0; i < COLUMNS; i++) {
        Py_buffer *column = &sheet->columns[i];
        if (PyObject_GetBuffer(PyTuple_GET_ITEM(slices, i), column, PyBUF_CONTIG_RO) < 0) {
            return -1;
        }
        sheet->column_count++;
        sheet->export.count = (size_t)sheet->columns[0].len / width_of[0];
        if ((size_t)column->len != sheet->export.count * width_of[i] || sheet->export.count >= INT32_MAX) {
            PyErr_SetString(PyExc_ValueError, "the columns of slices have different lengths");
            return -1;
        }
    }
    sheet->export.start = sheet->columns[STARTS].buf;
    sheet->export.end = sheet->columns[ENDS].buf;
    sheet->export.node = sheet->columns[NODES].buf;
    sheet->export.depth = sheet->columns[DEPTHS].buf;
    sheet->export.parent = sheet->columns[PARENTS].buf;
    sheet->export.value = sheet->columns[VALUES].buf;
    return 0;
}

/* The bytes of a tuple, borrowed; the array is the caller's. NULL with an exception set. */
static trc_piece *pieces_of(PyObject *texts, uint32_t count)
{
    trc_piece *pieces = PyMem_Calloc((size_t)count + 1, sizeof *pieces);
    if (pieces == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        char *bytes;
        Py_ssize_t length;
        if (i >= PyTuple_GET_SIZE(texts)) {
            PyErr_SetString(PyExc_ValueError, "there is a piece for each row");
        }
        else if (PyBytes_AsStringAndSize(PyTuple_GET_ITEM(texts, i), &bytes, &length) == 0) {
            pieces[i] = (trc_piece){bytes, (size_t)length};
            continue;
        }
        PyMem_Free(pieces);
        return NULL;
    }
    return pieces;
}

/* Calls the function `context` with the bytes. */
static bool hand_on(void *context, const char *bytes, size_t count)
{
    PyObject *data = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)count);
    PyObject *result = data == NULL ? NULL : PyObject_CallOneArg(context, data);
    Py_XDECREF(data);
    Py_XDECREF(result);
    return result != NULL;
}

/* New reference: the stacks that samples have, and their number. NULL with an exception set. */
static PyObject *stacks_as_tuple(const trc_paths *paths, size_t samples)
{
    Py_ssize_t size = (Py_ssize_t)((paths->count - 1) * sizeof(uint32_t));
    PyObject *parents = PyBytes_FromStringAndSize(NULL, size), *rows = PyBytes_FromStringAndSize(NULL, size);
    if (parents == NULL || rows == NULL) {
        Py_XDECREF(parents);
        Py_XDECREF(rows);
        return NULL;
    }
    for (uint32_t i = 1; i < paths->count; i++) {
        ((uint32_t *)(void *)PyBytes_AS_STRING(parents))[i - 1] = paths->nodes[i].parent;
        ((uint32_t *)(void *)PyBytes_AS_STRING(rows))[i - 1] = paths->nodes[i].row;
    }
    return Py_BuildValue("(NNn)", parents, rows, (Py_ssize_t)samples);
}

static trc_exported export_samples(const trc_trace_export *export, trc_buffered_writer *writer,
                                   trc_sample_column column, PyObject **result)
{
    trc_paths paths;
    size_t samples;
    trc_exported exported = TRC_EXPORTED_NO_MEMORY;
    if (trc_paths_init(&paths, &trc_system_allocator)) {
        exported = trc_export_samples(export, writer, &paths, column, &samples);
    }
    if (exported == TRC_EXPORTED) {
        *result = stacks_as_tuple(&paths, samples);
    }
    trc_paths_free(&paths);
    return exported;
}

/* New reference; NULL with an exception set. */
static PyObject *draw(const sheet *sheet, const char *form, uint32_t number, PyObject *write)
{
    static const char *const columns[] = {"stacks", "deltas", "weights"};
    const trc_trace_export *export = &sheet->export;
    const trc_allocator *memory = &trc_system_allocator;
    trc_buffered_writer *writer = PyMem_Malloc(sizeof *writer);
    if (writer == NULL) {
        return PyErr_NoMemory();
    }
    trc_buffered_writer_init(writer, hand_on, write);
    PyObject *result = NULL;
    trc_exported exported = TRC_EXPORTED;
    bool known = true;
    if (strcmp(form, "chrome") == 0) {
        exported = trc_export_chrome(export, writer);
    }
    else if (strcmp(form, "perfetto") == 0) {
        exported = trc_export_perfetto(export, writer, memory, number, 0);
    }
    else if (strcmp(form, "speedscope") == 0) {
        int64_t last, busy;
        exported = trc_export_speedscope(export, writer, memory, &last, &busy);
        result = exported == TRC_EXPORTED ? Py_BuildValue("(LL)", (long long)last, (long long)busy) : NULL;
    }
    else {
        known = false;
        for (trc_sample_column i = TRC_SAMPLE_STACKS; i <= TRC_SAMPLE_WEIGHTS; i++) {
            if (strcmp(form, columns[i]) == 0) {
                exported = export_samples(export, writer, i, &result);
                known = true;
            }
        }
    }
    PyMem_Free(writer);
    if (!known) {
        PyErr_Format(PyExc_ValueError, "there is no form %s", form);
    }
    else if (exported == TRC_EXPORTED_NO_MEMORY) {
        PyErr_NoMemory();
    }
    return PyErr_Occurred() || result != NULL ? result : Py_NewRef(Py_None);
}

PyObject *trc_export_slices(PyObject *module, PyObject *args)
{
    (void)module;
    const char *form;
    PyObject *slices, *rows, *in_c, *pieces, *others, *write, *result = NULL;
    double ns_per_tick;
    long long shift, first, last;
    unsigned int number;
    if (!PyArg_ParseTuple(args, "sOSSO!O!(dLLL)IO:export_slices", &form, &slices, &rows, &in_c, &PyTuple_Type, &pieces,
                          &PyTuple_Type, &others, &ns_per_tick, &shift, &first, &last, &number, &write)) {
        return NULL;
    }
    uint32_t row_count = (uint32_t)PyBytes_GET_SIZE(in_c);
    bool with_gaps = (size_t)PyTuple_GET_SIZE(pieces) > row_count;
    sheet sheet = {.export = {.node_count = (uint32_t)((size_t)PyBytes_GET_SIZE(rows) / sizeof(uint32_t)),
                              .row_of = (const uint32_t *)(void *)PyBytes_AS_STRING(rows),
                              .row_count = row_count,
                              .in_c = (const uint8_t *)PyBytes_AS_STRING(in_c),
                              .with_gaps = with_gaps,
                              .ns_per_tick = ns_per_tick,
                              .shift = shift,
                              .first = first,
                              .last = last}};
    if (take_columns(&sheet, slices) == 0 && (sheet.pieces = pieces_of(pieces, row_count + 2 * with_gaps)) != NULL &&
        (sheet.others = pieces_of(others, row_count + 2 * with_gaps)) != NULL) {
        sheet.export.pieces = sheet.pieces;
        sheet.export.others = sheet.others;
        result = draw(&sheet, form, number, write);
    }
    close_sheet(&sheet);
    return result;
}

PyObject *trc_count_slices_in(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer starts, ends;
    long long least;
    if (!PyArg_ParseTuple(args, "y*y*L:count_slices", &starts, &ends, &least)) {
        return NULL;
    }
    PyObject *result = NULL;
    if (starts.len != ends.len) {
        PyErr_SetString(PyExc_ValueError, "the columns of slices have different lengths");
    }
    else {
        size_t count = (size_t)starts.len / sizeof(int64_t);
        result = PyLong_FromSize_t(trc_count_slices(starts.buf, ends.buf, count, least));
    }
    PyBuffer_Release(&starts);
    PyBuffer_Release(&ends);
    return result;
}
