/* Calls of objects that have no row: see measured_objects.h. */
#include "recorders/measured_objects.h"

#include "interp/object_names.h"
#include "recorders/contexts.h"

static trc_tick own_time(const trc_thread_record *record)
{
    const trc_thread *thread = &record->thread;
    trc_tick now = trc_clock_now(&record->recorder->base.clock);
    return thread->stack.top->node->self + trc_ticks_since(now, thread->last);
}

/* The name of an object's class, if the program may have made that, borrowed. */
static const void *name_of_class(PyObject *object)
{
    PyTypeObject *type = PyType_Check(object) ? (PyTypeObject *)object : Py_TYPE(object);
    return PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) ? ((PyHeapTypeObject *)type)->ht_qualname : NULL;
}

/* Makes the place one for these calls, by the function on top of the stack. Returns false where there can be none. */
static bool make_place(trc_thread_record *record, trc_object_place *place, const trc_object_place *what,
                       PyObject *object, PyObject *first)
{
    trc_recorder *recorder = record->recorder;
    const trc_func *caller = trc_node_func(what->node);
    if (caller == NULL) {
        return false;
    }
    trc_attribution before = trc_begin_own_work(recorder);
    PyObject *name;
    trc_naming naming = trc_name_object(&name, object, first, &recorder->internal_types);
    bool is_made = naming == TRC_NAMED_BY_NONE;
    if (is_made) {
        *place = *what; /* calls that are counted nowhere */
    }
    else if (naming == TRC_NAMED) {
        const trc_func *func = trc_recorder_find_function(recorder, &(trc_callee){name, name, TRC_ALL_CALLABLES});
        is_made = func != NULL && trc_object_table_put(&record->objects, place, what,
                                                       ((const trc_identity *)caller->owner)->id, func->id);
        Py_DECREF(name);
    }
    trc_end_own_work(recorder, before);
    return is_made;
}

void trc_recorder_begin_object(trc_thread_record *record, PyObject *object, PyObject *first, trc_activation id)
{
    assert(trc_has_gil() && trc_record_is_here(&record->base));
    if (record->recorder->base.runs_code) { /* the program's timer would run */
        return;
    }
    trc_object_place what = {record->thread.stack.top->node, object, Py_TYPE(object), name_of_class(object), NULL};
    trc_object_place *place = trc_object_table_place(&record->objects, what.node, object);
    bool is_known = place != NULL && trc_object_place_is(place, &what);
    if (place != NULL && (is_known || make_place(record, place, &what, object, first)) && place->calls != NULL) {
        trc_object_table_begin(&record->objects, place, id, own_time(record));
    }
}

void trc_recorder_end_object(trc_thread_record *record, trc_activation id)
{
    const trc_running_object *ended = trc_object_table_end(&record->objects, id);
    if (ended != NULL && ended->node == record->thread.stack.top->node) {
        ended->calls->calls++;
        ended->calls->ticks += trc_ticks_since(own_time(record), ended->own);
    }
}
