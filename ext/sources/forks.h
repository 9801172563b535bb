/* Forks: a forked child begins with an empty profile, not with a copy of its parent's, whose timeline notes the fork. */
#ifndef TRC_FORKS_H
#define TRC_FORKS_H

#include "sources/sink.h"

/* Has each forked child, and its parent, tell the sink, as long as the sink's object exists. That object must support weak references:
 * os.register_at_fork() keeps its argument for ever. 0, or -1 with an exception set. */
int trc_forks_watch(trc_sink *sink);

#endif
