/* Threads that write logs: see logplay.h. */
#include "logplay.h"

#include <check.h>
#include <stdlib.h>

static const char keys[FUNCTIONS];

static void release_nothing(void *name)
{
    (void)name;
}

void logplay_open(logplay *play, const logplan *plan)
{
    memset(play, 0, sizeof *play);
    heap_init(&play->memory);
    const trc_allocator *allocator = &play->memory.allocator;
    atomic_init(&play->budget, plan->nodes);
    atomic_init(&play->room, plan->room);
    play->origin = 1000;
    play->now = 1000;
    play->unit = plan->unit;
    play->actor_count = plan->actors;
    size_t size = (size_t)plan->blocks * plan->block_size;
    play->blocks = calloc(size + 1, 1);
    ck_assert(trc_store_init(&play->store, allocator, play->blocks, size, plan->block_size, plan->is_ring));
    trc_tasks_init(&play->tasks, allocator, release_nothing);
    for (int i = 0; i < plan->actors; i++) {
        actor *actor = &play->actors[i];
        ck_assert(trc_thread_init(&actor->thread, allocator, &play->budget, NULL, play->now));
        trc_bins *bins = trc_bins_new(allocator, &play->room, play->origin, plan->unit, play->now);
        trc_log *log = trc_log_new(&play->store, &play->tasks, play->now);
        ck_assert(bins != NULL && log != NULL);
        trc_thread_write_log(&actor->thread, log, bins);
        actor->tracing = true;
        actor->last = play->now;
    }
}

void logplay_close(logplay *play)
{
    for (int i = 0; i < play->actor_count; i++) {
        trc_thread_free(&play->actors[i].thread);
    }
    trc_tasks_free(&play->tasks);
    trc_store_free(&play->store);
    free(play->blocks);
    ck_assert_int_eq(play->memory.blocks, 0);
}

/* -- What is written down -- */

static act_stack *stack_of(actor *actor)
{
    return &actor->stacks[actor->on];
}

static note *add_note(actor *actor, const act *act, trc_tick end, uint64_t value)
{
    insist(actor->note_count < MOST_NOTES, "the program is too long");
    note *note = &actor->notes[actor->note_count++];
    *note = (struct note){act->since, end, value == 0 ? act->node : 0, value, act->number, 0, 0};
    return note;
}

/* The stretch of an activation at this depth of a stack ends. */
static void write_down(actor *actor, const act_stack *stack, int depth, trc_tick now)
{
    const act *act = &stack->acts[depth];
    note *note = add_note(actor, act, now, 0);
    note->depth = (uint32_t)depth;
    note->parent = depth == 0 ? 0 : act[-1].number;
    if (act->is_task) {
        add_note(actor, act, now, (uint64_t)act->task << 2 | TRC_OF_TASK);
    }
    if (depth == 0 && stack->number != 0) {
        add_note(actor, act, now, (uint64_t)stack->number << 2 | TRC_OF_STACK);
    }
}

static void write_all_down(actor *actor, trc_tick now)
{
    act_stack *stack = stack_of(actor);
    for (int depth = stack->depth; depth-- > 0;) {
        write_down(actor, stack, depth, now);
    }
}

/* Everything on the stack goes on from now. */
static void go_on(actor *actor, trc_tick now)
{
    act_stack *stack = stack_of(actor);
    for (int depth = 0; depth < stack->depth; depth++) {
        stack->acts[depth].since = now;
        stack->acts[depth].number = ++actor->stretches;
    }
    actor->last = now;
}

static void add_share(actor *actor, share share)
{
    insist(actor->share_count < sizeof actor->shares / sizeof *actor->shares, "the program is too long");
    actor->shares[actor->share_count++] = share;
}

/* The time since the event before is the top's. */
static void pass_time(actor *actor, trc_tick now)
{
    const act_stack *stack = stack_of(actor);
    if (stack->depth > 0 && now > actor->last) {
        add_share(actor, (share){actor->last, now, stack->acts[stack->depth - 1].node, false});
    }
    actor->last = now;
}

/* -- Steps -- */

/* Enters as the back ends do, the short way where it may be taken. Returns the node. */
static const trc_node *enter(logplay *play, actor *actor, int func, trc_activation id, trc_entry entry)
{
    trc_thread *thread = &actor->thread;
    const void *key = &keys[func];
    bool is_long = thread->overflowing || trc_thread_is_due(thread, play->now) || entry == TRC_RUNNING;
    trc_node *node = is_long ? NULL : trc_thread_expected(thread, key);
    if (node != NULL && !node->is_task) {
        trc_bins_touch(thread->bins, node);
        trc_thread_push(thread, node, id, entry, play->now);
        return node;
    }
    node = trc_thread_child(thread, key);
    if (node == NULL) {
        trc_func *record = trc_functab_find(&thread->funcs, key);
        if (record == NULL) {
            record = trc_functab_add(&thread->funcs, key, NULL);
            insist(record != NULL, "no memory");
            record->is_coroutine = func >= FIRST_COROUTINE;
        }
        node = trc_thread_add_child(thread, record);
    }
    insist(node != NULL, "no memory");
    trc_thread_enter(thread, node, id, entry, play->now);
    return node;
}

static bool is_in_task(const act_stack *stack)
{
    for (int depth = 0; depth < stack->depth; depth++) {
        if (stack->acts[depth].func >= FIRST_COROUTINE) {
            return true;
        }
    }
    return false;
}

static void begin(logplay *play, int which, int func, trc_activation id, uint32_t task, trc_entry entry)
{
    actor *actor = &play->actors[which];
    act_stack *stack = stack_of(actor);
    insist(stack->depth < DEEPEST, "the program is too deep");
    pass_time(actor, play->now);
    const trc_node *node = enter(play, actor, func, id, entry);
    bool is_task = func >= FIRST_COROUTINE && !is_in_task(stack) && !node->is_overflow;
    if (is_task && task == 0) {
        task = ++play->task_count;
    }
    stack->acts[stack->depth++] = (act){id, func, node->index, task, is_task, ++actor->stretches, play->now};
    if (entry == TRC_CALLED) {
        add_share(actor, (share){play->now, play->now, node->index, true});
    }
}

void logplay_call(logplay *play, int actor, int func, trc_entry entry)
{
    begin(play, actor, func, play->last_id += 2, 0, entry);
}

void logplay_resume(logplay *play, int actor, int which)
{
    suspended what = play->suspended[which];
    play->suspended[which] = play->suspended[--play->suspended_count];
    begin(play, actor, what.func, what.id, what.task, TRC_RESUMED);
}

static void leave(logplay *play, actor *actor, int activations, bool is_suspended)
{
    act_stack *stack = stack_of(actor);
    insist(stack->depth >= activations, "the program leaves what it did not enter");
    pass_time(actor, play->now);
    for (int i = 0; i < activations; i++) {
        write_down(actor, stack, --stack->depth, play->now);
    }
    trc_thread *thread = &actor->thread;
    trc_activation id = stack->acts[stack->depth].id;
    bool is_short = !thread->overflowing && trc_thread_is_on_top(thread, id) && trc_thread_can_pop(thread, play->now) &&
                    trc_thread_is_plain(thread);
    if (is_short) {
        const trc_frame *top = thread->stack.top;
        trc_thread_pop(thread, play->now);
        trc_log_stretch(thread->log, top->node->index, top->start, play->now);
    }
    else {
        (is_suspended ? trc_thread_suspend : trc_thread_leave)(thread, id, play->now);
    }
}

void logplay_leave(logplay *play, int actor, int activations)
{
    leave(play, &play->actors[actor], activations, false);
}

void logplay_suspend(logplay *play, int actor)
{
    act_stack *stack = stack_of(&play->actors[actor]);
    insist(play->suspended_count < MOST_SUSPENDED && stack->depth > 0, "nothing can be suspended");
    const act *top = &stack->acts[stack->depth - 1];
    play->suspended[play->suspended_count++] = (suspended){top->id, top->func, top->task};
    leave(play, &play->actors[actor], 1, true);
}

void logplay_switch(logplay *play, int which, int to, bool is_over, bool is_unknown)
{
    actor *actor = &play->actors[which];
    act_stack *from = stack_of(actor), *next = &actor->stacks[to];
    bool is_known = !is_unknown || actor->thread.on == NULL;
    const act_stack *told = is_known ? from : &actor->stacks[(actor->on + 1) % OWNERS];
    pass_time(actor, play->now);
    bool is_empty = is_over || from->depth == 0 || !is_known;
    if (is_known && told == next && !is_empty) {
        trc_thread_switch(&actor->thread, told, is_over, next, play->now);
        return;
    }
    write_all_down(actor, play->now);
    if (is_empty) {
        from->depth = 0;
    }
    for (int i = 0; !is_known && i < OWNERS; i++) {
        actor->stacks[i].depth = 0;
    }
    actor->on = to;
    if (next->depth == 0) {
        next->number = ++actor->stacks_numbered;
    }
    go_on(actor, play->now);
    bool waited = trc_thread_switch(&actor->thread, told, is_over, next, play->now);
    insist(waited == (next->depth > 0), "a stack was forgotten or made up");
}

void logplay_pause(logplay *play, int which)
{
    actor *actor = &play->actors[which];
    if (actor->paused) {
        trc_thread_resume(&actor->thread, play->now);
        go_on(actor, play->now);
    }
    else {
        pass_time(actor, play->now);
        write_all_down(actor, play->now);
        trc_thread_pause(&actor->thread, play->now);
    }
    actor->paused = !actor->paused;
}

void logplay_stop(logplay *play, int which)
{
    actor *actor = &play->actors[which];
    if (!actor->tracing) {
        trc_thread_start(&actor->thread, play->now);
        actor->last = play->now;
    }
    else {
        pass_time(actor, play->now);
        write_all_down(actor, play->now);
        trc_thread_stop(&actor->thread, play->now);
        for (int i = 0; i < OWNERS; i++) {
            actor->stacks[i].depth = 0;
            actor->stacks[i].number = 0;
        }
    }
    actor->tracing = !actor->tracing;
}
