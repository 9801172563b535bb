/* Calls a function again and again: see pulse.h. */
#define _GNU_SOURCE /* syscall */
#include "core/base/pulse.h"

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
static void wait_until_gone(const trc_pulse *pulse)
{
    int number = atomic_load(&pulse->number);
    for (int i = 0; i < MOST_YIELDS && syscall(SYS_tgkill, (long)pulse->process, (long)number, 0L) == 0; i++) {
        sched_yield();
    }
}
#else
static void wait_until_gone(const trc_pulse *pulse)
{
    (void)pulse;
}
#endif

static void *run(void *context)
{
    trc_pulse *pulse = context;
    atomic_store(&pulse->number, (int)trc_gettid());
    pthread_mutex_lock(&pulse->mutex);
    while (!pulse->is_ending) {
        struct timespec next = later(pulse->interval);
        int result = 0;
        while (!pulse->is_ending && result == 0) { /* it may wake up for nothing */
            result = pthread_cond_timedwait(&pulse->ending, &pulse->mutex, &next);
        }
        if (!pulse->is_ending) {
            pulse->beat(pulse->context);
        }
    }
    pthread_mutex_unlock(&pulse->mutex);
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

void trc_pulse_start(trc_pulse *pulse, int64_t interval, void (*beat)(void *context), void *context)
{
    *pulse = (trc_pulse){.process = getpid(), .interval = interval, .beat = beat, .context = context};
    if (pthread_mutex_init(&pulse->mutex, NULL) != 0 || !init_condition(&pulse->ending)) {
        return;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pulse->is_running = pthread_create(&pulse->thread, NULL, run, pulse) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void trc_pulse_stop(trc_pulse *pulse)
{
    if (pulse->is_running && pulse->process == getpid()) {
        pthread_mutex_lock(&pulse->mutex);
        pulse->is_ending = true;
        pthread_cond_signal(&pulse->ending);
        pthread_mutex_unlock(&pulse->mutex);
        pthread_join(pulse->thread, NULL);
        wait_until_gone(pulse);
        pthread_cond_destroy(&pulse->ending);
        pthread_mutex_destroy(&pulse->mutex);
    }
    pulse->is_running = false;
}
