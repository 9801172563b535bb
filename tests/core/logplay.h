/* Threads that write logs and bins for one store, by a clock that only the player advances; and beside each, written
 * down plainly, every stretch and every tick of own time. lograndom plays random programs on them. */
#ifndef TEST_LOGPLAY_H
#define TEST_LOGPLAY_H

#include "support.h"

#include <core/report/log_capture.h>
#include <core/report/slices.h>

#define ACTORS 3
#define FUNCTIONS 8 /* the last two are coroutines */
#define FIRST_COROUTINE 6
#define MOST_NOTES 40000
#define MOST_SUSPENDED 64

/* A record as it should be in the log. Stretches are numbered in the order in which they began. */
typedef struct note {
    trc_tick start;
    trc_tick end;
    uint32_t node;
    uint64_t value; /* of a tag or an open mark, as in the log */
    uint32_t number;
    uint32_t parent; /* number of the stretch that it is part of; 0: none */
    uint32_t depth;
} note;

/* Own time of a node from one tick to another, or, where is_call, one call of it. */
typedef struct share {
    trc_tick from;
    trc_tick to;
    uint32_t node;
    bool is_call;
} share;

typedef struct act {
    trc_activation id;
    int func;
    uint32_t node;
    uint32_t task; /* its number, where it is known to have one */
    bool is_task;  /* it is an outermost coroutine just now */
    uint32_t number;
    trc_tick since;
} act;

typedef struct act_stack {
    act acts[DEEPEST];
    int depth;
    uint32_t number; /* of the stack in the log */
} act_stack;

typedef struct actor {
    trc_thread thread;
    act_stack stacks[OWNERS];
    int on;
    bool tracing;
    bool paused;
    uint32_t stacks_numbered;
    uint32_t stretches;
    trc_tick last;
    note notes[MOST_NOTES];
    size_t note_count;
    share shares[2 * MOST_NOTES];
    size_t share_count;
} actor;

typedef struct suspended {
    trc_activation id;
    int func;
    uint32_t task;
} suspended;

typedef struct logplay {
    heap memory;
    atomic_long budget; /* of nodes */
    atomic_long room;   /* of bins */
    trc_store store;
    trc_tasks tasks;
    void *blocks;
    trc_tick origin;
    trc_tick unit;
    trc_tick now;
    trc_activation last_id;
    uint32_t task_count;
    suspended suspended[MOST_SUSPENDED];
    int suspended_count;
    actor actors[ACTORS];
    int actor_count;
} logplay;

typedef struct logplan {
    uint32_t blocks;
    uint32_t block_size;
    bool is_ring;
    trc_tick unit;
    long nodes;
    long room;
    int actors;
} logplan;

void logplay_open(logplay *play, const logplan *plan);
void logplay_close(logplay *play);

/* Steps of one actor at the present time. */
void logplay_call(logplay *play, int actor, int func, trc_entry entry);
void logplay_resume(logplay *play, int actor, int which); /* what is suspended, wherever that was */
void logplay_leave(logplay *play, int actor, int activations);
void logplay_suspend(logplay *play, int actor);
void logplay_switch(logplay *play, int actor, int to, bool is_over, bool is_unknown);
void logplay_pause(logplay *play, int actor);
void logplay_stop(logplay *play, int actor);

/* Asserts that what each log and its bins hold now is what was written down. `nests`: also how the stretches nest. */
void logplay_expect(logplay *play, bool nests, const char *which);

#endif
