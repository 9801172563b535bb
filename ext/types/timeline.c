/* A timeline as Python values: see timeline.h. */
#include "types/timeline.h"

#include <unistd.h>

static const char *const names[TRC_NOTE_LISTS] = {
    [TRC_RANGES] = "ranges",           [TRC_MARKS] = "marks", [TRC_COUNTERS] = "counters", [TRC_FLOWS] = "flows",
    [TRC_COLLECTIONS] = "collections", [TRC_FORKS] = "forks",
};

/* New reference: the flat tuple (name, value, name, value, ...), or NULL, as a tuple of pairs. */
static PyObject *pairs_of(PyObject *values)
{
    Py_ssize_t count = values == NULL ? 0 : PyTuple_GET_SIZE(values) / 2;
    PyObject *pairs = PyTuple_New(count);
    for (Py_ssize_t i = 0; pairs != NULL && i < count; i++) {
        PyObject *pair = PyTuple_Pack(2, PyTuple_GET_ITEM(values, 2 * i), PyTuple_GET_ITEM(values, 2 * i + 1));
        if (pair == NULL) {
            Py_CLEAR(pairs);
            break;
        }
        PyTuple_SET_ITEM(pairs, i, pair);
    }
    return pairs;
}

/* New reference: a note as the tuple that files hold. */
static PyObject *note_as_tuple(trc_note_kind kind, const trc_note *note)
{
    PyObject *const *objects = note->objects;
    long long start = note->start, end = note->end;
    unsigned end_thread = note->end_thread == TRC_NOT_OVER ? note->thread : note->end_thread;
    switch (kind) {
    case TRC_RANGES:
        return Py_BuildValue("IILLOONII", note->thread, note->node, start, end, objects[0],
                             objects[1] == NULL ? Py_None : objects[1], pairs_of(objects[2]), note->task, end_thread);
    case TRC_MARKS:
        return Py_BuildValue("IILON", note->thread, note->node, start, objects[0], pairs_of(objects[1]));
    case TRC_COUNTERS:
        return Py_BuildValue("ILOO", note->thread, start, objects[0], objects[1]);
    case TRC_FLOWS:
        return Py_BuildValue("OILIL", objects[0], note->thread, start, end_thread, end);
    case TRC_COLLECTIONS:
        return Py_BuildValue("ILLOOO", note->thread, start, end, objects[0], objects[1], objects[2]);
    default:
        return Py_BuildValue("ILOO", note->thread, start, objects[0], objects[1]);
    }
}

static PyObject *list_as_tuple(const trc_snapshot *snapshot, trc_note_kind kind)
{
    const trc_note_list *list = &snapshot->notes.lists[kind];
    PyObject *tuple = PyTuple_New(list->count);
    for (uint32_t i = 0; tuple != NULL && i < list->count; i++) {
        PyObject *note = note_as_tuple(kind, &list->notes[i]);
        if (note == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, note);
    }
    return tuple;
}

static int store_lists(PyObject *dict, const trc_snapshot *snapshot)
{
    PyObject *dropped = PyDict_New();
    int result = dropped == NULL ? -1 : 0;
    for (int kind = 0; result == 0 && kind < TRC_NOTE_LISTS; kind++) {
        uint64_t count = snapshot->notes.lists[kind].dropped;
        result = trc_dict_take(dict, names[kind], list_as_tuple(snapshot, kind));
        if (result == 0 && count > 0) {
            result = trc_dict_take(dropped, names[kind], PyLong_FromUnsignedLongLong(count));
        }
    }
    if (result == 0 && snapshot->timeline.tasks_dropped > 0) {
        result = trc_dict_take(dropped, "tasks", PyLong_FromUnsignedLongLong(snapshot->timeline.tasks_dropped));
    }
    if (result == 0) {
        result = PyDict_SetItemString(dict, "dropped", dropped);
    }
    Py_XDECREF(dropped);
    return result;
}

static PyObject *task_as_tuple(const trc_snapshot *snapshot, uint32_t i)
{
    const trc_task *task = &snapshot->timeline.tasks[i];
    trc_tick origin = task->log < snapshot->thread_count ? snapshot->threads[task->log].origin : 0;
    long long end = task->end == TRC_NOT_ENDED ? -1 : trc_ticks_since(task->end, origin);
    PyObject *name = task->name == NULL ? Py_None : (PyObject *)task->name;
    return Py_BuildValue("IIILLO", i + 1, task->log, task->node, (long long)trc_ticks_since(task->start, origin), end,
                         name);
}

static PyObject *tasks_as_tuple(const trc_snapshot *snapshot)
{
    PyObject *tuple = PyTuple_New(snapshot->timeline.task_count);
    for (uint32_t i = 0; tuple != NULL && i < snapshot->timeline.task_count; i++) {
        PyObject *task = task_as_tuple(snapshot, i);
        if (task == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, task);
    }
    return tuple;
}

/* The stacks of greenlets: (number, thread, None). */
static PyObject *stacks_as_tuple(const trc_snapshot *snapshot)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < snapshot->thread_count; i++) {
        for (uint32_t number = 1; list != NULL && number <= snapshot->threads[i].log.stacks; number++) {
            PyObject *stack = Py_BuildValue("InO", number, (Py_ssize_t)i, Py_None);
            if (stack == NULL || PyList_Append(list, stack) < 0) {
                Py_CLEAR(list);
            }
            Py_XDECREF(stack);
        }
    }
    PyObject *tuple = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return tuple;
}

static int store_log(PyObject *dict, const trc_snapshot *snapshot)
{
    const trc_timeline_copy *log = &snapshot->timeline;
    bool stored = trc_dict_take(dict, "least", PyLong_FromLongLong(log->least)) == 0 &&
                  trc_dict_take(dict, "since", PyLong_FromLongLong(log->since)) == 0 &&
                  trc_dict_take(dict, "unit", PyLong_FromLongLong(log->unit)) == 0 &&
                  trc_dict_take(dict, "lost", PyLong_FromUnsignedLongLong(log->lost)) == 0 &&
                  trc_dict_take(dict, "tasks", tasks_as_tuple(snapshot)) == 0 &&
                  trc_dict_take(dict, "stacks", stacks_as_tuple(snapshot)) == 0;
    return stored ? 0 : -1;
}

PyObject *trc_timeline_as_dict(const trc_snapshot *snapshot, const trc_recorder *recorder)
{
    if (recorder->timeline_budget == 0) {
        Py_RETURN_NONE;
    }
    const trc_notes *notes = &snapshot->notes;
    PyObject *clock = Py_BuildValue("((LL)(LL))", (long long)trc_ticks_since(notes->first.ticks, recorder->origin),
                                    (long long)notes->first.nanoseconds,
                                    (long long)trc_ticks_since(notes->last.ticks, recorder->origin),
                                    (long long)notes->last.nanoseconds);
    PyObject *dict = PyDict_New();
    if (dict == NULL || trc_dict_take(dict, "clock", clock) < 0 || store_lists(dict, snapshot) < 0 ||
        store_log(dict, snapshot) < 0 || trc_dict_take(dict, "packing", PyUnicode_FromString("")) < 0 ||
        trc_dict_take(dict, "budget", PyLong_FromSize_t(recorder->timeline_budget)) < 0 ||
        trc_dict_take(dict, "ring", PyBool_FromLong(recorder->timeline_ring)) < 0 ||
        trc_dict_take(dict, "epoch", PyFloat_FromDouble(notes->epoch)) < 0 ||
        trc_dict_take(dict, "pid", PyLong_FromLong(getpid())) < 0) {
        Py_CLEAR(dict);
    }
    return dict;
}
