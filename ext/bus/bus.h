/* The enabled recorders of an interpreter, and the sources that tell them. Four files use it: enabling.h puts recorders
 * on its lists and starts their source, events.h hands on the events of calls, greenlets.h the switches, note_bus.h what
 * else is told. */
#ifndef TRC_BUS_H
#define TRC_BUS_H

#include "bus/backend.h"
#include "bus/gate.h"
#include "bus/line_bus.h"
#include "bus/sampler.h"
#include "recorders/calls.h"
#include "recorders/host.h"
#include "sources/calls_monitoring.h"
#include "sources/calls_setprofile.h"
#include "sources/held.h"

struct trc_bus {
    trc_host host;                            /* the functions that recorders call */
    trc_held held;                            /* what sources give the interpreter to hold */
    trc_recording *active[TRC_BACKEND_COUNT]; /* the enabled recorders of calls, by back end */
    /* The only enabled recorder, if its timer runs no code, or NULL: fast_path.h uses it. */
    trc_recorder *only_active[TRC_BACKEND_COUNT];
    trc_gates gates;
    trc_calls_wanted wanted[TRC_BACKEND_COUNT];
    uint64_t notes;      /* how many notes were begun that have an end: ranges, flows, collections */
    uint64_t collection; /* the latest of these that is of a collection */
    trc_calls_monitoring calls_monitoring;
    trc_calls_setprofile calls_setprofile;
    PyTypeObject *switch_watcher_type; /* owned: of what the package greenlet calls */
    PyObject *collection_callbacks;    /* owned: the list gc.callbacks, or NULL as long as nobody needed it */
    PyObject *collection_function; /* owned: what is in the list while collections are watched, or NULL until then */
    trc_line_bus lines;
    trc_sampler samplers[TRC_BACKEND_COUNT];
};

/* The object that a bus is part of, which the interpreter holds. Its type is in types/dispatcher.c. */
typedef struct trc_bus_object {
    PyObject_HEAD
    PyObject *weak_references;
    PyTypeObject *callback_type; /* owned */
    trc_bus bus;
} trc_bus_object;

static inline trc_bus *trc_bus_of(PyObject *object)
{
    return &((trc_bus_object *)object)->bus;
}

/* Whether an enabled recorder keeps a timeline. */
static inline bool trc_bus_has_timelines(const trc_bus *bus)
{
    uint32_t timelines = 0;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        timelines += bus->wanted[kind].logged;
    }
    return timelines > 0;
}

/* Whether any profile is enabled. */
bool trc_bus_is_active(const trc_bus *bus);

/* The enabled recorder that records memory, or NULL. */
static inline trc_recorder *trc_bus_remembering(const trc_bus *bus)
{
    trc_recorder *found = NULL;
    for (int kind = 0; found == NULL && kind < TRC_BACKEND_COUNT; kind++) {
        for (trc_recording *each = bus->active[kind]; found == NULL && each != NULL; each = each->next) {
            trc_recorder *recorder = (trc_recorder *)each;
            found = recorder->memory != NULL && trc_is_recording(each->phase) ? recorder : NULL;
        }
    }
    return found;
}

/* Goes over the recorders of a back end: see recording.h. */
static inline trc_recorder *trc_bus_first(trc_each_recording *at, const trc_bus *bus, trc_backend_kind kind)
{
    return (trc_recorder *)trc_first_recording(at, &bus->active[kind]);
}

static inline trc_recorder *trc_bus_next(trc_each_recording *at)
{
    return (trc_recorder *)trc_next_recording(at);
}

/* Calls `tell` for each enabled recorder of every back end, but not from within its own timer. */
void trc_bus_tell_all(trc_bus *bus, void (*tell)(trc_recorder *recorder, const void *what), const void *what);

/* Pauses every profile in the calling thread; goes on where the pause began. */
void trc_bus_pause(trc_bus *bus);
void trc_bus_resume(trc_bus *bus);

#endif
