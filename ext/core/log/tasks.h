/* The tasks of a profile: a number for each activation of an outermost coroutine, from its start to its end. A task goes
 * on under the same number after each suspension, also in another thread. */
#ifndef TRC_TASKS_H
#define TRC_TASKS_H

#include "core/base/activation.h"
#include "core/base/clock.h"
#include "core/base/hash.h"

#include <stdatomic.h>
#include <stdbool.h>

#define TRC_TASK_LIMIT 262144

typedef struct trc_task {
    trc_activation id;
    uint32_t log;  /* number of the log of the thread in which it began */
    uint32_t node; /* index of its node there */
    trc_tick start;
    trc_tick end; /* TRC_NOT_ENDED: not known to have ended */
    void *name;   /* opaque; owned */
} trc_task;

#define TRC_NOT_ENDED INT64_MIN

typedef struct trc_tasks {
    const trc_allocator *allocator;
    void (*release)(void *name);
    trc_activation (*find_awaiter)(const void *context); /* see trc_tasks_of_resumed; NULL: nobody knows */
    const void *context;
    atomic_flag lock;
    trc_task *tasks; /* owned: the task with number i is tasks[i - 1] */
    uint32_t count;
    uint32_t room;
    uint32_t *slots; /* owned: activation -> number, open addressing; 0: free */
    uint32_t slot_count;
    uint32_t used;    /* slots */
    uint64_t dropped; /* tasks past TRC_TASK_LIMIT, or without memory: their number is 0 */
} trc_tasks;

void trc_tasks_init(trc_tasks *tasks, const trc_allocator *allocator, void (*release)(void *name));
void trc_tasks_free(trc_tasks *tasks);

/* A task begins. Returns its number, or 0 when there is no room. */
uint32_t trc_tasks_begin(trc_tasks *tasks, trc_activation id, uint32_t log, uint32_t node, trc_tick now);

/* Returns the number of the task that this activation is, or 0. A task that has ended is none: another activation may
 * have its name. */
uint32_t trc_tasks_find(trc_tasks *tasks, trc_activation id);

/* Returns the number of the task that an outermost coroutine is of that goes on; 0: there is no room for it. It is a task
 * itself, or find_awaiter() tells the outermost coroutine that awaits it: an exception that is thrown into that one is
 * raised in the innermost at once. A task that is not known yet begins. Past TRC_TASK_LIMIT the awaiter is not asked for,
 * because every resume of a dropped task would ask. */
uint32_t trc_tasks_of_resumed(trc_tasks *tasks, trc_activation id, uint32_t log, uint32_t node, trc_tick now);

/* An activation is over. If it is the task itself, and not what that awaited, the task ends. */
void trc_tasks_end(trc_tasks *tasks, uint32_t number, trc_activation id, trc_tick now);

/* Names a task, if it has no name yet; else, or where the number is 0, the name is released. */
void trc_tasks_name(trc_tasks *tasks, uint32_t number, void *name);

#endif
