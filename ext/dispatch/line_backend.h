/* The back end for lines: on_lines_monitoring.c for 3.12 and later, on_lines_settrace.c before. */
#ifndef TRC_LINE_BACKEND_H
#define TRC_LINE_BACKEND_H

#include "dispatch/dispatcher.h"

extern const char trc_lines_backend[]; /* its name */
extern const char trc_lines_reason[];  /* why this is the one */

/* Has the interpreter report what the enabled recorders want, this latest one included. 0, or -1 with an exception set:
 * then the caller must take this recorder out and call trc_lines_stop(). */
int trc_lines_start(trc_dispatcher *dispatcher, const trc_line_recorder *recorder);

/* A recorder that is no longer enabled wanted the lines of its code objects: has the interpreter report only what
 * others want. Raises nothing. */
void trc_lines_stop(trc_dispatcher *dispatcher, const trc_line_recorder *recorder);

/* Memory is recorded from now on, or no longer, as the dispatcher says. */
void trc_lines_remember(trc_dispatcher *dispatcher);

/* The dispatcher's object is called. Returns true when the program has made it the calling thread's trace function, as by
 * sys.settrace(sys.gettrace()): then the real trace function takes its place, and is told of the call. */
bool trc_lines_reinstall(trc_dispatcher *dispatcher, PyObject *args);

/* Whether an enabled recorder times the lines of the code. */
static inline bool trc_lines_are_timed(const trc_dispatcher *dispatcher, const PyCodeObject *code)
{
    const trc_recording *each = dispatcher->shared.lines;
    while (each != NULL && !trc_line_recorder_has((const trc_line_recorder *)each, code)) {
        each = each->next;
    }
    return each != NULL;
}

#endif
