/* biased_lock.[ch]: one thread at a time, whether it is favoured or not. */
#include "suites.h"
#include "support.h"

#include <core/base/biased_lock.h>

#include <pthread.h>

#define OTHERS 3
#define ROUNDS 200000
#define ROUNDS_OF_OTHERS 20000

typedef struct guarded {
    trc_biased_lock lock;
    long count;         /* of the rounds of all threads; no atomic one, so that rounds get lost when two are inside */
    long cheap;         /* rounds in which the favoured thread asked nobody */
    volatile bool busy; /* a thread is inside */
} guarded;

static void enter_and_leave(guarded *guarded, bool is_favoured)
{
    bool was_favoured = trc_lock_as(&guarded->lock, is_favoured);
    insist(!guarded->busy, "one thread at a time");
    guarded->busy = true;
    guarded->count++;
    guarded->cheap += was_favoured;
    guarded->busy = false;
    trc_unlock(&guarded->lock, was_favoured);
}

static void *be_another(void *shared)
{
    for (int i = 0; i < ROUNDS_OF_OTHERS; i++) {
        enter_and_leave(shared, false);
    }
    return NULL;
}

static void run(guarded *guarded, bool is_favoured)
{
    pthread_t threads[OTHERS];
    for (int i = 0; i < OTHERS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, be_another, guarded), 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        enter_and_leave(guarded, is_favoured);
    }
    for (int i = 0; i < OTHERS; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_int_eq(guarded->count, ROUNDS + OTHERS * ROUNDS_OF_OTHERS);
}

START_TEST(a_favoured_thread_and_others_take_turns)
{
    guarded guarded = {.count = 0};
    trc_bias_lock(&guarded.lock);
    run(&guarded, true);
    ck_assert(guarded.lock.is_biased ? guarded.cheap > 0 : guarded.cheap == 0);
    long before = guarded.cheap;
    enter_and_leave(&guarded, true); /* alone */
    ck_assert_int_eq(guarded.cheap - before, guarded.lock.is_biased);
}
END_TEST

START_TEST(without_a_bias_nobody_is_favoured)
{
    guarded guarded = {.count = 0};
    run(&guarded, true);
    ck_assert_int_eq(guarded.cheap, 0);
}
END_TEST

Suite *biased_lock_suite(void)
{
    Suite *suite = suite_create("biased_lock");
    TCase *tests = tcase_create("biased_lock");
    tcase_set_tags(tests, "threads");
    tcase_add_test(tests, a_favoured_thread_and_others_take_turns);
    tcase_add_test(tests, without_a_bias_nobody_is_favoured);
    suite_add_tcase(suite, tests);
    return suite;
}
