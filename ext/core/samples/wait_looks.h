/* Where threads wait. A thread that waits has no samples, for its CPU clock stands. So the thread that counts samples looks at
 * those whose clock stands, at most some twenty times a second, and reads their Python frames from outside. A thread may begin to
 * run meanwhile: then its clock has moved, and the look does not count.
 *
 * A look says where, not for how long: what a thread waited is its real time without its CPU time, which is exact. */
#ifndef TRC_WAIT_LOOKS_H
#define TRC_WAIT_LOOKS_H

#include "core/samples/counting.h"

#define TRC_BETWEEN_LOOKS 50000000 /* ns, on average: at random, as programs wait for round times */
#define TRC_LOOKS_AT_ONCE 64       /* at different threads: the others have their turn later */

/* Where the interpreter's state of another thread is, or NULL. known: where it was the last time, or NULL. It is called without
 * the interpreter's lock. */
typedef const void *trc_state_search(const void *interpreter, const void *known, pid_t thread);

typedef struct trc_wait_looks {
    trc_state_search *state_of;
    const void *interpreter; /* borrowed */
    trc_frame_reader reader;
    trc_described described; /* by the numbers of the reader */
    uint8_t *pages;          /* owned; NULL: nothing is looked at */
    trc_noted_sample *sample;
    int64_t next; /* the moment of the next look, of CLOCK_MONOTONIC */
    uint64_t random;
} trc_wait_looks;

/* Initializes a record, whose search is set. Where memory is out nothing is looked at. */
void trc_wait_looks_init(trc_wait_looks *looks, const trc_frame_layout *layout);
void trc_wait_looks_free(trc_wait_looks *looks);

/* Whether it is time for a look. */
bool trc_wait_looks_are_due(trc_wait_looks *looks, int64_t now);

/* Looks at a thread of this process, and counts where it waits, if it does. */
void trc_look_at_wait(trc_wait_looks *looks, trc_sampled_thread *sampled, trc_counting *counts);

#endif
