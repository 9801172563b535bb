/* The stacks that wait while their thread is on another one, as those of greenlets do: the owner of each, and its
 * frames. thread.h switches between them. */
#ifndef TRC_STACKS_H
#define TRC_STACKS_H

#include "core/base/activation.h"
#include "core/tree/calltree.h"
#include "core/tree/edgetab.h"

typedef struct trc_frame {
    trc_node *node;
    trc_activation id;
    trc_tick start; /* when it was entered, moved on by pauses and waits; only overflow frames need it */
    trc_edge *edge; /* while the thread overflows: of its caller and its function; NULL when the root called it */
} trc_frame;

typedef struct trc_stack {
    trc_frame *frames; /* frames[0] is the root's and never left */
    trc_frame *top;
    trc_frame *last; /* the last allocated frame */
} trc_stack;

/* The record of an owner, kept from the first time that its stack waits until the stack is found empty. */
typedef struct trc_waiting {
    const void *owner; /* opaque */
    trc_stack stack;   /* owned; `frames` is NULL while the thread is on this stack */
    trc_tick since;
    uint32_t number; /* of the stack in the thread's log, and of its task */
    uint32_t task;
    UT_hash_handle hh;
} trc_waiting;

typedef struct trc_stacks {
    const trc_allocator *allocator;
    trc_waiting *first; /* uthash head */
} trc_stacks;

void trc_stacks_init(trc_stacks *table, const trc_allocator *allocator);
void trc_stacks_free(trc_stacks *table);

/* Returns the record of an owner, or NULL. */
trc_waiting *trc_stacks_find(const trc_stacks *table, const void *owner);

/* Adds a record for an owner that has none. Returns NULL when memory is out. */
trc_waiting *trc_stacks_add(trc_stacks *table, const void *owner);
void trc_stacks_remove(trc_stacks *table, trc_waiting *waiting);

#endif
