/* One traced thread: its call stack, and enter / leave on it. Time goes to whatever is on top of the stack: each event
 * adds the ticks since the event before to the top's node, so self ticks add up to the time traced, exactly, and
 * cumulative ticks are sums over the tree, made when somebody asks (rollup.h).
 *
 * Recursion needs no work here either: whether a node is outermost of its function (no ancestor has the same function)
 * or of its edge (no ancestor is the same caller -> callee) is a fact of the tree.
 *
 * Overflow. When the tree may not grow, new contexts share one overflow node an edge (calltree.h) and these facts are gone.
 * From then on the thread counts the activations of each function and edge on its stack, and at the leave of an overflow
 * frame adds the elapsed ticks to what was outermost. Functions and edges stay exact; only paths are lost.
 *
 * Where an activation ends: in trc_thread_leave() when it is on top, as almost always; and in pop_down_to() (thread.c)
 * with all that are above it, or when tracing ends or its stack is given up. Nothing is measured there of an activation
 * as a whole; an extra (figures.h) that needs that is measured at both, of each frame from `start` to `now`. */
#ifndef TRC_THREAD_H
#define TRC_THREAD_H

#include "core/tree/stacks.h"
#include "core/tree/suspensions.h"

/* How an activation comes onto the stack. */
typedef enum trc_entry {
    TRC_CALLED,
    TRC_RESUMED, /* a generator or coroutine goes on: it was called before */
    TRC_RUNNING, /* it was there before tracing began: neither a call nor a resume */
} trc_entry;

typedef struct trc_thread {
    trc_stack stack; /* owned: the one that the thread is on */
    trc_tick last;   /* the last event */
    const void *on;  /* the owner whose stack that is; NULL until a switch tells */
    bool overflowing;
    trc_stacks others;
    trc_calltree tree;
    trc_functab funcs;
    trc_edgetab edges;
    uint64_t lost_calls; /* calls that found no memory: in no figure, their time is their caller's */
} trc_thread;

/* Readies a thread with an empty stack at time `now`. False when memory is out; it must still be freed. */
bool trc_thread_init(trc_thread *thread, const trc_allocator *allocator, atomic_long *budget,
                     void (*release)(void *owner), trc_tick now);
void trc_thread_free(trc_thread *thread);

/* The context that calling `key` from the top of the stack leads to; NULL when it is new: then make it. */
static inline trc_node *trc_thread_child(const trc_thread *thread, const void *key)
{
    return trc_calltree_child(&thread->tree, thread->stack.top->node, key);
}

/* Makes that context for a function of `thread->funcs`. NULL when memory is out even for an overflow node: the call is
 * counted as lost. */
trc_node *trc_thread_add_child(trc_thread *thread, trc_func *func);

/* The rare half of an enter: the stack is full, or the thread overflows. */
void trc_thread_enter_slowly(trc_thread *thread, trc_node *node, trc_activation id, trc_entry entry, trc_tick now);

/* Enters a child context of the top at time `now`. */
static inline void trc_thread_enter(trc_thread *thread, trc_node *node, trc_activation id, trc_entry entry,
                                    trc_tick now)
{
    trc_frame *top = thread->stack.top;
    trc_add_ticks(&top->node->self, trc_ticks_since(now, thread->last));
    thread->last = now;
    trc_frame *next = top + 1;
    if (next == thread->stack.end || thread->overflowing) {
        trc_thread_enter_slowly(thread, node, id, entry, now);
        return;
    }
    node->calls += entry == TRC_CALLED;
    if (entry == TRC_RESUMED) {
        trc_cold(node)->resumes++;
    }
    next->node = node;
    next->id = id;
    next->start = now;
    thread->stack.top = next;
}

/* The rare half of a leave: `id` is not on top, or the thread overflows. */
void trc_thread_leave_slowly(trc_thread *thread, trc_activation id, trc_tick now);

/* Leaves the activation `id` and whatever is still above it. An id that is nowhere on the stack is ignored: its entry
 * was not seen. */
static inline void trc_thread_leave(trc_thread *thread, trc_activation id, trc_tick now)
{
    trc_frame *top = thread->stack.top;
    trc_add_ticks(&top->node->self, trc_ticks_since(now, thread->last));
    thread->last = now;
    if (top->id != id || thread->overflowing) {
        trc_thread_leave_slowly(thread, id, now);
        return;
    }
    thread->stack.top = top - 1; /* an activation ends: see above */
}

/* Leaves an activation of the function `key` that may go on; what is to be known of it until then. */
static inline trc_suspension trc_thread_suspend(trc_thread *thread, trc_activation id, const void *key, trc_tick now)
{
    trc_thread_leave(thread, id, now);
    return (trc_suspension){.id = id, .key = key, .thread = thread, .since = now};
}

/* Tracing begins again (the time until `now` is nobody's), or ends: every frame is left. */
void trc_thread_start(trc_thread *thread, trc_tick now);
void trc_thread_stop(trc_thread *thread, trc_tick now);

/* Time stands still from one to the other, for all that is on the stack. No event may come in between. */
void trc_thread_pause(trc_thread *thread, trc_tick now);
void trc_thread_resume(trc_thread *thread, trc_tick now);

/* Goes over from the stack of one owner, which may be over, to that of another. True when that one had been left before
 * and waits; else it is empty, and what runs on it may be entered. When `from` is not who the thread was last known to
 * be on, nothing that was recorded of any stack holds any more: every frame is left. */
bool trc_thread_switch(trc_thread *thread, const void *from, bool is_over, const void *to, trc_tick now);

#endif
