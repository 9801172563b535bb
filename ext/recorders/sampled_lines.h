/* Between the native samples of recorders of calls and the recorders of lines: on whose lines the samples of a thread
 * fall. That is the recorder enabled last of those that time the lines of this thread, and not by memory. They have the
 * samples of one recorder of calls, that enabled first: else each moment would count twice. */
#ifndef TRC_SAMPLED_LINES_H
#define TRC_SAMPLED_LINES_H

#include "recorders/recording.h"

/* What is known of a thread has changed: its samples, or its lines. The same of all threads: afterwards nothing is added
 * any more to lines that are recorded no longer. */
void trc_link_lines(const trc_shared *shared, const trc_context *context);
void trc_link_all_lines(const trc_shared *shared);

/* Counts the samples that wait. */
void trc_share_out_samples(const trc_shared *shared);

#endif
