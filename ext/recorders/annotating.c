/* What one Profile notes of what it is told: see annotating.h. */
#include "recorders/annotating.h"

/* The node of what the program itself runs: tracer's own functions are in no row. */
static uint32_t node_of(const trc_thread *thread)
{
    const trc_frame *frame = thread->stack.top;
    while (frame != thread->stack.frames) {
        const trc_identity *identity = trc_node_func(frame->node)->owner;
        if (!identity->is_internal) {
            break;
        }
        frame--;
    }
    return frame->node->index;
}

/* The characters of all texts in an object of a note. */
static size_t text_in(PyObject *object)
{
    size_t text = 0;
    if (object != NULL && PyUnicode_Check(object)) {
        text = (size_t)PyUnicode_GET_LENGTH(object);
    }
    for (Py_ssize_t i = 0; object != NULL && PyTuple_Check(object) && i < PyTuple_GET_SIZE(object); i++) {
        text += text_in(PyTuple_GET_ITEM(object, i));
    }
    return text;
}

/* Adds a note of the annotation, without a time and a place. Returns NULL when it counts as dropped. */
static trc_note *add(trc_notes *notes, const trc_annotation *annotation)
{
    size_t text = 0;
    for (int i = 0; i < TRC_NOTE_OBJECTS; i++) {
        text += text_in(annotation->objects[i]);
    }
    bool is_whole =
        annotation->objects[0] != NULL && (annotation->kind != TRC_COUNTERS || annotation->objects[1] != NULL);
    if (!is_whole || notes->text + text > TRC_NOTE_TEXT) {
        notes->lists[annotation->kind].dropped++;
        return NULL;
    }
    trc_note *note = trc_notes_add(notes, annotation->kind);
    if (note == NULL) {
        return NULL;
    }
    notes->text += text;
    note->id = annotation->id;
    for (int i = 0; i < TRC_NOTE_OBJECTS; i++) {
        note->objects[i] = Py_XNewRef(annotation->objects[i]);
    }
    return note;
}

/* The record of the calling thread, and the time, where the recorder is to be told of this kind; else NULL. */
static trc_thread_record *record_if_wanted(trc_recorder *recorder, trc_note_kind kind, trc_tick *now)
{
    bool is_told = trc_recorder_has_timeline(recorder) || kind == TRC_COLLECTIONS;
    return is_told ? trc_recorder_recorded_here(recorder, now) : NULL;
}

void trc_recorder_note(trc_recorder *recorder, const trc_annotation *annotation)
{
    trc_tick now;
    trc_thread_record *record = record_if_wanted(recorder, annotation->kind, &now);
    if (record != NULL && annotation->kind == TRC_COLLECTIONS) {
        trc_thread_begin_collection(&record->thread, now);
    }
    bool is_noted = record != NULL && trc_recorder_has_timeline(recorder);
    trc_note *note = is_noted ? add(&recorder->notes, annotation) : NULL;
    if (note != NULL) {
        note->start = now;
        note->thread = record->index;
        note->end_thread = TRC_NOT_OVER;
        note->node = node_of(&record->thread);
        note->task = trc_thread_task(&record->thread);
    }
}

void trc_recorder_end_note(trc_recorder *recorder, const trc_annotation *annotation)
{
    trc_tick now;
    trc_thread_record *record = record_if_wanted(recorder, annotation->kind, &now);
    if (record != NULL && annotation->kind == TRC_COLLECTIONS) {
        trc_thread_end_collection(&record->thread, now);
    }
    trc_note *note = record == NULL ? NULL : trc_notes_find(&recorder->notes, annotation->kind, annotation->id);
    if (note == NULL) {
        return;
    }
    note->end = now;
    note->end_thread = record->index;
    for (int i = 0; i < TRC_NOTE_OBJECTS; i++) {
        if (annotation->objects[i] != NULL) { /* what it takes the place of is text or a number: no code runs */
            recorder->notes.text += text_in(annotation->objects[i]);
            Py_XSETREF(note->objects[i], Py_NewRef(annotation->objects[i]));
        }
    }
}

void trc_recorder_end_flow(trc_recorder *recorder, const trc_annotation *annotation)
{
    trc_tick now;
    const trc_thread_record *record =
        trc_recorder_has_timeline(recorder) ? trc_recorder_recorded_here(recorder, &now) : NULL;
    const trc_note *begun = record == NULL ? NULL : trc_notes_find(&recorder->notes, TRC_FLOWS_BEGUN, annotation->id);
    trc_note *note = begun == NULL ? NULL : trc_notes_add(&recorder->notes, TRC_FLOWS);
    if (note != NULL) {
        *note = *begun;
        note->end = now;
        note->end_thread = record->index;
        Py_INCREF(note->objects[0]);
    }
}

trc_activation trc_recorder_activation(trc_recorder *recorder)
{
    const trc_thread_record *record = trc_recorder_has_timeline(recorder) && trc_recorder_records_here(recorder)
                                          ? trc_recorder_record_here(recorder)
                                          : NULL;
    return record == NULL ? 0 : record->thread.stack.top->id & ~(trc_activation)1;
}
