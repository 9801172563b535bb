/* cProfile's view of a snapshot: getstats() and its two struct sequences. */
#include "types/entries.h"

#include "core/report/rollup.h"

#include <stdlib.h>

/* Fields past the sixth (in a subentry: the fifth) are attributes only, so that code written for cProfile unpacks as
 * many as it expects. */
enum {
    ENTRY_CODE,
    ENTRY_CALLS,
    ENTRY_RECURSIVE,
    ENTRY_TOTAL,
    ENTRY_INLINE,
    ENTRY_SUBENTRIES,
    ENTRY_RESUMES,
    ENTRY_FIRST_EXTRA
};
enum { SUBENTRY_RESUMES = 5 };

#define FIELD_OF_EXTRA(constant, name, key, merge, doc) {name, doc},

int trc_entry_types(trc_state *state)
{
    PyStructSequence_Field entry_fields[ENTRY_FIRST_EXTRA + TRC_EXTRA_COUNT + 1] = {
        {"code", "code object, or the description of a builtin"},
        {"callcount", "how many times it was called"},
        {"reccallcount", "how many of these calls were recursive"},
        {"totaltime", "cumulative time, in seconds"},
        {"inlinetime", "time in the function itself, in seconds"},
        {"calls", "list of profiler_subentry: whom it called, or None"},
        {"resumes", "how many times a suspended generator or coroutine went on"},
        TRC_EXTRAS(FIELD_OF_EXTRA) /* and an empty one */
    };
    PyStructSequence_Field subentry_fields[] = {
        {"code", "code object of the callee, or the description of a builtin"},
        {"callcount", "how many times it was called from here"},
        {"reccallcount", "how many of these calls were recursive"},
        {"totaltime", "cumulative time when called from here, in seconds"},
        {"inlinetime", "time in the callee itself when called from here, in seconds"},
        {"resumes", "how many times it went on when resumed from here"},
        {NULL, NULL},
    };
    PyStructSequence_Desc entry_desc = {"tracer._core.profiler_entry", NULL, entry_fields, 6};
    PyStructSequence_Desc subentry_desc = {"tracer._core.profiler_subentry", NULL, subentry_fields, 5};
    state->entry_type = PyStructSequence_NewType(&entry_desc);
    state->subentry_type = state->entry_type == NULL ? NULL : PyStructSequence_NewType(&subentry_desc);
    return state->subentry_type == NULL ? -1 : 0;
}

/* Gives a row to each function that is not left out. Returns the number of rows. */
static uint32_t number_rows(const trc_snapshot *snapshot, uint32_t *row_of)
{
    uint32_t count = 0;
    for (const trc_func *func = snapshot->functions.first; func != NULL; func = func->hh.next) {
        row_of[func->id] = ((const trc_identity *)func->owner)->is_internal ? TRC_LEFT_OUT : count++;
    }
    return count;
}

/* New reference: an entry or subentry without its list of callees, or NULL with an exception set. `code` is
 * borrowed. */
static PyObject *make_entry(PyTypeObject *type, int resumes_at, PyObject *code, const trc_figures *figures,
                            double scale)
{
    PyObject *entry = PyStructSequence_New(type);
    if (entry == NULL) {
        return NULL;
    }
    PyStructSequence_SetItem(entry, ENTRY_CODE, Py_NewRef(code));
    PyStructSequence_SetItem(entry, ENTRY_CALLS, PyLong_FromUnsignedLongLong(figures->calls));
    PyStructSequence_SetItem(entry, ENTRY_RECURSIVE,
                             PyLong_FromUnsignedLongLong(figures->calls - figures->primitive_calls));
    PyStructSequence_SetItem(entry, ENTRY_TOTAL, PyFloat_FromDouble(scale * (double)figures->cumulative));
    PyStructSequence_SetItem(entry, ENTRY_INLINE, PyFloat_FromDouble(scale * (double)figures->self));
    PyStructSequence_SetItem(entry, resumes_at, PyLong_FromUnsignedLongLong(figures->resumes));
    if (PyErr_Occurred()) {
        Py_CLEAR(entry);
    }
    return entry;
}

/* Until finish_entries(), `calls` is NULL in an entry without callees: no other code sees the entries yet. */
static int add_subentry(PyObject *entries, const trc_row_edge *edge, const trc_state *state, double scale)
{
    PyObject *caller = PyList_GET_ITEM(entries, edge->caller);
    PyObject *code = PyStructSequence_GetItem(PyList_GET_ITEM(entries, edge->callee), ENTRY_CODE);
    PyObject *list = PyStructSequence_GetItem(caller, ENTRY_SUBENTRIES);
    if (list == NULL) {
        list = PyList_New(0);
        if (list == NULL) {
            return -1;
        }
        PyStructSequence_SetItem(caller, ENTRY_SUBENTRIES, list);
    }
    PyObject *subentry = make_entry(state->subentry_type, SUBENTRY_RESUMES, code, &edge->figures, scale);
    int result = subentry == NULL ? -1 : PyList_Append(list, subentry);
    Py_XDECREF(subentry);
    return result;
}

static void finish_entries(PyObject *entries)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(entries); i++) {
        PyObject *entry = PyList_GET_ITEM(entries, i);
        if (PyStructSequence_GetItem(entry, ENTRY_SUBENTRIES) == NULL) {
            PyStructSequence_SetItem(entry, ENTRY_SUBENTRIES, Py_NewRef(Py_None));
        }
    }
}

/* 0, or -1 with an exception set. */
static int add_extras(PyObject *entry, const trc_tick extras[TRC_EXTRA_COUNT], double scale)
{
    for (int extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        PyObject *seconds = PyFloat_FromDouble(scale * (double)extras[extra]);
        if (seconds == NULL) {
            return -1;
        }
        PyStructSequence_SetItem(entry, ENTRY_FIRST_EXTRA + extra, seconds);
    }
    return 0;
}

static PyObject *make_entries(const trc_snapshot *snapshot, const trc_rollup *rollup, const trc_state *state,
                              const uint32_t *row_of, bool subcalls)
{
    double scale = snapshot->seconds_per_tick;
    PyObject *entries = PyList_New(0);
    for (const trc_func *func = snapshot->functions.first; entries != NULL && func != NULL; func = func->hh.next) {
        uint32_t row = row_of[func->id];
        if (row == TRC_LEFT_OUT) {
            continue;
        }
        PyObject *code = trc_identity_code(func->owner);
        PyObject *entry =
            code == NULL ? NULL : make_entry(state->entry_type, ENTRY_RESUMES, code, &rollup->rows[row], scale);
        Py_XDECREF(code);
        if (entry == NULL || add_extras(entry, rollup->extras[row], scale) < 0 || PyList_Append(entries, entry) < 0) {
            Py_CLEAR(entries);
        }
        Py_XDECREF(entry);
    }
    for (uint32_t i = 0; subcalls && entries != NULL && i < rollup->edge_count; i++) {
        if (add_subentry(entries, &rollup->edges[i], state, scale) < 0) {
            Py_CLEAR(entries);
        }
    }
    if (entries != NULL) {
        finish_entries(entries);
    }
    return entries;
}

PyObject *trc_snapshot_entries(const trc_snapshot *snapshot, const trc_state *state, bool subcalls)
{
    PyObject *entries = NULL;
    trc_rollup rollup = {0};
    uint32_t *row_of = calloc((size_t)snapshot->functions.count + 1, sizeof *row_of);
    bool ready = row_of != NULL && trc_rollup_init(&rollup, &trc_system_allocator, number_rows(snapshot, row_of));
    for (size_t i = 0; ready && i < snapshot->thread_count; i++) {
        ready =
            trc_rollup_add(&rollup, &snapshot->threads[i].capture, row_of, snapshot->functions.count) == TRC_ROLLUP_OK;
    }
    if (ready) {
        entries = make_entries(snapshot, &rollup, state, row_of, subcalls);
    }
    else {
        PyErr_NoMemory();
    }
    trc_rollup_free(&rollup);
    free(row_of);
    return entries;
}
