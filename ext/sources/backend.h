/* A back end is one way in which the interpreter tells of calls. It consists of a source of calls (calls_<name>.h) and the
 * handling of its events (dispatch/on_calls_<name>.c, which defines `trc_<name>_methods`). A new back end needs both, a line
 * in the list below, and what is asked about it at the end of this file. */
#ifndef TRC_BACKEND_H
#define TRC_BACKEND_H

#include "core/base/activation.h"
#include "interp/compat.h"

#include <stdbool.h>

/* All back ends there are, the best first, with
 *   - its kind, TRC_<KIND>, by which the dispatcher is told whose event it is, and its name, for `backend=`;
 *   - its title: what of the interpreter it uses;
 *   - whether it tells of every callable written in C (builtins="all");
 *   - whether this Python has what the back end needs, and the first Python that has it. */
#define TRC_BACKENDS(X)                                                                  \
    X(MONITORING, monitoring, "sys.monitoring", true, TRC_HAS_MONITORING, "Python 3.12") \
    X(SETPROFILE, setprofile, "PyEval_SetProfile", false, true, "Python 3.11")

/* By samples alone: nobody chooses that by its name, as the profile is then of another kind. */
#define TRC_KIND_OF(KIND, name, title, sees_all, is_here, since) TRC_##KIND,
typedef enum trc_backend_kind {
    TRC_BACKENDS(TRC_KIND_OF) TRC_SAMPLES_ALONE,
    TRC_BACKEND_COUNT,
    TRC_BACKEND_CHOICES = TRC_SAMPLES_ALONE
} trc_backend_kind;
#undef TRC_KIND_OF

/* A line of the list. */
typedef struct trc_backend {
    trc_backend_kind kind;
    const char *name;
    const char *title;
    bool sees_all_callables;
    const char *since;
    bool is_here; /* this Python has it */
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

/* Returns that of profiles that are made of samples alone, with *why. NULL when memory is out. */
const trc_backend *trc_backend_of_samples(PyObject **why);

/* New references, or NULL with an exception set: a tuple of the names of the back ends that this Python has, the best
 * first; a dict of the titles of all back ends by name. */
PyObject *trc_backend_names(void);
PyObject *trc_backend_titles(void);

/* Returns the name of a frame's activation, or 0 when it cannot tell. */
trc_activation trc_backend_activation_of(trc_backend_kind kind, PyFrameObject *frame);

#endif
