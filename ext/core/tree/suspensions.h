/* The suspended activations of generators and coroutines, and since when each is suspended. A profile has one table: a
 * coroutine may go on in another thread. Each suspension adds an entry and each resume removes one, so the table is no
 * uthash, which would allocate and free each time. */
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

/* Removes all entries. The table can be used again. */
void trc_suspensions_free(trc_suspensions *table);

/* Adds a suspension, and replaces an earlier one of the same id. When memory is out, the suspension is not added and
 * the earlier one is removed. A suspension with id 0, which names no activation, is not added. */
void trc_suspensions_put(trc_suspensions *table, const trc_suspension *suspension);

/* Removes the suspension of an activation and copies it to `suspension`. Returns false when there is none. */
bool trc_suspensions_take(trc_suspensions *table, trc_activation id, trc_suspension *suspension);

#endif
