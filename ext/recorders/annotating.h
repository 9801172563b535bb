/* What one Profile with a timeline notes of what it is told, beside the calls: see notes.h. Notes are made of the
 * calling thread, at the present moment, and only where the profile records that thread. Every Profile adds up garbage
 * collections by where they begin (core/tree/collecting.h), with a timeline or without. */
#ifndef TRC_ANNOTATING_H
#define TRC_ANNOTATING_H

#include "recorders/calls.h"

/* What there is to note. All objects are borrowed. */
typedef struct trc_annotation {
    trc_note_kind kind;
    uint64_t id;
    PyObject *objects[TRC_NOTE_OBJECTS];
} trc_annotation;

static inline bool trc_recorder_has_timeline(const trc_recorder *recorder)
{
    return recorder->timeline_budget > 0;
}

/* Adds a note, in a timeline; a garbage collection begins. A `NULL` name, or a counter without a value, has no place in a file: it counts as dropped. */
void trc_recorder_note(trc_recorder *recorder, const trc_annotation *annotation);

/* The note of this kind and id ends; its objects take the place of those that it has, where they are given. A note that
 * is not there began while nobody recorded: nothing is told of it. */
void trc_recorder_end_note(trc_recorder *recorder, const trc_annotation *annotation);

/* A flow comes to its end here, from where the one with this id began. */
void trc_recorder_end_flow(trc_recorder *recorder, const trc_annotation *annotation);

/* The activation that the calling thread runs, or 0 when it is not recorded. */
trc_activation trc_recorder_activation(trc_recorder *recorder);

#endif
