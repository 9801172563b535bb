/* Between sources and recorders: the one place that knows all recorders that are enabled. It starts a source when the
 * first recorder that uses it is enabled, hands every event to all that do, and stops the source with the last. */
#ifndef TRC_BUS_H
#define TRC_BUS_H

#include "bus/backend.h"
#include "bus/line_bus.h"
#include "recorders/calls.h"
#include "recorders/host.h"
#include "sources/calls_monitoring.h"
#include "sources/calls_setprofile.h"
#include "sources/greenlets.h"

struct trc_bus {
    trc_host host; /* what recorders ask of it */
    trc_sink sink; /* what sources tell it */
    /* The enabled recorders of each back end, latest first; each removes itself before it goes. */
    trc_recorder *active[TRC_BACKEND_COUNT];
    /* The only one there is, when its timer runs no code, or NULL: what fast_path.h goes by. */
    trc_recorder *only_active[TRC_BACKEND_COUNT];
    trc_calls_wanted wanted[TRC_BACKEND_COUNT];
    uint64_t serials; /* how many have been enabled */
    trc_calls_monitoring calls_monitoring;
    trc_calls_setprofile calls_setprofile;
    trc_greenlets greenlets;
    trc_line_bus lines;
};

/* What the interpreter holds on to: the object that a bus is part of. Its type is in types/dispatcher.c. */
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

/* Readies the zeroed bus of an object. 0, or -1 with an exception set: then it must still be cleared. */
int trc_bus_init(trc_bus *bus, PyObject *object, PyTypeObject *callback_type, PyObject *module);
int trc_bus_traverse(const trc_bus *bus, visitproc visit, void *arg);
void trc_bus_clear(trc_bus *bus);

/* Enables and disables a recorder. enable returns 0, or -1 with an exception set and the recorder as it was; of one that
 * is enabled it unmutes the calling thread. With `here`, what the calling thread runs already is recorded too; that of the
 * other threads always is. disable raises nothing, and does nothing when it is disabled. */
int trc_bus_enable(trc_bus *bus, trc_recorder *recorder, bool here);
void trc_bus_disable(trc_bus *bus, trc_recorder *recorder);

/* Events, from a back end; of the calling thread. A recorder is told only of callees of its own scope. */
void trc_bus_enter(trc_bus *bus, trc_backend_kind kind, const trc_callee *callee, trc_activation id, trc_entry entry);
void trc_bus_leave(trc_bus *bus, trc_backend_kind kind, trc_activation id, trc_callable_scope scope);
/* A leave of a generator or coroutine that may go on. */
void trc_bus_suspend(trc_bus *bus, trc_backend_kind kind, trc_activation id, const void *key);
/* The same where a recorder may have a filter, of events in the code of `site`: told is who looks at it. False when
 * nobody does, and it need not be reported again until another recorder is enabled. */
bool trc_bus_enter_in(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, const trc_callee *callee,
                      trc_activation id, trc_entry entry);
bool trc_bus_leave_in(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id,
                      trc_callable_scope scope);
bool trc_bus_suspend_in(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id);
/* A generator or coroutine goes on, if that is not known already. */
void trc_bus_go_on_in(trc_bus *bus, trc_backend_kind kind, trc_code_site *site, trc_activation id);
/* Nothing of interest has happened there. */
bool trc_bus_wants(trc_bus *bus, trc_backend_kind kind, trc_code_site *site);

/* The bus's object is called: by sys.setprofile(sys.getprofile()) or sys.settrace(sys.gettrace()) the program has made it
 * the calling thread's profile or trace function. Then the real one takes its place. */
void trc_bus_reinstall(trc_bus *bus, PyObject *args);

/* Leaves what the calling thread does from now on out of every profile, and goes on where that began. */
void trc_bus_pause(trc_bus *bus);
void trc_bus_resume(trc_bus *bus);

#endif
