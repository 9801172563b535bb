/* A thread whose lines are timed: see linethread.h. */
#include "core/lines/linethread.h"

#define FIRST_BUCKETS 64

void trc_linethread_init(trc_linethread *thread, const trc_allocator *allocator, bool sees_calls, trc_linecosts costs)
{
    *thread = (trc_linethread){.allocator = allocator, .sees_calls = sees_calls, .costs = costs};
    thread->latest = &thread->none;
    thread->none.id = UINTPTR_MAX; /* where no frame is */
    trc_off_cpu_meter_init(&thread->meter, NULL);
    trc_linetabs_init(&thread->tables, allocator);
}

static void free_chain(const trc_allocator *allocator, trc_lineframe *frame)
{
    while (frame != NULL) {
        trc_lineframe *next = frame->next;
        trc_free(allocator, frame);
        frame = next;
    }
}

void trc_linethread_free(trc_linethread *thread)
{
    for (uint32_t i = 0; i < thread->bucket_count; i++) {
        free_chain(thread->allocator, thread->buckets[i]);
    }
    free_chain(thread->allocator, thread->spare);
    trc_free(thread->allocator, thread->buckets);
    trc_linetabs_free(&thread->tables);
    trc_linethread_init(thread, thread->allocator, thread->sees_calls, thread->costs);
}

/* -- The activations -- */

static trc_lineframe **bucket_of(const trc_linethread *thread, trc_activation id)
{
    return &thread->buckets[trc_hash(id) & (thread->bucket_count - 1)];
}

trc_lineframe *trc_linethread_search(const trc_linethread *thread, trc_activation id)
{
    trc_lineframe *frame = thread->bucket_count == 0 ? NULL : *bucket_of(thread, id);
    while (frame != NULL && frame->id != id) {
        frame = frame->next;
    }
    return frame;
}

/* Makes room in the buckets for one more activation. Returns false when memory is out. */
static bool reserve(trc_linethread *thread)
{
    if (thread->frame_count < thread->bucket_count) {
        return true;
    }
    uint32_t old_count = thread->bucket_count;
    uint32_t count = old_count == 0 ? FIRST_BUCKETS : 2 * old_count;
    trc_lineframe **old = thread->buckets;
    trc_lineframe **larger = trc_alloc(thread->allocator, count * sizeof(trc_lineframe *));
    if (larger == NULL) {
        return old_count != 0; /* the chains get longer */
    }
    thread->buckets = larger;
    thread->bucket_count = count;
    for (uint32_t i = 0; i < old_count; i++) {
        trc_lineframe *frame = old[i];
        while (frame != NULL) {
            trc_lineframe *next = frame->next;
            trc_lineframe **bucket = bucket_of(thread, frame->id);
            frame->next = *bucket;
            *bucket = frame;
            frame = next;
        }
    }
    trc_free(thread->allocator, old);
    return true;
}

static trc_lineframe *add(trc_linethread *thread, trc_activation id)
{
    trc_lineframe *frame = thread->spare;
    if (!reserve(thread)) {
        return NULL;
    }
    if (frame != NULL) {
        thread->spare = frame->next;
    }
    else {
        frame = trc_alloc(thread->allocator, sizeof *frame);
    }
    if (frame != NULL) {
        trc_lineframe **bucket = bucket_of(thread, id);
        *frame = (trc_lineframe){.id = id, .next = *bucket};
        *bucket = frame;
        thread->frame_count++;
    }
    return frame;
}

static void drop(trc_linethread *thread, trc_lineframe *frame)
{
    trc_lineframe **link = bucket_of(thread, frame->id);
    while (*link != frame) {
        link = &(*link)->next;
    }
    *link = frame->next;
    thread->frame_count--;
    frame->next = thread->spare;
    thread->spare = frame;
    thread->latest = thread->latest == frame ? &thread->none : thread->latest;
    thread->running = thread->running == frame ? NULL : thread->running;
}

/* Returns the activation of a code object, whose table may be NULL. The activation is a new one where the one known by
 * this name is over but its end was not seen, or is suspended and does not go on. Returns NULL when memory is out. */
static trc_lineframe *begin(trc_linethread *thread, trc_activation id, const void *key, trc_linetab *table)
{
    trc_lineframe *frame = trc_linethread_look_up(thread, id);
    if (frame != NULL && frame->key == key && !frame->waits) {
        return frame;
    }
    if (frame != NULL && !frame->waits && frame->at != NULL) {
        frame->at->active--;
        frame->at->c_active -= frame->in_c;
    }
    if (frame != NULL) {
        drop(thread, frame);
    }
    frame = add(thread, id);
    if (frame == NULL) {
        thread->lost++;
        return NULL;
    }
    frame->key = key;
    frame->table = table;
    return frame;
}

/* The running activation calls, or resumes, this one. */
static void set_below(const trc_linethread *thread, trc_lineframe *frame)
{
    bool has_caller = thread->running != NULL && thread->running != frame;
    frame->below = has_caller ? thread->running->id : 0;
    frame->within = has_caller ? trc_linethread_line_now(thread) : NULL;
}

static void run(trc_linethread *thread, trc_lineframe *frame)
{
    set_below(thread, frame);
    thread->running = frame;
}

static void go_on(const trc_linethread *thread, trc_lineframe *frame, trc_tick now)
{
    trc_add_ticks(&frame->at->suspended, trc_ticks_since(now, frame->waits_since));
    trc_linethread_come(thread, frame->at, now);
    frame->waits = false;
}

/* An event comes in the activation (or NULL), other than its resume: where resumes may go unseen, the activation has
 * gone on. */
static void end_unseen_wait(const trc_linethread *thread, trc_lineframe *frame, trc_tick now)
{
    if (thread->goes_on_unseen && frame != NULL && frame->waits) {
        go_on(thread, frame, now);
    }
}

trc_lineframe *trc_linethread_find(trc_linethread *thread, trc_activation id, const void *key, trc_tick now)
{
    trc_lineframe *frame = trc_linethread_look_up(thread, id);
    if (frame != NULL && frame->key == key) {
        end_unseen_wait(thread, frame, now);
    }
    if (frame != NULL && frame->key == key && !frame->waits && frame->table != NULL) {
        return frame;
    }
    trc_linetab *table = trc_linetabs_find(&thread->tables, key);
    frame = table == NULL ? NULL : begin(thread, id, key, table);
    if (frame != NULL) {
        frame->table = table; /* the activation may have begun before its code object was added */
        if (!thread->sees_calls) {
            set_below(thread, frame); /* this is the first that is seen of it */
        }
    }
    return frame;
}

/* -- Waits -- */

void trc_linethread_tell_waits(trc_linethread *thread, const trc_clock *clock)
{
    trc_off_cpu_meter_init(&thread->meter, clock);
}

/* The thread's CPU time is `cpu` ns at `now`, or TRC_NO_CPU. */
static void look(trc_linethread *thread, trc_tick now, int64_t cpu)
{
    trc_line *line = trc_linethread_line_now(thread);
    trc_share of = {0, 0};
    if (line != NULL) {
        of = (trc_share){line->ticks, line->waited};
        trc_add_ticks(&of.time, trc_ticks_since(now, line->since));
    }
    trc_tick waited = trc_off_cpu_meter_look(&thread->meter, thread->last, now, cpu, of);
    if (line != NULL) {
        trc_add_ticks(&line->waited, waited);
    }
}

void trc_linethread_look_at_waits(trc_linethread *thread, trc_tick now)
{
    if (!trc_off_cpu_meter_goes_on(&thread->meter, now)) {
        look(thread, now, trc_off_cpu_meter_read_cpu(&thread->meter));
    }
}

/* -- What happens in them -- */

/* Brings the times of a line up to `now`. */
static void update(const trc_linethread *thread, trc_line *line, trc_tick now)
{
    trc_add_ticks(&line->ticks, trc_ticks_since(now, line->since));
    trc_add_ticks(&line->cost, trc_ticks_since(thread->cost, line->cost_before));
    line->since = now;
    line->cost_before = thread->cost;
}

void trc_linethread_leave_line(trc_linethread *thread, trc_lineframe *frame, trc_tick now)
{
    trc_line *line = frame->at;
    trc_linethread_end_c(frame, now); /* when its end was not seen */
    if (--line->active == 0) {
        update(thread, line, now);
    }
    frame->at = NULL;
}

void trc_linethread_enter(trc_linethread *thread, trc_activation id, const void *key, trc_tick now)
{
    trc_linethread_pass(thread, now);
    trc_lineframe *frame = begin(thread, id, key, trc_linetabs_find(&thread->tables, key));
    if (frame != NULL) {
        run(thread, frame);
    }
    trc_add_ticks(&thread->cost, thread->costs.call);
}

/* The caller goes on. Where calls are not seen, an unknown activation was not known to run. */
static void return_from(trc_linethread *thread, const trc_lineframe *frame, trc_tick now)
{
    trc_linethread_pass(thread, now);
    if (frame != NULL || thread->sees_calls) {
        thread->running = frame == NULL || frame->below == 0 ? NULL : trc_linethread_look_up(thread, frame->below);
    }
    trc_add_ticks(&thread->cost, thread->costs.call);
}

void trc_linethread_leave(trc_linethread *thread, trc_activation id, trc_tick now)
{
    trc_lineframe *frame = trc_linethread_look_up(thread, id);
    end_unseen_wait(thread, frame, now);
    return_from(thread, frame, now);
    if (frame != NULL) {
        if (frame->at != NULL && !frame->waits) {
            trc_linethread_leave_line(thread, frame, now);
        }
        drop(thread, frame);
    }
}

void trc_linethread_suspend(trc_linethread *thread, trc_activation id, trc_tick now)
{
    trc_lineframe *frame = trc_linethread_look_up(thread, id);
    trc_line *line = frame == NULL ? NULL : frame->at;
    if (line == NULL) {
        trc_linethread_leave(thread, id, now);
        return;
    }
    end_unseen_wait(thread, frame, now);
    return_from(thread, frame, now);
    trc_linethread_leave_line(thread, frame, now);
    frame->at = line;
    frame->waits = true;
    frame->waits_since = now;
}

void trc_linethread_resume(trc_linethread *thread, trc_activation id, const void *key, trc_tick now)
{
    trc_lineframe *frame = trc_linethread_look_up(thread, id);
    if (frame == NULL || !frame->waits || frame->key != key) {
        if (thread->sees_calls) {
            trc_linethread_enter(thread, id, key, now);
        }
        return;
    }
    trc_linethread_pass(thread, now);
    run(thread, frame);
    go_on(thread, frame, now);
    trc_add_ticks(&thread->cost, thread->costs.call);
}

/* -- In between, and at the end -- */

#define FOR_EACH_FRAME(thread, frame)                                                         \
    for (uint32_t i = 0; i < (thread)->bucket_count; i++)                                     \
        for (trc_lineframe *frame = (thread)->buckets[i]; frame != NULL; frame = frame->next) \
            if (frame->at != NULL && !frame->waits)

void trc_linethread_catch_up(trc_linethread *thread, trc_tick now, int64_t cpu)
{
    if (cpu != TRC_NO_CPU) {
        look(thread, now, cpu);
    }
    trc_linethread_charge(thread, now);
    FOR_EACH_FRAME(thread, frame)
    {
        update(thread, frame->at, now); /* with several activations on a line, the others add nothing */
        if (frame->in_c) {
            trc_line_update_c(frame->at, now);
        }
    }
}

static void forget(trc_linethread *thread, bool waiting_too)
{
    for (uint32_t i = 0; i < thread->bucket_count; i++) {
        trc_lineframe *frame = thread->buckets[i];
        while (frame != NULL) {
            trc_lineframe *next = frame->next;
            if (frame->at != NULL && !frame->waits) { /* with several activations on a line, none remains */
                frame->at->active = 0;
                frame->at->c_active = 0;
            }
            if (!frame->waits || waiting_too) {
                drop(thread, frame);
            }
            frame = next;
        }
    }
}

void trc_linethread_forget(trc_linethread *thread)
{
    trc_off_cpu_meter_forget(&thread->meter);
    forget(thread, true);
}

void trc_linethread_rest(trc_linethread *thread, trc_tick now)
{
    trc_off_cpu_meter_rest(&thread->meter, now);
    forget(thread, true);
}

void trc_linethread_forget_running(trc_linethread *thread)
{
    trc_off_cpu_meter_forget(&thread->meter);
    forget(thread, false);
}
