/* sampling.[ch] and what is below it: this very process is sampled. test_sampled_threads.c has its other threads. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "sampled.h"

#include "support.h"

#if TRC_SAMPLES
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(samples_are_of_the_node_and_of_the_functions_that_ran)
{
    trc_sampling *sampling = new_sampling();
    node = 5;
    int64_t begin = trc_thread_cpu(trc_gettid());
    begin_here(sampling);
    int64_t before = trc_thread_cpu(trc_gettid());
    burn(SAMPLES);
    int64_t used = trc_thread_cpu(trc_gettid()) - before;
    trc_sampling_end(sampling);
    ck_assert_uint_ge(weight_in(sampling, "burn"), SAMPLES);
    ck_assert_uint_ge(weight_in(sampling, "burn_inner"), SAMPLES);
    ck_assert_uint_eq(sampling->counts.lost, 0);
    const trc_sample_count *sample_count = sampling->counts.sample_counts[TRC_KNOWN].by_owner[0].first;
    for (; sample_count != NULL; sample_count = sample_count->hh.next) {
        ck_assert_uint_eq(trc_sample_count_as_record(sample_count).node, 5);
        ck_assert_uint_eq(trc_sample_count_as_record(sample_count).kind, TRC_IN_PROGRAM);
    }
    trc_account account = trc_sampling_account(sampling, TRC_KNOWN, 0);
    ck_assert_int_eq(account.thread, trc_gettid());
    ck_assert_int_ge(account.cpu, used);
    ck_assert_int_le(account.cpu, trc_thread_cpu(trc_gettid()) - begin);
    uint64_t most = (uint64_t)account.cpu / PERIOD_NS + 1;
    ck_assert_uint_le(weight_of(sampling, TRC_KNOWN, 0), most); /* no sample is counted twice */
    trc_sampling_free(sampling);
}
END_TEST
static int64_t cpu_of(const trc_cpu_split *line)
{
    return line->python + line->native;
}

START_TEST(samples_are_of_the_line_as_well)
{
    trc_sampling *sampling = new_sampling();
    trc_cpu_split one = {0}, other = {0}, *line = &one;
    sampling->line_of = line_of;
    sampling->counts.eval = (uint64_t)(uintptr_t)burn_inner; /* so most of it is Python code */
    begin_here(sampling);
    burn(SAMPLES);
    uint64_t before = weight_now(sampling, TRC_KNOWN, 0);
    trc_sampling_set_lines(sampling, trc_gettid(), &line);
    burn(SAMPLES);
    line = NULL; /* on none */
    uint64_t during = weight_now(sampling, TRC_KNOWN, 0) - before;
    int64_t first = cpu_of(&one);
    int64_t expected = (int64_t)SAMPLES * PERIOD_NS;
    ck_assert_int_ge(first, expected);
    ck_assert(is_beyond_tsan("samples are of Python code", "it delays signals") || one.python >= expected);
    ck_assert_int_le(first, (int64_t)during * PERIOD_NS);
    ck_assert_int_eq(first % PERIOD_NS, 0);
    burn(SAMPLES);
    line = &other;
    evaluate(SAMPLES);
    trc_sampling_set_lines(sampling, trc_gettid(), NULL);
    weight_now(sampling, TRC_KNOWN, 0);
    int64_t second = cpu_of(&other);
    burn(SAMPLES);
    trc_sampling_end(sampling);
    ck_assert_int_eq(cpu_of(&one), first);
    ck_assert_int_ge(second, (int64_t)SAMPLES * PERIOD_NS);
    ck_assert_int_eq(cpu_of(&other), second);
    ck_assert_uint_ge(weight_of(sampling, TRC_KNOWN, 0), 5 * SAMPLES);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(chains_are_cut_where_python_code_is_run)
{
    trc_sampling *sampling = new_sampling();
    sampling->counts.eval = (uint64_t)(uintptr_t)evaluate;
    node = 5;
    begin_here(sampling);
    evaluate(SAMPLES);
    trc_sampling_end(sampling);
    ck_assert_uint_eq(weight_in(sampling, "evaluate"), 0);
    ck_assert_uint_ge(weight_in(sampling, "burn"), SAMPLES);
    const trc_sample_count *sample_count = sampling->counts.sample_counts[TRC_KNOWN].by_owner[0].first;
    uint64_t below = 0;
    for (; sample_count != NULL; sample_count = sample_count->hh.next) {
        uint32_t chain = trc_sample_count_as_record(sample_count).chain;
        below += chain != 0 && strcmp(outermost(sampling, chain), "burn") == 0 ? sample_count->weight : 0;
    }
    ck_assert_uint_ge(below, SAMPLES);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(tracers_own_code_is_overhead)
{
    trc_sampling *sampling = new_sampling();
    sampling->counts.own = (uint64_t)(uintptr_t)burn; /* all of this program is */
    begin_here(sampling);
    burn(SAMPLES);
    trc_sampling_end(sampling);
    const trc_sample_count *sample_count = sampling->counts.sample_counts[TRC_KNOWN].by_owner[0].first;
    ck_assert_ptr_nonnull(sample_count);
    for (; sample_count != NULL; sample_count = sample_count->hh.next) {
        ck_assert_uint_eq(trc_sample_count_as_record(sample_count).kind, TRC_IN_OVERHEAD);
    }
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(nothing_is_counted_while_nothing_is_recorded)
{
    trc_sampling *sampling = new_sampling();
    node = TRC_NODE_NONE;
    begin_here(sampling);
    burn(SAMPLES);
    trc_sampling_end(sampling);
    ck_assert_uint_eq(weight_of(sampling, TRC_KNOWN, 0), 0);
    ck_assert_uint_eq(sampling->counts.signals, 0);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(after_the_end_nothing_is_sampled_and_it_can_begin_again)
{
    trc_sampling *sampling = new_sampling();
    begin_here(sampling);
    burn(SAMPLES);
    trc_sampling_end(sampling);
    uint64_t before = weight_of(sampling, TRC_KNOWN, 0);
    unsigned came = atomic_load(&signals);
    burn_for(STRETCH_NS);
    ck_assert_uint_eq(weight_of(sampling, TRC_KNOWN, 0), before);
    ck_assert_uint_eq(atomic_load(&signals), came);
    begin_here(sampling);
    burn(SAMPLES);
    trc_sampling_end(sampling);
    ck_assert_uint_ge(weight_of(sampling, TRC_KNOWN, 0), before + SAMPLES);
    trc_sampling_free(sampling);
}
END_TEST
/* -- What the program does meanwhile -- */

START_TEST(the_program_sees_neither_errno_nor_system_calls_change)
{
    trc_sampling *sampling = new_sampling();
    begin_here(sampling);
    for (unsigned before = atomic_load(&signals), i = 0; i < 100 || atomic_load(&signals) - before < SAMPLES; i++) {
        errno = 77;
        burn_for(2000000);
        ck_assert_int_eq(errno, 77);
        ck_assert_int_eq(poll(NULL, 0, 1), 0); /* not -1 with EINTR */
    }
    trc_sampling_end(sampling);
    ck_assert_uint_ge(sampling->counts.signals, SAMPLES);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(a_signal_of_somebody_elses_is_ignored)
{
    trc_sampling *sampling = new_sampling();
    begin_here(sampling);
    for (int i = 0; i < 10; i++) {
        kill(getpid(), sampling->signal);
        sigqueue(getpid(), sampling->signal, (union sigval){.sival_int = 1});
    }
    trc_sampling_end(sampling);
    kill(getpid(), sampling->signal); /* the handler stays */
    trc_sampling_free(sampling);
}
END_TEST

static void ignore_signal(int signal)
{
    (void)signal;
}

START_TEST(handlers_of_the_program_are_left_alone)
{
    struct sigaction action = {.sa_handler = ignore_signal}, found;
    trc_sampling *sampling = new_sampling();
    sigaction(SIGRTMAX, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    begin_here(sampling);
    ck_assert_int_eq(sampling->signal, SIGRTMAX - 1);
    burn(SAMPLES);
    trc_sampling_end(sampling);
    ck_assert_uint_ge(sampling->counts.signals, SAMPLES);
    sigaction(SIGRTMAX, NULL, &found);
    ck_assert(found.sa_handler == ignore_signal);
    sigaction(SIGPROF, NULL, &found);
    ck_assert(found.sa_handler == ignore_signal);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(without_a_signal_it_does_not_begin)
{
    struct sigaction action = {.sa_handler = ignore_signal};
    trc_sampling *sampling = new_sampling();
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++) {
        sigaction(signal, &action, NULL);
    }
    ck_assert(!trc_sampling_begin(sampling));
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(a_forked_child_begins_without_samples)
{
    trc_sampling *sampling = new_sampling();
    node = 5;
    begin_here(sampling);
    burn(SAMPLES);
    trc_sampling_rest(sampling);
    pid_t child = fork();
    trc_sampling_go_on(sampling);
    if (child == 0) {
        trc_sampling_watch(sampling, trc_gettid(), 0, &node, true);
        burn(SAMPLES);
        trc_sampling_end(sampling);
        uint64_t most = (uint64_t)trc_sampling_account(sampling, TRC_KNOWN, 0).cpu / PERIOD_NS + 1;
        _exit(weight_of(sampling, TRC_KNOWN, 0) <= most && weight_in(sampling, "burn") >= SAMPLES ? 0 : 1);
    }
    int status = 1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    burn(SAMPLES);
    trc_sampling_end(sampling);
    ck_assert_uint_ge(weight_of(sampling, TRC_KNOWN, 0), 2 * SAMPLES);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(a_function_without_a_name_has_that_of_its_callers)
{
    size_t (*volatile length)(const char *) = strlen; /* so this file has a word for it */
    trc_modules modules = {.files = NULL};
    uint64_t begin = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "strlen"); /* the one that was chosen */
    ck_assert_uint_eq(length("abc"), 3);
    trc_modules_look(&modules);
    ck_assert_ptr_null(trc_modules_name(&modules, begin)); /* no file has been read */
    ck_assert_uint_ne(trc_modules_find(&modules, (uint64_t)(uintptr_t)new_sampling), UINT32_MAX);
    const char *name = trc_modules_name(&modules, begin);
    ck_assert_ptr_nonnull(name);
    ck_assert_str_eq(name, "strlen");
    ck_assert_ptr_null(trc_modules_name(&modules, begin + 1));
    trc_modules_free(&modules);
}
END_TEST

static int linger(struct dl_phdr_info *info, size_t size, void *pipe)
{
    char byte = 1;
    (void)info, (void)size;
    return write(((int *)pipe)[1], &byte, 1) == 1 && read(((int *)pipe)[2], &byte, 1) == 1;
}

/* Takes the lock of the loader when it is told to, and holds it until it is told to go on. */
static void *hold_the_loader(void *pipe)
{
    char byte;
    if (read(((int *)pipe)[2], &byte, 1) == 1) {
        dl_iterate_phdr(linger, pipe);
    }
    return NULL;
}

START_TEST(a_forked_child_does_not_wait_for_a_lock_of_the_loader)
{
    if (is_beyond_tsan("a child does not wait for a lock of the loader",
                       "there, no thread may begin after such a fork")) {
        return;
    }
    int pipes[4];
    char byte;
    pthread_t holder;
    trc_sampling *sampling = new_sampling();
    begin_here(sampling);
    burn(SAMPLES);
    ck_assert(pipe(pipes) == 0 && pipe(pipes + 2) == 0);
    ck_assert_int_eq(pthread_create(&holder, NULL, hold_the_loader, pipes), 0);
    trc_sampling_rest(sampling); /* the thread that reads samples takes that lock, too: only now it has ended */
    ck_assert_int_eq(write(pipes[3], "h", 1), 1);
    ck_assert_int_eq(read(pipes[0], &byte, 1), 1);
    pid_t child = fork();
    if (child == 0) {
        alarm(300);
        trc_sampling *own = trc_sampling_new(HZ, &pool);
        own->node_of = node_of;
        trc_sampling_end(sampling);
        begin_here(own);
        burn(SAMPLES);
        trc_sampling_end(own);
        _exit(weight_in(own, "burn") >= SAMPLES ? 0 : 1);
    }
    ck_assert_int_eq(write(pipes[3], &byte, 1), 1);
    ck_assert_int_eq(pthread_join(holder, NULL), 0);
    int status = 1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(a_program_that_takes_the_place_of_this_one_gets_no_signal)
{
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            trc_sampling *sampling = new_sampling();
            begin_here(sampling);
            burn_for(5000000 + 100000 * i);
            execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done", (char *)NULL);
            _exit(1);
        }
        int status = 1;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
}
END_TEST

Suite *sampling_suite(void)
{
    Suite *suite = suite_create("sampling");
    TCase *tests = tcase_create("sampling");
    tcase_set_tags(tests, "threads");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, samples_are_of_the_line_as_well);
    tcase_add_test(tests, a_function_without_a_name_has_that_of_its_callers);
    tcase_add_test(tests, nothing_is_counted_while_nothing_is_recorded);
    tcase_add_test(tests, after_the_end_nothing_is_sampled_and_it_can_begin_again);
    tcase_add_test(tests, the_program_sees_neither_errno_nor_system_calls_change);
    tcase_add_test(tests, a_signal_of_somebody_elses_is_ignored);
    tcase_add_test(tests, handlers_of_the_program_are_left_alone);
    tcase_add_test(tests, without_a_signal_it_does_not_begin);
    tcase_add_test(tests, a_forked_child_does_not_wait_for_a_lock_of_the_loader);
    tcase_add_test(tests, a_program_that_takes_the_place_of_this_one_gets_no_signal);
    suite_add_tcase(suite, tests);
    TCase *places = tcase_create("samplingplaces");
    tcase_set_tags(places, "places");
    tcase_set_timeout(places, 60);
    tcase_add_test(places, samples_are_of_the_node_and_of_the_functions_that_ran);
    tcase_add_test(places, chains_are_cut_where_python_code_is_run);
    tcase_add_test(places, tracers_own_code_is_overhead);
    tcase_add_test(places, a_forked_child_begins_without_samples);
    suite_add_tcase(suite, places);
    return suite;
}

#else

START_TEST(elsewhere_it_is_refused)
{
    ck_assert_ptr_nonnull(trc_sampling_refusal());
}
END_TEST

Suite *sampling_suite(void)
{
    Suite *suite = suite_create("sampling");
    TCase *tests = tcase_create("sampling");
    tcase_add_test(tests, elsewhere_it_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

#endif
