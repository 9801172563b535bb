/* Has the lines of code told of no more that is slow for their sake, without an event in which that could be done
 * (core/samples/slow_lines.h). The sampling's own thread finds such code. The main thread is asked to see to it, by a pending
 * call; any thread does that is told of something that is not usual. A pending call may come late: 3.12 makes it only when the
 * main thread has another reason to look for calls, such as a collection, and in a thread that waits it is not made. */
#ifndef TRC_LINE_SILENCER_H
#define TRC_LINE_SILENCER_H

#include "recorders/recorder.h"

typedef struct trc_line_silencer trc_line_silencer;

/* Has the sampling of this recorder look for such code, from when it begins on. Where that is not possible, it does not: elsewhere
 * than in the main interpreter, or without memory. Raises nothing. */
void trc_line_silencer_attach(trc_recorder *recorder, trc_sampling *samples);

/* The recorder is over. */
void trc_line_silencer_free(trc_line_silencer *silencer);

/* Silences the lines of code that is chosen. The caller has the GIL. Raises nothing. */
void trc_recorder_silence_slow_lines(const trc_recorder *recorder);

#endif
