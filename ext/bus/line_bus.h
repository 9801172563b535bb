/* The part of the bus between the source of line events and the recorders of lines. It knows all enabled recorders of
 * lines, and starts and stops the source for them. */
#ifndef TRC_LINE_BUS_H
#define TRC_LINE_BUS_H

#include "recorders/lines.h"
#include "sources/lines_monitoring.h"
#include "sources/lines_settrace.h"

typedef struct trc_line_bus {
    trc_host *host;        /* borrowed: likewise */
    const trc_held *held;  /* borrowed: that of the bus that this is part of */
    trc_recording *active; /* the enabled recorders of lines */
    trc_line_recorder
        *only_active; /* the only enabled recorder, if it tells the time and its timer runs no code, or NULL */
    _Atomic(trc_line_thread_record *) gate; /* as that of calls (gate.h): a record of the only recorder, or `closed` */
    trc_line_thread_record closed;
    bool remembers;  /* memory is recorded: events are to be in no figure of it */
    bool is_unusual; /* there is no enabled recorder, or it remembers */
    trc_lines_monitoring monitoring;
    trc_lines_settrace settrace;
} trc_line_bus;

/* Initializes a zeroed line bus. */
void trc_line_bus_init(trc_line_bus *lines, const trc_held *held, trc_host *host, PyInterpreterState *interpreter);
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
    const trc_recording *recording = lines->active;
    while (recording != NULL && !recording->clock.is_of_thread) {
        recording = recording->next;
    }
    return (const trc_line_recorder *)recording;
}

/* The list of enabled recorders has changed. */
void trc_line_bus_tally(trc_line_bus *lines);

/* rest: stops recording but lets events come as before, so that to go on takes next to no time. go_on: begins again, if
 * the recorder rests; returns whether it did. */
void trc_line_bus_rest(trc_line_bus *lines, trc_line_recorder *recorder);
bool trc_line_bus_go_on(trc_line_bus *lines, trc_line_recorder *recorder);

/* In a forked child: all enabled recorders forget what the parent recorded. */
void trc_line_bus_start_anew(trc_line_bus *lines);

/* Whether an enabled recorder times the lines of the code. */
static inline bool trc_line_bus_times(const trc_line_bus *lines, const PyCodeObject *code)
{
    const trc_recording *recording = lines->active;
    while (recording != NULL && !trc_line_recorder_has((const trc_line_recorder *)recording, code)) {
        recording = recording->next;
    }
    return recording != NULL;
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

/* Goes over the enabled recorders: see recording.h. */
static inline trc_line_recorder *trc_line_first(trc_each_recording *at, const trc_line_bus *lines)
{
    return (trc_line_recorder *)trc_first_recording(at, &lines->active);
}

static inline trc_line_recorder *trc_line_next(trc_each_recording *at)
{
    return (trc_line_recorder *)trc_next_recording(at);
}

#endif
