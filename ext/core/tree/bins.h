/* How many calls and how much own time each node of a thread had in each part of the run: exact, also of what the log
 * leaves out. The run is divided into bins. A bin holds what changed in it, of the nodes that were *touched*: entered, or
 * on the stack when it began.
 *
 * A node knows the bin in which it was touched last by the top 16 bits of its count of calls, the *epoch*: an event
 * compares them, and only the first touch in a bin keeps the figures that the node had before.
 *
 * All bins are one unit wide at first. When there are TRC_BIN_LIMIT, or no more room, new ones are twice as wide, and
 * the old ones are merged two by two, some each time that a bin ends. A long time without an event is in as few bins as
 * there can be, which are wider: one node has all of it. */
#ifndef TRC_BINS_H
#define TRC_BINS_H

#include "core/log/varint.h"
#include "core/tree/calltree.h"

#define TRC_BIN_LIMIT 1024
#define TRC_BIN_ROOM (12 << 20) /* bytes of all bins of a profile, where its user asks for no more */
#define TRC_BIN_SPARE (4 << 20) /* and more, while neighbours are being merged */

/* A node as it was when it was touched. */
typedef struct trc_touched {
    trc_node *node;
    uint64_t calls;
    trc_tick self;
} trc_touched;

typedef struct trc_bin trc_bin;

typedef struct trc_bins {
    uint64_t epoch; /* of the present bin, in the place where nodes have it */
    trc_tick ends;  /* when the present bin does */
    trc_tick origin;
    trc_tick unit;
    uint64_t first; /* unit with which the present bin begins */
    uint64_t width; /* units of the present bin and of new ones; a power of two */
    const trc_allocator *allocator;
    atomic_long *room; /* bytes that all bins of the profile may still take; borrowed */
    trc_touched *touched;
    uint32_t touched_count;
    uint32_t touched_room;
    trc_bin *oldest; /* owned */
    trc_bin *newest;
    trc_bin **merging; /* where the next stands that is to be merged with its neighbour; NULL: all that can be are */
    uint32_t count;
    uint64_t lost; /* touches for which there was no memory: these nodes' figures are in no bin */
    void *scratch; /* owned: see keep() */
    uint32_t scratch_count;
} trc_bins;

/* Makes the bins of one more thread; the first begins at `now`. Returns NULL when memory is out. */
trc_bins *trc_bins_new(const trc_allocator *allocator, atomic_long *room, trc_tick origin, trc_tick unit, trc_tick now);

/* Has empty bins begin at this time instead, from which they count, too: on a clock that is the thread's own. */
void trc_bins_begin_at(trc_bins *bins, trc_tick origin);

/* NULL is allowed. */
void trc_bins_free(trc_bins *bins);

/* The first touch of a node in the present bin. */
void trc_bins_touch_first(trc_bins *bins, trc_node *node);

/* Before a node is entered, or gets time. */
static inline void trc_bins_touch(trc_bins *bins, trc_node *node)
{
    if ((node->calls & TRC_EPOCH_BITS) != bins->epoch) {
        trc_bins_touch_first(bins, node);
    }
}

/* Ends the present bin at its end, when all figures are as they are then. The caller touches what is on the stack for
 * the next one, which begins there. `tree`: whose nodes these are. */
void trc_bins_end(trc_bins *bins, trc_calltree *tree);

/* Passes over the time since the present bin began, which is empty, to the bin that has `now`: no event came. All of that
 * time is own time of the node `top`; that of the root is in no bin. Returns when the present bin begins then: the caller
 * gives `top` its time until that moment. */
trc_tick trc_bins_pass(trc_bins *bins, const trc_node *top, trc_tick now);

/* Ends the present bin now: time stands still until `trc_bins_begin`. The caller touches as above. */
void trc_bins_begin(trc_bins *bins, trc_calltree *tree, trc_tick now);

/* How many bytes the bins take in a file at most; and writes them there, and returns how many they take. The time from
 * `last`, when the figures of the nodes are from, to `now` is own time of the node `top`. */
size_t trc_bins_size(const trc_bins *bins);
size_t trc_bins_write(const trc_bins *bins, uint8_t *to, const trc_node *top, trc_tick last, trc_tick now);

#endif
