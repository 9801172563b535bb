/* The activations of generators and coroutines that are suspended, and since when. One table a profile, for a coroutine
 * may go on in another thread. Entries come and go at each suspension, so the table is its own (uthash would allocate
 * and free each time). */
#ifndef TRC_SUSPENSIONS_H
#define TRC_SUSPENSIONS_H

#include "core/tree/stacks.h"

typedef struct trc_suspension {
    trc_activation id; /* 0: an empty slot */
    const void *key;   /* of its function */
    const void *thread;
    trc_tick since; /* on the clock of that thread */
} trc_suspension;

typedef struct trc_suspensions {
    const trc_allocator *allocator;
    trc_suspension *slots; /* owned: open addressing */
    uint32_t slot_count;   /* a power of two, or 0 */
    uint32_t count;
} trc_suspensions;

void trc_suspensions_init(trc_suspensions *table, const trc_allocator *allocator);

/* Forgets all; the table can be used again. */
void trc_suspensions_free(trc_suspensions *table);

/* Notes a suspension, in place of one that its id had. When memory is out it is not noted, and the one before is forgotten;
 * nor is one whose id is 0, which names no activation. */
void trc_suspensions_put(trc_suspensions *table, const trc_suspension *suspension);

/* Takes the suspension of an activation out and copies it; false when there is none. */
bool trc_suspensions_take(trc_suspensions *table, trc_activation id, trc_suspension *suspension);

#endif
