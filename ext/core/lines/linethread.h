/* One thread whose lines are timed: which line each activation is on. An event on another line of an activation ends
 * the line before. Activations are found by name and not by order, so generators, coroutines and greenlets may
 * alternate freely.
 *
 * A line that recurses has several activations on it at once. Its time runs from the first activation to reach the line
 * to the last to leave it, so recursion costs one counter.
 *
 * What the thread waits (off_cpu_meter.h) belongs to the line of the innermost activation that is on a line. So a line has what
 * its callees wait, unless their own lines are timed. */
#ifndef TRC_LINETHREAD_H
#define TRC_LINETHREAD_H

#include "core/base/activation.h"
#include "core/base/off_cpu_meter.h"
#include "core/lines/linetab.h"

typedef struct trc_lineframe {
    trc_activation id;
    struct trc_lineframe *next; /* in its bucket, or among the spare ones */
    const void *key;            /* of its code object */
    trc_linetab *table;         /* NULL: its lines are not timed */
    trc_line *at;               /* NULL: on none yet */
    trc_activation below;       /* the activation that called or resumed it, as far as is seen; 0: none */
    trc_line *within;           /* the line that called or resumed it: of the innermost activation on one; or NULL */
    trc_tick waits_since;
    bool waits;     /* it is suspended */
    bool continued; /* its last event was on a line that continues a statement */
    bool in_c;      /* it is in a C callable */
} trc_lineframe;

/* The overhead of recording one event, in ticks. */
typedef struct trc_linecosts {
    trc_tick line;
    trc_tick call; /* an enter or leave of a function */
    trc_tick c;    /* a call of a C callable, with its end */
} trc_linecosts;

typedef struct trc_linethread {
    const trc_allocator *allocator;
    trc_lineframe *latest;  /* of the last event; at first `none` */
    trc_lineframe *running; /* the innermost activation, as far as calls are seen; NULL when it is not known */
    trc_lineframe none;     /* names no activation */
    trc_lineframe **buckets;
    uint32_t bucket_count; /* a power of two, or 0 */
    uint32_t frame_count;
    trc_lineframe *spare;
    trc_linetabs tables;
    trc_linecosts costs;
    trc_tick cost; /* the overhead of all events */
    trc_tick last; /* when the last event was */
    trc_off_cpu_meter meter;
    bool sees_calls;
    bool goes_on_unseen; /* a suspended activation may go on without an event: its next event tells */
    uint64_t lost;       /* events for which memory was out */
} trc_linethread;

/* Initializes an empty thread, which must not move. */
void trc_linethread_init(trc_linethread *thread, const trc_allocator *allocator, bool sees_calls, trc_linecosts costs);
void trc_linethread_free(trc_linethread *thread);

/* From now on what the thread waits is told. The clock, which must have CPU time, is borrowed. */
void trc_linethread_tell_waits(trc_linethread *thread, const trc_clock *clock);

/* Puts what the thread waited until `now` into the figures. Only the thread itself may call this. */
void trc_linethread_look_at_waits(trc_linethread *thread, trc_tick now);

static inline void trc_linethread_look_if_due(trc_linethread *thread, trc_tick now)
{
    if (now >= thread->meter.due) {
        trc_linethread_look_at_waits(thread, now);
    }
}

/* Returns the activation with this name, on a code object that has a table (see trc_linetabs_add()). An activation that
 * is not known begins now. Returns NULL when the code object has no table, or when memory is out: then the event counts
 * as lost. */
trc_lineframe *trc_linethread_find(trc_linethread *thread, trc_activation id, const void *key, trc_tick now);

/* The activation has left the line it is on. */
void trc_linethread_leave_line(trc_linethread *thread, trc_lineframe *frame, trc_tick now);

/* An activation reaches the line. */
static inline void trc_linethread_come(const trc_linethread *thread, trc_line *line, trc_tick now)
{
    if (line->active++ == 0) {
        line->since = now;
        line->cost_before = thread->cost;
    }
}

/* The time since the last event is own time of the running activation's line, where calls are seen. */
static inline void trc_linethread_charge(trc_linethread *thread, trc_tick now)
{
    if (thread->sees_calls) {
        const trc_lineframe *frame = thread->running;
        if (frame != NULL && frame->at != NULL && !frame->in_c) {
            trc_add_ticks(&frame->at->own, trc_ticks_since(now, thread->last));
        }
    }
    thread->last = now;
}

/* At an event: the time since the last one goes to whom it belongs. */
static inline void trc_linethread_pass(trc_linethread *thread, trc_tick now)
{
    trc_linethread_look_if_due(thread, now);
    trc_linethread_charge(thread, now);
}

/* Records an event on a line. A statement of several lines counts one hit: none more when it goes on, or comes back to
 * its first line from another. Returns false when the code object has no table: then the caller adds one and calls
 * again. */
static inline bool trc_linethread_line(trc_linethread *thread, trc_activation id, const void *key, long line,
                                       trc_tick now)
{
    trc_lineframe *frame = thread->latest;
    if (frame->id != id || frame->key != key || frame->waits) {
        frame = trc_linethread_find(thread, id, key, now);
        if (frame == NULL) {
            return false;
        }
        thread->latest = frame;
    }
    const trc_linemap *map = frame->table->map;
    uint64_t index = (uint64_t)line - (uint64_t)(int64_t)map->first;
    if (index >= map->count) {
        return true; /* no line of this code object */
    }
    trc_linethread_pass(thread, now);
    thread->running = frame;
    uint32_t place = map->places[index];
    trc_line *to = &frame->table->lines[place / 2];
    bool continues = place % 2 != 0;
    if (to == frame->at) {
        to->hits += !continues && !frame->continued;
    }
    else {
        if (frame->at != NULL) {
            trc_linethread_leave_line(thread, frame, now);
        }
        to->hits++;
        trc_linethread_come(thread, to, now);
        frame->at = to;
    }
    frame->continued = continues;
    trc_add_ticks(&thread->cost, thread->costs.line);
    return true;
}

/* Returns the activation with this name, or NULL. */
trc_lineframe *trc_linethread_search(const trc_linethread *thread, trc_activation id);

static inline trc_lineframe *trc_linethread_look_up(const trc_linethread *thread, trc_activation id)
{
    return thread->latest->id == id ? thread->latest : trc_linethread_search(thread, id);
}

static inline void trc_line_update_c(trc_line *line, trc_tick now)
{
    trc_add_ticks(&line->c_ticks, trc_ticks_since(now, line->c_since));
    line->c_since = now;
}

static inline void trc_linethread_end_c(trc_lineframe *frame, trc_tick now)
{
    if (frame->in_c && --frame->at->c_active == 0) {
        trc_line_update_c(frame->at, now);
    }
    frame->in_c = false;
}

/* The activation calls a C callable; the C callable ends. */
static inline void trc_linethread_enter_c(trc_linethread *thread, trc_activation id, trc_tick now)
{
    trc_lineframe *frame = trc_linethread_look_up(thread, id);
    if (frame != NULL && frame->at != NULL && !frame->in_c && !frame->waits) {
        trc_linethread_pass(thread, now);
        frame->in_c = true;
        if (frame->at->c_active++ == 0) {
            frame->at->c_since = now;
        }
    }
    trc_add_ticks(&thread->cost, thread->costs.c);
}

static inline void trc_linethread_leave_c(trc_linethread *thread, trc_activation id, trc_tick now)
{
    trc_lineframe *frame = trc_linethread_look_up(thread, id);
    if (frame == NULL || !frame->in_c) {
        return;
    }
    trc_linethread_pass(thread, now);
    thread->running = frame;
    trc_linethread_end_c(frame, now);
}

/* A function begins, whether or not its lines are timed. Called where calls are seen, and, where activations go on
 * unseen, for functions that may be suspended. */
void trc_linethread_enter(trc_linethread *thread, trc_activation id, const void *key, trc_tick now);

/* The activation ends; is suspended; goes on. */
void trc_linethread_leave(trc_linethread *thread, trc_activation id, trc_tick now);
void trc_linethread_suspend(trc_linethread *thread, trc_activation id, trc_tick now);
void trc_linethread_resume(trc_linethread *thread, trc_activation id, const void *key, trc_tick now);

/* Returns the line of the innermost activation that is on one, or NULL. */
static inline trc_line *trc_linethread_line_now(const trc_linethread *thread)
{
    const trc_lineframe *frame = thread->running;
    if (frame == NULL || frame->waits) {
        return NULL;
    }
    return frame->at != NULL ? frame->at : frame->within;
}

/* Adds up the time of all that runs, up to `now`, without ending anything. `cpu`: the thread's CPU time then, or
 * TRC_NO_CPU. */
void trc_linethread_catch_up(trc_linethread *thread, trc_tick now, int64_t cpu);

/* Ends all activations. The time since they were last caught up with is dropped. */
void trc_linethread_forget(trc_linethread *thread);

/* The same, where the thread itself may go on soon. Time stands still from `now` until its next event. */
void trc_linethread_rest(trc_linethread *thread, trc_tick now);

/* Ends the activations that are not suspended: suspended ones may go on. */
void trc_linethread_forget_running(trc_linethread *thread);

#endif
