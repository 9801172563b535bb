/* A long run of a program, played to the core with a timeline: what the log keeps of it, and what it costs.
 *
 *     replay SHAPE CALLS BYTES      plays CALLS calls of that shape, with BYTES for the log
 *
 * Prints one line of numbers: replay.py says what they are, and holds them against their bars. The clock of the calls is
 * part of the shape, in ns. What is measured is CPU time: other programs of the machine are not in it. */
#include "core/report/log_capture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNIT 1000000
#define BLOCK 16384
#define FUNCTIONS 4096
#define CALLEES 4
#define ROOM 2097152 /* events of a stream, which is played over and over */
#define DEEPEST 1000

typedef struct event {
    uint32_t ticks; /* since the event before */
    int32_t func;   /* what is called; -1: the top is left */
} event;

typedef struct bench {
    trc_thread thread;
    trc_store store;
    trc_tasks tasks;
    atomic_long budget;
    atomic_long room;
    trc_func *funcs[FUNCTIONS];
    char keys[FUNCTIONS]; /* their addresses are the functions' keys */
    trc_tick now;
    int64_t longest_pause; /* ns */
    int64_t in_bins;       /* ns */
} bench;

static void fail(const char *why)
{
    fprintf(stderr, "replay: %s\n", why);
    exit(2);
}

static int64_t cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* -- Streams -- */

typedef struct author {
    uint64_t seed;
    event *events;
    size_t count;
    double factor; /* of all ticks */
} author;

static uint32_t throw_dice(author *author, uint32_t sides)
{
    author->seed = author->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((author->seed >> 33) % sides);
}

/* Most are near the median; a few are a hundred times as long. */
static uint32_t some_ticks(author *author, double median, double spread)
{
    double normal = -6.0;
    for (int i = 0; i < 12; i++) {
        normal += throw_dice(author, 1000000) / 1e6;
    }
    return (uint32_t)(author->factor * median * exp(spread * normal)) + 1;
}

static void put(author *author, uint32_t ticks, int func)
{
    author->events[author->count++] = (event){ticks, func};
}

static bool is_full(const author *author)
{
    return author->count > ROOM - 2 * DEEPEST - 4;
}

/* A call that calls most of its function's callees: 0 to 3, always the same. */
static void call_tree(author *author, int func, int depth, int deepest, double median, double spread)
{
    put(author, some_ticks(author, median, spread), func);
    int calls = depth >= deepest || is_full(author) ? 0 : func * 7 % 4;
    for (int i = 0; i < calls; i++) {
        if (throw_dice(author, 10) != 0) {
            call_tree(author, (func * CALLEES + 1 + i) % FUNCTIONS, depth + 1, deepest, median, spread);
        }
    }
    put(author, some_ticks(author, median, spread), -1);
}

/* As a program for algebra: thousands of contexts, of all lengths. */
static void compose_tree(author *author)
{
    while (!is_full(author)) {
        call_tree(author, (int)throw_dice(author, 20), 0, 10, 60, 1.2);
    }
}

/* A loop over small functions. */
static void compose_flat(author *author)
{
    while (!is_full(author)) {
        int func = (int)throw_dice(author, 8);
        put(author, some_ticks(author, 60, 0.3), func);
        put(author, some_ticks(author, 60, 0.3), -1);
    }
}

/* One function that calls itself twice. */
static void recur(author *author, int depth)
{
    put(author, some_ticks(author, 40, 0.2), 0);
    for (int i = 1; depth >= i && !is_full(author); i++) {
        if (i <= 2) {
            recur(author, depth - i);
        }
    }
    put(author, some_ticks(author, 40, 0.2), -1);
}

static void compose_recursion(author *author)
{
    while (!is_full(author)) {
        recur(author, 22);
    }
}

/* Chains of 400 calls: all of a chain are of almost one duration. */
static void compose_chains(author *author)
{
    while (!is_full(author)) {
        for (int i = 0; i < 400; i++) {
            put(author, 1, i);
        }
        put(author, some_ticks(author, 40000, 0.1), 400);
        for (int i = 0; i <= 400; i++) {
            put(author, 1, -1);
        }
    }
}

/* A run that begins with long calls, and goes on with short ones. */
static void compose_phases(author *author)
{
    author->factor = 30;
    while (author->count < ROOM / 2) {
        call_tree(author, (int)throw_dice(author, 20), 0, 8, 60, 1.0);
    }
    author->factor = 1;
    while (!is_full(author)) {
        call_tree(author, (int)throw_dice(author, 5), 0, 6, 40, 0.5);
    }
}

typedef struct shape {
    const char *name;
    void (*compose)(author *author);
} shape;

static const shape shapes[] = {
    {"tree", compose_tree},     {"flat", compose_flat},     {"recursion", compose_recursion},
    {"chains", compose_chains}, {"phases", compose_phases},
};

/* -- Playing -- */

static void enter(bench *b, int func, trc_activation id, bool is_logged)
{
    trc_thread *thread = &b->thread;
    if (!trc_thread_is_due(thread, b->now)) {
        trc_node *node = trc_thread_expected(thread, &b->keys[func]);
        if (node != NULL) {
            if (is_logged) {
                trc_bins_touch(thread->bins, node);
            }
            trc_thread_push(thread, node, id, TRC_CALLED, b->now);
            return;
        }
    }
    int64_t start = trc_thread_is_due(thread, b->now) ? cpu() : 0;
    trc_node *node = trc_thread_child(thread, &b->keys[func]);
    if (node == NULL) {
        node = trc_thread_add_child(thread, b->funcs[func]);
    }
    trc_thread_enter(thread, node, id, TRC_CALLED, b->now);
    if (start != 0) {
        int64_t took = cpu() - start;
        b->in_bins += took;
        b->longest_pause = took > b->longest_pause ? took : b->longest_pause;
    }
}

static void leave(bench *b, trc_activation id, bool is_logged)
{
    trc_thread *thread = &b->thread;
    bool is_due = trc_thread_is_due(thread, b->now);
    bool is_slow = is_logged && (is_due || thread->log->at >= thread->log->limit);
    int64_t start = is_slow ? cpu() : 0;
    if (trc_thread_can_pop(thread, b->now)) {
        const trc_frame *top = thread->stack.top;
        trc_thread_pop(thread, b->now);
        if (is_logged) {
            trc_log_stretch(thread->log, top->node->index, top->start, b->now);
        }
    }
    else {
        trc_thread_leave(thread, id, b->now);
    }
    if (is_slow) {
        int64_t took = cpu() - start;
        b->in_bins += is_due ? took : 0;
        b->longest_pause = took > b->longest_pause ? took : b->longest_pause;
    }
}

/* Plays the stream until there were so many calls. Returns the CPU time. */
static int64_t play(bench *b, const author *author, uint64_t calls, bool is_logged)
{
    int64_t start = cpu();
    trc_activation id = 0;
    for (uint64_t called = 0; called < calls;) {
        for (size_t i = 0; i < author->count; i++) {
            const event *each = &author->events[i];
            b->now += each->ticks;
            if (each->func >= 0) {
                called++;
                enter(b, each->func, id += 2, is_logged);
            }
            else {
                leave(b, id, is_logged);
                id -= 2;
            }
        }
    }
    return cpu() - start;
}

static void release_nothing(void *name)
{
    (void)name;
}

static void open_bench(bench *b, bool is_logged, void *memory, size_t size)
{
    memset(b, 0, sizeof *b);
    atomic_init(&b->budget, 1000000);
    atomic_init(&b->room, TRC_BIN_ROOM);
    b->now = 1000;
    if (!trc_thread_init(&b->thread, &trc_system_allocator, &b->budget, NULL, b->now)) {
        fail("no memory");
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        b->funcs[i] = trc_functab_add(&b->thread.funcs, &b->keys[i], NULL);
    }
    if (is_logged) {
        trc_tasks_init(&b->tasks, &trc_system_allocator, release_nothing);
        trc_store_init(&b->store, &trc_system_allocator, memory, size, BLOCK, false);
        trc_bins *bins = trc_bins_new(&trc_system_allocator, &b->room, b->now, UNIT, b->now);
        trc_thread_write_log(&b->thread, trc_log_new(&b->store, &b->tasks, b->now), bins);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fail("SHAPE CALLS BYTES");
    }
    const shape *shape = NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape = strcmp(argv[1], shapes[i].name) == 0 ? &shapes[i] : shape;
    }
    if (shape == NULL) {
        fail("the shapes are tree, flat, recursion, chains and phases");
    }
    author author = {1, malloc(ROOM * sizeof(event)), 0, 1};
    if (author.events == NULL) {
        fail("no memory");
    }
    shape->compose(&author);
    uint64_t calls = strtoull(argv[2], NULL, 10);
    size_t size = strtoull(argv[3], NULL, 10);
    void *memory = calloc(1, size);
    static bench b;
    open_bench(&b, false, NULL, 0);
    uint64_t few = calls < 20000000 ? calls : 20000000;
    double bare = (double)play(&b, &author, few, false) / (double)few;
    trc_thread_free(&b.thread);

    open_bench(&b, true, memory, size);
    trc_tick began = b.now;
    int64_t took = play(&b, &author, calls, true);
    trc_log_capture capture;
    if (!trc_log_capture_thread(&capture, &b.thread, &(trc_log_request){b.now, began, 0, true, false})) {
        fail("no memory");
    }
    uint64_t used = capture.slices_size;
    printf(
        "{\"least\": %lld, \"run\": %lld, \"ns\": %.3f, \"bare_ns\": %.3f, \"pause_ns\": %lld, \"bins_share\": %.5f, "
        "\"bins_bytes\": %ld, \"nodes\": %u, \"bytes\": %llu, \"lost\": %llu}\n",
        (long long)b.store.least, (long long)(b.now - began), (double)took / (double)calls, bare,
        (long long)b.longest_pause, (double)b.in_bins / (double)took, TRC_BIN_ROOM - atomic_load(&b.room),
        b.thread.tree.count, (unsigned long long)used, (unsigned long long)b.store.lost);
    trc_log_capture_free(&capture, &trc_system_allocator);
    trc_thread_free(&b.thread);
    trc_store_free(&b.store);
    trc_tasks_free(&b.tasks);
    free(author.events);
    free(memory);
    return 0;
}
