/* Forks: a child begins with an empty profile of its own, not with a copy of its parent's. */
#ifndef TRC_FORKS_H
#define TRC_FORKS_H

#include "bus/bus.h"

/* Has each forked child tell the dispatcher that it is one, as long as that exists: os.register_at_fork() keeps what it
 * is given for ever. 0, or -1 with an exception set. */
int trc_forks_watch(trc_dispatcher *dispatcher);

#endif
