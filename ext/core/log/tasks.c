/* The tasks of a profile: see tasks.h. */
#include "core/log/tasks.h"

#include <sched.h>

#define FIRST_TASKS 64

void trc_tasks_init(trc_tasks *tasks, const trc_allocator *allocator, void (*release)(void *name))
{
    memset(tasks, 0, sizeof *tasks);
    atomic_flag_clear(&tasks->lock);
    tasks->allocator = allocator;
    tasks->release = release;
}

void trc_tasks_free(trc_tasks *tasks)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->tasks[i].name != NULL) {
            tasks->release(tasks->tasks[i].name);
        }
    }
    trc_free(tasks->allocator, tasks->tasks);
    trc_free(tasks->allocator, tasks->slots);
    trc_tasks_init(tasks, tasks->allocator, tasks->release);
}

static void lock(trc_tasks *tasks)
{
    while (atomic_flag_test_and_set_explicit(&tasks->lock, memory_order_acquire)) {
        sched_yield();
    }
}

static void unlock(trc_tasks *tasks)
{
    atomic_flag_clear_explicit(&tasks->lock, memory_order_release);
}

/* The slot of the activation, or the free one where it belongs. There is one: at most half of them are used. */
static uint32_t *find_slot(const trc_tasks *tasks, trc_activation id)
{
    uint32_t slot = trc_hash(id) & (tasks->slot_count - 1);
    while (tasks->slots[slot] != 0 && tasks->tasks[tasks->slots[slot] - 1].id != id) {
        slot = (slot + 1) & (tasks->slot_count - 1);
    }
    return &tasks->slots[slot];
}

/* Activations that are over stay until another one has their name: coroutines of a size take turns at few addresses. */
static bool grow_slots(trc_tasks *tasks)
{
    uint32_t new_count = tasks->slot_count == 0 ? 2 * FIRST_TASKS : 2 * tasks->slot_count;
    uint32_t *slots = trc_alloc(tasks->allocator, new_count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    uint32_t *old = tasks->slots;
    uint32_t old_count = tasks->slot_count;
    tasks->slots = slots;
    tasks->slot_count = new_count;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] != 0) {
            *find_slot(tasks, tasks->tasks[old[i] - 1].id) = old[i];
        }
    }
    trc_free(tasks->allocator, old);
    return true;
}

static bool grow_tasks(trc_tasks *tasks)
{
    uint32_t room = tasks->room == 0 ? FIRST_TASKS : 2 * tasks->room;
    trc_task *more = trc_resize(tasks->allocator, tasks->tasks, room * sizeof *more);
    if (more == NULL) {
        return false;
    }
    tasks->tasks = more;
    tasks->room = room;
    return true;
}

static uint32_t begin(trc_tasks *tasks, trc_activation id, uint32_t log, uint32_t node, trc_tick now)
{
    bool has_room = tasks->count < TRC_TASK_LIMIT && (tasks->used < tasks->slot_count / 2 || grow_slots(tasks)) &&
                    (tasks->count < tasks->room || grow_tasks(tasks));
    uint32_t *slot = tasks->slot_count == 0 ? NULL : find_slot(tasks, id);
    if (!has_room) {
        tasks->dropped++;
        if (slot != NULL && *slot != 0) { /* the earlier activation of this name is over */
            tasks->tasks[*slot - 1].id = 0;
        }
        return 0;
    }
    tasks->used += *slot == 0;
    tasks->tasks[tasks->count++] = (trc_task){id, log, node, now, TRC_NOT_ENDED, NULL};
    *slot = tasks->count;
    return tasks->count;
}

uint32_t trc_tasks_begin(trc_tasks *tasks, trc_activation id, uint32_t log, uint32_t node, trc_tick now)
{
    lock(tasks);
    uint32_t number = begin(tasks, id, log, node, now);
    unlock(tasks);
    return number;
}

static uint32_t find(const trc_tasks *tasks, trc_activation id)
{
    uint32_t number = tasks->slot_count == 0 ? 0 : *find_slot(tasks, id);
    bool is_over = number != 0 && tasks->tasks[number - 1].end != TRC_NOT_ENDED;
    return is_over ? 0 : number;
}

uint32_t trc_tasks_find(trc_tasks *tasks, trc_activation id)
{
    lock(tasks);
    uint32_t number = find(tasks, id);
    unlock(tasks);
    return number;
}

uint32_t trc_tasks_of_resumed(trc_tasks *tasks, trc_activation id, uint32_t log, uint32_t node, trc_tick now)
{
    lock(tasks);
    uint32_t number = find(tasks, id);
    bool is_full = tasks->count == TRC_TASK_LIMIT;
    unlock(tasks);
    if (number != 0 || is_full) {
        return number;
    }
    trc_activation awaiter = tasks->find_awaiter == NULL ? 0 : tasks->find_awaiter(tasks->context);
    if (awaiter != 0) {
        id = awaiter;
        number = trc_tasks_find(tasks, id);
    }
    return number != 0 ? number : trc_tasks_begin(tasks, id, log, node, now);
}

void trc_tasks_end(trc_tasks *tasks, uint32_t number, trc_activation id, trc_tick now)
{
    lock(tasks);
    if (number != 0 && tasks->tasks[number - 1].id == id) {
        tasks->tasks[number - 1].end = now;
    }
    unlock(tasks);
}

void trc_tasks_name(trc_tasks *tasks, uint32_t number, void *name)
{
    lock(tasks);
    if (number != 0 && tasks->tasks[number - 1].name == NULL) {
        tasks->tasks[number - 1].name = name;
        name = NULL;
    }
    unlock(tasks);
    if (name != NULL) {
        tasks->release(name);
    }
}
