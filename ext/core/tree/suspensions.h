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
    trc_suspension *slots; /* owned: open addressing */
    uint32_t slot_count;   /* a power of two, or 0 */
    uint32_t count;        /* of the slots in use, without the front */
} trc_suspensions;

void trc_suspensions_init(trc_suspensions *table, const trc_allocator *allocator);

/* Removes all entries. The table can be used again. */
void trc_suspensions_free(trc_suspensions *table);

/* Frames of one function are all of one size, a multiple of 16 bytes: the higher bits spread them. */
static inline trc_suspension *trc_suspensions_front(trc_suspensions *table, trc_activation id)
{
    return &table->front[(id >> 4 ^ id >> 10) % TRC_FRONT];
}

/* Adds a suspension, and replaces an earlier one of the same id. When memory is out, the suspension that was in its
 * place in front is lost. A suspension with id 0, which names no activation, is not added. */
void trc_suspensions_put_slowly(trc_suspensions *table, const trc_suspension *suspension);

static inline void trc_suspensions_put(trc_suspensions *table, const trc_suspension *suspension)
{
    trc_suspension *front = trc_suspensions_front(table, suspension->id);
    if (front->id == suspension->id || (front->id == 0 && table->count == 0)) {
        *front = *suspension;
    }
    else {
        trc_suspensions_put_slowly(table, suspension);
    }
}

/* Removes the suspension of an activation and copies it to `suspension`. Returns false when there is none. */
bool trc_suspensions_take_slowly(trc_suspensions *table, trc_activation id, trc_suspension *suspension);

static inline bool trc_suspensions_take(trc_suspensions *table, trc_activation id, trc_suspension *suspension)
{
    trc_suspension *front = trc_suspensions_front(table, id);
    if (front->id != id || id == 0) {
        return trc_suspensions_take_slowly(table, id, suspension);
    }
    *suspension = *front;
    front->id = 0;
    return true;
}

#endif
