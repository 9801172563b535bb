/* One traced thread: see thread.h. Here is the rare half: growing, folding, repairing. */
#include "thread.h"

#define FIRST_FRAMES 64
#define ROOT_ID 0 /* no activation has it */

bool trc_thread_init(trc_thread *thread, const trc_allocator *allocator, atomic_long *budget,
                     void (*release)(void *owner), trc_tick now)
{
    memset(thread, 0, sizeof *thread);
    trc_functab_init(&thread->funcs, allocator, release);
    trc_edgetab_init(&thread->edges, allocator);
    thread->frames = trc_alloc(allocator, FIRST_FRAMES * sizeof *thread->frames);
    if (!trc_calltree_init(&thread->tree, allocator, budget) || thread->frames == NULL) {
        return false;
    }
    thread->end = thread->frames + FIRST_FRAMES;
    thread->top = thread->frames;
    thread->top->node = thread->tree.root;
    thread->top->id = ROOT_ID;
    thread->top->start = now;
    thread->last = now;
    return true;
}

void trc_thread_free(trc_thread *thread)
{
    const trc_allocator *allocator = thread->tree.allocator;
    if (allocator != NULL) {
        trc_calltree_free(&thread->tree);
    }
    trc_free(thread->funcs.allocator, thread->frames);
    thread->frames = thread->top = thread->end = NULL;
    trc_edgetab_free(&thread->edges);
    trc_functab_free(&thread->funcs);
}

static void count_activation(const trc_node *node, int step)
{
    node->func->active += (uint32_t)step;
    if (node->cold->edge != NULL) {
        node->cold->edge->active += (uint32_t)step;
    }
}

static void start_folding(trc_thread *thread)
{
    if (!thread->folding) {
        thread->folding = true;
        for (trc_frame *frame = thread->frames + 1; frame <= thread->top; frame++) {
            count_activation(frame->node, 1);
        }
    }
}

trc_node *trc_thread_add_child(trc_thread *thread, trc_func *func)
{
    trc_node *parent = thread->top->node;
    trc_edge *edge = NULL;
    if (parent->func != NULL) {
        edge = trc_edgetab_get(&thread->edges, parent->func->id, func->id);
        if (edge == NULL) {
            thread->lost_calls++;
            return NULL;
        }
    }
    if (parent->cold->fold == NULL) {
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
    start_folding(thread);
    return node;
}

static bool grow(trc_thread *thread)
{
    size_t used = (size_t)(thread->top - thread->frames) + 1;
    size_t room = (size_t)(thread->end - thread->frames);
    trc_frame *frames = trc_resize(thread->tree.allocator, thread->frames, 2 * room * sizeof *frames);
    if (frames == NULL) {
        return false;
    }
    thread->frames = frames;
    thread->top = frames + used - 1;
    thread->end = frames + 2 * room;
    return true;
}

/* Counts a call in a fold node: what is outermost is known only now. */
static void count_folded(const trc_node *node, bool resumed)
{
    trc_func *func = node->func;
    trc_edge *edge = node->cold->edge;
    trc_figures *fold = node->cold->fold;
    if (func->active == 0) {
        *(resumed ? &func->folded_primitive_resumes : &func->folded_primitive_calls) += 1;
    }
    if (edge != NULL && edge->active == 0) {
        *(resumed ? &fold->primitive_resumes : &fold->primitive_calls) += 1;
    }
}

void trc_thread_enter_slowly(trc_thread *thread, trc_node *node, uintptr_t id, bool resumed, trc_tick now)
{
    if (thread->top + 1 == thread->end && !grow(thread)) {
        thread->lost_calls++;
        return;
    }
    *(resumed ? &node->resumes : &node->calls) += 1;
    if (thread->folding) {
        if (node->cold->fold != NULL) {
            count_folded(node, resumed);
        }
        count_activation(node, 1);
    }
    thread->top++;
    thread->top->node = node;
    thread->top->id = id;
    thread->top->start = now;
}

/* Takes the top frame off while the thread folds. */
static void pop_folding(trc_thread *thread, trc_tick now)
{
    trc_frame *frame = thread->top--;
    const trc_node *node = frame->node;
    count_activation(node, -1);
    if (node->cold->fold == NULL) {
        return;
    }
    trc_tick elapsed = trc_ticks_since(now, frame->start);
    if (node->func->active == 0) {
        trc_add_ticks(&node->func->folded_cum, elapsed);
    }
    if (node->cold->edge != NULL && node->cold->edge->active == 0) {
        trc_add_ticks(&node->cold->fold->cum, elapsed);
    }
    if (thread->top->node->cold->fold == NULL) {
        trc_add_ticks(&thread->top->node->cold->folded, elapsed);
    }
}

static void pop_down_to(trc_thread *thread, trc_frame *below, trc_tick now)
{
    if (!thread->folding) {
        thread->top = below;
    }
    while (thread->top != below) {
        pop_folding(thread, now);
    }
}

void trc_thread_leave_slowly(trc_thread *thread, uintptr_t id, trc_tick now)
{
    for (trc_frame *frame = thread->top; frame != thread->frames; frame--) {
        if (frame->id == id) {
            pop_down_to(thread, frame - 1, now);
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
    trc_add_ticks(&thread->top->node->self, trc_ticks_since(now, thread->last));
    thread->last = now;
}

void trc_thread_resume(trc_thread *thread, trc_tick now)
{
    for (trc_frame *frame = thread->frames; frame <= thread->top; frame++) {
        trc_add_ticks(&frame->start, trc_ticks_since(now, thread->last));
    }
    thread->last = now;
}

void trc_thread_stop(trc_thread *thread, trc_tick now)
{
    trc_thread_pause(thread, now);
    pop_down_to(thread, thread->frames, now);
}
