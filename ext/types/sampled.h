/* What a profile that is made of samples knows, as the dict `sampled` of a snapshot:
 *
 *     rate, period     samples in a second of CPU; seconds for which one of weight 1 stands
 *     samples, squares how many there were, whatever their weight; the sum of the squares of the weights of those in the program
 *     lost, broken     weights of those that found no room, and of those whose frames could not be read
 *     in_events        weight of those while a callback of an event ran
 *     spent            seconds of CPU that it took to read frames, and to count
 *     slowdown, events, event_cost  what was asked for; events that came, and seconds that each took
 *     has_counts       whether calls were counted
 *     codes            tuple of (file, first line, name, qualified name)
 *     filtered         a byte for each: 1: it is left out; 2: its lines are, and maybe itself
 *     nodes            records of (parent, code), from node 1 on; code 2^32 - 1 is not known, 2^32 - 2 a collection
 *     lines            records of (code, line, weight as the innermost, whole weight)
 *     counts           records of (function, whether there may be more, calls): positions in `functions`
 *     edges            records of (caller or 2^32 - 1, callee, calls)
 *     hits             records of (function, line, whether there may be more, 0, hits); None: hits were not counted
 *     others, refused  threads, as `native` has them
 *
 * Each thread has its samples as `native`, whose nodes are these. */
#ifndef TRC_SAMPLED_H
#define TRC_SAMPLED_H

#include "types/snapshot.h"

/* New reference, or NULL with an exception set; the snapshot has frames. */
PyObject *trc_sampled_as_dict(const trc_snapshot *snapshot, const trc_recorder *recorder);

#endif
