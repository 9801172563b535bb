/* Calls a function again and again: see periodic_thread.h. */
#define _GNU_SOURCE /* syscall */
#include "core/base/periodic_thread.h"

#include "core/base/gettid.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#define A_SECOND 1000000000

#if defined(__APPLE__)
#define CLOCK CLOCK_REALTIME /* of which alone conditions know there */
#else
#define CLOCK CLOCK_MONOTONIC
#endif

static struct timespec later(int64_t interval)
{
    struct timespec moment;
    clock_gettime(CLOCK, &moment);
    moment.tv_sec += (time_t)(interval / A_SECOND);
    moment.tv_nsec += (long)(interval % A_SECOND);
    if (moment.tv_nsec >= A_SECOND) {
        moment.tv_sec++;
        moment.tv_nsec -= A_SECOND;
    }
    return moment;
}

#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>

#define MOST_YIELDS 100000

/* A thread that was joined is still the process's for a moment. */
static void wait_until_gone(const trc_periodic_thread *periodic)
{
    int number = atomic_load(&periodic->number);
    for (int i = 0; i < MOST_YIELDS && syscall(SYS_tgkill, (long)periodic->process, (long)number, 0L) == 0; i++) {
        sched_yield();
    }
}
#else
static void wait_until_gone(const trc_periodic_thread *periodic)
{
    (void)periodic;
}
#endif

static void *run(void *context)
{
    trc_periodic_thread *periodic = context;
    atomic_store(&periodic->number, (int)trc_gettid());
    pthread_mutex_lock(&periodic->mutex);
    while (!periodic->is_ending) {
        struct timespec next = later(periodic->interval);
        int result = 0;
        while (!periodic->is_ending && result == 0) { /* it may wake up for nothing */
            result = pthread_cond_timedwait(&periodic->ending, &periodic->mutex, &next);
        }
        if (!periodic->is_ending) {
            periodic->call(periodic->context);
        }
    }
    pthread_mutex_unlock(&periodic->mutex);
    return NULL;
}

static bool init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return false;
    }
#if !defined(__APPLE__)
    pthread_condattr_setclock(&attributes, CLOCK);
#endif
    bool is_made = pthread_cond_init(condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return is_made;
}

void trc_periodic_thread_start(trc_periodic_thread *periodic, int64_t interval, void (*call)(void *context),
                               void *context)
{
    *periodic = (trc_periodic_thread){.process = getpid(), .interval = interval, .call = call, .context = context};
    if (pthread_mutex_init(&periodic->mutex, NULL) != 0 || !init_condition(&periodic->ending)) {
        return;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    periodic->is_running = pthread_create(&periodic->thread, NULL, run, periodic) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void trc_periodic_thread_stop(trc_periodic_thread *periodic)
{
    if (periodic->is_running && periodic->process == getpid()) {
        pthread_mutex_lock(&periodic->mutex);
        periodic->is_ending = true;
        pthread_cond_signal(&periodic->ending);
        pthread_mutex_unlock(&periodic->mutex);
        pthread_join(periodic->thread, NULL);
        wait_until_gone(periodic);
        pthread_cond_destroy(&periodic->ending);
        pthread_mutex_destroy(&periodic->mutex);
    }
    periodic->is_running = false;
}
