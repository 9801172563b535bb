/* A thread as flat records: see capture.h. */
#include "core/report/capture.h"

_Static_assert(sizeof(trc_node_record) == 40 && sizeof(trc_overflow_record) == 56 &&
                   sizeof(trc_outermost_record) == 32 && sizeof(trc_extra_record) == 16 &&
                   sizeof(trc_unseen_record) == 16,
               "the records are written to files as they are");

typedef struct copier {
    trc_capture *capture;
    uint32_t *position; /* index of a node -> its position among the records of its kind */
} copier;

static void copy_node(void *context, const trc_node *node)
{
    copier *to = context;
    trc_capture *capture = to->capture;
    const trc_node_cold *cold = trc_cold(node);
    if (!cold->is_overflow) {
        trc_node_record *record = &capture->nodes[capture->node_count];
        record->parent = node->func == NULL ? 0 : to->position[trc_cold(trc_node_parent(node))->index];
        record->func = node->func == NULL ? TRC_NO_FUNCTION : node->func->id;
        record->calls = node->calls;
        record->resumes = cold->resumes;
        record->self = node->self;
        record->overflowed = cold->overflowed;
        to->position[cold->index] = capture->node_count++;
        return;
    }
    trc_overflow_record *record = &capture->overflows[capture->overflow_count];
    record->caller = trc_overflow_caller(node) == NULL ? TRC_NO_FUNCTION : trc_overflow_caller(node)->id;
    record->callee = node->func->id;
    record->figures = *cold->overflow;
    record->figures.calls = node->calls;
    record->figures.resumes = cold->resumes;
    record->figures.self = node->self;
    to->position[cold->index] = capture->overflow_count++;
}

static void copy_outermost(trc_capture *capture, const trc_thread *thread)
{
    for (const trc_func *func = thread->funcs.first; func != NULL; func = func->hh.next) {
        trc_outermost_record *record = &capture->outermost[capture->outermost_count++];
        record->func = func->id;
        record->reserved = 0;
        record->primitive_calls = func->overflow_primitive_calls;
        record->primitive_resumes = func->overflow_primitive_resumes;
        record->cumulative = func->overflow_cumulative;
    }
}

static uint32_t count_extra(const trc_thread *thread, trc_extra extra)
{
    uint32_t count = 0;
    for (const trc_func *func = thread->funcs.first; func != NULL; func = func->hh.next) {
        count += func->extras[extra] != 0;
    }
    return count;
}

/* False when memory is out. */
static bool copy_extra(trc_capture *capture, const trc_thread *thread, trc_extra extra)
{
    trc_extra_record *records = trc_alloc(thread->tree.allocator, count_extra(thread, extra) * sizeof *records);
    if (records == NULL) {
        return false;
    }
    uint32_t count = 0;
    for (const trc_func *func = thread->funcs.first; func != NULL; func = func->hh.next) {
        if (func->extras[extra] != 0) {
            records[count++] = (trc_extra_record){func->id, 0, func->extras[extra]};
        }
    }
    capture->extras[extra] = records;
    capture->extra_counts[extra] = count;
    return true;
}

/* False when memory is out. */
static bool copy_unseen(trc_capture *capture, const trc_thread *thread)
{
    uint32_t count = 0;
    for (const trc_func *func = thread->funcs.first; func != NULL; func = func->hh.next) {
        count += func->unseen != 0;
    }
    capture->unseen = trc_alloc(thread->tree.allocator, count * sizeof *capture->unseen);
    if (capture->unseen == NULL) {
        return false;
    }
    for (const trc_func *func = thread->funcs.first; func != NULL; func = func->hh.next) {
        if (func->unseen != 0) {
            capture->unseen[capture->unseen_count++] = (trc_unseen_record){func->id, 0, func->unseen};
        }
    }
    return true;
}

/* Adds the figures that leaving every frame of the stack at `now` would still add. Returns false when memory is out. */
static bool add_pending(copier *to, const trc_thread *thread, const trc_stack *stack, trc_tick now)
{
    char *seen = trc_alloc(thread->tree.allocator, thread->funcs.count + thread->edges.count);
    if (seen == NULL) {
        return false;
    }
    char *seen_edge = seen + thread->funcs.count;
    trc_capture *capture = to->capture;
    for (const trc_frame *frame = stack->frames + 1; frame <= stack->top; frame++) {
        const trc_node *node = frame->node;
        const trc_node *below = frame[-1].node;
        const trc_edge *edge = frame->edge;
        trc_tick elapsed = trc_ticks_since(now, frame->start);
        if (trc_cold(node)->is_overflow) {
            if (!seen[node->func->id]) {
                trc_add_ticks(&capture->outermost[node->func->id].cumulative, elapsed);
            }
            if (edge != NULL && !seen_edge[edge->id]) {
                trc_add_ticks(&capture->overflows[to->position[trc_cold(node)->index]].figures.cumulative, elapsed);
            }
            if (!trc_cold(below)->is_overflow) {
                trc_add_ticks(&capture->nodes[to->position[trc_cold(below)->index]].overflowed, elapsed);
            }
        }
        seen[node->func->id] = 1;
        if (edge != NULL) {
            seen_edge[edge->id] = 1;
        }
    }
    trc_free(thread->tree.allocator, seen);
    return true;
}

static bool add_all_pending(copier *to, const trc_thread *thread, trc_tick now)
{
    bool added = add_pending(to, thread, &thread->stack, now);
    for (const trc_waiting *other = thread->others.first; added && other != NULL; other = other->hh.next) {
        added = other->stack.frames == NULL || add_pending(to, thread, &other->stack, other->since);
    }
    return added;
}

static bool copy(copier *to, const trc_thread *thread, trc_tick now, bool running)
{
    trc_capture *capture = to->capture;
    trc_calltree_each(&thread->tree, copy_node, to);
    if (thread->overflowing) {
        copy_outermost(capture, thread);
    }
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        if (!copy_extra(capture, thread, extra)) {
            return false;
        }
    }
    if (!copy_unseen(capture, thread)) {
        return false;
    }
    const trc_node *top = thread->stack.top->node;
    uint32_t position = to->position[trc_cold(top)->index];
    now = running ? now : thread->last;
    trc_tick *self =
        !trc_cold(top)->is_overflow ? &capture->nodes[position].self : &capture->overflows[position].figures.self;
    trc_add_ticks(self, trc_ticks_since(now, thread->last));
    return !thread->overflowing || add_all_pending(to, thread, now);
}

bool trc_capture_thread(trc_capture *capture, const trc_thread *thread, trc_tick now, bool running)
{
    const trc_allocator *allocator = thread->tree.allocator;
    uint32_t count = thread->tree.count;
    memset(capture, 0, sizeof *capture);
    copier to = {capture, trc_alloc(allocator, count * sizeof(uint32_t))};
    capture->nodes = trc_alloc(allocator, (count - thread->tree.overflow_count) * sizeof *capture->nodes);
    bool ready = to.position != NULL && capture->nodes != NULL;
    if (thread->overflowing) {
        capture->overflows = trc_alloc(allocator, thread->tree.overflow_count * sizeof *capture->overflows);
        capture->outermost = trc_alloc(allocator, thread->funcs.count * sizeof *capture->outermost);
        ready = ready && capture->overflows != NULL && capture->outermost != NULL;
    }
    bool copied = ready && copy(&to, thread, now, running);
    trc_free(allocator, to.position);
    return copied;
}

void trc_capture_free(trc_capture *capture, const trc_allocator *allocator)
{
    trc_free(allocator, capture->nodes);
    trc_free(allocator, capture->overflows);
    trc_free(allocator, capture->outermost);
    for (trc_extra extra = 0; extra < TRC_EXTRA_COUNT; extra++) {
        trc_free(allocator, capture->extras[extra]);
    }
    trc_free(allocator, capture->unseen);
    memset(capture, 0, sizeof *capture);
}
