/* Between sources and recorders: the only place that knows all enabled recorders. The bus starts a source when the
 * first recorder that uses it is enabled, hands every event to all recorders that use the source, and stops it with the
 * last of them. */
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
#include "sources/collections.h"
#include "sources/greenlets.h"

struct trc_bus {
    trc_host host; /* the functions that recorders call */
    trc_sink sink; /* the functions that sources call */
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
    trc_greenlets greenlets;
    trc_collections collections;
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

/* Initializes the zeroed bus of an object; note_bus.h does the rest. 0, or -1 with an exception set: the bus must be
 * cleared then, too. */
int trc_bus_init(trc_bus *bus, PyObject *object, PyTypeObject *callback_type, PyObject *module);
int trc_bus_traverse(const trc_bus *bus, visitproc visit, void *arg);
void trc_bus_clear(trc_bus *bus);

/* Enables and disables a recorder. enable returns 0, or -1 with an exception set and the recorder as it was. If the
 * recorder is enabled already, enable unmutes the calling thread. With `here`, the frames that the calling thread runs
 * already are recorded too; the frames of other threads always are. disable raises nothing, and does nothing to a
 * disabled recorder. */
int trc_bus_enable(trc_bus *bus, trc_recorder *recorder, bool here);
void trc_bus_disable(trc_bus *bus, trc_recorder *recorder);

/* Events of the calling thread, from a back end, in the code of a site: of the function itself, or of a C function that it
 * calls. A recorder is told only of callees of its own scope, and of events in code that it looks at. They return false
 * where none looks at that code: then the event need not be reported there again until another recorder is enabled. */
bool trc_bus_enter(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, const trc_callee *callee,
                   trc_activation id, trc_entry entry);
bool trc_bus_leave(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id,
                   trc_callable_scope scope);
/* A leave of a generator or coroutine that may go on. */
bool trc_bus_suspend(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id);
/* A generator or coroutine goes on, unless that is known already. */
void trc_bus_go_on(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id);
/* Asks the filters only: no event to record has happened. */
bool trc_bus_wants(trc_bus *bus, trc_backend_kind kind, trc_code_site *site);

/* The bus's object is called: the program has made it the calling thread's profile or trace function, by
 * sys.setprofile(sys.getprofile()) or sys.settrace(sys.gettrace()). The real function takes its place. */
void trc_bus_reinstall(trc_bus *bus, PyObject *args);

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

/* Calls `tell` for each enabled recorder of every back end, but not from within its own timer. */
void trc_bus_tell_all(trc_bus *bus, void (*tell)(trc_recorder *recorder, const void *what), const void *what);

/* Pauses every profile in the calling thread; goes on where the pause began. */
void trc_bus_pause(trc_bus *bus);
void trc_bus_resume(trc_bus *bus);

#endif
