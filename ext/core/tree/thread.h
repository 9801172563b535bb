/* One traced thread: its call stack, and enter / leave on it. Time goes to the top of the stack: each event adds the
 * ticks since the event before to the top's node. So self ticks add up to the time traced, exactly. Cumulative ticks
 * are sums over the tree, which rollup.h makes on demand.
 *
 * Recursion needs no work here either. Whether a node is outermost of its function (no ancestor has the same function)
 * or of its edge (no ancestor is the same caller -> callee) is a fact of the tree.
 *
 * Overflow. When the tree may not grow, the new contexts of one edge share one overflow node (calltree.h), and the tree
 * no longer has these facts. From then on the thread counts the activations of each function and edge on its stacks.
 * Only then are there records of edges.
 * When an overflow frame is left, the elapsed ticks are added to the function and the edge of which it was outermost.
 * Functions and edges stay exact; only paths are lost.
 *
 * Where an activation ends. trc_thread_pop() ends it when it is on top, as almost always. pop_down_to() (thread.c) ends
 * it with all above it, also when tracing ends or its stack is given up. There a *stretch* ends, from a call or resume:
 * from a frame's `start` to `now`. The longest of each function is known (figures.h). A stretch that may be the longest
 * is ended by pop_down_to().
 *
 * What is rare is due. Every so often a thread's CPU time is read, which tells what it waited (waits.h), and a bin
 * ends (bins.h). An event at which something is due goes through trc_thread_enter() or trc_thread_leave(), never through
 * push or pop.
 *
 * The log. Where a timeline is recorded, each stretch is written when it ends (log/log.h). What is on a stack that is
 * saved, or paused, is written up to then, and goes on as another stretch. */
#ifndef TRC_THREAD_H
#define TRC_THREAD_H

#include "core/log/log.h"
#include "core/tree/bins.h"
#include "core/tree/collecting.h"
#include "core/tree/overflow.h"
#include "core/tree/stacks.h"
#include "core/tree/suspensions.h"
#include "core/tree/waits.h"

typedef struct trc_thread {
    trc_stack stack; /* owned: the stack that the thread is on */
    trc_tick last;   /* when the last event was */
    trc_tick due;    /* when the meter in `waits` is, or the present bin ends; TRC_NEVER: neither */
    const void *on;  /* the owner of `stack`; NULL until the first switch names it */
    bool overflowing;
    uint16_t epoch; /* that of `bins` */
    trc_stacks others;
    trc_calltree tree;
    trc_functab funcs;
    trc_edgetab edges;
    trc_waits *waits;    /* owned; NULL where no waits are told */
    trc_log *log;        /* owned; NULL where no timeline is recorded */
    trc_bins *bins;      /* owned; NULL there, too */
    uint64_t lost_calls; /* calls for which memory was out: no figure has them, their time is their caller's */
    trc_collecting collecting;
} trc_thread;

/* Initializes a thread with an empty stack at time `now`. Returns false when memory is out. The thread must be freed
 * either way. */
bool trc_thread_init(trc_thread *thread, const trc_allocator *allocator, atomic_long *budget,
                     void (*release)(void *owner), trc_tick now);
void trc_thread_free(trc_thread *thread);

/* -- The short way of almost every event. The thread must not overflow. Nothing changes where these return NULL or
 * false; the functions below decide then. -- */

/* Returns the context of a call of `key` from the top of the stack, which is entered next, if it is an expected one and
 * the stack has room. */
static inline trc_node *trc_thread_expected(const trc_thread *thread, const void *key)
{
    const trc_frame *top = thread->stack.top;
    return top != thread->stack.last ? trc_calltree_expected(top->node, key) : NULL;
}

/* Whether an event at `now` must look at what the thread waited. */
static inline bool trc_thread_is_due(const trc_thread *thread, trc_tick now)
{
    return now >= thread->due;
}

/* Enters a child context of the top's node at time `now`. The stack must have room, and nothing be due. */
static inline void trc_thread_push(trc_thread *thread, trc_node *node, trc_activation id, trc_entry entry, trc_tick now)
{
    trc_frame *top = thread->stack.top;
    trc_add_ticks(&top->node->self, trc_ticks_since(now, thread->last));
    thread->last = now;
    node->calls += entry == TRC_CALLED;
    if (entry == TRC_RESUMED) {
        trc_cold(node)->resumes++;
    }
    top[1].node = node;
    top[1].id = id;
    top[1].start = now;
    atomic_signal_fence(memory_order_release); /* a signal handler reads the top's node (recorders/samples.c) */
    thread->stack.top = top + 1;
}

/* Whether the activation is on top of the stack: then it can be popped. */
static inline bool trc_thread_is_on_top(const trc_thread *thread, trc_activation id)
{
    return thread->stack.top->id == id;
}

/* Whether the top's activation can be popped at `now`: nothing is due, and it does not end its function's longest
 * stretch. */
static inline bool trc_thread_can_pop(const trc_thread *thread, trc_tick now)
{
    const trc_frame *top = thread->stack.top;
    trc_tick longest_ends = (trc_tick)((uint64_t)top->start + top->node->longest);
    return !trc_thread_is_due(thread, now) && now <= longest_ends;
}

static inline void trc_thread_pop(trc_thread *thread, trc_tick now)
{
    trc_frame *top = thread->stack.top;
    trc_add_ticks(&top->node->self, trc_ticks_since(now, thread->last));
    thread->last = now;
    thread->stack.top = top - 1; /* an activation ends: see the top of this file */
}

/* Whether the log says nothing of the top's stretch but that it was: the top is no task, and not at the bottom of a
 * stack that has a number. */
static inline bool trc_thread_is_plain(const trc_thread *thread)
{
    const trc_frame *top = thread->stack.top;
    return !top->node->is_task && (thread->log->stack == 0 || top != thread->stack.frames + 1);
}

/* -- The short way where a log is written. An activation that is a task is never pushed or popped. -- */

/* Whether the node can be pushed. */
static inline bool trc_thread_can_log(const trc_node *node)
{
    return !node->is_task;
}

/* What trc_thread_push_logged() does for a node that was not touched in the present bin. */
void trc_thread_push_first(trc_thread *thread, trc_node *node, trc_activation id, trc_entry entry, trc_tick now);

static inline void trc_thread_push_logged(trc_thread *thread, trc_node *node, trc_activation id, trc_entry entry,
                                          trc_tick now)
{
    if (trc_node_epoch(node) != thread->epoch) {
        trc_thread_push_first(thread, node, id, entry, now);
        return;
    }
    trc_thread_push(thread, node, id, entry, now);
}

/* Pops the top's activation at `now`, if it can be popped and the log has room. */
static inline bool trc_thread_pop_logged(trc_thread *thread, trc_tick now)
{
    const trc_frame *top = thread->stack.top;
    if (!trc_thread_can_pop(thread, now) || !trc_thread_is_plain(thread) ||
        !trc_log_take(thread->log, top->node->index, top->start, now)) {
        return false;
    }
    trc_thread_pop(thread, now);
    return true;
}

/* -- Every event -- */

/* Returns the context of a call of `key` from the top of the stack, which is entered next. Returns NULL when the context
 * is new: then the caller adds it. */
static inline trc_node *trc_thread_child(const trc_thread *thread, const void *key)
{
    return trc_calltree_child(&thread->tree, thread->stack.top->node, key);
}

/* Adds that context for a function of `thread->funcs`. Returns NULL when memory is out even for an overflow node: then
 * the call counts as lost. */
trc_node *trc_thread_add_child(trc_thread *thread, trc_func *func);

/* Enters a child context of the top's node at time `now`. */
void trc_thread_enter(trc_thread *thread, trc_node *node, trc_activation id, trc_entry entry, trc_tick now);

/* Whether the activation is on the stack. */
bool trc_thread_has(const trc_thread *thread, trc_activation id);

/* Leaves the activation `id` and all activations above it. An id that is not on the stack is ignored: its entry was not
 * seen. suspend: the same for a generator or coroutine that may go on. */
void trc_thread_leave(trc_thread *thread, trc_activation id, trc_tick now);
void trc_thread_suspend(trc_thread *thread, trc_activation id, trc_tick now);

/* From now on what happens is written to a log and bins, which the thread takes over. */
void trc_thread_write_log(trc_thread *thread, trc_log *log, trc_bins *bins);

/* Has them begin at this time instead, from which moments count: on a clock that is the thread's own. Nothing is written
 * yet. */
void trc_thread_begin_log_at(trc_thread *thread, trc_tick origin);

/* The number of the task that the thread runs, or 0. */
uint32_t trc_thread_task(const trc_thread *thread);

/* From now on what the thread waits is told. The clock, which must have CPU time, is borrowed. When memory is out, no
 * waits are told. */
void trc_thread_tell_waits(trc_thread *thread, const trc_clock *clock);

/* The thread's CPU time is `cpu` ns at `now`. begin: what it waited before is in no figure. look: it is in the
 * figures, as if there were an event. */
void trc_thread_begin_waits(trc_thread *thread, trc_tick now, int64_t cpu);
void trc_thread_look_at_waits(trc_thread *thread, trc_tick now, int64_t cpu);

/* A garbage collection begins on top of the stack at `now`; it ends. A collection that has not begun has no end. */
void trc_thread_begin_collection(trc_thread *thread, trc_tick now);
void trc_thread_end_collection(trc_thread *thread, trc_tick now);

/* Tracing begins again: the time until `now` belongs to no node. Tracing ends: every frame is left. */
void trc_thread_start(trc_thread *thread, trc_tick now);
void trc_thread_stop(trc_thread *thread, trc_tick now);

/* Stops time for all activations on the stack, from pause to resume, which the thread itself calls. No event may come in
 * between. */
void trc_thread_pause(trc_thread *thread, trc_tick now);
void trc_thread_resume(trc_thread *thread, trc_tick now);

/* Switches from the stack of the owner `from` to that of `to`; with `is_over`, `from` has ended. Returns true when the
 * stack of `to` waits since it was left. Otherwise that stack is empty, and the caller may enter what runs on it. When
 * `from` is not the owner that the thread was last known to be on, no recorded stack is valid any more: every frame is
 * left. */
bool trc_thread_switch(trc_thread *thread, const void *from, bool is_over, const void *to, trc_tick now);

#endif
