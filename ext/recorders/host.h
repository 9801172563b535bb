/* What a recorder asks of the bus that it is on. The bus fills it in: a recorder knows no more of it, nor of the sources
 * that its events come from. */
#ifndef TRC_HOST_H
#define TRC_HOST_H

#include "core/base/activation.h"
#include "core/base/clock.h"
#include "interp/live_frames.h"

#include <stdbool.h>
#include <stdint.h>

/* How the events of a recorder of calls come: the bus's business. */
typedef struct trc_backend trc_backend;

typedef struct trc_host trc_host;

struct trc_host {
    trc_clock wall; /* of who names no timer */
    uint64_t forks; /* how many there were up to this process, since the bus was made */
    /* A function or a thread is seen for the first time: a module may have been imported since the bus last looked. */
    void (*seen_first)(trc_host *host);
    /* Leaves what the calling thread does from now on out of every profile, and goes on where that began. */
    void (*pause)(trc_host *host);
    void (*resume)(trc_host *host);

    /* -- Of calls -- */

    /* How the back end names the activation of a frame; 0 when it cannot tell. */
    trc_activation (*activation_of)(const trc_backend *backend, PyFrameObject *frame);
    /* Has the calling thread's frames reported too, where the interpreter has passed them over because they waited on
     * another stack when tracing began. False when that cannot be had. Raises nothing. */
    bool (*instrument_frames)(trc_host *host, const trc_backend *backend, const trc_live_frames *live);
    /* Whether the thread's events still come, or somebody took away what makes them. */
    bool (*is_installed)(const trc_backend *backend, const PyThreadState *thread);

    /* -- Of lines -- */

    /* Has the lines of one more code object reported. 0, or -1 with an exception set. */
    int (*watch_lines)(trc_host *host, PyCodeObject *code);
    /* Has everything reported in code of which no more was to be reported. 0, or -1 with an exception set. */
    int (*restart_lines)(trc_host *host);
};

#endif
