/* Has the lines of code told of no more that is slow for their sake, without an event in which that could be done
 * (core/samples/slow_lines.h). The sampling's own thread finds such code, and calls for whoever sees to it first: any thread at
 * the next event that it is told of, or the main thread, by a pending call. That one may come late or never: the main
 * thread may wait, a child that another thread forked has none, and up to 3.12 nobody is called. */
#ifndef TRC_LINE_SILENCER_H
#define TRC_LINE_SILENCER_H

#include "recorders/recorder.h"

typedef struct trc_line_silencer trc_line_silencer;

/* Has the sampling of this recorder look for such code, from when it begins on; without memory it does not. Raises nothing, and
 * runs no code of the program's. */
void trc_line_silencer_attach(trc_recorder *recorder, trc_sampling *samples);

/* The recorder is over. */
void trc_line_silencer_free(trc_line_silencer *silencer);

/* Silences the lines of code that is chosen. The caller has the GIL. Raises nothing. */
void trc_recorder_silence_slow_lines(trc_recorder *recorder);

#endif
