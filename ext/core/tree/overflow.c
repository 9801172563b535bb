/* What is counted while a thread overflows: see overflow.h. */
#include "core/tree/overflow.h"

static void count_activation(const trc_frame *frame, int step)
{
    trc_node_func(frame->node)->active += (uint32_t)step;
    if (frame->edge != NULL) {
        frame->edge->active += (uint32_t)step;
    }
}

void trc_overflow_count_stack(const trc_stack *stack, int step)
{
    for (const trc_frame *frame = stack->frames + 1; frame <= stack->top; frame++) {
        count_activation(frame, step);
    }
}

bool trc_overflow_find_edge(trc_edgetab *edges, const trc_node *caller, const trc_func *func, trc_edge **edge)
{
    const trc_func *from = trc_node_func(caller);
    *edge = from == NULL ? NULL : trc_edgetab_get(edges, from->id, func->id);
    return from == NULL || *edge != NULL;
}

bool trc_overflow_find_edges(trc_edgetab *edges, const trc_stack *stack)
{
    bool found = true;
    for (trc_frame *frame = stack->frames + 1; found && frame <= stack->top; frame++) {
        found = trc_overflow_find_edge(edges, frame[-1].node, trc_node_func(frame->node), &frame->edge);
    }
    return found;
}

/* Counts a call in an overflow node. Whether it is outermost can be told only now. */
static void count_overflowed(const trc_frame *frame, trc_entry entry)
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

void trc_overflow_enter(const trc_frame *frame, trc_entry entry)
{
    if (frame->node->is_overflow) {
        count_overflowed(frame, entry);
    }
    count_activation(frame, 1);
}

void trc_overflow_leave(const trc_frame *frame, const trc_node *caller, trc_tick now)
{
    count_activation(frame, -1);
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
