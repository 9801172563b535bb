/* What the program and the interpreter tell, beside calls, goes to every enabled recorder: ranges, marks, counters and
 * flows of the program; collections and forks. One without a timeline keeps nothing of it but collections. All of this
 * raises nothing. */
#ifndef TRC_ANNOTATIONS_H
#define TRC_ANNOTATIONS_H

#include "dispatch/dispatcher.h"
#include "recorders/annotating.h"

/* A note without an end: a mark, a counter, a fork. */
void trc_annotate(trc_dispatcher *dispatcher, const trc_annotation *annotation);

/* A range, or a flow, begins: its id is set. The range ends; its values become these, unless they are NULL. The flow
 * comes to an end, as often as it is told. */
void trc_annotate_begin(trc_dispatcher *dispatcher, trc_annotation *annotation);
void trc_annotate_end_range(trc_dispatcher *dispatcher, uint64_t id, PyObject *values);
void trc_annotate_end_flow(trc_dispatcher *dispatcher, uint64_t id);

/* A garbage collection begins; it ends with these figures, objects of the interpreter's. */
void trc_annotate_begin_collection(trc_dispatcher *dispatcher, PyObject *generation);
void trc_annotate_end_collection(trc_dispatcher *dispatcher, PyObject *generation, PyObject *collected,
                                 PyObject *uncollectable);

/* The activation that the calling thread runs, as far as one of these recorders knows; else 0. */
trc_activation trc_annotated_activation(trc_dispatcher *dispatcher);

#endif
