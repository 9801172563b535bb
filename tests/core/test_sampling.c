/* sampling.[ch] and what is below it: threads of this very process are sampled. How many samples there are depends on
 * the machine; so much CPU time is used that some must be there. */
#define _GNU_SOURCE /* pthread_setname_np */
#include "suites.h"

#include <core/base/gettid.h>
#include <core/samples/sampling.h>

#if TRC_SAMPLES
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define HZ 200
#define ENOUGH_NS 150000000 /* of CPU: thirty periods */

static trc_slot_pool pool;
static volatile uint64_t sink;
static uint32_t node; /* where the thread is */

static uint32_t node_of(const void *context)
{
    return *(const uint32_t *)context;
}

static trc_sampling *new_sampling(void)
{
    trc_slot_pool_init(&pool);
    trc_sampling *sampling = trc_sampling_new(HZ, &pool);
    ck_assert_ptr_nonnull(sampling);
    sampling->node_of = node_of;
    return sampling;
}

static void begin_here(trc_sampling *sampling)
{
    ck_assert(trc_sampling_begin(sampling));
    trc_sampling_watch(sampling, trc_gettid(), 0, &node, true);
}

/* Uses CPU time. The calls are none that the compiler may turn into jumps. */
__attribute__((noinline)) void burn_inner(int64_t nanoseconds)
{
    int64_t until = trc_thread_cpu(trc_gettid()) + nanoseconds;
    do {
        for (int i = 0; i < 20000; i++) {
            sink += (uint64_t)i * i;
        }
    } while (trc_thread_cpu(trc_gettid()) < until);
    sink++;
}

__attribute__((noinline)) void burn(int64_t nanoseconds)
{
    burn_inner(nanoseconds);
    sink++;
}

/* Stands for the interpreter's function that runs Python code. */
__attribute__((noinline)) void evaluate(int64_t nanoseconds)
{
    burn(nanoseconds);
    sink++;
}

static uint64_t weight_of(const trc_sampling *sampling, int kind, uint32_t owner)
{
    return owner < sampling->counts.shares[kind].count ? sampling->counts.shares[kind].shares[owner].weight : 0;
}

static const char *name_at(const trc_sampling *sampling, uint32_t chain)
{
    uint32_t symbol = sampling->counts.chains.frames[sampling->counts.chains.chains[chain - 1].frame].symbol;
    return symbol == TRC_NOWHERE ? "?" : sampling->counts.chains.symbols[symbol].name;
}

/* The name of the outermost function of a chain. */
static const char *outermost(const trc_sampling *sampling, uint32_t chain)
{
    while (sampling->counts.chains.chains[chain - 1].caller != 0) {
        chain = sampling->counts.chains.chains[chain - 1].caller;
    }
    return name_at(sampling, chain);
}

/* The weight of the samples in whose chain a function is. */
static uint64_t weight_in(const trc_sampling *sampling, const char *name)
{
    uint64_t weight = 0;
    const trc_sample_share *share = sampling->counts.shares[TRC_KNOWN].shares[0].first;
    for (; share != NULL; share = share->hh.next) {
        trc_share_record record = trc_share_as_record(share);
        for (uint32_t chain = record.chain; chain != 0; chain = sampling->counts.chains.chains[chain - 1].caller) {
            if (strcmp(name_at(sampling, chain), name) == 0) {
                weight += record.weight;
                break;
            }
        }
    }
    return weight;
}

START_TEST(samples_are_of_the_node_and_of_the_functions_that_ran)
{
    trc_sampling *sampling = new_sampling();
    node = 5;
    begin_here(sampling);
    burn(ENOUGH_NS);
    trc_sampling_end(sampling);
    uint64_t all = weight_of(sampling, TRC_KNOWN, 0);
    ck_assert_uint_ge(all, 15);
    ck_assert_uint_ge(weight_in(sampling, "burn"), all - 2);
    ck_assert_uint_ge(weight_in(sampling, "burn_inner"), all - 2);
    ck_assert_uint_eq(sampling->counts.lost, 0);
    const trc_sample_share *share = sampling->counts.shares[TRC_KNOWN].shares[0].first;
    for (; share != NULL; share = share->hh.next) {
        ck_assert_uint_eq(trc_share_as_record(share).node, 5);
        ck_assert_uint_eq(trc_share_as_record(share).kind, TRC_IN_PROGRAM);
    }
    trc_account account = trc_sampling_account(sampling, TRC_KNOWN, 0);
    ck_assert_int_eq(account.thread, trc_gettid());
    ck_assert_int_ge(account.cpu, ENOUGH_NS);
    ck_assert_uint_le(all, (uint64_t)account.cpu / 5000000 + 1); /* no sample is counted twice */
    trc_sampling_free(sampling);
}
END_TEST

static trc_cpu_split *line_of(const void *lines)
{
    return *(trc_cpu_split *const *)lines;
}

START_TEST(samples_are_of_the_line_as_well)
{
    trc_sampling *sampling = new_sampling();
    trc_cpu_split one = {0}, other = {0}, *line = &one;
    sampling->line_of = line_of;
    sampling->counts.eval = (uint64_t)(uintptr_t)burn_inner; /* so most of it is Python code */
    begin_here(sampling);
    burn(ENOUGH_NS);
    trc_sampling_set_lines(sampling, trc_gettid(), &line);
    burn(ENOUGH_NS);
    line = NULL; /* on none */
    burn(ENOUGH_NS);
    line = &other;
    evaluate(ENOUGH_NS / 10);
    trc_sampling_set_lines(sampling, trc_gettid(), NULL);
    burn(ENOUGH_NS);
    trc_sampling_end(sampling);
    int64_t first = one.python + one.native, period = 1000000000 / HZ;
    ck_assert_int_ge(first, ENOUGH_NS - 3 * period);
    ck_assert_int_le(first, ENOUGH_NS + 3 * period);
    ck_assert_int_gt(one.python, first / 2);
    ck_assert_int_eq(first % period, 0);
    ck_assert_int_le(other.python + other.native, ENOUGH_NS / 10 + 3 * period);
    ck_assert_uint_ge(weight_of(sampling, TRC_KNOWN, 0), 4 * ENOUGH_NS / period);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(chains_are_cut_where_python_code_is_run)
{
    trc_sampling *sampling = new_sampling();
    sampling->counts.eval = (uint64_t)(uintptr_t)evaluate;
    node = 5;
    begin_here(sampling);
    evaluate(ENOUGH_NS);
    trc_sampling_end(sampling);
    ck_assert_uint_eq(weight_in(sampling, "evaluate"), 0);
    ck_assert_uint_ge(weight_in(sampling, "burn"), 15);
    const trc_sample_share *share = sampling->counts.shares[TRC_KNOWN].shares[0].first;
    uint64_t below = 0;
    for (; share != NULL; share = share->hh.next) {
        uint32_t chain = trc_share_as_record(share).chain;
        below += chain != 0 && strcmp(outermost(sampling, chain), "burn") == 0 ? share->weight : 0;
    }
    ck_assert_uint_ge(below, 15);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(tracers_own_code_is_overhead)
{
    trc_sampling *sampling = new_sampling();
    sampling->counts.own = (uint64_t)(uintptr_t)burn; /* all of this program is */
    begin_here(sampling);
    burn(ENOUGH_NS);
    trc_sampling_end(sampling);
    const trc_sample_share *share = sampling->counts.shares[TRC_KNOWN].shares[0].first;
    ck_assert_ptr_nonnull(share);
    for (; share != NULL; share = share->hh.next) {
        ck_assert_uint_eq(trc_share_as_record(share).kind, TRC_IN_OVERHEAD);
    }
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(nothing_is_counted_while_nothing_is_recorded)
{
    trc_sampling *sampling = new_sampling();
    node = TRC_NODE_NONE;
    begin_here(sampling);
    burn(ENOUGH_NS);
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
    burn(ENOUGH_NS);
    trc_sampling_end(sampling);
    uint64_t before = weight_of(sampling, TRC_KNOWN, 0);
    burn(ENOUGH_NS);
    ck_assert_uint_eq(weight_of(sampling, TRC_KNOWN, 0), before);
    begin_here(sampling);
    burn(ENOUGH_NS);
    trc_sampling_end(sampling);
    ck_assert_uint_ge(weight_of(sampling, TRC_KNOWN, 0), before + 15);
    trc_sampling_free(sampling);
}
END_TEST

/* -- Other threads -- */

static void *burn_in_thread(void *ignored)
{
    pthread_setname_np(pthread_self(), "burner");
    burn(2 * ENOUGH_NS);
    return ignored;
}

static void run(void *(*function)(void *), size_t stack_size)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, stack_size), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, function, NULL), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

/* The owner of the samples of a thread of this name, or UINT32_MAX. */
static uint32_t other_named(trc_sampling *sampling, const char *name)
{
    for (uint32_t i = 0; i < sampling->accounts[TRC_OTHER].count; i++) {
        if (strcmp(trc_sampling_account(sampling, TRC_OTHER, i).name, name) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

START_TEST(other_threads_are_found)
{
    trc_sampling *sampling = new_sampling();
    sampling->every_thread = true;
    begin_here(sampling);
    run(burn_in_thread, 64 << 10);
    trc_sampling_end(sampling);
    uint32_t owner = other_named(sampling, "burner");
    ck_assert_uint_ne(owner, UINT32_MAX);
    ck_assert_uint_ge(weight_of(sampling, TRC_OTHER, owner), 15);
    const trc_sample_share *share = sampling->counts.shares[TRC_OTHER].shares[owner].first;
    uint64_t below = 0;
    for (; share != NULL; share = share->hh.next) {
        uint32_t chain = trc_share_as_record(share).chain;
        below += chain != 0 && strcmp(outermost(sampling, chain), "burn_in_thread") == 0 ? share->weight : 0;
    }
    ck_assert_uint_ge(below, 15); /* without the C library's function that runs the thread */
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(they_are_not_where_they_are_not_wanted)
{
    trc_sampling *sampling = new_sampling();
    begin_here(sampling);
    run(burn_in_thread, 64 << 10);
    trc_sampling_end(sampling);
    ck_assert_uint_eq(sampling->accounts[TRC_OTHER].count, 0);
    trc_sampling_free(sampling);
}
END_TEST

static trc_sampling *shared;

static void *burn_skipped(void *ignored)
{
    trc_sampling_skip(shared, trc_gettid());
    return burn_in_thread(ignored);
}

START_TEST(a_thread_that_is_skipped_is_not_sampled)
{
    shared = new_sampling();
    shared->every_thread = true;
    begin_here(shared);
    run(burn_skipped, 64 << 10);
    trc_sampling_end(shared);
    for (uint32_t i = 0; i < shared->accounts[TRC_OTHER].count; i++) {
        ck_assert_uint_le(weight_of(shared, TRC_OTHER, i), 3); /* before it said so */
    }
    trc_sampling_free(shared);
}
END_TEST

static void *burn_known(void *ignored)
{
    trc_sampling_watch(shared, trc_gettid(), 1, &node, true);
    return burn_in_thread(ignored);
}

START_TEST(a_thread_that_makes_itself_known_has_its_own_samples)
{
    shared = new_sampling();
    shared->every_thread = true;
    node = 7;
    begin_here(shared);
    run(burn_known, 64 << 10);
    trc_sampling_end(shared);
    ck_assert_uint_ge(weight_of(shared, TRC_KNOWN, 1), 15);
    ck_assert_uint_eq(trc_share_as_record(shared->counts.shares[TRC_KNOWN].shares[1].first).node, 7);
    ck_assert_int_ge(trc_sampling_account(shared, TRC_KNOWN, 1).cpu, ENOUGH_NS);
    trc_sampling_free(shared);
}
END_TEST

static void *blocked(void *ignored)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    return burn_known(ignored);
}

START_TEST(a_thread_that_blocks_signals_has_cpu_and_no_samples)
{
    shared = new_sampling();
    begin_here(shared);
    run(blocked, 64 << 10);
    trc_sampling_end(shared);
    ck_assert_uint_eq(weight_of(shared, TRC_KNOWN, 1), 0);
    ck_assert_int_ge(trc_sampling_account(shared, TRC_KNOWN, 1).cpu, ENOUGH_NS);
    trc_sampling_free(shared);
}
END_TEST

static void *burn_shortly(void *ignored)
{
    trc_sampling_watch(shared, trc_gettid(), 1, &node, true);
    burn(10000);
    return ignored;
}

/* Linux lists the timers of a process. */
static int count_timers(void)
{
    int count = 0;
    char line[256];
    FILE *file = fopen("/proc/self/timers", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        count += strncmp(line, "ID:", 3) == 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

START_TEST(many_threads_that_come_and_go_leave_no_timer_and_few_slots)
{
    shared = new_sampling();
    begin_here(shared);
    for (int i = 0; i < 10000; i++) {
        run(burn_shortly, 64 << 10);
    }
    trc_sampling_end(shared);
    ck_assert_int_eq(count_timers(), 0);
    ck_assert_uint_lt(atomic_load(&shared->slot_count), TRC_WATCHED_LIMIT);
    ck_assert(!shared->is_crowded);
    trc_sampling_free(shared);
}
END_TEST

/* -- What the program does meanwhile -- */

START_TEST(the_program_sees_neither_errno_nor_system_calls_change)
{
    trc_sampling *sampling = new_sampling();
    begin_here(sampling);
    for (int i = 0; i < 100; i++) {
        errno = 77;
        burn_inner(2000000);
        ck_assert_int_eq(errno, 77);
        ck_assert_int_eq(poll(NULL, 0, 1), 0); /* not -1 with EINTR */
    }
    trc_sampling_end(sampling);
    ck_assert_uint_ge(sampling->counts.signals, 15);
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
    burn(ENOUGH_NS);
    trc_sampling_end(sampling);
    ck_assert_uint_ge(sampling->counts.signals, 15);
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
    burn(ENOUGH_NS);
    trc_sampling_rest(sampling);
    pid_t child = fork();
    trc_sampling_go_on(sampling);
    if (child == 0) {
        trc_sampling_watch(sampling, trc_gettid(), 0, &node, true);
        burn(ENOUGH_NS);
        trc_sampling_end(sampling);
        uint64_t weight = weight_of(sampling, TRC_KNOWN, 0);
        _exit(weight >= 15 && weight <= 60 && weight_in(sampling, "burn") >= 15 ? 0 : 1);
    }
    int status = 1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    burn(ENOUGH_NS);
    trc_sampling_end(sampling);
    ck_assert_uint_ge(weight_of(sampling, TRC_KNOWN, 0), 30);
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

/* Holds the lock of the loader until it is told to go on. */
static void *hold_the_loader(void *pipe)
{
    dl_iterate_phdr(linger, pipe);
    return NULL;
}

START_TEST(a_forked_child_does_not_wait_for_a_lock_of_the_loader)
{
    int pipes[4];
    char byte;
    pthread_t holder;
    trc_sampling *sampling = new_sampling();
    begin_here(sampling);
    burn(ENOUGH_NS);
    ck_assert(pipe(pipes) == 0 && pipe(pipes + 2) == 0);
    ck_assert_int_eq(pthread_create(&holder, NULL, hold_the_loader, pipes), 0);
    ck_assert_int_eq(read(pipes[0], &byte, 1), 1);
    trc_sampling_rest(sampling);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        trc_sampling *own = trc_sampling_new(HZ, &pool);
        own->node_of = node_of;
        trc_sampling_end(sampling);
        begin_here(own);
        burn(ENOUGH_NS);
        trc_sampling_end(own);
        _exit(weight_in(own, "burn") >= 15 ? 0 : 1);
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
            burn(5000000 + 100000 * i);
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
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, samples_are_of_the_node_and_of_the_functions_that_ran);
    tcase_add_test(tests, samples_are_of_the_line_as_well);
    tcase_add_test(tests, a_function_without_a_name_has_that_of_its_callers);
    tcase_add_test(tests, chains_are_cut_where_python_code_is_run);
    tcase_add_test(tests, tracers_own_code_is_overhead);
    tcase_add_test(tests, nothing_is_counted_while_nothing_is_recorded);
    tcase_add_test(tests, after_the_end_nothing_is_sampled_and_it_can_begin_again);
    tcase_add_test(tests, other_threads_are_found);
    tcase_add_test(tests, they_are_not_where_they_are_not_wanted);
    tcase_add_test(tests, a_thread_that_is_skipped_is_not_sampled);
    tcase_add_test(tests, a_thread_that_makes_itself_known_has_its_own_samples);
    tcase_add_test(tests, a_thread_that_blocks_signals_has_cpu_and_no_samples);
    tcase_add_test(tests, many_threads_that_come_and_go_leave_no_timer_and_few_slots);
    tcase_add_test(tests, the_program_sees_neither_errno_nor_system_calls_change);
    tcase_add_test(tests, a_signal_of_somebody_elses_is_ignored);
    tcase_add_test(tests, handlers_of_the_program_are_left_alone);
    tcase_add_test(tests, without_a_signal_it_does_not_begin);
    tcase_add_test(tests, a_forked_child_begins_without_samples);
    tcase_add_test(tests, a_forked_child_does_not_wait_for_a_lock_of_the_loader);
    tcase_add_test(tests, a_program_that_takes_the_place_of_this_one_gets_no_signal);
    suite_add_tcase(suite, tests);
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
