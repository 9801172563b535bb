/* What of calls is wanted of a source of them. */
#ifndef TRC_CALLS_WANTED_H
#define TRC_CALLS_WANTED_H

#include "interp/identity.h"

/* What the enabled recorders of one source want, all together. The bus keeps it up to date while the source runs code of
 * the program, such as audit hooks, that may enable and disable more of them. */
typedef struct trc_calls_wanted {
    uint32_t recorders;       /* how many there are */
    uint32_t filtered;        /* how many of them have a filter */
    trc_callable_scope scope; /* the highest that one wants; while there are none, the lowest */
    bool every_thread;        /* one of them wants more than the thread that enabled it */
} trc_calls_wanted;

#endif
