/* Which threads are inside a callable of the user's that tracer calls: a timer or `first_lines`. Some operations are
 * refused from there. */
#ifndef TRC_USER_CALLABLES_H
#define TRC_USER_CALLABLES_H

#include "interp/compat.h"

#include <stdbool.h>

typedef struct trc_inside trc_inside;

/* Notes that the calling thread goes into the callable. 0, or -1 with an exception set. */
int trc_inside_enter(trc_inside **list);

/* Notes that the calling thread comes out; it must have gone in. */
void trc_inside_leave(trc_inside **list);

/* Whether the calling thread is inside the callable. */
bool trc_inside_has_this_thread(const trc_inside *list);

#endif
