/* Which threads are inside a callable of the user's that we call, a timer or `fold`: from there some things are refused. */
#ifndef TRC_USER_CALLABLES_H
#define TRC_USER_CALLABLES_H

#include "interp/compat.h"

#include <stdbool.h>

typedef struct trc_inside trc_inside;

/* The calling thread goes in. 0, or -1 with an exception set. */
int trc_inside_enter(trc_inside **list);

/* The calling thread, which went in, comes out. */
void trc_inside_leave(trc_inside **list);

/* Whether the calling thread is in there. */
bool trc_inside_has_this_thread(const trc_inside *list);

#endif
