/* Calls of objects that have no row: see measured_objects.h. */
#include "recorders/measured_objects.h"

#include "recorders/contexts.h"

static trc_tick own_time(const trc_thread_record *record)
{
    const trc_thread *thread = &record->thread;
    trc_tick now = trc_clock_now(&record->recorder->base.clock);
    return thread->stack.top->node->self + trc_ticks_since(now, thread->last);
}

/* Returns the function that stands for an object, as if it had a row; NULL: none does, or memory is out. */
static const trc_func *function_of(trc_recorder *recorder, PyObject *object, PyObject *first)
{
    trc_callee callee;
    if (!trc_callee_from_object(&callee, object, first, TRC_ALL_CALLABLES)) {
        return NULL;
    }
    trc_attribution before = trc_begin_own_work(recorder);
    const trc_func *function = trc_recorder_find_function(recorder, &callee);
    trc_end_own_work(recorder, before);
    return function;
}

/* Makes the place one for calls of this object by the function on top of the stack. Returns false where there can be none. */
static bool make_place(trc_thread_record *record, trc_object_place *place, PyObject *object, PyObject *first)
{
    const trc_node *node = record->thread.stack.top->node;
    const trc_func *caller = trc_node_func(node);
    const trc_func *callee = caller == NULL ? NULL : function_of(record->recorder, object, first);
    trc_object_place what = {node, object, Py_TYPE(object), NULL};
    return callee != NULL &&
           trc_object_table_put(&record->objects, place, &what, ((const trc_identity *)caller->owner)->id, callee->id);
}

void trc_recorder_begin_object(trc_thread_record *record, PyObject *object, PyObject *first, trc_activation id)
{
    assert(trc_has_gil() && trc_record_is_here(&record->base));
    const trc_node *node = record->thread.stack.top->node;
    trc_object_place *place = record->recorder->base.runs_code /* the program's timer would run */
                                  ? NULL
                                  : trc_object_table_place(&record->objects, node, object);
    bool is_known = place != NULL && trc_object_place_is(place, node, object, Py_TYPE(object));
    if (place != NULL && (is_known || make_place(record, place, object, first))) {
        trc_object_table_begin(&record->objects, place, id, own_time(record));
    }
}

void trc_recorder_end_object(trc_thread_record *record, trc_activation id)
{
    const trc_running_object *ended = trc_object_table_end(&record->objects, id);
    if (ended != NULL && ended->node == record->thread.stack.top->node && ended->place->node == ended->node) {
        ended->place->calls->calls++;
        ended->place->calls->ticks += trc_ticks_since(own_time(record), ended->own);
    }
}
