/* Forks: a child begins with an empty profile of its own, not with a copy of its parent's. */
#ifndef TRC_FORKS_H
#define TRC_FORKS_H

#include "sources/sink.h"

/* Has each forked child tell the sink that it is one, as long as the sink's object, which can be referred to weakly,
 * exists: os.register_at_fork() keeps what it is given for ever. 0, or -1 with an exception set. */
int trc_forks_watch(trc_sink *sink);

#endif
