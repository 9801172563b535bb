/* contract.h: what a function demands is seen, and a build with asserts ends where it is not so. */
#include "suites.h"
#include "support.h"

#include <core/base/biased_lock.h>
#include <core/base/contract.h>
#include <core/log/store.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(a_mutex_is_seen_to_be_locked)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    ck_assert(!trc_is_locked(&mutex));
    pthread_mutex_lock(&mutex);
    ck_assert(trc_is_locked(&mutex));
    pthread_mutex_unlock(&mutex);
    ck_assert(!trc_is_locked(&mutex)); /* to look leaves it free */
}
END_TEST

START_TEST(a_biased_lock_is_seen_to_be_taken)
{
    trc_biased_lock lock = {false, false, false};
    trc_bias_lock(&lock);
    ck_assert(!trc_is_taken(&lock));
    for (int i = 0; i < 2; i++) {
        bool is_favoured = trc_lock_as(&lock, i == 0);
        ck_assert(trc_is_taken(&lock));
        trc_unlock(&lock, is_favoured);
        ck_assert(!trc_is_taken(&lock));
    }
}
END_TEST

/* Takes a block of a store in a child, which has its lock or not. Returns the child's status. */
static int status_of_taking(bool with_lock)
{
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGABRT, SIG_DFL);
        fclose(stderr);
        trc_store store;
        void *blocks = calloc(4, 512);
        bool is_made = trc_store_init(&store, &trc_system_allocator, blocks, (size_t)4 * 512, 512, false);
        if (with_lock) {
            trc_store_lock(&store);
        }
        _exit(is_made && trc_store_take(&store) != TRC_NO_BLOCK ? 0 : 1);
    }
    int status = 1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(what_needs_a_lock_ends_the_program_without_it)
{
    ck_assert_int_eq(status_of_taking(true), 0);
    int status = status_of_taking(false);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGABRT);
}
END_TEST

Suite *contract_suite(void)
{
    Suite *suite = suite_create("contract");
    TCase *tests = tcase_create("contract");
    tcase_add_test(tests, a_mutex_is_seen_to_be_locked);
    tcase_add_test(tests, a_biased_lock_is_seen_to_be_taken);
    tcase_add_test(tests, what_needs_a_lock_ends_the_program_without_it);
    suite_add_tcase(suite, tests);
    return suite;
}
