/* One traced thread: see thread.h. This file has the rare half: growing, overflowing, repairing, switching stacks. */
#include "core/tree/thread.h"

#define FIRST_FRAMES 64
#define ROOT_ID UINTPTR_MAX /* no activation has it */

/* What is inlined makes the functions that it is in save more registers: 5 to 20 instructions an event. */
#define TRC_RARE __attribute__((noinline)) static

static bool make_stack(const trc_calltree *tree, trc_stack *stack)
{
    trc_frame *frames = trc_resize(tree->allocator, NULL, FIRST_FRAMES * sizeof *frames);
    if (frames == NULL) {
        return false;
    }
    *frames = (trc_frame){tree->root, ROOT_ID, 0, NULL};
    *stack = (trc_stack){frames, frames, frames + FIRST_FRAMES - 1};
    return true;
}

bool trc_thread_init(trc_thread *thread, const trc_allocator *allocator, atomic_long *budget,
                     void (*release)(void *owner), trc_tick now)
{
    memset(thread, 0, sizeof *thread);
    trc_functab_init(&thread->funcs, allocator, release);
    trc_edgetab_init(&thread->edges, allocator);
    trc_stacks_init(&thread->others, allocator);
    trc_collecting_init(&thread->collecting, allocator);
    thread->last = now;
    thread->due = TRC_NEVER;
    return trc_calltree_init(&thread->tree, allocator, budget) && make_stack(&thread->tree, &thread->stack);
}

void trc_thread_free(trc_thread *thread)
{
    const trc_allocator *allocator = thread->tree.allocator;
    if (allocator != NULL) {
        trc_calltree_free(&thread->tree);
    }
    trc_collecting_free(&thread->collecting);
    trc_waits_free(thread->waits);
    trc_log_free(thread->log);
    trc_bins_free(thread->bins);
    thread->waits = NULL;
    thread->log = NULL;
    thread->bins = NULL;
    trc_stacks_free(&thread->others);
    trc_free(thread->funcs.allocator, thread->stack.frames);
    thread->stack = (trc_stack){NULL, NULL, NULL};
    trc_edgetab_free(&thread->edges);
    trc_functab_free(&thread->funcs);
}

/* -- Overflow -- */

/* From now on every frame has its edge. Returns false when memory is out: then nothing has changed. */
static bool start_overflowing(trc_thread *thread)
{
    if (thread->overflowing) {
        return true;
    }
    bool found = trc_overflow_find_edges(&thread->edges, &thread->stack);
    for (const trc_waiting *other = thread->others.first; found && other != NULL; other = other->hh.next) {
        found = other->stack.frames == NULL || trc_overflow_find_edges(&thread->edges, &other->stack);
    }
    if (found) {
        thread->overflowing = true;
        trc_overflow_count_stack(&thread->stack, 1);
    }
    return found;
}

trc_node *trc_thread_add_child(trc_thread *thread, trc_func *func)
{
    trc_node *parent = thread->stack.top->node;
    trc_node *node = parent->is_overflow ? NULL : trc_calltree_add(&thread->tree, parent, func, false);
    if (node == NULL && start_overflowing(thread)) {
        node = trc_calltree_add(&thread->tree, parent, func, true);
    }
    thread->lost_calls += node == NULL;
    return node;
}

/* The time since the last event goes to the top of the stack. */
static void stop_time(trc_thread *thread, trc_tick now)
{
    trc_add_ticks(&thread->stack.top->node->self, trc_ticks_since(now, thread->last));
    thread->last = now;
}

/* -- What is due -- */

static void plan(trc_thread *thread)
{
    trc_tick due = thread->waits == NULL ? TRC_NEVER : thread->waits->meter.due;
    thread->due = due;
    if (thread->log != NULL) {
        thread->due = thread->bins->ends < due ? thread->bins->ends : due;
        thread->epoch = (uint16_t)(thread->bins->epoch >> 48);
    }
}

void trc_thread_tell_waits(trc_thread *thread, const trc_clock *clock)
{
    thread->waits = trc_waits_new(thread->tree.allocator, clock);
    plan(thread);
}

void trc_thread_begin_waits(trc_thread *thread, trc_tick now, int64_t cpu)
{
    if (thread->waits != NULL) {
        trc_off_cpu_meter_begin(&thread->waits->meter, now, cpu);
        plan(thread);
    }
}

void trc_thread_look_at_waits(trc_thread *thread, trc_tick now, int64_t cpu)
{
    if (thread->waits != NULL) {
        trc_tick gap = trc_ticks_since(now, thread->last);
        trc_tick waited = trc_waits_look(thread->waits, thread->stack.top->node, thread->last, now, cpu);
        if (thread->log != NULL && waited > gap / 4) {
            trc_log_tell(thread->log, TRC_GAP, (uint64_t)(waited < gap ? waited : gap), thread->last, now);
        }
        plan(thread);
    }
}

/* The nodes on the stack, which may get time in the present bin. */
static void touch_stack(trc_thread *thread)
{
    for (const trc_frame *frame = thread->stack.frames + 1; frame <= thread->stack.top; frame++) {
        trc_bins_touch(thread->bins, frame->node);
    }
}

static void end_bins(trc_thread *thread, trc_tick now)
{
    trc_bins *bins = thread->bins;
    if (now >= bins->ends && bins->ends != TRC_NEVER) {
        stop_time(thread, bins->ends);
        trc_bins_end(bins, &thread->tree);
        stop_time(thread, trc_bins_pass(bins, thread->stack.top->node, now));
        touch_stack(thread);
    }
    trc_log_note(thread->log);
    plan(thread);
}

TRC_RARE void do_what_is_due(trc_thread *thread, trc_tick now)
{
    if (thread->waits != NULL && now >= thread->waits->meter.due) {
        trc_thread_look_at_waits(thread, now, trc_off_cpu_meter_read_cpu(&thread->waits->meter));
    }
    if (thread->log != NULL) {
        end_bins(thread, now);
    }
}

/* At every event of the thread. */
static inline void attend(trc_thread *thread, trc_tick now)
{
    if (trc_thread_is_due(thread, now)) {
        do_what_is_due(thread, now);
    }
}

/* -- The log -- */

void trc_thread_write_log(trc_thread *thread, trc_log *log, trc_bins *bins)
{
    thread->log = log;
    thread->bins = bins;
    plan(thread);
}

void trc_thread_begin_log_at(trc_thread *thread, trc_tick origin)
{
    if (thread->log != NULL && thread->log->open == TRC_NO_BLOCK && thread->bins->touched_count == 0) {
        trc_log_begin_at(thread->log, origin);
        trc_bins_begin_at(thread->bins, origin);
        plan(thread);
    }
}

/* Time has stood still for the thread until now. */
static void go_on_writing(trc_thread *thread, trc_tick now)
{
    if (thread->log != NULL) {
        thread->log->since = now;
        thread->log->is_still = false;
        trc_bins_begin(thread->bins, &thread->tree, now);
        touch_stack(thread);
        plan(thread);
    }
}

/* Writes the stretch of a frame that ends, or stands still, now. */
static void write_stretch(trc_log *log, const trc_frame *frame, bool is_at_bottom, trc_tick now)
{
    const trc_node *node = frame->node;
    trc_log_stretch(log, node->index, frame->start, now);
    if (node->is_task && log->task != 0) {
        trc_log_tell(log, TRC_OF_TASK, log->task, frame->start, now);
    }
    if (is_at_bottom && log->stack != 0) {
        trc_log_tell(log, TRC_OF_STACK, log->stack, frame->start, now);
    }
}

/* The same for all frames above `below`, unless the stack stands still already. */
TRC_RARE void write_stretches(const trc_thread *thread, const trc_frame *below, trc_tick now)
{
    const trc_stack *stack = &thread->stack;
    for (const trc_frame *frame = stack->top; frame > below && !thread->log->is_still; frame--) {
        write_stretch(thread->log, frame, frame == stack->frames + 1, now);
    }
}

/* The stack stands still from now on. */
static void stand_still(trc_thread *thread, trc_tick now)
{
    if (thread->log != NULL) {
        write_stretches(thread, thread->stack.frames, now);
        thread->log->is_still = true;
    }
}

/* What an enter means to the timeline. */
TRC_RARE void enter_logged(trc_thread *thread, trc_node *node, trc_activation id, trc_entry entry, trc_tick now)
{
    trc_log *log = thread->log;
    trc_bins_touch(thread->bins, node);
    if (node->is_task) {
        log->task = entry == TRC_RESUMED ? trc_tasks_of_resumed(log->tasks, id, log->full.number, node->index, now)
                                         : trc_tasks_begin(log->tasks, id, log->full.number, node->index, now);
    }
}

/* What it means that a frame is left, with all above it. */
static void note_leave(const trc_thread *thread, const trc_frame *frame, bool is_over, trc_tick now)
{
    write_stretches(thread, frame - 1, now);
    if (is_over && frame == thread->stack.top && frame->node->is_task) {
        trc_tasks_end(thread->log->tasks, thread->log->task, frame->id, now);
    }
}

uint32_t trc_thread_task(const trc_thread *thread)
{
    return thread->log == NULL || !thread->stack.top->node->is_in_task ? 0 : thread->log->task;
}

/* -- Enter and leave -- */

static bool grow(trc_thread *thread)
{
    trc_stack *stack = &thread->stack;
    size_t depth = (size_t)(stack->top - stack->frames);
    size_t room = (size_t)(stack->last - stack->frames) + 1;
    trc_frame top = *stack->top; /* that a signal handler reads meanwhile */
    stack->top = &top;
    atomic_signal_fence(memory_order_seq_cst);
    trc_frame *frames = trc_resize(thread->tree.allocator, stack->frames, 2 * room * sizeof *frames);
    atomic_signal_fence(memory_order_seq_cst);
    if (frames == NULL) {
        stack->top = stack->frames + depth;
        return false;
    }
    *stack = (trc_stack){frames, frames + depth, frames + 2 * room - 1};
    return true;
}

void trc_thread_enter(trc_thread *thread, trc_node *node, trc_activation id, trc_entry entry, trc_tick now)
{
    attend(thread, now);
    trc_edge *edge = NULL;
    if ((thread->stack.top == thread->stack.last && !grow(thread)) ||
        (thread->overflowing &&
         !trc_overflow_find_edge(&thread->edges, thread->stack.top->node, trc_node_func(node), &edge))) {
        stop_time(thread, now);
        thread->lost_calls++;
        return;
    }
    if (thread->log != NULL) {
        enter_logged(thread, node, id, entry, now);
    }
    trc_thread_push(thread, node, id, entry, now);
    if (thread->overflowing) {
        thread->stack.top->edge = edge;
        trc_overflow_enter(thread->stack.top, entry);
    }
}

void trc_thread_push_first(trc_thread *thread, trc_node *node, trc_activation id, trc_entry entry, trc_tick now)
{
    trc_bins_touch_first(thread->bins, node);
    trc_thread_push(thread, node, id, entry, now);
}

/* A stretch ends. */
static void note_stretch(const trc_frame *frame, trc_tick now)
{
    trc_tick ticks = trc_ticks_since(now, frame->start);
    if (ticks > (trc_tick)frame->node->longest) {
        trc_func *func = trc_node_func(frame->node);
        trc_add_extra(func->extras, TRC_LONGEST, ticks, frame->start);
        frame->node->longest = trc_longest_filter(func);
    }
}

/* The activations above `below` end: see thread.h. */
static void pop_down_to(trc_thread *thread, trc_frame *below, trc_tick now)
{
    while (thread->stack.top != below) {
        const trc_frame *top = thread->stack.top--;
        note_stretch(top, now);
        if (thread->overflowing) {
            trc_overflow_leave(top, thread->stack.top->node, now);
        }
    }
}

/* Returns the frame of an activation, or NULL. */
static trc_frame *find_frame(const trc_thread *thread, trc_activation id)
{
    trc_activation caller = id & ~(trc_activation)1; /* the activation of a C function lies above its caller's */
    trc_frame *frame = thread->stack.top;
    while (frame != thread->stack.frames && frame->id != id && frame->id != caller) {
        frame--;
    }
    return frame->id == id ? frame : NULL;
}

bool trc_thread_has(const trc_thread *thread, trc_activation id)
{
    return find_frame(thread, id) != NULL;
}

static inline void leave(trc_thread *thread, trc_activation id, bool is_logged, bool is_over, trc_tick now)
{
    attend(thread, now);
    stop_time(thread, now);
    trc_frame *frame = find_frame(thread, id);
    if (frame != NULL && is_logged) {
        note_leave(thread, frame, is_over, now);
    }
    if (frame != NULL) {
        pop_down_to(thread, frame - 1, now);
    }
}

TRC_RARE void leave_logged(trc_thread *thread, trc_activation id, bool is_over, trc_tick now)
{
    leave(thread, id, true, is_over, now);
}

void trc_thread_suspend(trc_thread *thread, trc_activation id, trc_tick now)
{
    if (thread->log != NULL) {
        leave_logged(thread, id, false, now);
    }
    else {
        leave(thread, id, false, false, now);
    }
}

void trc_thread_leave(trc_thread *thread, trc_activation id, trc_tick now)
{
    if (thread->log != NULL) {
        leave_logged(thread, id, true, now);
    }
    else {
        leave(thread, id, false, true, now);
    }
}

void trc_thread_start(trc_thread *thread, trc_tick now)
{
    thread->last = now;
    if (thread->waits != NULL) {
        trc_off_cpu_meter_forget(&thread->waits->meter);
    }
    plan(thread);
    go_on_writing(thread, now);
}

void trc_thread_pause(trc_thread *thread, trc_tick now)
{
    attend(thread, now);
    stop_time(thread, now);
    stand_still(thread, now);
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
    go_on_writing(thread, now);
    if (thread->waits != NULL) {
        trc_thread_begin_waits(thread, now, trc_off_cpu_meter_read_cpu(&thread->waits->meter));
    }
}

/* -- Stacks that wait -- */

/* Saves the thread's stack for an owner that has none saved; the thread goes on with the stack `next`. Returns
 * false when memory is out: then nothing has changed. */
static bool save_stack(trc_thread *thread, const void *owner, trc_stack next, trc_tick now)
{
    trc_waiting *waiting = trc_stacks_find(&thread->others, owner);
    if (waiting == NULL) {
        waiting = trc_stacks_add(&thread->others, owner);
    }
    if (waiting == NULL) {
        return false;
    }
    if (thread->overflowing) {
        trc_overflow_count_stack(&thread->stack, -1);
    }
    stand_still(thread, now);
    waiting->stack = thread->stack;
    waiting->number = thread->log == NULL ? 0 : thread->log->stack;
    waiting->task = thread->log == NULL ? 0 : thread->log->task;
    waiting->since = now;
    thread->stack = next;
    return true;
}

/* The thread goes on with a stack that has waited, and is the thread's already. */
static void take_back(trc_thread *thread, trc_waiting *waiting, trc_tick now)
{
    waiting->stack.frames = NULL;
    if (thread->log != NULL) {
        thread->log->stack = waiting->number;
        thread->log->task = waiting->task;
    }
    shift(&thread->stack, trc_ticks_since(now, waiting->since));
    if (thread->overflowing) {
        trc_overflow_count_stack(&thread->stack, 1);
    }
}

/* Replaces the thread's stack, which is empty, by a stack that has waited. */
static void replace_stack(trc_thread *thread, trc_waiting *waiting, trc_tick now)
{
    trc_frame *old = thread->stack.frames;
    thread->stack = waiting->stack;
    atomic_signal_fence(memory_order_seq_cst); /* from now on no signal handler reads the old frames */
    trc_free(thread->tree.allocator, old);
    take_back(thread, waiting, now);
}

static void leave_all(trc_thread *thread, trc_tick now)
{
    if (thread->log != NULL) {
        write_stretches(thread, thread->stack.frames, now);
    }
    pop_down_to(thread, thread->stack.frames, now);
}

/* Leaves every frame of the owner's waiting stack, if there is one, and removes the owner's record. The thread's own
 * stack must be empty. */
static void drop(trc_thread *thread, trc_waiting *waiting, trc_tick now)
{
    if (waiting->stack.frames != NULL) {
        replace_stack(thread, waiting, now);
        if (thread->log != NULL) {
            thread->log->is_still = true; /* since it was saved */
        }
        leave_all(thread, now);
    }
    trc_stacks_remove(&thread->others, waiting);
}

static void leave_every_stack(trc_thread *thread, trc_tick now)
{
    leave_all(thread, now);
    bool is_still = thread->log != NULL && thread->log->is_still;
    while (thread->others.first != NULL) {
        drop(thread, thread->others.first, now);
    }
    if (thread->log != NULL) {
        thread->log->is_still = is_still;
        thread->log->stack = 0;
    }
    thread->on = NULL;
}

/* Returns the record of an owner whose stack waits, or NULL. */
static trc_waiting *find_waiting(const trc_thread *thread, const void *owner)
{
    trc_waiting *waiting = trc_stacks_find(&thread->others, owner);
    return waiting == NULL || waiting->stack.frames == NULL ? NULL : waiting;
}

/* The thread's stack waits for `from`, and the thread goes on with that of `waiting`, or, where this is NULL, with a new
 * one. Returns false when memory is out: then nothing has changed. */
static bool swap_stacks(trc_thread *thread, const void *from, trc_waiting *waiting, trc_tick now)
{
    trc_stack next;
    if (waiting != NULL) {
        next = waiting->stack;
    }
    else if (!make_stack(&thread->tree, &next)) {
        return false;
    }
    bool swapped = save_stack(thread, from, next, now);
    if (waiting != NULL && swapped) {
        take_back(thread, waiting, now);
    }
    if (waiting == NULL && !swapped) {
        trc_free(thread->tree.allocator, next.frames);
    }
    return swapped;
}

/* What trc_thread_switch() does, but for the log. */
static bool switch_stacks(trc_thread *thread, const void *from, bool is_empty, const void *to, trc_tick now)
{
    trc_waiting *waiting = find_waiting(thread, to);
    if (!is_empty && swap_stacks(thread, from, waiting, now)) {
        return waiting != NULL;
    }
    leave_all(thread, now);
    trc_waiting *ended = trc_stacks_find(&thread->others, from);
    if (ended != NULL) {
        drop(thread, ended, now);
        waiting = find_waiting(thread, to); /* they may be the same */
    }
    if (waiting != NULL) {
        replace_stack(thread, waiting, now);
    }
    return waiting != NULL;
}

bool trc_thread_switch(trc_thread *thread, const void *from, bool is_over, const void *to, trc_tick now)
{
    attend(thread, now);
    stop_time(thread, now);
    if (thread->on != NULL && thread->on != from) {
        leave_every_stack(thread, now);
    }
    thread->on = to;
    bool is_empty = is_over || thread->stack.top == thread->stack.frames; /* `from` has ended, or was never seen */
    if (from == to && !is_empty) {
        return true;
    }
    trc_log *log = thread->log;
    bool is_paused = log != NULL && log->is_still;
    bool has_waited = switch_stacks(thread, from, is_empty, to, now);
    if (log != NULL && !has_waited) {
        log->stack = ++log->stacks;
    }
    if (log != NULL && is_paused) {
        log->is_still = true;
    }
    else {
        go_on_writing(thread, now);
    }
    return has_waited;
}

void trc_thread_stop(trc_thread *thread, trc_tick now)
{
    if (thread->log != NULL) {
        end_bins(thread, now);
    }
    stop_time(thread, now);
    leave_every_stack(thread, now);
    trc_collecting_forget(&thread->collecting);
}

/* What a node has had of own time, up to `now`. */
static trc_tick own_time(const trc_thread *thread, const trc_node *node, trc_tick now)
{
    trc_tick pending = node == thread->stack.top->node ? trc_ticks_since(now, thread->last) : 0;
    return (trc_tick)((uint64_t)node->self + (uint64_t)pending);
}

void trc_thread_begin_collection(trc_thread *thread, trc_tick now)
{
    const trc_node *top = thread->stack.top->node;
    trc_collecting_begin(&thread->collecting, top, own_time(thread, top, now));
}

void trc_thread_end_collection(trc_thread *thread, trc_tick now)
{
    if (thread->collecting.node != NULL) {
        trc_collecting_end(&thread->collecting, own_time(thread, thread->collecting.node, now));
    }
}
