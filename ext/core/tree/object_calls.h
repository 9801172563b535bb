/* Calls of objects that have no row, such as types, partials and ufuncs: their time is in that of the function that calls them.
 * How often each is called, and how much of that time is theirs. */
#ifndef TRC_OBJECT_CALLS_H
#define TRC_OBJECT_CALLS_H

#include "core/base/activation.h"
#include "core/base/hash.h"
#include "core/tree/calltree.h"

/* Calls of an object by a function, both by ids of the layer above. */
typedef struct trc_object_calls {
    uint64_t key; /* of caller and callee */
    uint64_t calls;
    trc_tick ticks; /* of the caller's own time */
    UT_hash_handle hh;
} trc_object_calls;

/* As a profile file holds them. */
typedef struct trc_object_calls_record {
    uint32_t caller;
    uint32_t callee;
    uint64_t calls;
    trc_tick ticks;
} trc_object_calls_record;

/* Where the calls of an object are found at once: by the node of the caller, and by what the layer above knows it by. */
#define TRC_OBJECT_PLACES 64
typedef struct trc_object_place {
    const trc_node *node;
    const void *object;
    const void *type;
    const void *name;        /* of its class, or NULL: another class may come to its address */
    trc_object_calls *calls; /* NULL: they are counted nowhere */
} trc_object_place;

/* A call that runs. It is left behind where its end is not told of. */
typedef struct trc_running_object {
    trc_object_calls *calls;
    const trc_node *node; /* of its caller */
    trc_activation id;
    trc_tick own; /* of the node when it began */
} trc_running_object;

/* Of one thread. */
typedef struct trc_object_table {
    const trc_allocator *allocator;
    trc_object_calls *first;     /* uthash head */
    trc_object_place *places;    /* owned: TRC_OBJECT_PLACES of them, or NULL before the first call */
    trc_running_object *running; /* owned: one within the other */
    uint32_t depth, room;
} trc_object_table;

void trc_object_table_init(trc_object_table *table, const trc_allocator *allocator);
void trc_object_table_free(trc_object_table *table);

/* Returns the place for calls of an object from a node, or NULL when memory is out. It is another object's, or empty, unless
 * trc_object_place_is() says that it is right. */
trc_object_place *trc_object_table_place(trc_object_table *table, const trc_node *node, const void *object);
static inline bool trc_object_place_is(const trc_object_place *place, const trc_object_place *what)
{
    return place->node == what->node && place->object == what->object && place->type == what->type &&
           place->name == what->name;
}

/* Gives the place to calls of an object. Returns false when memory is out. */
bool trc_object_table_put(trc_object_table *table, trc_object_place *place, const trc_object_place *what,
                          uint32_t caller, uint32_t callee);

/* A call begins, when the node has so much own time. */
void trc_object_table_begin(trc_object_table *table, const trc_object_place *place, trc_activation id, trc_tick own);

/* A call of this name ends. Returns it, if it is one of these, until the next begins; else NULL. */
const trc_running_object *trc_object_table_end(trc_object_table *table, trc_activation id);

#endif
