/* A back end is one way in which the interpreter tells of calls. It consists of a source of calls
 * (sources/calls_<name>.h) and the handling of its events (on_calls_<name>.c, which defines `trc_<name>_methods`). A
 * new back end needs both, and a line in the list below. */
#ifndef TRC_BACKEND_H
#define TRC_BACKEND_H

#include "core/base/activation.h"
#include "interp/compat.h"
#include "interp/live_frames.h"
#include "interp/tool.h"

#include <stdbool.h>

/* All back ends there are, the best first, with
 *   - its kind, TRC_<KIND>, by which the bus is told whose event it is, and its name, for `backend=`;
 *   - its title: what of the interpreter it uses;
 *   - whether it tells of every callable written in C (builtins="all");
 *   - whether this Python has what the back end needs, and the first Python that has it. */
#define TRC_BACKENDS(X)                                                                  \
    X(MONITORING, monitoring, "sys.monitoring", true, TRC_HAS_MONITORING, "Python 3.12") \
    X(SETPROFILE, setprofile, "PyEval_SetProfile", false, true, "Python 3.11")

typedef struct trc_bus trc_bus;
typedef struct trc_recorder trc_recorder;

#define TRC_KIND_OF(KIND, name, title, sees_all, is_here, since) TRC_##KIND,
typedef enum trc_backend_kind { TRC_BACKENDS(TRC_KIND_OF) TRC_BACKEND_COUNT } trc_backend_kind;
#undef TRC_KIND_OF

/* The functions of a back end. The first two are required. Each of the others may be NULL: then there is nothing to do
 * or to tell. */
typedef struct trc_backend_methods {
    /* Begins tracing, or has the interpreter also report what another enabled recorder wants. On failure nothing has
     * changed. */
    trc_start_result (*start)(trc_bus *bus, const trc_recorder *recorder);
    /* Has the interpreter report only what the enabled recorders want: nothing, when there are none. Raises nothing. */
    void (*stop)(trc_bus *bus);
    /* Returns the name of a frame's activation, or 0 when it cannot tell. NULL: it never can, so frames that run
     * already when a Profile is enabled are not recorded. */
    trc_activation (*activation_of)(PyFrameObject *frame);
    /* Has the calling thread's frames reported too, where the interpreter has passed them over because they waited on
     * another stack when tracing began. Returns false when that is not possible. Raises nothing. NULL: none is passed
     * over. */
    bool (*instrument_frames)(trc_bus *bus, const trc_live_frames *live);
    /* Whether the thread's events still come; somebody may have taken away the function that makes them. NULL: nobody
     * can. */
    bool (*is_installed)(const PyThreadState *thread);
    /* Installs the back end's own function in the calling thread, where the program has put the bus's object. Called
     * while a recorder of this kind is enabled. NULL: the program has no such place. */
    void (*reinstall)(trc_bus *bus);
} trc_backend_methods;

#define TRC_METHODS_OF(KIND, name, title, sees_all, is_here, since) \
    extern const trc_backend_methods trc_##name##_methods;
TRC_BACKENDS(TRC_METHODS_OF)
#undef TRC_METHODS_OF

/* A line of the list. */
typedef struct trc_backend {
    trc_backend_kind kind;
    const char *name;
    const char *title;
    bool sees_all_callables;
    const char *since;
    const trc_backend_methods *methods; /* NULL when this Python does not have it */
} trc_backend;

/* By kind. */
extern const trc_backend trc_backends[TRC_BACKEND_COUNT];

/* Returns the best back end that this Python has. */
const trc_backend *trc_backend_best(void);

/* Returns the best back end behind this one that sees the callables that are wanted, or NULL. */
const trc_backend *trc_backend_after(const trc_backend *backend, bool all_callables);

/* Returns the back end that `wanted` names; if `wanted` is NULL, the one that the environment variable TRACER_BACKEND
 * names, or else the best. `*why` is set to a new reference to a str that says why this one. Returns NULL with
 * ValueError set when this Python does not have it. */
const trc_backend *trc_backend_choose(const char *wanted, PyObject **why);

/* New references, or NULL with an exception set: a tuple of the names of the back ends that this Python has, the best
 * first; a dict of the titles of all back ends by name. */
PyObject *trc_backend_names(void);
PyObject *trc_backend_titles(void);

/* Call a back end's methods, or return what holds where it has none. */
trc_activation trc_backend_activation_of(const trc_backend *backend, PyFrameObject *frame);
bool trc_backend_instrument_frames(const trc_backend *backend, trc_bus *bus, const trc_live_frames *live);
bool trc_backend_is_installed(const trc_backend *backend, const PyThreadState *thread);
void trc_backend_reinstall(const trc_backend *backend, trc_bus *bus);

#endif
