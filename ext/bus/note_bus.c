/* What is told beside calls: see note_bus.h. */
#include "bus/note_bus.h"

#include "recorders/calls_lifecycle.h"
#include "sources/allocators.h"

#include <stddef.h>

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
        for (trc_recorder *each = bus->active[kind]; each != NULL && found == 0; each = each->next_active) {
            found = trc_recorder_activation(each);
        }
    }
    return found;
}

static trc_bus *of_sink(trc_sink *sink)
{
    return (trc_bus *)((char *)sink - offsetof(trc_bus, sink));
}

static void rest(trc_recorder *recorder, const void *ignored)
{
    (void)ignored;
    if (recorder->memory != NULL) {
        trc_memory_rest(recorder->memory);
    }
    if (recorder->samples != NULL) {
        trc_sampling_rest(recorder->samples);
    }
}

/* The interpreter counts the threads when it has forked, before it calls sink_has_forked(), and warns of a thread that
 * the program did not make. */
static void sink_forks(trc_sink *sink)
{
    trc_bus_tell_all(of_sink(sink), rest, NULL);
}

static void look_on(trc_recorder *recorder, const void *ignored)
{
    (void)ignored;
    if (recorder->memory != NULL && trc_is_recording(recorder->phase)) {
        trc_memory_watch(recorder->memory, recorder->host->lock_memory, recorder->host->unlock_memory);
    }
    trc_recorder_sample_on(recorder);
}

/* The interpreter does not say which process the child is. */
static void sink_has_forked(trc_sink *sink)
{
    trc_bus *bus = of_sink(sink);
    bool was_aside = trc_allocators_step_aside(true);
    trc_bus_tell_all(bus, look_on, NULL); /* the system takes memory for a thread */
    trc_allocators_step_aside(was_aside);
    if (trc_bus_has_timelines(bus)) {
        PyObject *what = PyUnicode_FromString("fork"), *pid = PyLong_FromLong(-1);
        trc_note_bus_add(bus, &(trc_saying){TRC_FORKS, 0, {what, pid}});
        Py_XDECREF(what);
        Py_XDECREF(pid);
        PyErr_Clear();
    }
}

static void sink_collecting(trc_sink *sink, PyObject *generation)
{
    trc_bus *bus = of_sink(sink);
    PyObject *none = PyLong_FromLong(0); /* until it is over */
    if (none != NULL) {
        trc_saying saying = {TRC_COLLECTIONS, 0, {generation, none, none}};
        trc_note_bus_begin(bus, &saying);
        bus->collection = saying.id;
        Py_DECREF(none);
    }
    PyErr_Clear();
}

static void sink_collected(trc_sink *sink, PyObject *generation, PyObject *collected, PyObject *uncollectable)
{
    trc_bus *bus = of_sink(sink);
    if (bus->collection != 0) {
        trc_bus_tell_all(bus, end_note,
                         &(trc_saying){TRC_COLLECTIONS, bus->collection, {generation, collected, uncollectable}});
        bus->collection = 0;
    }
}

void trc_note_bus_init(trc_bus *bus)
{
    bus->sink.forks = sink_forks;
    bus->sink.has_forked = sink_has_forked;
    bus->sink.collecting = sink_collecting;
    bus->sink.collected = sink_collected;
}
