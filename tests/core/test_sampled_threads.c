/* Native samples of the threads of a process: which are watched, and what is waited for where their handlers run. */
#define _GNU_SOURCE /* pthread_setname_np */
#include "sampled.h"
#include "support.h"

#if TRC_SAMPLES
#include <poll.h>
#include <signal.h>
#include <stdio.h>

/* -- Other threads -- */

static trc_sampling *shared;
static atomic_bool is_ready; /* the thread has done what the test asks about */
static atomic_bool is_asked; /* the test has asked: the thread may go on */
static atomic_bool is_over;  /* the thread may end */

static void *burn_in_thread(void *ignored)
{
    pthread_setname_np(pthread_self(), "burner");
    while (!atomic_load(&is_over)) {
        burn_for(1000000);
    }
    return ignored;
}

static pthread_t start(void *(*function)(void *), size_t stack_size)
{
    pthread_t thread;
    pthread_attr_t attributes;
    atomic_store(&is_ready, false);
    atomic_store(&is_asked, false);
    atomic_store(&is_over, false);
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, stack_size), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, function, NULL), 0);
    pthread_attr_destroy(&attributes);
    return thread;
}

static void end(pthread_t thread)
{
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
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

/* The weight of the samples of other threads whose chain begins in a function. */
static uint64_t weight_below(trc_sampling *sampling, const char *name)
{
    uint64_t weight = 0;
    trc_sampling_lock(sampling);
    const trc_owned_sample_counts *owned = &sampling->counts.sample_counts[TRC_OTHER];
    for (uint32_t owner = 0; owner < owned->count; owner++) {
        for (const trc_sample_count *sample_count = owned->by_owner[owner].first; sample_count != NULL;
             sample_count = sample_count->hh.next) {
            uint32_t chain = trc_sample_count_as_record(sample_count).chain;
            weight += chain != 0 && strcmp(outermost(sampling, chain), name) == 0 ? sample_count->weight : 0;
        }
    }
    trc_sampling_unlock(sampling);
    return weight;
}

static uint64_t weight_of_burner(trc_sampling *sampling)
{
    trc_sampling_lock(sampling);
    uint64_t weight = weight_of(sampling, TRC_OTHER, other_named(sampling, "burner"));
    trc_sampling_unlock(sampling);
    return weight;
}

START_TEST(other_threads_are_found)
{
    trc_sampling *sampling = new_sampling();
    sampling->every_thread = true;
    begin_here(sampling);
    pthread_t thread = start(burn_in_thread, 64 << 10);
    while (weight_of_burner(sampling) < SAMPLES) {
        poll(NULL, 0, 1);
    }
    if (!is_beyond_tsan("a thread begins with its function", "there, it begins with one of ThreadSanitizer's")) {
        while (weight_below(sampling, "burn_in_thread") < SAMPLES) { /* without what the C library runs a thread by */
            poll(NULL, 0, 1);
        }
    }
    end(thread);
    trc_sampling_end(sampling);
    uint32_t owner = other_named(sampling, "burner");
    ck_assert_uint_ne(owner, UINT32_MAX);
    ck_assert_uint_ge(weight_of(sampling, TRC_OTHER, owner), SAMPLES);
    trc_sampling_free(sampling);
}
END_TEST

static bool knows_name(trc_sampling *sampling, const char *name)
{
    trc_sampling_lock(sampling);
    bool knows = other_named(sampling, name) != UINT32_MAX;
    trc_sampling_unlock(sampling);
    return knows;
}

static void *burn_under_two_names(void *ignored)
{
    pthread_setname_np(pthread_self(), "before");
    atomic_store(&is_ready, true);
    while (!atomic_load(&is_asked)) {
        burn_for(1000000);
    }
    pthread_setname_np(pthread_self(), "after");
    atomic_store(&is_ready, false);
    while (!atomic_load(&is_over)) {
        burn_for(1000000);
    }
    return ignored;
}

START_TEST(a_thread_has_the_name_that_it_had_last)
{
    trc_sampling *sampling = new_sampling();
    sampling->every_thread = true;
    begin_here(sampling);
    pthread_t thread = start(burn_under_two_names, 64 << 10);
    while (!atomic_load(&is_ready) || !knows_name(sampling, "before")) {
        poll(NULL, 0, 1);
    }
    atomic_store(&is_asked, true);
    while (atomic_load(&is_ready)) {
        poll(NULL, 0, 1);
    }
    ck_assert(!knows_name(sampling, "before"));
    ck_assert(knows_name(sampling, "after"));
    end(thread);
    trc_sampling_end(sampling);
    ck_assert(knows_name(sampling, "after")); /* the thread is over */
    trc_sampling_free(sampling);
}
END_TEST

static void *burn_a_stretch(void *ignored)
{
    burn_for(STRETCH_NS);
    return ignored;
}

START_TEST(they_are_not_where_they_are_not_wanted)
{
    trc_sampling *sampling = new_sampling();
    begin_here(sampling);
    end(start(burn_a_stretch, 64 << 10));
    trc_sampling_end(sampling);
    ck_assert_uint_eq(sampling->accounts[TRC_OTHER].count, 0);
    trc_sampling_free(sampling);
}
END_TEST

static void *burn_skipped(void *ignored)
{
    trc_sampling_skip(shared, trc_gettid());
    atomic_store(&is_ready, true);
    wait_until(&is_asked);
    burn_for(STRETCH_NS);
    return ignored;
}

static uint64_t weight_of_others(trc_sampling *sampling)
{
    uint64_t weight = 0;
    trc_sampling_lock(sampling);
    for (uint32_t owner = 0; owner < sampling->accounts[TRC_OTHER].count; owner++) {
        weight += weight_of(sampling, TRC_OTHER, owner);
    }
    trc_sampling_unlock(sampling);
    return weight;
}

START_TEST(a_thread_that_is_skipped_is_not_sampled)
{
    shared = new_sampling();
    shared->every_thread = true;
    begin_here(shared);
    pthread_t thread = start(burn_skipped, 64 << 10);
    wait_until(&is_ready);
    uint64_t before = weight_of_others(shared); /* of when it had not said so yet */
    atomic_store(&is_asked, true);
    end(thread);
    trc_sampling_end(shared);
    ck_assert_uint_eq(weight_of_others(shared), before);
    trc_sampling_free(shared);
}
END_TEST

/* Its CPU time is known up to its end where the test asks while it is there. */
static void wait_for_the_test(void)
{
    atomic_store(&is_ready, true);
    wait_until(&is_over);
}

static void *burn_known(void *ignored)
{
    trc_sampling_watch(shared, trc_gettid(), 1, &node, true);
    burn(SAMPLES);
    burn_for(STRETCH_NS);
    wait_for_the_test();
    return ignored;
}

START_TEST(a_thread_that_makes_itself_known_has_its_own_samples)
{
    shared = new_sampling();
    shared->every_thread = true;
    node = 7;
    begin_here(shared);
    trc_sampling_skip(shared, trc_gettid()); /* then each signal is the thread's */
    pthread_t thread = start(burn_known, 64 << 10);
    wait_until(&is_ready);
    trc_sampling_end(shared);
    end(thread);
    ck_assert_uint_ge(weight_of(shared, TRC_KNOWN, 1), SAMPLES);
    ck_assert_uint_eq(trc_sample_count_as_record(shared->counts.sample_counts[TRC_KNOWN].by_owner[1].first).node, 7);
    ck_assert_int_ge(trc_sampling_account(shared, TRC_KNOWN, 1).cpu, STRETCH_NS);
    trc_sampling_free(shared);
}
END_TEST

static void *blocked(void *ignored)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    trc_sampling_watch(shared, trc_gettid(), 1, &node, true);
    burn_for(STRETCH_NS);
    wait_for_the_test();
    return ignored;
}

START_TEST(a_thread_that_blocks_signals_has_cpu_and_no_samples)
{
    shared = new_sampling();
    begin_here(shared);
    pthread_t thread = start(blocked, 64 << 10);
    wait_until(&is_ready);
    trc_sampling_end(shared);
    end(thread);
    ck_assert_uint_eq(weight_of(shared, TRC_KNOWN, 1), 0);
    ck_assert_int_ge(trc_sampling_account(shared, TRC_KNOWN, 1).cpu, STRETCH_NS);
    trc_sampling_free(shared);
}
END_TEST

/* -- What a handler sees -- */

static atomic_bool is_inside, may_leave, has_left;

/* Called in the handler: stays there until the test says so. */
static uint32_t linger_at(const void *context)
{
    atomic_store(&is_inside, true);
    wait_until(&may_leave);
    atomic_store(&has_left, true);
    return *(const uint32_t *)context;
}

static void *burn_inside(void *ignored)
{
    trc_sampling_watch(shared, trc_gettid(), 1, &node, true);
    return burn_in_thread(ignored);
}

static void *release_soon(void *ignored)
{
    poll(NULL, 0, 20); /* however long: who does not wait for the handler does not wait for this */
    atomic_store(&may_leave, true);
    return ignored;
}

static const void *no_lines(const void *context, pid_t thread)
{
    (void)context, (void)thread;
    return NULL;
}

static void wait_for_handler(pid_t thread)
{
    trc_sampling_wait_for_handler(shared, thread);
}

static void unlink_lines(pid_t thread)
{
    (void)thread;
    trc_sampling_set_all_lines(shared, no_lines, NULL);
}

static void (*const waiting[])(pid_t thread) = {wait_for_handler, unlink_lines};

START_TEST(it_is_waited_until_no_handler_is_there_any_more)
{
    static const trc_cpu_split *no_line;
    pthread_t releasing;
    shared = new_sampling();
    shared->node_of = linger_at;
    shared->line_of = line_of;
    ck_assert(trc_sampling_begin(shared));
    pthread_t thread = start(burn_inside, 64 << 10);
    wait_until(&is_inside);
    pid_t number = trc_sampling_account(shared, TRC_KNOWN, 1).thread;
    atomic_store(&shared->slots[0]->sampled.lines, &no_line);
    ck_assert_int_eq(pthread_create(&releasing, NULL, release_soon, NULL), 0);
    ck_assert(!atomic_load(&has_left));
    waiting[_i](number);
    ck_assert(atomic_load(&has_left));
    pthread_join(releasing, NULL);
    end(thread);
    trc_sampling_free(shared);
}
END_TEST

static const void *lines_by_thread(const void *lines, pid_t thread)
{
    return thread == trc_gettid() ? lines : NULL;
}

START_TEST(the_lines_of_all_threads_are_set_whoever_made_them_known)
{
    static trc_cpu_split one, *line = &one;
    shared = new_sampling();
    shared->line_of = line_of;
    shared->every_thread = true;
    begin_here(shared);
    pthread_t thread = start(burn_in_thread, 64 << 10);
    while (weight_of_others(shared) == 0) {
        poll(NULL, 0, 1);
    }
    for (unsigned i = 0; i < atomic_load(&shared->slot_count); i++) {
        atomic_store(&shared->slots[i]->sampled.lines, &line);
    }
    trc_sampling_set_all_lines(shared, lines_by_thread, &line);
    for (unsigned i = 0; i < atomic_load(&shared->slot_count); i++) {
        const trc_sampled_thread *sampled = &shared->slots[i]->sampled;
        ck_assert_ptr_eq(atomic_load(&sampled->lines), lines_by_thread(&line, atomic_load(&sampled->thread)));
    }
    end(thread);
    trc_sampling_free(shared);
}
END_TEST

static void *write_elsewhere(void *word)
{
    while (!atomic_load(&is_over)) {
        atomic_fetch_add((atomic_uint *)word, 1);
    }
    return NULL;
}

START_TEST(a_stack_is_copied_while_another_thread_writes_on_it)
{
    atomic_uint word = 0;
    pthread_t thread;
    trc_sampling *sampling = new_sampling();
    begin_here(sampling);
    atomic_store(&is_over, false);
    ck_assert_int_eq(pthread_create(&thread, NULL, write_elsewhere, &word), 0);
    burn(SAMPLES);
    end(thread);
    trc_sampling_end(sampling);
    ck_assert_uint_ge(weight_of(sampling, TRC_KNOWN, 0), SAMPLES);
    ck_assert_uint_gt(word, 0);
    trc_sampling_free(sampling);
}
END_TEST

/* -- Threads that end -- */

static void *burn_shortly(void *ignored)
{
    trc_sampling_watch(shared, trc_gettid(), 1, &node, true);
    burn_for(10000);
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

static uint32_t count_periods(trc_sampling *sampling)
{
    trc_sampling_lock(sampling);
    uint32_t periods = sampling->periods;
    trc_sampling_unlock(sampling);
    return periods;
}

/* Of one that has begun after the call. */
static void wait_for_a_period(trc_sampling *sampling)
{
    for (uint32_t before = count_periods(sampling); count_periods(sampling) == before;) {
        poll(NULL, 0, 1);
    }
}

START_TEST(many_threads_that_come_and_go_leave_no_timer_and_few_slots)
{
    shared = new_sampling();
    begin_here(shared);
    for (int i = 0; i < 10000; i++) {
        end(start(burn_shortly, 64 << 10));
        if (i % 500 == 499) {
            wait_for_a_period(shared); /* that gives up the slots of those that have ended */
        }
    }
    trc_sampling_end(shared);
    ck_assert_int_eq(count_timers(), 0);
    ck_assert_uint_lt(atomic_load(&shared->slot_count), TRC_SAMPLED_THREAD_LIMIT);
    ck_assert(!shared->is_crowded);
    trc_sampling_free(shared);
}
END_TEST

/* -- Several samplings at once -- */

#define SAMPLINGS 4

/* Whose handler it is: each samples its own thread alone. */
typedef struct calibration {
    trc_sampling *sampling;
    uint32_t node;
} calibration;

static uint32_t own_node_of(const void *context)
{
    return *(const uint32_t *)context;
}

static void *sample_here(void *context)
{
    calibration *self = context;
    self->sampling = trc_sampling_new(HZ, &pool);
    self->sampling->node_of = own_node_of;
    insist(trc_sampling_begin(self->sampling), "there is a signal");
    trc_sampling_watch(self->sampling, trc_gettid(), 0, &self->node, true);
    burn_for(STRETCH_NS / 3);
    while (weight_now(self->sampling, TRC_KNOWN, 0) == 0) {
        burn_for(1000000);
    }
    trc_sampling_end(self->sampling);
    return NULL;
}

static void *free_sampling(void *context)
{
    trc_sampling_free(((calibration *)context)->sampling);
    return NULL;
}

static void run_all(void *(*work)(void *context), calibration calibrations[SAMPLINGS])
{
    pthread_t threads[SAMPLINGS];
    for (int i = 0; i < SAMPLINGS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &calibrations[i]), 0);
    }
    for (int i = 0; i < SAMPLINGS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static int count_pooled(void)
{
    int count = 0;
    for (const trc_slot *slot = pool.first; slot != NULL; slot = slot->next) {
        count++;
    }
    return count;
}

START_TEST(samplings_side_by_side_have_slots_of_their_own)
{
    calibration calibrations[SAMPLINGS];
    trc_slot_pool_init(&pool);
    for (int round = 0; round < 3; round++) { /* the slots of the first are those of the others */
        for (uint32_t i = 0; i < SAMPLINGS; i++) {
            calibrations[i].node = 100 + i;
        }
        run_all(sample_here, calibrations);
        for (uint32_t i = 0; i < SAMPLINGS; i++) {
            trc_sampling *sampling = calibrations[i].sampling;
            ck_assert_uint_gt(weight_of(sampling, TRC_KNOWN, 0), 0);
            const trc_sample_count *sample_count = sampling->counts.sample_counts[TRC_KNOWN].by_owner[0].first;
            for (; sample_count != NULL; sample_count = sample_count->hh.next) {
                ck_assert_uint_eq(trc_sample_count_as_record(sample_count).node, 100 + i);
            }
            ck_assert_int_ge(trc_sampling_account(sampling, TRC_KNOWN, 0).cpu, STRETCH_NS / 3);
        }
        ck_assert_int_eq(count_pooled(), 0);
        run_all(free_sampling, calibrations);
        ck_assert_int_eq(count_pooled(), SAMPLINGS);
    }
}
END_TEST

Suite *sampled_threads_suite(void)
{
    Suite *suite = suite_create("sampledthreads");
    TCase *tests = tcase_create("sampledthreads");
    tcase_set_tags(tests, "threads");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, other_threads_are_found);
    tcase_add_test(tests, a_thread_has_the_name_that_it_had_last);
    tcase_add_test(tests, they_are_not_where_they_are_not_wanted);
    tcase_add_test(tests, a_thread_that_is_skipped_is_not_sampled);
    tcase_add_test(tests, a_thread_that_makes_itself_known_has_its_own_samples);
    tcase_add_test(tests, a_thread_that_blocks_signals_has_cpu_and_no_samples);
    tcase_add_loop_test(tests, it_is_waited_until_no_handler_is_there_any_more, 0, 2);
    tcase_add_test(tests, the_lines_of_all_threads_are_set_whoever_made_them_known);
    tcase_add_test(tests, a_stack_is_copied_while_another_thread_writes_on_it);
    tcase_add_test(tests, many_threads_that_come_and_go_leave_no_timer_and_few_slots);
    tcase_add_test(tests, samplings_side_by_side_have_slots_of_their_own);
    suite_add_tcase(suite, tests);
    return suite;
}

#else

Suite *sampled_threads_suite(void)
{
    return suite_create("sampledthreads");
}

#endif
