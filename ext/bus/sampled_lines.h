/* Between the native samples of recorders of calls and the recorders of lines: on whose lines the samples of a thread
 * fall. That is the recorder enabled last of those that time the lines of this thread, and not by memory. They have the
 * samples of one recorder of calls, that enabled first: else each moment would count twice. */
#ifndef TRC_SAMPLED_LINES_H
#define TRC_SAMPLED_LINES_H

#include "bus/bus.h"

/* Has the recorders of this bus ask for that: see recorders/host.h. */
void trc_sampled_lines_init(trc_bus *bus);

#endif
