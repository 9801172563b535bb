/* Line events: the back end that gets them from the interpreter (lines_monitoring.c for 3.12 and later, lines_settrace.c
 * before) and hands them to all recorders of lines that are enabled. */
#ifndef TRC_LINES_H
#define TRC_LINES_H

#include "recorders/lines.h"
#include "interp/tool.h"

/* The trace function that another tool had in a thread. */
typedef struct trc_replaced {
    struct trc_replaced *next;
    uint64_t state_id; /* PyThreadState_GetID() of the thread */
    Py_tracefunc function;
    PyObject *object; /* owned */
} trc_replaced;

/* A part of the dispatcher. */
typedef struct trc_lines {
    trc_line_recorder *active; /* latest first; each removes itself before it goes */
    trc_line_recorder *sole;   /* the only one there is, when its timer runs no code, or NULL */
    uint64_t serials;          /* how many have been enabled */
    uint64_t forks;            /* how many there were up to this process, since the dispatcher was made */
    /* -- of lines_monitoring.c -- */
    trc_tool tool;
    int events;              /* those set for all code */
    bool is_some_off;        /* under this id an event that a recorder may want may be off at some place */
    PyObject *missing;       /* owned: sys.monitoring.MISSING, or NULL */
    PyObject *disable;       /* owned: sys.monitoring.DISABLE, or NULL */
    initproc init_by_python; /* tp_init, tp_new and tp_call of a class that defines these in Python */
    newfunc new_by_python;
    ternaryfunc call_by_python;
    const PyCodeObject *jump_in; /* the latest backward jump within a line: its code, offset, and line */
    long jump_offset;
    long jump_line;
    /* -- of lines_settrace.c -- */
    uint64_t newest_thread; /* id of the newest thread state that is hooked */
    trc_replaced *replaced; /* owned: what threads that enabled a recorder get back, the latest first */
} trc_lines;

extern const char trc_lines_backend[]; /* its name */
extern const char trc_lines_reason[];  /* why there is this one */

trc_lines *trc_lines_of(trc_dispatcher *dispatcher);

/* Has the interpreter report what the enabled recorders want, the latest of them included. 0, or -1 with an exception set:
 * then that one is to be taken out, and trc_lines_stop() to be called. */
int trc_lines_start(trc_dispatcher *dispatcher);

/* A recorder that is not enabled any more wanted the lines of these code objects. Raises nothing. */
void trc_lines_stop(trc_dispatcher *dispatcher, const trc_line_recorder *recorder);

/* Has it report the lines of one more code object. 0, or -1 with an exception set. */
int trc_lines_watch(trc_dispatcher *dispatcher, PyCodeObject *code);

/* Has it report everything in code of which it was told to report no more. 0, or -1 with an exception set. */
int trc_lines_restart(trc_dispatcher *dispatcher);

/* The dispatcher is called: true when that is so because it is what sys.settrace() was given in the calling thread, as by
 * sys.settrace(sys.gettrace()). Then the real trace function takes its place, and is told of the call. */
bool trc_lines_here(trc_dispatcher *dispatcher, PyObject *args);

int trc_lines_traverse(const trc_lines *lines, visitproc visit, void *arg);
void trc_lines_clear(trc_lines *lines);

/* Whether an enabled recorder times the code's lines. */
bool trc_lines_time(const trc_lines *lines, const PyCodeObject *code);

/* The next recorder of the list, when code of the program may have run since: `kept` is the object of the one before. */
trc_line_recorder *trc_lines_next(const trc_lines *lines, uint64_t serial, PyObject *kept);

#define TRC_FOR_EACH_LINE_RECORDER(lines, recorder, ACTION)             \
    do {                                                                \
        trc_line_recorder *recorder = (lines)->active;                  \
        void *owner = recorder == NULL ? NULL : (recorder)->dispatcher; \
        Py_XINCREF((PyObject *)owner); /* of the list */                \
        while (recorder != NULL) {                                      \
            uint64_t serial = recorder->serial;                         \
            PyObject *kept = Py_NewRef(recorder->object);               \
            ACTION;                                                     \
            recorder = trc_lines_next((lines), serial, kept);           \
        }                                                               \
        Py_XDECREF((PyObject *)owner);                                  \
    } while (0)

/* -- What almost every event takes, inlined: one recorder is enabled, and the thread is known -- */

static inline trc_line_track *trc_lines_track(trc_line_recorder *recorder, const PyThreadState *state)
{
    trc_line_track *track = atomic_load_explicit(&recorder->latest, memory_order_relaxed);
    if (track == NULL || track->state_id != state->id) {
        track = PyThread_tss_get(&recorder->slot);
        if (track == NULL || track->state_id != state->id) {
            return NULL;
        }
        atomic_store_explicit(&recorder->latest, track, memory_order_relaxed);
    }
    return track->paused ? NULL : track;
}

/* The calling thread's track and its own time now, where one recorder alone is enabled and knows the thread; else NULL. */
static inline trc_line_track *trc_lines_sole_track(const trc_lines *lines, const PyThreadState *state, trc_tick *now)
{
    trc_line_recorder *recorder = lines->sole;
    if (recorder == NULL) {
        return NULL;
    }
    trc_tick read = trc_clock_now(&recorder->clock); /* first, so that what follows is no part of the line */
    trc_line_track *track = trc_lines_track(recorder, state);
    if (track != NULL) {
        *now = trc_ticks_since(read, track->skipped);
    }
    return track;
}

static inline void trc_lines_line(trc_lines *lines, const PyThreadState *state, PyCodeObject *code, trc_activation id,
                                  long line)
{
    trc_tick now;
    trc_line_track *track = trc_lines_sole_track(lines, state, &now);
    if (track != NULL) {
        if (!trc_linethread_line(&track->thread, id, code, line, now)) {
            trc_line_recorder_first_line(lines->sole, track, code, id, line, now);
        }
        return;
    }
    TRC_FOR_EACH_LINE_RECORDER(lines, each, trc_line_recorder_line(each, code, id, line));
}

/* The activation calls a C callable, or that ends. */
static inline void trc_lines_c(trc_lines *lines, const PyThreadState *state, bool begins, PyCodeObject *code,
                               trc_activation id)
{
    trc_tick now;
    trc_line_track *track = trc_lines_sole_track(lines, state, &now);
    if (track != NULL) {
        begins ? trc_linethread_enter_c(&track->thread, id, now) : trc_linethread_leave_c(&track->thread, id, now);
        return;
    }
    trc_line_event event = begins ? TRC_LINE_CALL_C : TRC_LINE_C_ENDS;
    TRC_FOR_EACH_LINE_RECORDER(lines, each, trc_line_recorder_event(each, event, code, id));
}

static inline void trc_lines_event(trc_lines *lines, trc_line_event event, PyCodeObject *code, trc_activation id)
{
    if (lines->sole != NULL) {
        trc_line_recorder_event(lines->sole, event, code, id);
        return;
    }
    TRC_FOR_EACH_LINE_RECORDER(lines, each, trc_line_recorder_event(each, event, code, id));
}

#endif
