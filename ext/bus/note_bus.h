/* What the program and the interpreter tell, beside calls, goes to every enabled recorder: ranges, marks, counters and
 * flows of the program; collections and forks. One without a timeline keeps nothing of it but collections. All of this
 * raises nothing. */
#ifndef TRC_NOTE_BUS_H
#define TRC_NOTE_BUS_H

#include "bus/bus.h"
#include "recorders/noting.h"

/* A note without an end: a mark, a counter, a fork. */
void trc_note_bus_add(trc_bus *bus, const trc_saying *saying);

/* A range, or a flow, begins: its id is set. The range ends; its values become these, unless they are NULL. The flow
 * comes to an end, as often as it is told. */
void trc_note_bus_begin(trc_bus *bus, trc_saying *saying);
void trc_note_bus_end_range(trc_bus *bus, uint64_t id, PyObject *values);
void trc_note_bus_end_flow(trc_bus *bus, uint64_t id);

/* A garbage collection begins; it ends with these figures, objects of the interpreter's. */
void trc_note_bus_begin_collection(trc_bus *bus, PyObject *generation);
void trc_note_bus_end_collection(trc_bus *bus, PyObject *generation, PyObject *collected, PyObject *uncollectable);

/* The activation that the calling thread runs, as far as one of these recorders knows; else 0. */
trc_activation trc_note_bus_activation(trc_bus *bus);

#endif
