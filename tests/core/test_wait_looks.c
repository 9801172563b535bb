/* wait_looks.[ch]: where a thread waits is told by looks at it. */
#include "frames.h"
#include "suites.h"
#include "support.h"

#include <core/base/gettid.h>
#include <core/samples/wait_looks.h>

#if TRC_SAMPLES
#include <pthread.h>
#include <unistd.h>

/* A thread that waits until it is told to end. */
typedef struct waiter {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pid_t number;
    bool is_over;
} waiter;

static void *wait(void *context)
{
    waiter *self = context;
    pthread_mutex_lock(&self->mutex);
    self->number = trc_gettid();
    pthread_cond_signal(&self->changed);
    while (!self->is_over) {
        pthread_cond_wait(&self->changed, &self->mutex);
    }
    pthread_mutex_unlock(&self->mutex);
    return NULL;
}

static void begin(waiter *self)
{
    *self = (waiter){.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    ck_assert_int_eq(pthread_create(&self->thread, NULL, wait, self), 0);
    pthread_mutex_lock(&self->mutex);
    while (self->number == 0) {
        pthread_cond_wait(&self->changed, &self->mutex);
    }
    pthread_mutex_unlock(&self->mutex);
}

static void end(waiter *self)
{
    pthread_mutex_lock(&self->mutex);
    self->is_over = true;
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->mutex);
    pthread_join(self->thread, NULL);
}

/* The "interpreter" is where it says the thread's state is. */
static const void *state_of(const void *interpreter, const void *known, pid_t thread)
{
    (void)known, (void)thread;
    return *(const void *const *)interpreter;
}

/* What is used to look. */
typedef struct watch {
    fake_program run;
    const void *state;
    trc_wait_looks looks;
    trc_counting counts;
    trc_sampled_thread sampled;
} watch;

static watch *watch_of(pid_t thread)
{
    watch *made = calloc(1, sizeof *made);
    ck_assert_ptr_nonnull(made);
    fake_program_init(&made->run, 2);
    ck_assert(trc_counting_init(&made->counts));
    made->state = &made->run.state;
    made->looks = (trc_wait_looks){.state_of = state_of, .interpreter = &made->state};
    trc_wait_looks_init(&made->looks, &fake_layout);
    made->sampled.process = getpid();
    atomic_store(&made->sampled.thread, thread);
    return made;
}

static void forget(watch *made)
{
    trc_wait_looks_free(&made->looks);
    trc_counting_free(&made->counts);
    free(made);
}

static const trc_sample_counts *counted(const watch *made)
{
    const trc_owned_sample_counts *known = &made->counts.sample_counts[TRC_KNOWN];
    return known->count == 0 ? NULL : &known->by_owner[0];
}

/* A thread that has not run since the last look is where it was: nothing is read. */
START_TEST(a_thread_that_still_waits_is_not_read_again)
{
    waiter other;
    begin(&other);
    watch *made = watch_of(other.number);
    uint64_t before = 0;
    bool is_again = false;
    for (int i = 0; i < 1000 && !is_again; i++) { /* it may have been preempted, and run on */
        made->state = &made->run.state;
        trc_look_at_wait(&made->looks, &made->sampled, &made->counts);
        before = counted(made) == NULL ? 0 : counted(made)->first->weight;
        made->state = NULL; /* what would be read is gone */
        trc_look_at_wait(&made->looks, &made->sampled, &made->counts);
        is_again = counted(made) != NULL && counted(made)->first->weight == before + 1;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    ck_assert(is_again);
    ck_assert_ptr_null(counted(made)->first->hh.next);
    end(&other);
    trc_look_at_wait(&made->looks, &made->sampled, &made->counts); /* its number is nobody's */
    ck_assert_uint_eq(counted(made)->first->weight, before + 1);
    forget(made);
}
END_TEST

START_TEST(a_thread_that_waits_is_seen_where_it_does)
{
    waiter other;
    begin(&other);
    watch *made = watch_of(other.number);
    uint64_t looks = 0;
    while (looks < 3) { /* one that has just told its number may not wait yet */
        trc_look_at_wait(&made->looks, &made->sampled, &made->counts);
        looks = counted(made) == NULL ? 0 : counted(made)->first->weight;
    }
    ck_assert_uint_eq(counted(made)->weight, 0); /* no sample is among them */
    trc_sample_count_record record = trc_sample_count_as_record(counted(made)->first);
    ck_assert_uint_eq(record.kind, TRC_IN_WAIT);
    ck_assert_ptr_null(counted(made)->first->hh.next);
    const trc_frame_tree *tree = &made->counts.frames;
    ck_assert_uint_eq(tree->node_count, 2);
    ck_assert_uint_eq(tree->nodes[record.node - 1].code, tree->nodes[1].code);
    ck_assert_uint_eq(tree->nodes[record.node - 1].parent, 1);
    ck_assert_uint_eq(tree->line_count, 0); /* lines have CPU time */
    end(&other);
    forget(made);
}
END_TEST

START_TEST(a_thread_that_runs_is_not_seen)
{
    watch *made = watch_of(trc_gettid());
    for (int i = 0; i < 10; i++) {
        trc_look_at_wait(&made->looks, &made->sampled, &made->counts);
    }
    ck_assert_ptr_null(counted(made));
    ck_assert_uint_eq(made->counts.frames.codes.count, 2); /* but its code is described, once */
    forget(made);
}
END_TEST

START_TEST(there_may_be_nothing_to_look_at)
{
    waiter other;
    begin(&other);
    watch *made = watch_of(0);
    trc_look_at_wait(&made->looks, &made->sampled, &made->counts);
    atomic_store(&made->sampled.thread, other.number);
    made->state = NULL;
    trc_look_at_wait(&made->looks, &made->sampled, &made->counts);
    made->state = (const void *)8;
    trc_look_at_wait(&made->looks, &made->sampled, &made->counts);
    end(&other);
    made->state = &made->run.state; /* the thread has ended */
    trc_look_at_wait(&made->looks, &made->sampled, &made->counts);
    ck_assert_ptr_null(counted(made));
    forget(made);
}
END_TEST

START_TEST(looks_come_at_random)
{
    enum { SECONDS = 200, A_MILLISECOND = 1000000, BETWEEN = TRC_BETWEEN_LOOKS / A_MILLISECOND };
    trc_wait_looks looks = {.pages = NULL};
    ck_assert(!trc_wait_looks_are_due(&looks, 7));
    trc_wait_looks_init(&looks, &fake_layout);
    int due = 0, longest = 0, last = 0;
    for (int i = 0; i < SECONDS * 1000; i++) {
        if (trc_wait_looks_are_due(&looks, (int64_t)i * A_MILLISECOND)) {
            longest = i - last > longest ? i - last : longest;
            last = i;
            due++;
        }
    }
    ck_assert_int_gt(due, SECONDS * 1000 / BETWEEN * 9 / 10);
    ck_assert_int_lt(due, SECONDS * 1000 / BETWEEN * 11 / 10);
    ck_assert_int_gt(longest, 2 * BETWEEN * 9 / 10);
    ck_assert_int_le(longest, 2 * BETWEEN);
    trc_wait_looks_free(&looks);
}
END_TEST
#endif

Suite *wait_looks_suite(void)
{
    Suite *suite = suite_create("wait_looks");
    TCase *tests = tcase_create("wait_looks");
    tcase_set_tags(tests, "threads");
#if TRC_SAMPLES
    tcase_add_test(tests, a_thread_that_still_waits_is_not_read_again);
    tcase_add_test(tests, a_thread_that_waits_is_seen_where_it_does);
    tcase_add_test(tests, a_thread_that_runs_is_not_seen);
    tcase_add_test(tests, there_may_be_nothing_to_look_at);
    tcase_add_test(tests, looks_come_at_random);
#endif
    suite_add_tcase(suite, tests);
    return suite;
}
