/* The stacks that wait while their thread is on another one, as greenlets do: whose each is, and its frames. Going from
 * one to another is thread.h's business. */
#ifndef TRC_STACKS_H
#define TRC_STACKS_H

#include "core/base/activation.h"
#include "core/tree/calltree.h"

typedef struct trc_frame {
    trc_node *node;
    trc_activation id;
    trc_tick start; /* when it was entered, moved on by the time for which it stood still; for overflow frames alone */
} trc_frame;

typedef struct trc_stack {
    trc_frame *frames; /* frames[0] is the root's and never left */
    trc_frame *top;
    trc_frame *end; /* one past the room there is */
} trc_stack;

/* Kept from the first time that the owner's stack waits until it is found to be empty. */
typedef struct trc_waiting {
    const void *owner; /* opaque */
    trc_stack stack;   /* owned; frames is NULL while the thread is on it */
    trc_tick since;
    UT_hash_handle hh;
} trc_waiting;

typedef struct trc_stacks {
    const trc_allocator *allocator;
    trc_waiting *first; /* uthash head */
} trc_stacks;

void trc_stacks_init(trc_stacks *table, const trc_allocator *allocator);
void trc_stacks_free(trc_stacks *table);

/* The record of an owner, or NULL. */
trc_waiting *trc_stacks_find(const trc_stacks *table, const void *owner);

/* Adds an owner that has no record. NULL when memory is out. */
trc_waiting *trc_stacks_add(trc_stacks *table, const void *owner);
void trc_stacks_remove(trc_stacks *table, trc_waiting *waiting);

#endif
