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
    trc_host host; /* the functions that recorders call */
    trc_held held; /* what sources give the interpreter to hold */
    /* The enabled recorders of each back end, latest first; each removes itself before it goes. */
    trc_recorder *active[TRC_BACKEND_COUNT];
    /* The only enabled recorder, if its timer runs no code, or NULL: fast_path.h uses it. */
    trc_recorder *only_active[TRC_BACKEND_COUNT];
    trc_gates gates;
    trc_calls_wanted wanted[TRC_BACKEND_COUNT];
    uint64_t serials;    /* how many times a recorder has been enabled */
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
        for (found = bus->active[kind]; found != NULL; found = found->next_active) {
            if (found->memory != NULL && trc_is_recording(found->phase)) {
                break;
            }
        }
    }
    return found;
}

/* -- Going over the enabled recorders -- */

/* A custom timer may run any code, which may enable and disable recorders. So the iterator holds the object of a
 * recorder with a custom timer. It finds the next recorder by the serial number of this one. */
typedef struct trc_bus_iterator {
    trc_recorder *const *active;
    trc_recorder *recorder;
    uint64_t serial; /* of the recorder */
    PyObject *kept;  /* owned: its object, or NULL */
} trc_bus_iterator;

static inline trc_recorder *trc_bus_find_next(trc_recorder *const *active, uint64_t serial, PyObject *kept)
{
    Py_DECREF(kept);
    trc_recorder *next = *active;
    while (next != NULL && next->serial >= serial) {
        next = next->next_active;
    }
    return next;
}

static inline trc_recorder *trc_bus_come_to(trc_bus_iterator *at, trc_recorder *recorder)
{
    at->recorder = recorder;
    at->kept = NULL;
    if (recorder != NULL && recorder->timer.callable != NULL) {
        at->serial = recorder->serial;
        at->kept = Py_NewRef(recorder->profiler);
    }
    return recorder;
}

static inline trc_recorder *trc_bus_first(trc_bus_iterator *at, trc_recorder *const *active)
{
    at->active = active;
    return trc_bus_come_to(at, *active);
}

static inline trc_recorder *trc_bus_next(trc_bus_iterator *at)
{
    return trc_bus_come_to(at, at->kept == NULL ? at->recorder->next_active
                                                : trc_bus_find_next(at->active, at->serial, at->kept));
}

/* Calls `tell` for each enabled recorder of every back end, but not from within its own timer. */
void trc_bus_tell_all(trc_bus *bus, void (*tell)(trc_recorder *recorder, const void *what), const void *what);

/* Pauses every profile in the calling thread; goes on where the pause began. */
void trc_bus_pause(trc_bus *bus);
void trc_bus_resume(trc_bus *bus);

#endif
