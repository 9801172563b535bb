/* What is counted while a thread overflows: thread.h says when it does, and why. The activations of each function and
 * edge on the stacks of the thread are counted, and a call in an overflow node adds to the figures of which it is
 * outermost. */
#ifndef TRC_OVERFLOW_H
#define TRC_OVERFLOW_H

#include "core/tree/stacks.h"

/* Finds the edge by which `caller` calls a function; NULL if that is the root. Returns false when memory is out. */
bool trc_overflow_find_edge(trc_edgetab *edges, const trc_node *caller, const trc_func *func, trc_edge **edge);

/* Finds the edge of each frame on a stack. Returns false when memory is out. */
bool trc_overflow_find_edges(trc_edgetab *edges, const trc_stack *stack);

/* Counts the activations on a stack as active (step 1), or no longer (-1). */
void trc_overflow_count_stack(const trc_stack *stack, int step);

/* An activation has come onto the stack. */
void trc_overflow_enter(const trc_frame *frame, trc_entry entry);

/* It is taken off it at `now`; `caller` is the node below. */
void trc_overflow_leave(const trc_frame *frame, const trc_node *caller, trc_tick now);

#endif
