/* The suspended activations of generators and coroutines, and since when each is suspended. A profile has one table: a
 * coroutine may go on in another thread. Each suspension adds an entry and each resume removes one, so the table is no
 * uthash, which would allocate and free each time.
 *
 * The latest suspensions stand in front of the table, each at a place that its activation's name gives. Most programs
 * have few suspended activations at a time, and their table stays empty. An activation is in one of the two at most. */
#ifndef TRC_SUSPENSIONS_H
#define TRC_SUSPENSIONS_H

#include "core/tree/stacks.h"

typedef struct trc_suspension {
    trc_activation id; /* 0: an empty slot */
    const void *key;   /* of its function */
    const void *thread;
    trc_tick since; /* on the clock of that thread */
} trc_suspension;

#define TRC_FRONT 64

typedef struct trc_suspensions {
    const trc_allocator *allocator;
    trc_suspension front[TRC_FRONT];
    trc_suspension found;  /* the one that was taken from the slots last */
    trc_suspension *slots; /* owned: open addressing */
    uint32_t slot_count;   /* a power of two, or 0 */
    uint32_t count;        /* of the slots in use, without the front */
} trc_suspensions;

void trc_suspensions_init(trc_suspensions *table, const trc_allocator *allocator);

/* Removes all entries. The table can be used again. */
void trc_suspensions_free(trc_suspensions *table);

/* Returns the place of an activation in front of the table. Frames of one function are all of one size, a multiple of 16
 * bytes: the higher bits spread them. */
static inline trc_suspension *trc_suspensions_front(trc_suspensions *table, trc_activation id)
{
    return &table->front[(id >> 4 ^ id >> 10) % TRC_FRONT];
}

/* Whether the activation's suspension may be written to its place in front at once. */
static inline bool trc_suspensions_is_free(const trc_suspensions *table, const trc_suspension *front, trc_activation id)
{
    return front->id == id || (front->id == 0 && table->count == 0);
}

/* Returns where to write the suspension of an activation, in place of an earlier one of the same activation. When memory
 * is out, the suspension that stood there is lost. */
trc_suspension *trc_suspensions_place(trc_suspensions *table, trc_activation id);

/* Removes the suspension of an activation and returns it, until the table is used again; NULL when there is none. */
const trc_suspension *trc_suspensions_take(trc_suspensions *table, trc_activation id);

#endif
