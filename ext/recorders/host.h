/* What a recorder asks of its bus. The bus fills the host in: a recorder knows nothing else of the bus, nor of the
 * sources of its events. */
#ifndef TRC_HOST_H
#define TRC_HOST_H

#include "core/base/activation.h"
#include "core/base/clock.h"
#include "core/samples/sampling.h"
#include "context/registry.h"
#include "interp/live_frames.h"

#include <stdbool.h>
#include <stdint.h>

/* How the events of a recorder of calls come; the bus defines it. */
typedef struct trc_backend trc_backend;

typedef struct trc_host trc_host;

struct trc_host {
    trc_clock wall;   /* the clock of a recorder without a timer */
    uint64_t serials; /* how many times a recorder has been enabled */
    uint64_t forks;   /* how many forks led to this process since the bus was made */
    trc_registry registry;
    trc_slot_pool slots; /* of watched threads */
    bool has_news;       /* a function or a thread was seen for the first time, and the bus has not looked since */
    /* No event may go the short way until the next one has gone the long way: something has changed that the short way
     * takes for granted. */
    void (*close_gates)(trc_host *host);
    /* Pauses every profile in the calling thread; goes on where the pause began. */
    void (*pause)(trc_host *host);
    void (*resume)(trc_host *host);

    /* -- Of calls -- */

    /* Returns the back end's name for the activation of a frame, or 0 when it cannot tell. */
    trc_activation (*activation_of)(const trc_backend *backend, PyFrameObject *frame);
    /* Has the calling thread's frames reported too, where the interpreter has passed them over because they waited on
     * another stack when tracing began. Returns false when that is not possible. Raises nothing. */
    bool (*instrument_frames)(trc_host *host, const trc_backend *backend, const trc_live_frames *live);
    /* Whether the thread's events still come; somebody may have taken away the function that makes them. */
    bool (*is_installed)(const trc_backend *backend, const PyThreadState *thread);

    /* -- Of native samples, which fall on lines -- */

    /* What is known of a thread has changed: its samples, or its lines. The same of all threads: afterwards nothing is
     * added any more to lines that are recorded no longer. */
    void (*link_lines)(trc_host *host, unsigned long native_id);
    void (*link_all_lines)(trc_host *host);
    /* Counts the samples that wait. */
    void (*settle_samples)(trc_host *host);

    /* -- Of lines -- */

    /* Has the lines of one more code object reported. 0, or -1 with an exception set. */
    int (*watch_lines)(trc_host *host, PyCodeObject *code);
    /* Has all events reported again that were switched off at some place. 0, or -1 with an exception set. */
    int (*restart_lines)(trc_host *host);
};

#endif
