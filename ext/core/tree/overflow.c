/* What is counted while a thread overflows: see overflow.h. */
#include "core/tree/overflow.h"

void trc_overflow_count_stack(const trc_stack *stack, int step)
{
    for (const trc_frame *frame = stack->frames + 1; frame <= stack->top; frame++) {
        trc_overflow_count(frame, step);
    }
}

bool trc_overflow_find_edges(trc_edgetab *edges, const trc_stack *stack)
{
    bool found = true;
    for (trc_frame *frame = stack->frames + 1; found && frame <= stack->top; frame++) {
        found = trc_overflow_find_edge(edges, frame[-1].node, trc_node_func(frame->node), &frame->edge);
    }
    return found;
}
