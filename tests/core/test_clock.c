/* clock.[ch]: each kind of clock against the system's own, and ticks against seconds. */
#define _GNU_SOURCE /* mkdtemp() */

#include "suites.h"
#include "support.h"

#include <core/base/gettid.h>

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t system_now(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void rest(long milliseconds)
{
    struct timespec span = {0, milliseconds * 1000000};
    nanosleep(&span, NULL);
}

/* Uses `nanoseconds` of this thread's CPU time. */
static void burn(int64_t nanoseconds)
{
    int64_t end = system_now(CLOCK_THREAD_CPUTIME_ID) + nanoseconds;
    while (system_now(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}

static trc_tick read_three(void *context)
{
    return *(trc_tick *)context += 3;
}

START_TEST(an_injected_clock_is_what_it_is_told)
{
    trc_tick ticks = 100;
    trc_clock clock = trc_clock_injected(read_three, &ticks, 0.25);
    ck_assert_int_eq(trc_clock_now(&clock), 103);
    ck_assert_int_eq(trc_clock_read(&clock), 106);
    ck_assert_int_eq(trc_clock_now_of(&clock, 0, 7), 109);
    trc_moment measured = {100, 999999999999}, none = {0, 0};
    ck_assert_double_eq(trc_clock_seconds_per_tick(&clock, measured, none), 0.25);
    trc_moment moment = trc_clock_moment(&clock); /* does not call the function */
    ck_assert_int_eq(moment.ticks, 0);
    ck_assert_int_eq(moment.nanoseconds, 0);
    ck_assert_int_eq(ticks, 109);
}
END_TEST

START_TEST(every_clock_has_its_name)
{
    trc_clock wall = trc_clock_wall(TRC_CLOCKSOURCES), cpu = trc_clock_cpu();
    trc_clock custom = trc_clock_injected(read_three, NULL, 1.0);
    trc_clock monotonic = {.kind = TRC_CLOCK_MONOTONIC};
    trc_clock counter = {.kind = TRC_CLOCK_COUNTER};
    ck_assert_str_eq(trc_clock_name(&cpu), "cpu");
    ck_assert_str_eq(trc_clock_name(&custom), "custom");
    ck_assert_str_eq(trc_clock_name(&monotonic), "monotonic");
#if defined(__x86_64__)
    ck_assert_str_eq(trc_clock_name(&counter), "tsc");
#elif defined(__aarch64__)
    ck_assert_str_eq(trc_clock_name(&counter), "cntvct");
#endif
    ck_assert_str_eq(trc_clock_name(&wall), wall.kind == TRC_CLOCK_COUNTER ? trc_clock_name(&counter) : "monotonic");
}
END_TEST

/* Writes a file into a folder that stands for the kernel's; removes the file if `text` is NULL. */
static void write_file(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove(path);
    FILE *file = text == NULL ? NULL : fopen(path, "w");
    ck_assert(text == NULL || (file != NULL && fputs(text, file) >= 0));
    ck_assert(file == NULL || fclose(file) == 0);
}

static const struct clocksources {
    const char *current, *available;
    bool stable;
} clocksources[] = {
    {"tsc\n", "tsc kvm-clock \n", true},
    {"tsc\n", NULL, true},
    {"tsc", "", true},
    {"hpet\n", "hpet acpi_pm \n", false},     /* the kernel has found the TSC unstable */
    {"hpet\n", "tsc hpet acpi_pm \n", false}, /* somebody chose another, and knows why */
    {"acpi_pm\n", NULL, false},
    {"tsc-early\n", "tsc-early hpet \n", false},
    {"kvm-clock\n", "kvm-clock tsc acpi_pm \n", true},
    {"kvm-clock\n", "kvm-clock acpi_pm \n", false},
    {"kvm-clock\n", "", true},
    {"kvm-clock\n", NULL, true},
    {"hyperv_clocksource_tsc_page\n", "hyperv_clocksource_tsc_page tsc \n", true},
    {"hyperv_clocksource_tsc_page\n", "hyperv_clocksource_tsc_page acpi_pm \n", false},
    {"hyperv_clocksource_msr\n", "hyperv_clocksource_msr tsc\n", true},
    {"xen\n", "xen tsc\n", true},
    {"xen\n", "xen\n", false},
    {"\n", "hpet\n", true}, /* says nothing */
    {"", "hpet\n", true},
    {NULL, "hpet\n", true},
    {NULL, NULL, true},
};

START_TEST(the_kernel_is_asked_whether_the_tsc_is_stable)
{
    const struct clocksources *said = &clocksources[_i];
    char folder[] = "/tmp/clocksource-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    trc_clock without = trc_clock_wall(folder); /* here it asks CPUID alone */
    write_file(folder, "current_clocksource", said->current);
    write_file(folder, "available_clocksource", said->available);
    bool stable = trc_clock_tsc_is_stable(folder);
    trc_clock wall = trc_clock_wall(folder);
    write_file(folder, "current_clocksource", NULL);
    write_file(folder, "available_clocksource", NULL);
    ck_assert_int_eq(rmdir(folder), 0);
    ck_assert_int_eq(stable, said->stable);
#if defined(__x86_64__)
    ck_assert_int_eq(wall.kind, said->stable ? without.kind : TRC_CLOCK_MONOTONIC);
#else
    ck_assert_int_eq(wall.kind, without.kind);
#endif
}
END_TEST

START_TEST(without_the_kernels_word_that_of_the_processor_stands)
{
    char folder[2 * PATH_MAX];
    memset(folder, 'x', sizeof folder);
    folder[sizeof folder - 1] = '\0';
    ck_assert(trc_clock_tsc_is_stable("/nowhere/at/all"));
    ck_assert(trc_clock_tsc_is_stable(folder)); /* no path is so long */
    ck_assert_int_eq(trc_clock_wall("/nowhere/at/all").kind, trc_clock_wall(folder).kind);
}
END_TEST

START_TEST(the_monotonic_clock_is_the_systems)
{
    trc_clock clock = {.kind = TRC_CLOCK_MONOTONIC};
    trc_moment long_ago = {1, 1};
    int64_t before = system_now(CLOCK_MONOTONIC);
    trc_tick now = trc_clock_now(&clock);
    trc_tick of_other = trc_clock_now_of(&clock, 0, INT64_MAX);
    int64_t after = system_now(CLOCK_MONOTONIC);
    ck_assert_int_le(before, now);
    ck_assert_int_le(now, of_other);
    ck_assert_int_le(of_other, after);
    ck_assert_double_eq(trc_clock_seconds_per_tick(&clock, long_ago, long_ago), 1e-9);
}
END_TEST

START_TEST(the_wall_clock_never_goes_back)
{
    trc_clock clock = trc_clock_wall(TRC_CLOCKSOURCES);
    trc_tick last = trc_clock_now(&clock);
    for (int i = 0; i < 100000; i++) {
        trc_tick now = trc_clock_now(&clock);
        ck_assert_int_ge(now, last);
        last = now;
    }
}
END_TEST

/* A machine that stops this process between two reads must not fail the test: the true length lies between the
 * shortest and the longest that the readings around the ticks allow. */
START_TEST(wall_ticks_are_seconds_to_a_thousandth)
{
    trc_clock clock = trc_clock_wall(TRC_CLOCKSOURCES);
    trc_moment none = {0, 0};
    trc_moment start = trc_clock_moment(&clock);
    int64_t before_first = system_now(CLOCK_MONOTONIC);
    trc_tick first = trc_clock_now(&clock);
    int64_t after_first = system_now(CLOCK_MONOTONIC);
    rest(100);
    int64_t before_last = system_now(CLOCK_MONOTONIC);
    trc_tick last = trc_clock_now(&clock);
    int64_t after_last = system_now(CLOCK_MONOTONIC);
    trc_moment measured = trc_moment_since(trc_clock_moment(&clock), start);
    double nanoseconds = trc_clock_seconds_per_tick(&clock, measured, none) * (double)(last - first) * 1e9;
    ck_assert_double_ge(nanoseconds, 0.999 * (double)(before_last - after_first));
    ck_assert_double_le(nanoseconds, 1.001 * (double)(after_last - before_first));
    ck_assert_double_ge(nanoseconds, 0.999e8); /* and it did rest */
}
END_TEST

START_TEST(a_moment_is_one_moment)
{
    trc_clock clock = trc_clock_wall(TRC_CLOCKSOURCES);
    if (clock.kind != TRC_CLOCK_COUNTER) {
        return; /* no other clock has moments */
    }
    int64_t before = system_now(CLOCK_MONOTONIC);
    trc_tick first = trc_clock_now(&clock);
    trc_moment moment = trc_clock_moment(&clock);
    trc_tick last = trc_clock_now(&clock);
    int64_t after = system_now(CLOCK_MONOTONIC);
    ck_assert_int_le(first, moment.ticks);
    ck_assert_int_le(moment.ticks, last);
    ck_assert_int_le(before, moment.nanoseconds);
    ck_assert_int_le(moment.nanoseconds, after);
}
END_TEST

START_TEST(moments_are_subtracted_field_by_field)
{
    trc_moment later = {1000, 70}, earlier = {1, 2};
    trc_moment distance = trc_moment_since(later, earlier);
    ck_assert_int_eq(distance.ticks, 999);
    ck_assert_int_eq(distance.nanoseconds, 68);
}
END_TEST

START_TEST(a_short_span_gives_way_to_the_longer)
{
    trc_clock counter = {.kind = TRC_CLOCK_COUNTER};
    trc_moment longer = {4000000000, 1000000000};                       /* 4 GHz */
    trc_moment enough = {2 * (trc_tick)TRC_SHORT_SPAN, TRC_SHORT_SPAN}; /* 2 GHz */
    trc_moment shorter = {1, TRC_SHORT_SPAN - 1};
    trc_moment none = {0, 0}, backward = {-5, 20};
    ck_assert_double_eq_tol(trc_clock_seconds_per_tick(&counter, enough, longer), 0.5e-9, 1e-24);
    ck_assert_double_eq_tol(trc_clock_seconds_per_tick(&counter, shorter, longer), 0.25e-9, 1e-24);
    ck_assert_double_eq(trc_clock_seconds_per_tick(&counter, none, none), 1e-9);
    ck_assert_double_eq(trc_clock_seconds_per_tick(&counter, none, backward), 1e-9);
}
END_TEST

START_TEST(cpu_time_is_the_threads_own)
{
    trc_clock clock = trc_clock_cpu();
    trc_moment none = {0, 0};
    int64_t began = system_now(CLOCK_MONOTONIC);
    int64_t before = system_now(CLOCK_THREAD_CPUTIME_ID);
    trc_tick first = trc_clock_now(&clock);
    burn(5000000);
    rest(50);
    trc_tick last = trc_clock_now(&clock);
    int64_t passed = system_now(CLOCK_MONOTONIC) - began;
    int64_t after = system_now(CLOCK_THREAD_CPUTIME_ID);
    ck_assert_int_le(before, first);
    ck_assert_int_le(last, after);
    ck_assert_int_ge(last - first, 5000000);
    ck_assert_int_le(last - first, passed - 50000000); /* resting costs no CPU time */
    ck_assert_double_eq(trc_clock_seconds_per_tick(&clock, none, none), 1e-9);
}
END_TEST

#if defined(__linux__)
typedef struct worker {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool ready, over;
    uint64_t native_id;
    trc_tick cpu_time;
} worker;

static void *work(void *context)
{
    worker *self = context;
    trc_clock clock = trc_clock_cpu();
    burn(20000000);
    pthread_mutex_lock(&self->lock);
    self->native_id = (uint64_t)trc_gettid();
    self->cpu_time = trc_clock_now(&clock);
    self->ready = true;
    pthread_cond_signal(&self->changed);
    while (!self->over) {
        pthread_cond_wait(&self->changed, &self->lock);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

START_TEST(the_cpu_time_of_another_thread_can_be_read)
{
    worker other = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false, 0, 0};
    trc_clock clock = trc_clock_cpu();
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, work, &other), 0);
    pthread_mutex_lock(&other.lock);
    while (!other.ready) {
        pthread_cond_wait(&other.changed, &other.lock);
    }
    clockid_t of_thread;
    ck_assert_int_eq(pthread_getcpuclockid(thread, &of_thread), 0);
    trc_tick now = trc_clock_now_of(&clock, other.native_id, 5);
    ck_assert_int_ge(now, other.cpu_time);
    ck_assert_int_le(now, system_now(of_thread));
    ck_assert_int_eq(trc_clock_now_of(&clock, other.native_id, now + 1000000000), now + 1000000000); /* never back */
    other.over = true;
    pthread_cond_signal(&other.changed);
    pthread_mutex_unlock(&other.lock);
    pthread_join(thread, NULL);
    /* The id lives on for a moment after the join. */
    for (int i = 0; i < 1000 && trc_clock_now_of(&clock, other.native_id, 5) != 5; i++) {
        rest(1);
    }
    ck_assert_int_eq(trc_clock_now_of(&clock, other.native_id, 5), 5);
}
END_TEST
#endif

Suite *clock_suite(void)
{
    Suite *suite = suite_create("clock");
    TCase *tcase = tcase_create("clock");
    tcase_add_test(tcase, an_injected_clock_is_what_it_is_told);
    tcase_add_test(tcase, every_clock_has_its_name);
    tcase_add_loop_test(tcase, the_kernel_is_asked_whether_the_tsc_is_stable, 0,
                        (int)(sizeof clocksources / sizeof *clocksources));
    tcase_add_test(tcase, without_the_kernels_word_that_of_the_processor_stands);
    tcase_add_test(tcase, the_monotonic_clock_is_the_systems);
    tcase_add_test(tcase, the_wall_clock_never_goes_back);
    tcase_add_test(tcase, wall_ticks_are_seconds_to_a_thousandth);
    tcase_add_test(tcase, a_moment_is_one_moment);
    tcase_add_test(tcase, moments_are_subtracted_field_by_field);
    tcase_add_test(tcase, a_short_span_gives_way_to_the_longer);
    tcase_add_test(tcase, cpu_time_is_the_threads_own);
    suite_add_tcase(suite, tcase);
#if defined(__linux__)
    TCase *threads = tcase_create("clockthreads");
    tcase_set_tags(threads, "threads");
    tcase_add_test(threads, the_cpu_time_of_another_thread_can_be_read);
    suite_add_tcase(suite, threads);
#endif
    return suite;
}
