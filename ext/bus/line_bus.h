/* The part of the bus between the source of line events and the recorders of lines. It knows all enabled recorders of
 * lines, and starts and stops the source for them. */
#ifndef TRC_LINE_BUS_H
#define TRC_LINE_BUS_H

#include "recorders/lines.h"
#include "sources/lines_monitoring.h"
#include "sources/lines_settrace.h"

typedef struct trc_line_bus {
    const trc_held *held;      /* borrowed: that of the bus that this is part of */
    trc_line_recorder *active; /* latest first; each removes itself before it goes */
    trc_line_recorder
        *only_active; /* the only enabled recorder, if it tells the time and its timer runs no code, or NULL */
    _Atomic(trc_line_thread_record *) gate; /* as that of calls (gate.h): a record of the only recorder, or `closed` */
    trc_line_thread_record closed;
    uint64_t serials; /* how many times a recorder has been enabled */
    bool remembers;   /* memory is recorded: events are to be in no figure of it */
    bool is_unusual;  /* there is no enabled recorder, or it remembers */
    trc_lines_monitoring monitoring;
    trc_lines_settrace settrace;
} trc_line_bus;

/* Initializes a zeroed line bus. */
void trc_line_bus_init(trc_line_bus *lines, const trc_held *held, PyInterpreterState *interpreter);
int trc_line_bus_traverse(const trc_line_bus *lines, visitproc visit, void *arg);
void trc_line_bus_clear(trc_line_bus *lines);

/* The next event of any thread goes the long way. */
static inline void trc_line_bus_close_gate(trc_line_bus *lines)
{
    atomic_store_explicit(&lines->gate, &lines->closed, memory_order_relaxed);
}

/* Opens the gate to the calling thread, whose state this is, if the only recorder knows it and nothing is unusual about it.
 * Returns the record then; else NULL. */
trc_line_thread_record *trc_line_bus_open_gate(trc_line_bus *lines, const PyThreadState *state);

/* From now on memory is recorded, or no longer. */
void trc_line_bus_remember(trc_line_bus *lines, bool remembers);

/* The enabled recorder of lines by memory, or NULL. */
static inline const trc_line_recorder *trc_line_bus_remembering(const trc_line_bus *lines)
{
    const trc_line_recorder *recorder = lines->active;
    while (recorder != NULL && !recorder->clock.is_of_thread) {
        recorder = recorder->next_active;
    }
    return recorder;
}

/* Enables a recorder. 0, or -1 with an exception set and the recorder as it was: as from within its `first_lines`. */
int trc_line_bus_enable(trc_line_bus *lines, trc_line_recorder *recorder);
void trc_line_bus_disable(trc_line_bus *lines, trc_line_recorder *recorder);

/* Stops recording but lets events come as before, so that enabling it again takes next to no time. */
void trc_line_bus_rest(trc_line_bus *lines, trc_line_recorder *recorder);

/* Pauses all enabled recorders in the calling thread; resumes them. */
void trc_line_bus_pause(trc_line_bus *lines);
void trc_line_bus_resume(trc_line_bus *lines);

/* In a forked child: all enabled recorders forget what the parent recorded. */
void trc_line_bus_start_anew(trc_line_bus *lines);

/* Whether an enabled recorder times the lines of the code. */
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
extern const char trc_lines_reason[];  /* why this is the one */

/* Has the interpreter report what the enabled recorders want, this latest one included. 0, or -1 with an exception set:
 * then the caller must take this recorder out and call trc_lines_stop(). */
int trc_lines_start(trc_line_bus *lines, const trc_line_recorder *recorder);

/* A recorder that is no longer enabled wanted the lines of its code objects: has the interpreter report only what
 * others want. Raises nothing. */
void trc_lines_stop(trc_line_bus *lines, const trc_line_recorder *recorder);

/* Has the interpreter report the lines of one more code object. 0, or -1 with an exception set. */
int trc_lines_watch(trc_line_bus *lines, PyCodeObject *code);

/* Memory is recorded from now on, or no longer, as the bus says. */
void trc_lines_remember(trc_line_bus *lines);

/* Has the interpreter report again all events that were switched off. 0, or -1 with an exception set. */
int trc_lines_restart(trc_line_bus *lines);

/* The bus's object is called. Returns true when the program has made it the calling thread's trace function, as by
 * sys.settrace(sys.gettrace()): then the real trace function takes its place, and is told of the call. */
bool trc_lines_reinstall(trc_line_bus *lines, PyObject *args);

/* -- Going over the enabled recorders -- */

/* Code of the program may run at each recorder: it may disable others, and drop the list. So the iterator holds the
 * list's owner and the recorder. It finds the next one by the serial number of this one. */
typedef struct trc_line_iterator {
    const trc_line_bus *lines;
    PyObject *owner; /* owned: the list's owner, or NULL when the list is empty */
    PyObject *kept;  /* owned: the recorder's object */
    uint64_t serial;
} trc_line_iterator;

static inline trc_line_recorder *trc_line_first(trc_line_iterator *at, const trc_line_bus *lines)
{
    trc_line_recorder *first = lines->active;
    if (first != NULL) {
        *at = (trc_line_iterator){lines, Py_NewRef(lines->held->object), Py_NewRef(first->object), first->serial};
    }
    return first;
}

/* Must be called until it returns NULL. */
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
