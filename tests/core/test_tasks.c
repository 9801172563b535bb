/* The numbers of tasks. */
#include "suites.h"
#include "support.h"

#include <core/log/tasks.h>

static int released;

static void count_release(void *name)
{
    (void)name;
    released++;
}

static void set_up(heap *memory, trc_tasks *tasks)
{
    heap_init(memory);
    trc_tasks_init(tasks, &memory->allocator, count_release);
}

static void tear_down(const heap *memory, trc_tasks *tasks)
{
    trc_tasks_free(tasks);
    ck_assert_int_eq(memory->blocks, 0);
}

START_TEST(a_task_has_its_number_from_its_start_to_its_end)
{
    heap memory;
    trc_tasks tasks;
    set_up(&memory, &tasks);
    ck_assert_uint_eq(trc_tasks_find(&tasks, 32), 0);
    for (uint32_t i = 1; i <= 1000; i++) {
        ck_assert_uint_eq(trc_tasks_begin(&tasks, 32 * i, 1, i, i), i);
    }
    for (uint32_t i = 1; i <= 1000; i++) {
        ck_assert_uint_eq(trc_tasks_find(&tasks, 32 * i), i);
        ck_assert_int_eq(tasks.tasks[i - 1].start, i);
        ck_assert_int_eq(tasks.tasks[i - 1].end, TRC_NOT_ENDED);
    }
    trc_tasks_end(&tasks, 7, 32 * 7, 5000);
    ck_assert_int_eq(tasks.tasks[6].end, 5000);
    ck_assert_uint_eq(trc_tasks_find(&tasks, 32 * 7), 0); /* what has that name now is another one */
    ck_assert_uint_eq(trc_tasks_begin(&tasks, 32 * 7, 1, 7, 6000), 1001);
    ck_assert_uint_eq(trc_tasks_find(&tasks, 32 * 7), 1001);
    trc_tasks_end(&tasks, 0, 32, 1); /* of none */
    tear_down(&memory, &tasks);
}
END_TEST

static trc_activation tell_awaiter(const void *context)
{
    return *(const trc_activation *)context;
}

START_TEST(what_is_awaited_is_of_the_task_that_awaits_it)
{
    heap memory;
    trc_tasks tasks;
    trc_activation awaiter = 64;
    set_up(&memory, &tasks);
    ck_assert_uint_eq(trc_tasks_of_resumed(&tasks, 32, 1, 1, 1), 1); /* nobody knows who awaits it */
    tasks.find_awaiter = tell_awaiter;
    tasks.context = &awaiter;
    ck_assert_uint_eq(trc_tasks_of_resumed(&tasks, 32, 1, 1, 2), 1);
    ck_assert_uint_eq(trc_tasks_of_resumed(&tasks, 96, 1, 5, 3), 2); /* the awaiter's task begins */
    ck_assert_uint_eq(trc_tasks_find(&tasks, 64), 2);
    ck_assert_uint_eq(trc_tasks_find(&tasks, 96), 0);
    ck_assert_uint_eq(trc_tasks_of_resumed(&tasks, 128, 1, 6, 4), 2);
    trc_tasks_end(&tasks, 2, 128, 5); /* the task goes on */
    ck_assert_int_eq(tasks.tasks[1].end, TRC_NOT_ENDED);
    trc_tasks_end(&tasks, 2, 64, 6);
    ck_assert_int_eq(tasks.tasks[1].end, 6);
    awaiter = 0;
    ck_assert_uint_eq(trc_tasks_of_resumed(&tasks, 160, 1, 7, 7), 3);
    ck_assert_uint_eq(trc_tasks_find(&tasks, 160), 3);
    tear_down(&memory, &tasks);
}
END_TEST

START_TEST(past_the_limit_a_resume_drops_nothing_and_asks_nobody)
{
    heap memory;
    trc_tasks tasks;
    trc_activation awaiter = 32;
    set_up(&memory, &tasks);
    tasks.find_awaiter = tell_awaiter;
    tasks.context = &awaiter;
    for (uint32_t i = 1; i <= TRC_TASK_LIMIT; i++) {
        ck_assert_uint_eq(trc_tasks_begin(&tasks, 32 * (trc_activation)i, 1, i, i), i);
    }
    trc_activation next = 32 * (trc_activation)(TRC_TASK_LIMIT + 1);
    ck_assert_uint_eq(trc_tasks_begin(&tasks, next, 1, 1, 1), 0);
    ck_assert_uint_eq(trc_tasks_of_resumed(&tasks, next, 1, 1, 2), 0);
    ck_assert_uint_eq(trc_tasks_of_resumed(&tasks, 64, 1, 1, 3), 2);
    ck_assert_uint_eq(tasks.dropped, 1);
    tear_down(&memory, &tasks);
}
END_TEST

START_TEST(a_task_keeps_its_first_name)
{
    heap memory;
    trc_tasks tasks;
    static char first, second;
    released = 0;
    set_up(&memory, &tasks);
    trc_tasks_begin(&tasks, 32, 1, 1, 1);
    trc_tasks_name(&tasks, 1, &first);
    trc_tasks_name(&tasks, 1, &second);
    ck_assert_ptr_eq(tasks.tasks[0].name, &first);
    ck_assert_int_eq(released, 1);
    trc_tasks_name(&tasks, 0, &second);
    ck_assert_int_eq(released, 2);
    tear_down(&memory, &tasks);
    ck_assert_int_eq(released, 3);
}
END_TEST

START_TEST(tasks_without_memory_are_counted)
{
    for (long failure = 1; failure <= 4; failure++) {
        heap memory;
        trc_tasks tasks;
        set_up(&memory, &tasks);
        memory.first_failure = memory.last_failure = failure;
        uint32_t numbered = 0;
        for (uint32_t i = 1; i <= 200; i++) {
            uint32_t number = trc_tasks_begin(&tasks, 32 * i, 1, i, i);
            numbered += number != 0;
            ck_assert_uint_eq(trc_tasks_find(&tasks, 32 * i), number);
        }
        ck_assert_uint_eq(tasks.dropped, 1);
        ck_assert_uint_eq(numbered, 199);
        tear_down(&memory, &tasks);
    }
}
END_TEST

Suite *tasks_suite(void)
{
    Suite *suite = suite_create("tasks");
    TCase *tcase = tcase_create("tasks");
    tcase_add_test(tcase, a_task_has_its_number_from_its_start_to_its_end);
    tcase_add_test(tcase, what_is_awaited_is_of_the_task_that_awaits_it);
    tcase_add_test(tcase, past_the_limit_a_resume_drops_nothing_and_asks_nobody);
    tcase_add_test(tcase, a_task_keeps_its_first_name);
    tcase_add_test(tcase, tasks_without_memory_are_counted);
    suite_add_tcase(suite, tcase);
    return suite;
}
