/* What is told beside calls: see annotations.h. */
#include "dispatch/annotations.h"

static void note(trc_recorder *recorder, const void *annotation)
{
    trc_recorder_note(recorder, annotation);
}

static void end_note(trc_recorder *recorder, const void *annotation)
{
    trc_recorder_end_note(recorder, annotation);
}

static void end_flow(trc_recorder *recorder, const void *annotation)
{
    trc_recorder_end_flow(recorder, annotation);
}

void trc_annotate(trc_dispatcher *dispatcher, const trc_annotation *annotation)
{
    trc_dispatch_tell_all(dispatcher, note, annotation);
}

void trc_annotate_begin(trc_dispatcher *dispatcher, trc_annotation *annotation)
{
    annotation->id = ++dispatcher->notes;
    trc_dispatch_tell_all(dispatcher, note, annotation);
}

void trc_annotate_end_range(trc_dispatcher *dispatcher, uint64_t id, PyObject *values)
{
    trc_dispatch_tell_all(dispatcher, end_note, &(trc_annotation){TRC_RANGES, id, {NULL, NULL, values}});
}

void trc_annotate_end_flow(trc_dispatcher *dispatcher, uint64_t id)
{
    trc_dispatch_tell_all(dispatcher, end_flow, &(trc_annotation){TRC_FLOWS, id, {NULL}});
}

trc_activation trc_annotated_activation(trc_dispatcher *dispatcher)
{
    trc_activation found = 0;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        for (trc_recording *each = dispatcher->shared.calls[kind]; each != NULL && found == 0; each = each->next) {
            found = trc_recorder_activation((trc_recorder *)each);
        }
    }
    return found;
}

void trc_annotate_begin_collection(trc_dispatcher *dispatcher, PyObject *generation)
{
    PyObject *none = PyLong_FromLong(0); /* until it is over */
    if (none != NULL) {
        trc_annotation annotation = {TRC_COLLECTIONS, 0, {generation, none, none}};
        trc_annotate_begin(dispatcher, &annotation);
        dispatcher->collection = annotation.id;
        Py_DECREF(none);
    }
    PyErr_Clear();
}

void trc_annotate_end_collection(trc_dispatcher *dispatcher, PyObject *generation, PyObject *collected,
                                 PyObject *uncollectable)
{
    if (dispatcher->collection != 0) {
        trc_dispatch_tell_all(
            dispatcher, end_note,
            &(trc_annotation){TRC_COLLECTIONS, dispatcher->collection, {generation, collected, uncollectable}});
        dispatcher->collection = 0;
    }
}
