/* Forks: a forked child begins with an empty profile, not with a copy of its parent's, whose timeline notes the fork. */
#ifndef TRC_FORKS_H
#define TRC_FORKS_H

#include "dispatch/dispatcher.h"

/* Has each forked child, and its parent, tell the dispatcher, as long as its object exists: os.register_at_fork() keeps its
 * argument for ever. 0, or -1 with an exception set. */
int trc_forks_watch(const trc_dispatcher *dispatcher);

#endif
