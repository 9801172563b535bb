/* periodic_thread.[ch]: calls come while it runs, and none after. */
#include "suites.h"
#include "support.h"

#include <core/base/periodic_thread.h>

#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void count_call(void *context)
{
    atomic_fetch_add((atomic_int *)context, 1);
}

struct counted {
    long *calls;
    atomic_int *seen;
};

static void count_both(void *context)
{
    struct counted *counted = context;
    ++*counted->calls;
    atomic_fetch_add_explicit(counted->seen, 1, memory_order_relaxed);
}

static void pass(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

START_TEST(calls_come_until_it_stops)
{
    atomic_int calls = 0;
    trc_periodic_thread periodic;
    trc_periodic_thread_start(&periodic, 1000, count_call, &calls);
    ck_assert(periodic.is_running);
    while (calls < 3) {
        pass(1000);
    }
    trc_periodic_thread_stop(&periodic);
    int now = calls;
    pass(5000000);
    ck_assert_int_eq(calls, now);
    trc_periodic_thread_stop(&periodic); /* once more: nothing */
}
END_TEST

START_TEST(what_a_call_has_written_is_there_when_it_has_stopped)
{
    long calls = 0; /* no atomic one: who asks has waited for the last call */
    atomic_int seen = 0;
    struct counted counted = {&calls, &seen};
    trc_periodic_thread periodic;
    trc_periodic_thread_start(&periodic, 1000, count_both, &counted);
    while (seen < 100) {
        pass(1000);
    }
    trc_periodic_thread_stop(&periodic);
    ck_assert_int_eq(calls, seen);
}
END_TEST

#if defined(__linux__)
/* The number of threads of the process, as the interpreter counts them before it warns of a fork. */
static int count_threads(void)
{
    struct stat status;
    ck_assert_int_eq(stat("/proc/self/task", &status), 0);
    return (int)status.st_nlink - 2;
}

START_TEST(when_it_has_stopped_the_process_has_no_thread_of_it)
{
    bool counts = !is_beyond_tsan("the threads of a process are not counted", "ThreadSanitizer has some of its own");
    for (int i = 0; i < 500; i++) {
        atomic_int calls = 0;
        trc_periodic_thread periodic;
        trc_periodic_thread_start(&periodic, 1000, count_call, &calls);
        trc_periodic_thread_stop(&periodic);
        ck_assert(!counts || count_threads() == 1);
    }
}
END_TEST
#endif

START_TEST(it_stops_in_the_middle_of_a_long_wait)
{
    atomic_int calls = 0;
    trc_periodic_thread periodic;
    trc_periodic_thread_start(&periodic, (int64_t)3600 * 1000000000, count_call, &calls);
    trc_periodic_thread_stop(&periodic);
    ck_assert_int_eq(calls, 0);
}
END_TEST

START_TEST(a_child_has_no_thread_to_wait_for)
{
    atomic_int calls = 0;
    trc_periodic_thread periodic;
    trc_periodic_thread_start(&periodic, 1000, count_call, &calls);
    pid_t child = fork();
    if (child == 0) {
        trc_periodic_thread_stop(&periodic);
        _exit(periodic.is_running ? 1 : 0);
    }
    int status = 1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    trc_periodic_thread_stop(&periodic);
}
END_TEST

Suite *periodic_thread_suite(void)
{
    Suite *suite = suite_create("periodic_thread");
    TCase *tests = tcase_create("periodic");
    tcase_set_tags(tests, "threads");
    tcase_add_test(tests, calls_come_until_it_stops);
    tcase_add_test(tests, what_a_call_has_written_is_there_when_it_has_stopped);
#if defined(__linux__)
    tcase_add_test(tests, when_it_has_stopped_the_process_has_no_thread_of_it);
#endif
    tcase_add_test(tests, it_stops_in_the_middle_of_a_long_wait);
    tcase_add_test(tests, a_child_has_no_thread_to_wait_for);
    suite_add_tcase(suite, tests);
    return suite;
}
