/* One traced thread: see thread.h. This file has the rare half: growing, overflowing, repairing, switching stacks. */
#include "core/tree/thread.h"

#define FIRST_FRAMES 64
#define ROOT_ID UINTPTR_MAX /* no activation has it */

static bool make_stack(const trc_calltree *tree, trc_stack *stack)
{
    trc_frame *frames = trc_alloc(tree->allocator, FIRST_FRAMES * sizeof *frames);
    if (frames == NULL) {
        return false;
    }
    frames->node = tree->root;
    frames->id = ROOT_ID;
    *stack = (trc_stack){frames, frames, frames + FIRST_FRAMES};
    return true;
}

bool trc_thread_init(trc_thread *thread, const trc_allocator *allocator, atomic_long *budget,
                     void (*release)(void *owner), trc_tick now)
{
    memset(thread, 0, sizeof *thread);
    trc_functab_init(&thread->funcs, allocator, release);
    trc_edgetab_init(&thread->edges, allocator);
    trc_stacks_init(&thread->others, allocator);
    thread->last = now;
    return trc_calltree_init(&thread->tree, allocator, budget) && make_stack(&thread->tree, &thread->stack);
}

void trc_thread_free(trc_thread *thread)
{
    const trc_allocator *allocator = thread->tree.allocator;
    if (allocator != NULL) {
        trc_calltree_free(&thread->tree);
    }
    trc_stacks_free(&thread->others);
    trc_free(thread->funcs.allocator, thread->stack.frames);
    thread->stack = (trc_stack){NULL, NULL, NULL};
    trc_edgetab_free(&thread->edges);
    trc_functab_free(&thread->funcs);
}

static void count_activation(const trc_node *node, int step)
{
    trc_edge *edge = trc_cold(node)->edge;
    node->func->active += (uint32_t)step;
    if (edge != NULL) {
        edge->active += (uint32_t)step;
    }
}

/* Counts the activations on the stack as active (step 1), or no longer (-1). */
static void count_stack(const trc_stack *stack, int step)
{
    for (const trc_frame *frame = stack->frames + 1; frame <= stack->top; frame++) {
        count_activation(frame->node, step);
    }
}

static void start_overflowing(trc_thread *thread)
{
    if (!thread->overflowing) {
        thread->overflowing = true;
        count_stack(&thread->stack, 1);
    }
}

trc_node *trc_thread_add_child(trc_thread *thread, trc_func *func)
{
    trc_node *parent = thread->stack.top->node;
    trc_edge *edge = NULL;
    if (parent->func != NULL) {
        edge = trc_edgetab_get(&thread->edges, parent->func->id, func->id);
        if (edge == NULL) {
            thread->lost_calls++;
            return NULL;
        }
    }
    if (!trc_cold(parent)->is_overflow) {
        trc_node *node = trc_calltree_add(&thread->tree, parent, func, edge, false);
        if (node != NULL) {
            return node;
        }
    }
    trc_node *node = trc_calltree_add(&thread->tree, parent, func, edge, true);
    if (node == NULL) {
        thread->lost_calls++;
        return NULL;
    }
    start_overflowing(thread);
    return node;
}

static bool grow(trc_thread *thread)
{
    trc_stack *stack = &thread->stack;
    size_t depth = (size_t)(stack->top - stack->frames);
    size_t room = (size_t)(stack->end - stack->frames);
    trc_frame *frames = trc_resize(thread->tree.allocator, stack->frames, 2 * room * sizeof *frames);
    if (frames == NULL) {
        return false;
    }
    *stack = (trc_stack){frames, frames + depth, frames + 2 * room};
    return true;
}

/* Counts a call in an overflow node. Whether it is outermost can be told only now. */
static void count_overflowed(const trc_node *node, trc_entry entry)
{
    trc_func *func = node->func;
    const trc_node_cold *cold = trc_cold(node);
    if (func->active == 0) {
        func->overflow_primitive_calls += entry == TRC_CALLED;
        func->overflow_primitive_resumes += entry == TRC_RESUMED;
    }
    if (cold->edge != NULL && cold->edge->active == 0) {
        cold->overflow->primitive_calls += entry == TRC_CALLED;
        cold->overflow->primitive_resumes += entry == TRC_RESUMED;
    }
}

void trc_thread_enter_slowly(trc_thread *thread, trc_node *node, trc_activation id, trc_entry entry, trc_tick now)
{
    if (thread->stack.top + 1 == thread->stack.end && !grow(thread)) {
        thread->lost_calls++;
        return;
    }
    trc_node_cold *cold = trc_cold(node);
    node->calls += entry == TRC_CALLED;
    cold->resumes += entry == TRC_RESUMED;
    if (thread->overflowing) {
        if (cold->is_overflow) {
            count_overflowed(node, entry);
        }
        count_activation(node, 1);
    }
    *++thread->stack.top = (trc_frame){node, id, now};
}

/* Pops the top frame while the thread overflows. */
static void pop_overflowing(trc_thread *thread, trc_tick now)
{
    trc_frame *frame = thread->stack.top--;
    const trc_node *node = frame->node;
    const trc_node_cold *cold = trc_cold(node);
    count_activation(node, -1);
    if (!cold->is_overflow) {
        return;
    }
    trc_tick elapsed = trc_ticks_since(now, frame->start);
    if (node->func->active == 0) {
        trc_add_ticks(&node->func->overflow_cumulative, elapsed);
    }
    if (cold->edge != NULL && cold->edge->active == 0) {
        trc_add_ticks(&cold->overflow->cumulative, elapsed);
    }
    trc_node_cold *caller = trc_cold(thread->stack.top->node);
    if (!caller->is_overflow) {
        trc_add_ticks(&caller->overflowed, elapsed);
    }
}

/* The activations above `below` end: see thread.h. */
static void pop_down_to(trc_thread *thread, trc_frame *below, trc_tick now)
{
    if (!thread->overflowing) {
        thread->stack.top = below;
    }
    while (thread->stack.top != below) {
        pop_overflowing(thread, now);
    }
}

void trc_thread_leave_slowly(trc_thread *thread, trc_activation id, trc_tick now)
{
    trc_activation caller = id & ~(trc_activation)1; /* the activation of a C function lies above its caller's */
    for (trc_frame *frame = thread->stack.top; frame != thread->stack.frames; frame--) {
        if (frame->id == id) {
            pop_down_to(thread, frame - 1, now);
            return;
        }
        if (frame->id == caller) {
            return;
        }
    }
}

void trc_thread_start(trc_thread *thread, trc_tick now)
{
    thread->last = now;
}

void trc_thread_pause(trc_thread *thread, trc_tick now)
{
    trc_add_ticks(&thread->stack.top->node->self, trc_ticks_since(now, thread->last));
    thread->last = now;
}

/* Moves on the starts of all frames: time stood still for them. */
static void shift(const trc_stack *stack, trc_tick ticks)
{
    for (trc_frame *frame = stack->frames; frame <= stack->top; frame++) {
        trc_add_ticks(&frame->start, ticks);
    }
}

void trc_thread_resume(trc_thread *thread, trc_tick now)
{
    shift(&thread->stack, trc_ticks_since(now, thread->last));
    thread->last = now;
}

/* Puts the thread's stack aside for an owner that has none aside, and gives the thread an empty one. Returns false when
 * memory is out: then nothing has changed. */
static bool put_aside(trc_thread *thread, const void *owner, trc_tick now)
{
    trc_stack fresh;
    if (!make_stack(&thread->tree, &fresh)) {
        return false;
    }
    trc_waiting *waiting = trc_stacks_find(&thread->others, owner);
    if (waiting == NULL) {
        waiting = trc_stacks_add(&thread->others, owner);
    }
    if (waiting == NULL) {
        trc_free(thread->tree.allocator, fresh.frames);
        return false;
    }
    if (thread->overflowing) {
        count_stack(&thread->stack, -1);
    }
    waiting->stack = thread->stack;
    waiting->since = now;
    thread->stack = fresh;
    return true;
}

/* Gives the thread, whose stack is empty, a waiting stack. */
static void take_back(trc_thread *thread, trc_waiting *waiting, trc_tick now)
{
    trc_free(thread->tree.allocator, thread->stack.frames);
    thread->stack = waiting->stack;
    waiting->stack.frames = NULL;
    shift(&thread->stack, trc_ticks_since(now, waiting->since));
    if (thread->overflowing) {
        count_stack(&thread->stack, 1);
    }
}

static void leave_all(trc_thread *thread, trc_tick now)
{
    pop_down_to(thread, thread->stack.frames, now);
}

/* Leaves every frame of the owner's waiting stack, if there is one, and removes the owner's record. The thread's own
 * stack must be empty. */
static void drop(trc_thread *thread, trc_waiting *waiting, trc_tick now)
{
    if (waiting->stack.frames != NULL) {
        take_back(thread, waiting, now);
        leave_all(thread, now);
    }
    trc_stacks_remove(&thread->others, waiting);
}

static void leave_every_stack(trc_thread *thread, trc_tick now)
{
    leave_all(thread, now);
    while (thread->others.first != NULL) {
        drop(thread, thread->others.first, now);
    }
    thread->on = NULL;
}

bool trc_thread_switch(trc_thread *thread, const void *from, bool is_over, const void *to, trc_tick now)
{
    trc_thread_pause(thread, now);
    if (thread->on != NULL && thread->on != from) {
        leave_every_stack(thread, now);
    }
    thread->on = to;
    trc_waiting *waiting = trc_stacks_find(&thread->others, from);
    bool empty = is_over || thread->stack.top == thread->stack.frames; /* `from` has ended, or was never seen */
    if (empty || !put_aside(thread, from, now)) {
        leave_all(thread, now);
        if (waiting != NULL) {
            drop(thread, waiting, now);
        }
    }
    waiting = trc_stacks_find(&thread->others, to);
    if (waiting == NULL || waiting->stack.frames == NULL) {
        return false;
    }
    take_back(thread, waiting, now);
    return true;
}

void trc_thread_stop(trc_thread *thread, trc_tick now)
{
    trc_thread_pause(thread, now);
    leave_every_stack(thread, now);
}
