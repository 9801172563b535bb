/* A back end: one way to be told of calls by the interpreter. It knows nothing of profiles; it hands each event to the
 * dispatcher (dispatch.h). To add one, write a file that defines one of these, and name it in backend.c, which picks. */
#ifndef TRC_BACKEND_H
#define TRC_BACKEND_H

#include "../core/stacks.h"
#include "compat.h"
#include "running.h"

#include <stdbool.h>

typedef struct trc_dispatcher trc_dispatcher;
typedef struct trc_recorder trc_recorder;

typedef enum trc_backend_kind {
    TRC_SETPROFILE,
    TRC_MONITORING,
    TRC_BACKEND_COUNT,
} trc_backend_kind;

typedef enum trc_start_result {
    TRC_START_FAILED = -1, /* with an exception set */
    TRC_STARTED,
    TRC_START_TAKEN, /* others hold what it needs, as the exception that is set says: another back end may do */
} trc_start_result;

typedef struct trc_backend {
    trc_backend_kind kind;
    const char *name;
    const char *why; /* it is the default where it is the best there is */
    bool sees_all_callables;
    /* Begins tracing, or has the interpreter report what an enabled recorder wants too, those that are enabled already
     * included. When it fails nothing has changed. */
    trc_start_result (*start)(trc_dispatcher *dispatcher, const trc_recorder *recorder);
    /* Has it report no more than the enabled recorders want; nothing, when there are none. Raises nothing. */
    void (*stop)(trc_dispatcher *dispatcher);
    /* Has the calling thread's frames reported too, where the interpreter has passed them over because they waited on
     * another stack when tracing began. False when that cannot be had. Raises nothing. */
    bool (*reach)(trc_dispatcher *dispatcher, const trc_running *running);
    /* How it names the activation of a frame; 0 when it cannot tell. */
    trc_activation (*activation_of)(PyFrameObject *frame);
    /* Whether the thread's events still come, or somebody took away what makes them. */
    bool (*reports)(const PyThreadState *thread);
} trc_backend;

extern const trc_backend trc_setprofile_backend;
#if TRC_HAS_MONITORING
extern const trc_backend trc_monitoring_backend;
#endif

/* What `wanted` names, or, when it is NULL, what the environment variable TRACER_BACKEND does, or else the best there
 * is. `*why` is set to a new reference to a str that says why this one. NULL with ValueError set when it cannot be
 * had. */
const trc_backend *trc_backend_choose(const char *wanted, PyObject **why);

#endif
