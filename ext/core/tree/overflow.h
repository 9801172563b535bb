/* What is counted while a thread overflows: thread.h says when it does, and why. The activations of each function and
 * edge on the stacks of the thread are counted, and a call in an overflow node adds to the figures of which it is
 * outermost. */
#ifndef TRC_OVERFLOW_H
#define TRC_OVERFLOW_H

#include "core/tree/stacks.h"

/* Finds the edge by which `caller` calls a function; NULL if that is the root. Returns false when memory is out. */
static inline bool trc_overflow_find_edge(trc_edgetab *edges, const trc_node *caller, const trc_func *func,
                                          trc_edge **edge)
{
    const trc_func *from = trc_node_func(caller);
    *edge = from == NULL ? NULL : trc_edgetab_get(edges, from->id, func->id);
    return from == NULL || *edge != NULL;
}

/* Finds the edge of each frame on a stack. Returns false when memory is out. */
bool trc_overflow_find_edges(trc_edgetab *edges, const trc_stack *stack);

/* Counts an activation as active (step 1), or no longer (-1). */
static inline void trc_overflow_count(const trc_frame *frame, int step)
{
    trc_node_func(frame->node)->active += (uint32_t)step;
    if (frame->edge != NULL) {
        frame->edge->active += (uint32_t)step;
    }
}

/* The same for all activations on a stack. */
void trc_overflow_count_stack(const trc_stack *stack, int step);

/* Counts a call in an overflow node. Whether it is outermost can be told only now. */
static inline void trc_overflow_count_outermost(const trc_frame *frame, trc_entry entry)
{
    trc_func *func = trc_node_func(frame->node);
    trc_figures *figures = trc_cold(frame->node)->overflow;
    if (func->active == 0) {
        func->overflow_primitive_calls += entry == TRC_CALLED;
        func->overflow_primitive_resumes += entry == TRC_RESUMED;
    }
    if (frame->edge != NULL && frame->edge->active == 0) {
        figures->primitive_calls += entry == TRC_CALLED;
        figures->primitive_resumes += entry == TRC_RESUMED;
    }
}

/* An activation has come onto the stack. Inlined, as the leave is: that saves 24 instructions of such a call. */
static inline void trc_overflow_enter(const trc_frame *frame, trc_entry entry)
{
    if (frame->node->is_overflow) {
        trc_overflow_count_outermost(frame, entry);
    }
    trc_overflow_count(frame, 1);
}

/* It is taken off it at `now`; `caller` is the node below. */
static inline void trc_overflow_leave(const trc_frame *frame, const trc_node *caller, trc_tick now)
{
    trc_overflow_count(frame, -1);
    if (!frame->node->is_overflow) {
        return;
    }
    trc_tick elapsed = trc_ticks_since(now, frame->start);
    trc_func *func = trc_node_func(frame->node);
    if (func->active == 0) {
        trc_add_ticks(&func->overflow_cumulative, elapsed);
    }
    if (frame->edge != NULL && frame->edge->active == 0) {
        trc_add_ticks(&trc_cold(frame->node)->overflow->cumulative, elapsed);
    }
    if (!caller->is_overflow) {
        trc_add_ticks(&trc_cold(caller)->overflowed, elapsed);
    }
}

#endif
