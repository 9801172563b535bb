/* read_slices(), sum_bins(), recover_slices() and go_on_slices(): see slices.h. */
#include "types/slices.h"

#include "core/report/capture.h"
#include "core/report/crash_recovery.h"
#include "core/report/slices.h"
#include "types/records.h"

#include <stdlib.h>

const char trc_read_slices_doc[] =
    "read_slices(slices, nodes, folded, first, last, least, /)\n--\n\n"
    "Return the stretches of a thread as (start, end, node, depth, parent, tag, value), each bytes: one item a stretch,\n"
    "callers before callees, by time.\n\n"
    "slices, nodes, folded: as a file holds them, unpacked. Only stretches are returned that overlap the ticks from\n"
    "first to last, and took least ticks or more.\n\n"
    "start, end and value are native int64, parent is int32, the others are uint32. start and end are ticks. node is 0\n"
    "for a gap, in which the thread had no CPU for value ticks; of a stretch, value is 1 if it had not ended. depth is\n"
    "the number of stretches around, parent the position of the innermost, or -1. tag is 0, or number << 2 | 1 of a\n"
    "task, number << 2 | 2 of a greenlet's stack.\n\n"
    "Raises ValueError when the bytes are damaged.";

const char trc_sum_bins_doc[] =
    "sum_bins(bins, nodes, folded, unit, began, ended, first, last, whole, /)\n--\n\n"
    "Return the calls and own ticks of the nodes in the ticks from first to before last, as (node, calls, ticks), each\n"
    "bytes: one item for each node that had some, ascending. node is native uint32, calls and ticks are int64.\n\n"
    "bins, nodes, folded: as a file holds them, unpacked. unit: ticks of the narrowest bin. began, ended: ticks of\n"
    "the thread. A bin that lies there in part counts in proportion; with whole, as a whole.\n\n"
    "Raises ValueError when the bytes are damaged.";

const char trc_recover_slices_doc[] =
    "recover_slices(slices, least, node_count, /)\n--\n\n"
    "Return the log of a thread, as files hold it unpacked, without stretches that took less than least ticks, and nodes\n"
    "from node_count on. Bytes that are damaged end their block.";

const char trc_go_on_slices_doc[] =
    "go_on_slices(slices, open, least, ended, /)\n--\n\n"
    "Return the stretches of open, the block of those under way when a profile was saved, that have no end in slices,\n"
    "as a block: they go on until ended. slices: what recover_slices() returned for the same least.";

/* The depth of each node in the tree; 0 for overflow nodes. `folded` has their numbers, ascending. Returns NULL with an
 * exception set. */
static uint32_t *depths_of(const Py_buffer *nodes, const Py_buffer *folded, size_t *count)
{
    size_t kept = (size_t)nodes->len / sizeof(trc_node_record);
    size_t left = (size_t)folded->len / sizeof(uint32_t);
    *count = kept + left;
    uint32_t *depths = calloc(*count + 1, sizeof *depths);
    uint32_t *by_position = calloc(kept + 1, sizeof *by_position);
    if (depths == NULL || by_position == NULL) {
        free(depths);
        free(by_position);
        PyErr_NoMemory();
        return NULL;
    }
    size_t position = 0, next = 0;
    for (size_t node = 0; node < *count && position < kept; node++) {
        uint32_t overflow = UINT32_MAX;
        if (next < left) {
            memcpy(&overflow, (const char *)folded->buf + next * sizeof overflow, sizeof overflow);
        }
        if (overflow == node) {
            next++;
            continue;
        }
        trc_node_record record;
        memcpy(&record, (const char *)nodes->buf + position * sizeof record, sizeof record);
        bool has_parent = position > 0 && record.parent < position;
        by_position[position] = has_parent ? by_position[record.parent] + 1 : 0;
        depths[node] = by_position[position++];
    }
    free(by_position);
    return depths;
}

/* One column of a slice. */
typedef struct column {
    size_t offset;
    size_t size;
} column;

static PyObject *column_as_bytes(const trc_slices *slices, column each)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(slices->count * each.size));
    char *to = bytes == NULL ? NULL : PyBytes_AS_STRING(bytes);
    for (size_t i = 0; to != NULL && i < slices->count; i++) {
        memcpy(to + i * each.size, (const char *)&slices->slices[i] + each.offset, each.size);
    }
    return bytes;
}

#define COLUMN(field) {offsetof(trc_slice, field), sizeof((trc_slice){0}.field)}

static PyObject *slices_as_tuple(const trc_slices *slices)
{
    static const column columns[] = {COLUMN(start),  COLUMN(end), COLUMN(node), COLUMN(depth),
                                     COLUMN(parent), COLUMN(tag), COLUMN(value)};
    const Py_ssize_t count = sizeof columns / sizeof *columns;
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *bytes = column_as_bytes(slices, columns[i]);
        if (bytes == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, bytes);
    }
    return tuple;
}

static PyObject *read_part(const Py_buffer *data, const uint32_t *depths, size_t count, trc_slices_part part)
{
    trc_slices slices;
    PyObject *tuple = NULL;
    trc_slices_result result =
        trc_slices_read(&slices, &trc_system_allocator, data->buf, (size_t)data->len, depths, count, part);
    if (result == TRC_SLICES_READ) {
        tuple = slices_as_tuple(&slices);
    }
    else if (result == TRC_SLICES_NO_MEMORY) {
        PyErr_NoMemory();
    }
    else {
        PyErr_SetString(PyExc_ValueError, "its timeline is damaged");
    }
    trc_slices_free(&slices, &trc_system_allocator);
    return tuple;
}

PyObject *trc_read_slices(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data, nodes, folded;
    long long first, last, least;
    if (!PyArg_ParseTuple(args, "y*y*y*LLL:read_slices", &data, &nodes, &folded, &first, &last, &least)) {
        return NULL;
    }
    size_t count;
    uint32_t *depths = depths_of(&nodes, &folded, &count);
    PyObject *tuple = depths == NULL ? NULL : read_part(&data, depths, count, (trc_slices_part){first, last, least});
    free(depths);
    PyBuffer_Release(&data);
    PyBuffer_Release(&nodes);
    PyBuffer_Release(&folded);
    return tuple;
}

static bool has_some(const trc_bin_sum *sum)
{
    return sum->calls != 0 || sum->self != 0;
}

/* The sums of the nodes that had some: a run has many nodes, and few of them in a short part. */
static PyObject *sums_as_tuple(const trc_bin_sum *sums, size_t count)
{
    Py_ssize_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += has_some(&sums[i]);
    }
    PyObject *columns[3] = {
        PyBytes_FromStringAndSize(NULL, found * (Py_ssize_t)sizeof(uint32_t)),
        PyBytes_FromStringAndSize(NULL, found * (Py_ssize_t)sizeof(uint64_t)),
        PyBytes_FromStringAndSize(NULL, found * (Py_ssize_t)sizeof(int64_t)),
    };
    PyObject *tuple = NULL;
    if (columns[0] != NULL && columns[1] != NULL && columns[2] != NULL) {
        uint32_t *nodes = (uint32_t *)(void *)PyBytes_AS_STRING(columns[0]);
        uint64_t *calls = (uint64_t *)(void *)PyBytes_AS_STRING(columns[1]);
        int64_t *ticks = (int64_t *)(void *)PyBytes_AS_STRING(columns[2]);
        for (size_t i = 0; i < count; i++) {
            if (has_some(&sums[i])) {
                *nodes++ = (uint32_t)i;
                *calls++ = sums[i].calls;
                *ticks++ = sums[i].self;
            }
        }
        tuple = PyTuple_Pack(3, columns[0], columns[1], columns[2]);
    }
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(columns[i]);
    }
    return tuple;
}

static uint64_t not_before_0(long long ticks)
{
    return ticks < 0 ? 0 : (uint64_t)ticks;
}

PyObject *trc_sum_bins(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data, nodes, folded;
    long long unit, began, ended, first, last;
    int whole;
    if (!PyArg_ParseTuple(args, "y*y*y*LLLLLp:sum_bins", &data, &nodes, &folded, &unit, &began, &ended, &first, &last,
                          &whole)) {
        return NULL;
    }
    trc_bins_part part = {.first = not_before_0(first),
                          .last = not_before_0(last),
                          .unit = unit < 1 ? 1 : (uint64_t)unit,
                          .began = not_before_0(began),
                          .ended = not_before_0(ended),
                          .whole = whole != 0};
    size_t count = (size_t)nodes.len / sizeof(trc_node_record) + (size_t)folded.len / sizeof(uint32_t);
    trc_bin_sum *sums = calloc(count + 1, sizeof *sums);
    PyObject *tuple = NULL;
    if (sums == NULL) {
        PyErr_NoMemory();
    }
    else if (trc_bins_add_up(sums, count, data.buf, (size_t)data.len, &part)) {
        tuple = sums_as_tuple(sums, count);
    }
    else {
        PyErr_SetString(PyExc_ValueError, "its timeline is damaged");
    }
    free(sums);
    PyBuffer_Release(&data);
    PyBuffer_Release(&nodes);
    PyBuffer_Release(&folded);
    return tuple;
}

PyObject *trc_recover_slices(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data;
    long long least;
    Py_ssize_t node_count;
    if (!PyArg_ParseTuple(args, "y*Ln:recover_slices", &data, &least, &node_count)) {
        return NULL;
    }
    uint8_t *mended = malloc((size_t)data.len + TRC_BLOCK_HEAD);
    PyObject *bytes = NULL;
    if (mended == NULL) {
        PyErr_NoMemory();
    }
    else {
        size_t nodes = node_count < 0 ? 0 : (size_t)node_count;
        size_t size = trc_slices_recover(mended, data.buf, (size_t)data.len, least, nodes);
        bytes = PyBytes_FromStringAndSize((const char *)mended, (Py_ssize_t)size);
    }
    free(mended);
    PyBuffer_Release(&data);
    return bytes;
}

PyObject *trc_go_on_slices(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data, open;
    long long least, ended;
    if (!PyArg_ParseTuple(args, "y*y*LL:go_on_slices", &data, &open, &least, &ended)) {
        return NULL;
    }
    uint8_t *block = malloc((size_t)open.len * TRC_OPEN_GROWS + TRC_BLOCK_HEAD);
    PyObject *bytes = NULL;
    if (block == NULL) {
        PyErr_NoMemory();
    }
    else {
        size_t size = trc_slices_go_on(block, data.buf, (size_t)data.len, open.buf, (size_t)open.len, least, ended);
        bytes = PyBytes_FromStringAndSize((const char *)block, (Py_ssize_t)size);
    }
    free(block);
    PyBuffer_Release(&data);
    PyBuffer_Release(&open);
    return bytes;
}
