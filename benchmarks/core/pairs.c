/* Enters and leaves on the core alone, with no interpreter and no clock: what pairs.py counts the instructions of.
 *
 *     pairs                      prints what it was compiled by
 *     pairs SCENARIO ROUNDS      makes ROUNDS of that scenario's pairs of an enter and a leave
 *
 * Where a timeline is recorded, enter and leave are other functions, as in dispatch/fast_path.h.
 */
#include "core/tree/thread.h"

#include <stdio.h>
#include <stdlib.h>

#define CALLEES 6
#define DEPTH 50
#define BLOCKS 1024 /* of the log: none is thinned */
#define BLOCK_SIZE 65536
#define CALLEE_TAKES 200 /* ticks */
#define CALLER_TAKES 3000
#define LONG_BIN INT64_MAX
#define SHORT_BIN 40000 /* ticks: about sixty calls */

typedef struct bench {
    trc_thread thread;
    trc_suspensions suspensions;
    atomic_long budget;
    trc_func *callees[CALLEES];
    char keys[CALLEES]; /* their addresses are the functions' keys */
    trc_tick now;
    trc_store store;
    trc_tasks tasks;
    atomic_long room;
} bench;

static void fail(const char *why)
{
    fprintf(stderr, "pairs: %s\n", why);
    exit(2);
}

static void enter(bench *b, int callee, trc_activation id, trc_entry entry)
{
    trc_thread *thread = &b->thread;
    trc_func *func = b->callees[callee];
    bool is_long = thread->overflowing || trc_thread_is_due(thread, b->now);
    trc_node *node = is_long ? NULL : trc_thread_expected(thread, func->key);
    if (node != NULL) {
        trc_thread_push(thread, node, id, entry, b->now++);
        return;
    }
    node = trc_thread_child(thread, func->key);
    if (node == NULL) {
        node = trc_thread_add_child(thread, func);
    }
    trc_thread_enter(thread, node, id, entry, b->now++);
}

static void leave(bench *b, trc_activation id)
{
    bool is_on_top = trc_thread_is_on_top(&b->thread, id);
    if (!b->thread.overflowing && is_on_top && trc_thread_can_pop(&b->thread, b->now)) {
        trc_thread_pop(&b->thread, b->now++);
    }
    else {
        trc_thread_leave(&b->thread, id, b->now++);
    }
}

static void pair(bench *b, int callee)
{
    enter(b, callee, 32, TRC_CALLED);
    leave(b, 32);
}

static void enter_logged(bench *b, int callee, trc_activation id, trc_entry entry)
{
    trc_thread *thread = &b->thread;
    trc_func *func = b->callees[callee];
    bool is_long = thread->overflowing || trc_thread_is_due(thread, b->now);
    trc_node *node = is_long ? NULL : trc_thread_expected(thread, func->key);
    if (node != NULL && trc_thread_can_log(node)) {
        trc_thread_push_logged(thread, node, id, entry, b->now);
        return;
    }
    node = trc_thread_child(thread, func->key);
    if (node == NULL) {
        node = trc_thread_add_child(thread, func);
    }
    trc_thread_enter(thread, node, id, entry, b->now);
}

static void leave_logged(bench *b, trc_activation id)
{
    bool is_on_top = trc_thread_is_on_top(&b->thread, id);
    if (b->thread.overflowing || !is_on_top || !trc_thread_pop_logged(&b->thread, b->now)) {
        trc_thread_leave(&b->thread, id, b->now);
    }
}

/* -- The scenarios: a round of each is one pair. -- */

static void call_one(bench *b, long round)
{
    (void)round;
    pair(b, 0);
}

static void call_two(bench *b, long round)
{
    pair(b, (int)(round & 1));
}

static void call_five(bench *b, long round)
{
    pair(b, (int)(round % 5));
}

/* Down and up again, every DEPTH rounds. */
static void call_deep(bench *b, long round)
{
    if (round % DEPTH != 0) {
        return;
    }
    for (int depth = 0; depth < DEPTH; depth++) {
        enter(b, depth & 1, (trc_activation)(2 * depth + 32), TRC_CALLED);
    }
    for (int depth = DEPTH - 1; depth >= 0; depth--) {
        leave(b, (trc_activation)(2 * depth + 32));
    }
}

/* The leave of the outer one takes off the inner one too. */
static void raise_through_two(bench *b, long round)
{
    enter(b, (int)(round & 1), (trc_activation)(32 + 2 * (round & 1)), TRC_CALLED);
    if (round & 1) {
        leave(b, 32);
    }
}

static void resume(bench *b, long round)
{
    (void)round;
    trc_suspension *front = trc_suspensions_front(&b->suspensions, 32);
    front->id = front->id == 32 ? 0 : front->id;
    enter(b, 0, 32, TRC_RESUMED);
    if (trc_suspensions_is_free(&b->suspensions, front, 32)) {
        *front = (trc_suspension){32, b->callees[0]->key, &b->thread, b->now};
    }
    leave(b, 32);
}

/* Each deeper than the one before, so in a context of its own; all are left at the end. */
static void find_new(bench *b, long round)
{
    enter(b, 0, (trc_activation)(2 * round + 32), TRC_CALLED);
}

/* Five callees in turn, below one caller each time. What is written of them takes one or two bytes, as in programs. */
static inline void call_below(bench *b, long round, bool is_logged)
{
    void (*enter_by)(bench *, int, trc_activation, trc_entry) = is_logged ? enter_logged : enter;
    void (*leave_by)(bench *, trc_activation) = is_logged ? leave_logged : leave;
    if (round % 6 == 0) {
        enter_by(b, 5, 32, TRC_CALLED);
        b->now += CALLER_TAKES;
        return;
    }
    enter_by(b, (int)(round % 6 - 1), 34, TRC_CALLED);
    b->now += CALLEE_TAKES;
    leave_by(b, 34);
    b->now += CALLEE_TAKES;
    if (round % 6 == 5) {
        leave_by(b, 32);
    }
}

static void five_below_one(bench *b, long round)
{
    call_below(b, round, false);
}

static void log_five_below_one(bench *b, long round)
{
    call_below(b, round, true);
}

static void log_resume(bench *b, long round)
{
    (void)round;
    trc_suspension *front = trc_suspensions_front(&b->suspensions, 32);
    front->id = front->id == 32 ? 0 : front->id;
    enter_logged(b, 0, 32, TRC_RESUMED);
    b->now += CALLEE_TAKES;
    if (trc_suspensions_is_free(&b->suspensions, front, 32)) {
        *front = (trc_suspension){32, b->callees[0]->key, &b->thread, b->now};
    }
    leave_logged(b, 32);
    b->now += CALLEE_TAKES;
}

typedef struct scenario {
    const char *name;
    void (*round)(bench *b, long round);
    long budget;
    trc_tick bin;   /* how wide the first bins of the timeline are; 0: no timeline is recorded */
    trc_tick least; /* stretches that take less are not written */
} scenario;

static const scenario scenarios[] = {
    {"one", call_one, 1000, 0, 0},
    {"two", call_two, 1000, 0, 0},
    {"five", call_five, 1000, 0, 0},
    {"deep", call_deep, 1000, 0, 0},
    {"raise", raise_through_two, 1000, 0, 0},
    {"resume", resume, 1000, 0, 0},
    {"new", find_new, 1000000, 0, 0},
    {"overflow", call_five, 0, 0, 0},
    {"below", five_below_one, 1000, 0, 0},
    {"log", log_five_below_one, 1000, LONG_BIN, 0},
    {"thin", log_five_below_one, 1000, LONG_BIN, CALLER_TAKES + 1},
    {"bins", log_five_below_one, 1000, SHORT_BIN, 0},
    {"log resume", log_resume, 1000, LONG_BIN, 0},
};

/* From now on a timeline is recorded. */
static void write_log(bench *b, trc_tick bin, trc_tick least)
{
    void *memory = calloc(BLOCKS, BLOCK_SIZE);
    bool has_store =
        trc_store_init(&b->store, &trc_system_allocator, memory, (size_t)BLOCKS * BLOCK_SIZE, BLOCK_SIZE, false);
    b->store.least = least;
    b->room = TRC_BIN_ROOM;
    trc_tasks_init(&b->tasks, &trc_system_allocator, NULL);
    trc_log *log = trc_log_new(&b->store, &b->tasks, 0);
    trc_bins *bins = trc_bins_new(&trc_system_allocator, &b->room, 0, bin, 0);
    if (memory == NULL || !has_store || log == NULL || bins == NULL) {
        fail("memory is out");
    }
    log->least = least;
    trc_thread_write_log(&b->thread, log, bins);
    trc_thread_start(&b->thread, 0);
}

int main(int count, char **args)
{
    if (count == 1) {
#if defined(__clang__)
        printf("clang %d\n", __clang_major__);
#else
        printf("gcc %d\n", __GNUC__);
#endif
        return 0;
    }
    const scenario *chosen = NULL;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        chosen = strcmp(scenarios[i].name, args[1]) == 0 ? &scenarios[i] : chosen;
    }
    if (chosen == NULL || count != 3) {
        fail("needs the name of a scenario and a number of rounds");
    }
    bench b = {.budget = chosen->budget};
    trc_suspensions_init(&b.suspensions, &trc_system_allocator);
    if (!trc_thread_init(&b.thread, &trc_system_allocator, &b.budget, NULL, 0)) {
        fail("memory is out");
    }
    for (int i = 0; i < CALLEES; i++) {
        b.callees[i] = trc_functab_add(&b.thread.funcs, &b.keys[i], NULL);
        if (b.callees[i] == NULL) {
            fail("memory is out");
        }
    }
    if (chosen->bin != 0) {
        write_log(&b, chosen->bin, chosen->least);
    }
    long rounds = strtol(args[2], NULL, 10);
    for (long round = 0; round < rounds; round++) {
        chosen->round(&b, round);
    }
    trc_thread_stop(&b.thread, b.now);
    trc_thread_free(&b.thread);
    trc_suspensions_free(&b.suspensions);
    if (chosen->bin != 0) {
        trc_tasks_free(&b.tasks);
        free(b.store.memory);
        trc_store_free(&b.store);
    }
    return 0;
}
