/* pulse.[ch]: beats come while the pulse runs, and none after. */
#include "suites.h"
#include "support.h"

#include <core/base/pulse.h>

#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void count_beat(void *context)
{
    atomic_fetch_add((atomic_int *)context, 1);
}

struct counted {
    long *beats;
    atomic_int *seen;
};

static void count_both(void *context)
{
    struct counted *counted = context;
    ++*counted->beats;
    atomic_fetch_add_explicit(counted->seen, 1, memory_order_relaxed);
}

static void pass(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

START_TEST(beats_come_until_it_stops)
{
    atomic_int beats = 0;
    trc_pulse pulse;
    trc_pulse_start(&pulse, 1000, count_beat, &beats);
    ck_assert(pulse.is_running);
    while (beats < 3) {
        pass(1000);
    }
    trc_pulse_stop(&pulse);
    int now = beats;
    pass(5000000);
    ck_assert_int_eq(beats, now);
    trc_pulse_stop(&pulse); /* once more: nothing */
}
END_TEST

START_TEST(what_a_beat_has_written_is_there_when_it_has_stopped)
{
    long beats = 0; /* no atomic one: who asks has waited for the last beat */
    atomic_int seen = 0;
    struct counted counted = {&beats, &seen};
    trc_pulse pulse;
    trc_pulse_start(&pulse, 1000, count_both, &counted);
    while (seen < 100) {
        pass(1000);
    }
    trc_pulse_stop(&pulse);
    ck_assert_int_eq(beats, seen);
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
        atomic_int beats = 0;
        trc_pulse pulse;
        trc_pulse_start(&pulse, 1000, count_beat, &beats);
        trc_pulse_stop(&pulse);
        ck_assert(!counts || count_threads() == 1);
    }
}
END_TEST
#endif

START_TEST(it_stops_in_the_middle_of_a_long_wait)
{
    atomic_int beats = 0;
    trc_pulse pulse;
    trc_pulse_start(&pulse, (int64_t)3600 * 1000000000, count_beat, &beats);
    trc_pulse_stop(&pulse);
    ck_assert_int_eq(beats, 0);
}
END_TEST

START_TEST(a_child_has_no_thread_to_wait_for)
{
    atomic_int beats = 0;
    trc_pulse pulse;
    trc_pulse_start(&pulse, 1000, count_beat, &beats);
    pid_t child = fork();
    if (child == 0) {
        trc_pulse_stop(&pulse);
        _exit(pulse.is_running ? 1 : 0);
    }
    int status = 1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    trc_pulse_stop(&pulse);
}
END_TEST

Suite *pulse_suite(void)
{
    Suite *suite = suite_create("pulse");
    TCase *tests = tcase_create("pulse");
    tcase_set_tags(tests, "threads");
    tcase_add_test(tests, beats_come_until_it_stops);
    tcase_add_test(tests, what_a_beat_has_written_is_there_when_it_has_stopped);
#if defined(__linux__)
    tcase_add_test(tests, when_it_has_stopped_the_process_has_no_thread_of_it);
#endif
    tcase_add_test(tests, it_stops_in_the_middle_of_a_long_wait);
    tcase_add_test(tests, a_child_has_no_thread_to_wait_for);
    suite_add_tcase(suite, tests);
    return suite;
}
