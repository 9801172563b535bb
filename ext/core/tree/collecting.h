/* Garbage collections of one thread, by the node in which they began. A collection takes the own time of that node, from
 * its beginning to its end: what is called meanwhile, such as finalizers, has nodes and time of its own. So this time is
 * always a part of the node's own time. */
#ifndef TRC_COLLECTING_H
#define TRC_COLLECTING_H

#include "core/tree/calltree.h"

/* The collections that began in one node, where any did. */
typedef struct trc_node_collections {
    const trc_node *node;
    uint64_t count;
    trc_tick ticks;
    trc_tick longest; /* ticks of the longest one */
    UT_hash_handle hh;
} trc_node_collections;

typedef struct trc_collecting {
    const trc_allocator *allocator;
    trc_node_collections *nodes; /* uthash head */
    const trc_node *node;        /* in which the present collection began, or NULL */
    trc_tick self;               /* the own time of that node then */
} trc_collecting;

void trc_collecting_init(trc_collecting *table, const trc_allocator *allocator);
void trc_collecting_free(trc_collecting *table);

/* A collection begins in a node, which has had this own time. One that has not ended counts nowhere. */
void trc_collecting_begin(trc_collecting *table, const trc_node *node, trc_tick self);

/* The present collection counts nowhere. */
void trc_collecting_forget(trc_collecting *table);

/* It ends, when its node has had this own time. Where memory is out, it counts nowhere. */
void trc_collecting_end(trc_collecting *table, trc_tick self);

#endif
