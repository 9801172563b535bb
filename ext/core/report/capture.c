/* A thread as flat records: see capture.h. */
#include "core/report/capture.h"

_Static_assert(sizeof(trc_node_record) == 40 && sizeof(trc_overflow_record) == 56 &&
                   sizeof(trc_outermost_record) == 32 && sizeof(trc_extra_record) == 16 &&
                   sizeof(trc_unseen_record) == 16 && sizeof(trc_wait_record) == 16 &&
                   sizeof(trc_collections_record) == 32,
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
    const trc_func *func = cold->func;
    if (!node->is_overflow) {
        trc_node_record *record = &capture->nodes[capture->node_count];
        record->parent = func == NULL ? 0 : to->position[trc_node_parent(node)->index];
        record->func = func == NULL ? TRC_NO_FUNCTION : func->id;
        record->calls = trc_node_calls(node);
        record->resumes = cold->resumes;
        record->self = node->self;
        record->overflowed = cold->overflowed;
        to->position[node->index] = capture->node_count++;
        return;
    }
    trc_overflow_record *record = &capture->overflows[capture->overflow_count];
    record->caller = trc_overflow_caller(node) == NULL ? TRC_NO_FUNCTION : trc_overflow_caller(node)->id;
    record->callee = func->id;
    record->figures = *cold->overflow;
    record->figures.calls = trc_node_calls(node);
    record->figures.resumes = cold->resumes;
    record->figures.self = node->self;
    to->position[node->index] = capture->overflow_count++;
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

/* The extras of one function. */
typedef trc_tick extras_of_func[TRC_EXTRA_COUNT];

static uint32_t count_extra(const extras_of_func *extras, uint32_t funcs, trc_extra extra)
{
    uint32_t count = 0;
    for (uint32_t id = 0; id < funcs; id++) {
        count += extras[id][extra] != 0;
    }
    return count;
}

/* False when memory is out. */
static bool copy_extra(trc_capture *capture, const trc_thread *thread, const extras_of_func *extras, trc_extra extra)
{
    trc_extra leading = trc_traits_of(extra)->merge == TRC_WITH_LARGEST ? extra - 1 : extra;
    uint32_t funcs = thread->funcs.count;
    trc_extra_record *records =
        trc_alloc(thread->tree.allocator, count_extra(extras, funcs, leading) * sizeof *records);
    if (records == NULL) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t id = 0; id < funcs; id++) {
        if (extras[id][leading] != 0) {
            records[count++] = (trc_extra_record){id, 0, extras[id][extra]};
        }
    }
    capture->extras[extra] = records;
    capture->extra_counts[extra] = count;
    return true;
}

/* The stretches of the stack that are under way last until `now`. */
static void add_stretches(extras_of_func *extras, const trc_stack *stack, trc_tick now)
{
    for (const trc_frame *frame = stack->frames + 1; frame <= stack->top; frame++) {
        trc_tick ticks = trc_ticks_since(now, frame->start);
        trc_add_extra(extras[trc_node_func(frame->node)->id], TRC_LONGEST, ticks, frame->start);
    }
}

/* What the top of the stack waits just now. */
static trc_tick pending_wait(const trc_thread *thread, trc_tick now, int64_t cpu)
{
    bool is_told = thread->waits != NULL && trc_node_func(thread->stack.top->node) != NULL;
    return is_told ? trc_off_cpu_meter_pending(&thread->waits->meter, thread->last, now, cpu) : 0;
}

/* False when memory is out. */
static bool copy_extras(trc_capture *capture, const trc_thread *thread, trc_tick now, trc_tick wait)
{
    extras_of_func *extras = trc_alloc(thread->tree.allocator, thread->funcs.count * sizeof *extras);
    if (extras == NULL) {
        return false;
    }
    for (const trc_func *func = thread->funcs.first; func != NULL; func = func->hh.next) {
        memcpy(extras[func->id], func->extras, sizeof func->extras);
    }
    add_stretches(extras, &thread->stack, now);
    for (const trc_waiting *other = thread->others.first; other != NULL; other = other->hh.next) {
        if (other->stack.frames != NULL) {
            add_stretches(extras, &other->stack, other->since);
        }
    }
    if (wait != 0) {
        trc_add_extra(extras[trc_node_func(thread->stack.top->node)->id], TRC_WAITED, wait, 0);
    }
    bool copied = true;
    for (trc_extra extra = 0; copied && extra < TRC_EXTRA_COUNT; extra++) {
        copied = copy_extra(capture, thread, extras, extra);
    }
    trc_free(thread->tree.allocator, extras);
    return copied;
}

/* The waits of nodes; those of overflow nodes are in their functions only. False when memory is out. */
static bool copy_waits(const copier *to, const trc_thread *thread, trc_tick wait)
{
    const trc_node *top = thread->stack.top->node;
    trc_capture *capture = to->capture;
    const trc_node_wait *first = thread->waits == NULL ? NULL : thread->waits->nodes;
    capture->waits = trc_alloc(thread->tree.allocator, (HASH_COUNT(first) + 1) * sizeof *capture->waits);
    if (capture->waits == NULL) {
        return false;
    }
    for (const trc_node_wait *each = first; each != NULL; each = each->hh.next) {
        if (!each->node->is_overflow) {
            trc_tick ticks = each->ticks;
            trc_add_ticks(&ticks, each->node == top ? wait : 0);
            capture->waits[capture->wait_count++] = (trc_wait_record){to->position[each->node->index], 0, ticks};
        }
    }
    bool is_new = wait != 0 && !top->is_overflow && trc_waits_of(thread->waits, top) == 0;
    if (is_new) {
        capture->waits[capture->wait_count++] = (trc_wait_record){to->position[top->index], 0, wait};
    }
    return true;
}

/* False when memory is out. */
static bool copy_collections(const copier *to, const trc_thread *thread)
{
    trc_capture *capture = to->capture;
    const trc_node_collections *first = thread->collecting.nodes;
    capture->collections = trc_alloc(thread->tree.allocator, HASH_COUNT(first) * sizeof *capture->collections);
    if (capture->collections == NULL) {
        return false;
    }
    for (const trc_node_collections *each = first; each != NULL; each = each->hh.next) {
        capture->collections[capture->collection_count++] = (trc_collections_record){
            to->position[each->node->index], each->node->is_overflow, each->count, each->ticks, each->longest};
    }
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
        uint32_t func = trc_node_func(node)->id;
        const trc_edge *edge = frame->edge;
        trc_tick elapsed = trc_ticks_since(now, frame->start);
        if (node->is_overflow) {
            if (!seen[func]) {
                trc_add_ticks(&capture->outermost[func].cumulative, elapsed);
            }
            if (edge != NULL && !seen_edge[edge->id]) {
                trc_add_ticks(&capture->overflows[to->position[node->index]].figures.cumulative, elapsed);
            }
            if (!below->is_overflow) {
                trc_add_ticks(&capture->nodes[to->position[below->index]].overflowed, elapsed);
            }
        }
        seen[func] = 1;
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

static bool copy(copier *to, const trc_thread *thread, trc_tick now, int64_t cpu)
{
    trc_capture *capture = to->capture;
    trc_tick wait = capture->pending_wait = pending_wait(thread, now, cpu);
    trc_calltree_each(&thread->tree, copy_node, to);
    if (thread->overflowing) {
        copy_outermost(capture, thread);
    }
    if (!copy_extras(capture, thread, now, wait) || !copy_waits(to, thread, wait) || !copy_collections(to, thread) ||
        !copy_unseen(capture, thread)) {
        return false;
    }
    const trc_node *top = thread->stack.top->node;
    uint32_t position = to->position[top->index];
    trc_tick *self = !top->is_overflow ? &capture->nodes[position].self : &capture->overflows[position].figures.self;
    trc_add_ticks(self, trc_ticks_since(now, thread->last));
    return !thread->overflowing || add_all_pending(to, thread, now);
}

bool trc_capture_thread(trc_capture *capture, const trc_thread *thread, trc_tick now, bool running, int64_t cpu)
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
    bool copied = ready && copy(&to, thread, running ? now : thread->last, running ? cpu : TRC_NO_CPU);
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
    trc_free(allocator, capture->waits);
    trc_free(allocator, capture->collections);
    memset(capture, 0, sizeof *capture);
}
