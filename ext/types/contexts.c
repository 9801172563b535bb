/* add_below() and fold_contexts(): see contexts.h. */
#include "types/contexts.h"

#include "core/report/folding.h"

#include <stddef.h>
#include <string.h>

const char trc_add_below_doc[] =
    "add_below(depths, own, /)\n--\n\n"
    "Return for each calling context its number and those of all contexts below, added up, as bytes of native int64.\n\n"
    "depths: buffer of native uint32, in preorder. own: buffer of int64.\n\n"
    "Raises ValueError when this is no tree in preorder.";

const char trc_fold_contexts_doc[] =
    "fold_contexts(columns, rows, numbers, next, finding, recursion, opens_imports, /)\n--\n\n"
    "Fold calling contexts, as tracer/analysis/tree/folding.py says.\n\n"
    "columns: a tuple of buffers, as call_paths() returns them. rows: buffer of four native uint32 for each row: its\n"
    "role; 1 for the code of a module, else 0; the place in numbers of what it is folded into, and of what its import\n"
    "becomes. numbers: buffer of uint32, the row of each folded row, 2**32 - 1 where it is not made yet. next: the row\n"
    "of the next one that is made. finding: the place in numbers of the time of imports outside of their modules.\n\n"
    "Return (nodes, members, numbers). nodes: (row, parent, calls, resumes, time, waited, entries), each bytes, in the\n"
    "order in which the nodes were made; row and parent, the position of a node, are uint32. members: (node, row,\n"
    "calls, time), each bytes. numbers: bytes, with what was made.\n\n"
    "Raises ValueError when this is no tree in preorder, or names a row or a place that does not exist.";

enum { DEPTH, ROW, CALLS, RESUMES, TIME, WAITED, COLUMNS };

static PyObject *refuse(const char *why)
{
    PyErr_SetString(PyExc_ValueError, why);
    return NULL;
}

static const char no_tree[] = "this is no tree in preorder";

/* New reference. NULL with an exception set. */
static PyObject *added_below(const Py_buffer *depths, const Py_buffer *own)
{
    size_t count = (size_t)depths->len / sizeof(uint32_t);
    if (count >= UINT32_MAX || (size_t)own->len != count * sizeof(trc_tick) ||
        !trc_contexts_are_tree(depths->buf, (uint32_t)count)) {
        return refuse(no_tree);
    }
    PyObject *totals = PyBytes_FromStringAndSize(own->buf, own->len);
    uint32_t *open = trc_alloc(&trc_system_allocator, (count + 1) * sizeof *open);
    if (totals != NULL && open != NULL) {
        trc_contexts_add_below((trc_tick *)(void *)PyBytes_AS_STRING(totals), depths->buf, (uint32_t)count, open);
    }
    else {
        Py_CLEAR(totals);
        PyErr_NoMemory();
    }
    trc_free(&trc_system_allocator, open);
    return totals;
}

PyObject *trc_add_below(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer depths, own;
    if (!PyArg_ParseTuple(args, "y*y*:add_below", &depths, &own)) {
        return NULL;
    }
    PyObject *totals = added_below(&depths, &own);
    PyBuffer_Release(&depths);
    PyBuffer_Release(&own);
    return totals;
}

/* A field of an array of structs. */
typedef struct field {
    size_t offset;
    size_t size;
} field;

#define FIELD(type, name) {offsetof(type, name), sizeof(((type *)0)->name)}

/* New reference: a tuple of bytes, one for each of the fields. NULL with an exception set. */
static PyObject *as_columns(const void *items, size_t count, size_t size, const field *fields, Py_ssize_t field_count)
{
    PyObject *tuple = PyTuple_New(field_count);
    for (Py_ssize_t i = 0; tuple != NULL && i < field_count; i++) {
        PyObject *column = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * fields[i].size));
        if (column == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        for (size_t k = 0; k < count; k++) {
            memcpy(PyBytes_AS_STRING(column) + k * fields[i].size, (const char *)items + k * size + fields[i].offset,
                   fields[i].size);
        }
        PyTuple_SET_ITEM(tuple, i, column);
    }
    return tuple;
}

/* New reference. NULL with an exception set. */
static PyObject *folding_as_tuple(const trc_folding *folding, PyObject *numbers)
{
    static const field of_nodes[] = {FIELD(trc_folded_node, row),    FIELD(trc_folded_node, parent),
                                     FIELD(trc_folded_node, calls),  FIELD(trc_folded_node, resumes),
                                     FIELD(trc_folded_node, time),   FIELD(trc_folded_node, waited),
                                     FIELD(trc_folded_node, entries)};
    static const field of_members[] = {FIELD(trc_member, node), FIELD(trc_member, row), FIELD(trc_member, calls),
                                       FIELD(trc_member, time)};
    PyObject *nodes = as_columns(folding->nodes, folding->node_count, sizeof *folding->nodes, of_nodes,
                                 sizeof of_nodes / sizeof *of_nodes);
    PyObject *members = as_columns(folding->members, folding->member_count, sizeof *folding->members, of_members,
                                   sizeof of_members / sizeof *of_members);
    PyObject *tuple = nodes == NULL || members == NULL ? NULL : PyTuple_Pack(3, nodes, members, numbers);
    Py_XDECREF(nodes);
    Py_XDECREF(members);
    return tuple;
}

static bool are_rows(const trc_fold_row *rows, size_t count, size_t places)
{
    bool are = true;
    for (size_t i = 0; i < count; i++) {
        are = are && rows[i].role < TRC_ROLE_COUNT && rows[i].package < places && rows[i].import < places;
    }
    return are;
}

static bool is_tree_of(const trc_contexts *contexts, uint32_t row_count)
{
    bool is = contexts->count > 0 && trc_contexts_are_tree(contexts->depth, contexts->count);
    for (uint32_t k = 1; k < contexts->count; k++) {
        is = is && contexts->row[k] < row_count;
    }
    return is;
}

/* New reference. NULL with an exception set. `numbers` is a copy that no one else has. */
static PyObject *folded(trc_folding *folding, const Py_buffer columns[COLUMNS], size_t rows, PyObject *numbers)
{
    size_t count = (size_t)columns[DEPTH].len / sizeof(uint32_t);
    for (int i = 0; i < COLUMNS; i++) {
        if (count >= UINT32_MAX ||
            (size_t)columns[i].len != count * (i < CALLS ? sizeof(uint32_t) : sizeof(uint64_t))) {
            return refuse("the columns of a tree have different lengths");
        }
    }
    trc_contexts contexts = {columns[DEPTH].buf, columns[ROW].buf,    columns[CALLS].buf, columns[RESUMES].buf,
                             columns[TIME].buf,  columns[WAITED].buf, (uint32_t)count};
    size_t places = (size_t)PyBytes_GET_SIZE(numbers) / sizeof(uint32_t);
    if (rows >= UINT32_MAX || folding->finding >= places || !are_rows(folding->rows, rows, places)) {
        return refuse("these are no rows to be folded");
    }
    folding->row_count = (uint32_t)rows;
    if (!is_tree_of(&contexts, folding->row_count)) {
        return refuse(no_tree);
    }
    folding->numbers = (uint32_t *)(void *)PyBytes_AS_STRING(numbers);
    PyObject *result = trc_fold(folding, &contexts) ? folding_as_tuple(folding, numbers) : PyErr_NoMemory();
    trc_folding_free(folding);
    return result;
}

PyObject *trc_fold_contexts(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer columns[COLUMNS], rows, numbers;
    int recursion, opens_imports;
    trc_folding folding = {.allocator = &trc_system_allocator};
    if (!PyArg_ParseTuple(args, "(y*y*y*y*y*y*)y*y*IIpp:fold_contexts", &columns[DEPTH], &columns[ROW], &columns[CALLS],
                          &columns[RESUMES], &columns[TIME], &columns[WAITED], &rows, &numbers, &folding.next,
                          &folding.finding, &recursion, &opens_imports)) {
        return NULL;
    }
    folding.rows = rows.buf;
    folding.recursion = recursion;
    folding.opens_imports = opens_imports;
    PyObject *copy = PyBytes_FromStringAndSize(numbers.buf, numbers.len);
    PyObject *result = copy == NULL ? NULL : folded(&folding, columns, (size_t)rows.len / sizeof *folding.rows, copy);
    Py_XDECREF(copy);
    for (int i = 0; i < COLUMNS; i++) {
        PyBuffer_Release(&columns[i]);
    }
    PyBuffer_Release(&rows);
    PyBuffer_Release(&numbers);
    return result;
}
