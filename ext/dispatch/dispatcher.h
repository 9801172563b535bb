/* The enabled recorders of an interpreter, and the sources that tell them. Four files use it: enabling.h puts recorders
 * on its lists and starts their source, events.h hands on the events of calls, greenlets.h the switches, annotations.h what
 * else is told. */
#ifndef TRC_DISPATCHER_H
#define TRC_DISPATCHER_H

#include "dispatch/overhead_calibration.h"
#include "recorders/calls.h"
#include "recorders/lines.h"
#include "sources/held.h"

typedef struct trc_dispatcher {
    trc_shared shared;
    trc_held held; /* what sources give the interpreter to hold */
    /* The only enabled recorder, if its timer runs no code, or NULL: the short ways are its alone. That of lines tells the
     * time. */
    trc_recorder *only_active[TRC_BACKEND_COUNT];
    trc_line_recorder *only_lines;
    trc_calls_wanted wanted[TRC_BACKEND_COUNT];
    bool remembers;         /* memory is recorded: events are to be in no figure of it */
    bool lines_are_unusual; /* there is no enabled recorder of lines, or memory is recorded */
    uint64_t notes;         /* how many notes were begun that have an end: ranges, flows, collections */
    uint64_t collection;    /* the latest of these that is of a collection */
    trc_calibration calibrations[TRC_BACKEND_COUNT];
    PyTypeObject *switch_watcher_type; /* owned: of what the package greenlet calls */
    PyObject *collection_callbacks;    /* owned: the list gc.callbacks, or NULL as long as nobody needed it */
    PyObject *collection_function; /* owned: what is in the list while collections are watched, or NULL until then */
} trc_dispatcher;

/* What a back end for calls does. */
typedef struct trc_backend_methods {
    /* Begins tracing, or has the interpreter also report what another enabled recorder wants. On failure nothing has
     * changed. */
    trc_start_result (*start)(trc_dispatcher *dispatcher, const trc_recorder *recorder);
    /* Has the interpreter report only what the enabled recorders want: nothing, when there are none. Raises nothing. */
    void (*stop)(trc_dispatcher *dispatcher);
    /* Installs the back end's own function in the calling thread, where the program has put the dispatcher's object. Called
     * while a recorder of this kind is enabled. NULL: the program has no such place. */
    void (*reinstall)(trc_dispatcher *dispatcher);
} trc_backend_methods;

#define TRC_METHODS_OF(KIND, name, title, sees_all, is_here, since) \
    extern const trc_backend_methods trc_##name##_methods; /* on_calls_<name>.c */
TRC_BACKENDS(TRC_METHODS_OF)
#undef TRC_METHODS_OF
extern const trc_backend_methods trc_samples_methods; /* on_starts_monitoring.c */

/* The object that a dispatcher is part of, which the interpreter holds. Its type is in types/dispatcher.c. */
typedef struct trc_dispatcher_object {
    PyObject_HEAD
    PyObject *weak_references;
    PyTypeObject *callback_type; /* owned */
    trc_dispatcher dispatcher;
} trc_dispatcher_object;

static inline trc_dispatcher *trc_dispatcher_of(PyObject *object)
{
    return &((trc_dispatcher_object *)object)->dispatcher;
}

/* Whether an enabled recorder keeps a timeline. */
static inline bool trc_dispatcher_has_timelines(const trc_dispatcher *dispatcher)
{
    uint32_t timelines = 0;
    for (int kind = 0; kind < TRC_BACKEND_COUNT; kind++) {
        timelines += dispatcher->wanted[kind].logged;
    }
    return timelines > 0;
}

/* Whether any profile is enabled. */
bool trc_dispatcher_is_active(const trc_dispatcher *dispatcher);

/* The enabled recorder that records memory, or NULL. */
static inline trc_recorder *trc_dispatch_remembering(const trc_dispatcher *dispatcher)
{
    trc_recorder *found = NULL;
    for (int kind = 0; found == NULL && kind < TRC_BACKEND_COUNT; kind++) {
        for (trc_recording *each = dispatcher->shared.calls[kind]; found == NULL && each != NULL; each = each->next) {
            trc_recorder *recorder = (trc_recorder *)each;
            found = recorder->memory != NULL && trc_is_recording(each->phase) ? recorder : NULL;
        }
    }
    return found;
}

/* The enabled recorder of lines by memory, or NULL. */
static inline const trc_line_recorder *trc_dispatch_remembering_lines(const trc_dispatcher *dispatcher)
{
    const trc_recording *each = dispatcher->shared.lines;
    while (each != NULL && !each->clock.is_of_thread) {
        each = each->next;
    }
    return (const trc_line_recorder *)each;
}

/* Go over the recorders of a back end, and of lines: see recording.h. */
static inline trc_recorder *trc_dispatch_first(trc_each_recording *at, const trc_dispatcher *dispatcher,
                                               trc_backend_kind kind)
{
    return (trc_recorder *)trc_first_recording(at, &dispatcher->shared.calls[kind]);
}

static inline trc_recorder *trc_dispatch_next(trc_each_recording *at)
{
    return (trc_recorder *)trc_next_recording(at);
}

static inline trc_line_recorder *trc_dispatch_first_lines(trc_each_recording *at, const trc_dispatcher *dispatcher)
{
    return (trc_line_recorder *)trc_first_recording(at, &dispatcher->shared.lines);
}

static inline trc_line_recorder *trc_dispatch_next_lines(trc_each_recording *at)
{
    return (trc_line_recorder *)trc_next_recording(at);
}

/* Calls `tell` for each enabled recorder of every back end, but not from within its own timer. */
void trc_dispatch_tell_all(trc_dispatcher *dispatcher, void (*tell)(trc_recorder *recorder, const void *what),
                           const void *what);

#endif
