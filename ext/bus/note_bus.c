/* What is told beside calls: see note_bus.h. */
#include "bus/note_bus.h"

static void note(trc_recorder *recorder, const void *saying)
{
    trc_recorder_note(recorder, saying);
}

static void end_note(trc_recorder *recorder, const void *saying)
{
    trc_recorder_end_note(recorder, saying);
}

static void end_flow(trc_recorder *recorder, const void *saying)
{
    trc_recorder_end_flow(recorder, saying);
}

void trc_note_bus_add(trc_bus *bus, const trc_saying *saying)
{
    trc_bus_tell_all(bus, note, saying);
}

void trc_note_bus_begin(trc_bus *bus, trc_saying *saying)
{
    saying->id = ++bus->notes;
    trc_bus_tell_all(bus, note, saying);
}

void trc_note_bus_end_range(trc_bus *bus, uint64_t id, PyObject *values)
{
    trc_bus_tell_all(bus, end_note, &(trc_saying){TRC_RANGES, id, {NULL, NULL, values}});
}

void trc_note_bus_end_flow(trc_bus *bus, uint64_t id)
{
    trc_bus_tell_all(bus, end_flow, &(trc_saying){TRC_FLOWS, id, {NULL}});
}

trc_activation trc_note_bus_activation(trc_bus *bus)
{
    trc_activation found = 0;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        for (trc_recording *each = bus->shared.calls[kind]; each != NULL && found == 0; each = each->next) {
            found = trc_recorder_activation((trc_recorder *)each);
        }
    }
    return found;
}

void trc_note_bus_begin_collection(trc_bus *bus, PyObject *generation)
{
    PyObject *none = PyLong_FromLong(0); /* until it is over */
    if (none != NULL) {
        trc_saying saying = {TRC_COLLECTIONS, 0, {generation, none, none}};
        trc_note_bus_begin(bus, &saying);
        bus->collection = saying.id;
        Py_DECREF(none);
    }
    PyErr_Clear();
}

void trc_note_bus_end_collection(trc_bus *bus, PyObject *generation, PyObject *collected, PyObject *uncollectable)
{
    if (bus->collection != 0) {
        trc_bus_tell_all(bus, end_note,
                         &(trc_saying){TRC_COLLECTIONS, bus->collection, {generation, collected, uncollectable}});
        bus->collection = 0;
    }
}
