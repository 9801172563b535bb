/* What one LineRecorder records: the code objects whose lines it times, its clock and its threads. Events come from the
 * back end for lines (line_path.h), which tells every enabled recorder. */
#ifndef TRC_LINES_H
#define TRC_LINES_H

#include "core/tree/functab.h"
#include "recorders/recording.h"
#include "recorders/sampled_lines.h"

/* The limit of a recorder. A code object takes about 200 bytes, and 120 a line and thread. */
#define TRC_LINE_CODE_LIMIT 100000

/* A code object whose lines are timed. */
typedef struct trc_linecode {
    PyCodeObject *code; /* owned */
    trc_linemap map;
} trc_linecode;

typedef struct trc_line_recorder {
    trc_recording base;    /* code that is in its filter is added at first sight; without one, no code is added */
    PyObject *first_lines; /* owned: tells on which lines statements begin, or NULL */
    trc_inside *asking;    /* owned: the threads inside `first_lines` */
    bool sees_calls;
    trc_linecosts costs;
    uint64_t forks;    /* the count of forks when this recorder was last empty */
    trc_functab codes; /* owners: trc_linecode */
    uint64_t left_out; /* code objects past the limit, or for which memory was out */
} trc_line_recorder;

static inline trc_line_thread_record *trc_line_records_first(const trc_line_recorder *recorder)
{
    return (trc_line_thread_record *)recorder->base.records.first;
}

/* Initializes a zeroed recorder. */
void trc_line_recorder_init(trc_line_recorder *recorder, PyObject *object, trc_shared *shared);

/* Forgets everything recorded, and, unless `kept`, the code objects too. */
void trc_line_recorder_clear(trc_line_recorder *recorder, bool kept);

/* Stops recording at `now`, and goes to the phase `next`. */
void trc_line_recorder_end(trc_line_recorder *recorder, trc_tick now, trc_phase next);

/* In a forked child: a recorder that was not enabled at the fork forgets what the parent recorded. Called before it
 * records or reports. */
void trc_line_recorder_forget_parent(trc_line_recorder *recorder);

/* Times the lines of a code object from now on. Returns 1; 0 when it is timed already or past a limit; or -1 with an
 * exception set. It calls `first_lines`, which is Python code; no profile records that call. */
int trc_line_recorder_add(trc_line_recorder *recorder, PyCodeObject *code);

static inline bool trc_line_recorder_has(const trc_line_recorder *recorder, const PyCodeObject *code)
{
    return trc_functab_find(&recorder->codes, code) != NULL;
}

/* At the first sight of code that runs: adds the code if it is in the filter. Raises nothing. */
void trc_line_recorder_meet(trc_line_recorder *recorder, PyCodeObject *code, PyFrameObject *frame);

/* For a snapshot: adds up the time of the lines that run now. */
void trc_line_recorder_catch_up(trc_line_recorder *recorder);

/* Whether it tells what threads wait: its clock has CPU time. */
bool trc_line_recorder_tells_waits(const trc_line_recorder *recorder);

/* -- Events of the calling thread -- */

typedef enum trc_line_event {
    TRC_LINE_CALL_C, /* the activation calls a C callable */
    TRC_LINE_C_ENDS,
    TRC_LINE_ENTER, /* a function begins */
    TRC_LINE_LEAVE,
    TRC_LINE_SUSPEND,
    TRC_LINE_RESUME,
} trc_line_event;

void trc_line_recorder_event(trc_line_recorder *recorder, trc_line_event event, PyCodeObject *code, trc_activation id);
void trc_line_recorder_line(trc_line_recorder *recorder, PyCodeObject *code, trc_activation id, long line);

/* The rare half of a line event, at the record's own time `now`: the code object has no table in this thread. */
void trc_line_recorder_first_line(trc_line_recorder *recorder, trc_line_thread_record *record, PyCodeObject *code,
                                  trc_activation id, long line, trc_tick now);

#endif
