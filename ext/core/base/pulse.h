/* Calls a function again and again, in a thread of its own, which takes no signals. */
#ifndef TRC_PULSE_H
#define TRC_PULSE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct trc_pulse {
    bool is_running;
    pid_t process; /* that the thread is in: a forked child has none */
    pthread_t thread;
    atomic_int number; /* of the thread, on Linux; 0 before it runs */
    pthread_mutex_t mutex;
    pthread_cond_t ending;
    bool is_ending; /* needs the mutex */
    int64_t interval;
    void (*beat)(void *context);
    void *context;
} trc_pulse;

/* Calls beat(context) each `interval` nanoseconds from now on. The pulse must not move meanwhile. Where the system gives
 * no thread, there is no beat. */
void trc_pulse_start(trc_pulse *pulse, int64_t interval, void (*beat)(void *context), void *context);

/* Returns when no beat comes any more, and the process no longer has the thread: before a fork the interpreter counts
 * threads, and warns. Nothing happens where no pulse was started. */
void trc_pulse_stop(trc_pulse *pulse);

#endif
