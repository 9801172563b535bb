/* The part of the bus that is between the source of line events and the recorders of lines: it knows all that are
 * enabled, and has the source started and stopped for them. */
#ifndef TRC_LINE_BUS_H
#define TRC_LINE_BUS_H

#include "recorders/lines.h"
#include "sources/lines_monitoring.h"
#include "sources/lines_settrace.h"

typedef struct trc_line_bus {
    const trc_sink *sink;           /* borrowed: of the bus that this is part of */
    trc_line_recorder *active;      /* latest first; each removes itself before it goes */
    trc_line_recorder *only_active; /* the only one there is, when its timer runs no code, or NULL */
    uint64_t serials;               /* how many have been enabled */
    trc_lines_monitoring monitoring;
    trc_lines_settrace settrace;
} trc_line_bus;

/* Readies a zeroed one. */
void trc_line_bus_init(trc_line_bus *lines, const trc_sink *sink, PyInterpreterState *interpreter);
int trc_line_bus_traverse(const trc_line_bus *lines, visitproc visit, void *arg);
void trc_line_bus_clear(trc_line_bus *lines);

/* 0, or -1 with an exception set and the recorder as it was: refused from within its own `fold`. */
int trc_line_bus_enable(trc_line_bus *lines, trc_line_recorder *recorder);
void trc_line_bus_disable(trc_line_bus *lines, trc_line_recorder *recorder);

/* Disables, but has events come as before, so that to enable it again takes next to no time. */
void trc_line_bus_rest(trc_line_bus *lines, trc_line_recorder *recorder);

/* Pauses all that are enabled in the calling thread, and goes on. */
void trc_line_bus_pause(trc_line_bus *lines);
void trc_line_bus_resume(trc_line_bus *lines);

/* In a forked child: all that are enabled forget what the parent recorded. */
void trc_line_bus_start_anew(trc_line_bus *lines);

/* Whether an enabled recorder times the code's lines. */
static inline bool trc_line_bus_times(const trc_line_bus *lines, const PyCodeObject *code)
{
    const trc_line_recorder *recorder = lines->active;
    while (recorder != NULL && !trc_line_recorder_has(recorder, code)) {
        recorder = recorder->next_active;
    }
    return recorder != NULL;
}

/* -- The back end: on_lines_monitoring.c for 3.12 and later, on_lines_settrace.c before -- */

extern const char trc_lines_backend[]; /* its name */
extern const char trc_lines_reason[];  /* why there is this one */

/* Has the interpreter report what the enabled recorders want, this latest one included. 0, or -1 with an exception set:
 * then that one is to be taken out, and trc_lines_stop() to be called. */
int trc_lines_start(trc_line_bus *lines, const trc_line_recorder *recorder);

/* A recorder that is not enabled any more wanted the lines of its code objects. Raises nothing. */
void trc_lines_stop(trc_line_bus *lines, const trc_line_recorder *recorder);

/* Has it report the lines of one more code object. 0, or -1 with an exception set. */
int trc_lines_watch(trc_line_bus *lines, PyCodeObject *code);

/* Has it report everything in code of which it was told to report no more. 0, or -1 with an exception set. */
int trc_lines_restart(trc_line_bus *lines);

/* The bus's object is called: true when that is so because it is what sys.settrace() was given in the calling thread, as by
 * sys.settrace(sys.gettrace()). Then the real trace function takes its place, and is told of the call. */
bool trc_lines_reinstall(trc_line_bus *lines, PyObject *args);

/* -- Going over the enabled recorders -- */

/* Code of the program may run at each: it may disable others, and drop the list. So both are kept meanwhile, and the next
 * one is looked for by the serial number that this one had. */
typedef struct trc_line_iterator {
    const trc_line_bus *lines;
    PyObject *owner; /* owned: of the list, or NULL when there is nobody on it */
    PyObject *kept;  /* owned: of the recorder */
    uint64_t serial;
} trc_line_iterator;

static inline trc_line_recorder *trc_line_first(trc_line_iterator *at, const trc_line_bus *lines)
{
    trc_line_recorder *first = lines->active;
    if (first != NULL) {
        *at = (trc_line_iterator){lines, Py_NewRef(lines->sink->object), Py_NewRef(first->object), first->serial};
    }
    return first;
}

/* Must be asked until it gives NULL. */
static inline trc_line_recorder *trc_line_next(trc_line_iterator *at)
{
    Py_DECREF(at->kept);
    trc_line_recorder *next = at->lines->active;
    while (next != NULL && next->serial >= at->serial) {
        next = next->next_active;
    }
    if (next == NULL) {
        Py_DECREF(at->owner);
        return NULL;
    }
    at->kept = Py_NewRef(next->object);
    at->serial = next->serial;
    return next;
}

#endif
