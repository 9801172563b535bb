/* What the recorders want of a source of calls. */
#ifndef TRC_CALLS_WANTED_H
#define TRC_CALLS_WANTED_H

#include "interp/identity.h"

/* What all enabled recorders of one source want together. While the source runs code of the program, such as audit
 * hooks, that code may enable and disable recorders: the dispatcher keeps this up to date. */
typedef struct trc_calls_wanted {
    uint32_t recorders;       /* how many recorders there are */
    uint32_t filtered;        /* how many of them have a filter */
    uint32_t sampled;         /* how many of them want a sample of the handlers timed */
    uint32_t logged;          /* how many of them write a log */
    uint32_t remembering;     /* how many of them record memory */
    uint32_t collecting;      /* how many of them are to be told of garbage collections */
    trc_callable_scope scope; /* the highest that one of them wants; without recorders, the lowest */
    bool is_unusual;   /* there is no recorder, or one that wants such a sample, writes a log, or records memory */
    bool every_thread; /* one of them records more than the thread that enabled it */
} trc_calls_wanted;

#endif
