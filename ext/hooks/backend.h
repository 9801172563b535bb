/* A back end: one way to be told of calls by the interpreter. It knows nothing of profiles; it hands each event to the
 * dispatcher (dispatch.h). To add one, write a file that defines one of these and name it in dispatch.c. */
#ifndef TRC_BACKEND_H
#define TRC_BACKEND_H

#include "compat.h"

#include <stdbool.h>

typedef struct trc_dispatcher trc_dispatcher;

typedef struct trc_backend {
    const char *name;
    /* Begins, or widens, tracing: of every thread, or of the calling one. Returns 0, or -1 with an exception set. */
    int (*start)(trc_dispatcher *dispatcher, bool every_thread);
    /* Ends it in all threads. Raises nothing. */
    void (*stop)(trc_dispatcher *dispatcher);
} trc_backend;

extern const trc_backend trc_setprofile_backend;

#endif
