/* The one place that owns what the interpreter has only one of: the profile function of its threads. It starts a back
 * end when the first Profile is enabled, hands every event to all that are, and stops the back end with the last. */
#ifndef TRC_DISPATCH_H
#define TRC_DISPATCH_H

#include "backend.h"
#include "recorder.h"

/* A Python object, because the interpreter keeps a reference to what it hands to a profile function. It is a context
 * manager too, in whose block the calling thread is in no profile. Called as a profile function itself (sys.setprofile(sys.getprofile()), say), it installs the real one. */
struct trc_dispatcher {
    PyObject_HEAD
    const trc_backend *backend;
    trc_recorder *active; /* the enabled recorders, latest first; each removes itself before it goes */
    uint64_t serials;     /* how many have been enabled */
    PyInterpreterState *interpreter;
    uint64_t newest_thread; /* id of the newest thread state that the back end has hooked */
};

/* The heap type of dispatchers. New reference, or NULL with an exception set. */
PyTypeObject *trc_dispatcher_type(PyObject *module);

/* A new dispatcher with the PyEval_SetProfile back end. New reference, or NULL with an exception set. */
trc_dispatcher *trc_dispatcher_new(PyTypeObject *type);

/* Enables and disables a recorder. enable returns 0, or -1 with an exception set and nothing changed; of one that is
 * enabled it unmutes the calling thread. disable raises nothing, and does nothing when it is disabled. */
int trc_dispatch_enable(trc_dispatcher *dispatcher, trc_recorder *recorder);
void trc_dispatch_disable(trc_dispatcher *dispatcher, trc_recorder *recorder);

/* Events, from the back end. A recorder without builtins is not told of those. */
void trc_dispatch_enter(trc_dispatcher *dispatcher, const trc_callee *callee, uintptr_t id, bool builtin);
void trc_dispatch_leave(trc_dispatcher *dispatcher, uintptr_t id, bool builtin);

#endif
