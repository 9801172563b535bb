/* Calls a function again and again, in a thread of its own, which takes no signals. */
#ifndef TRC_PERIODIC_THREAD_H
#define TRC_PERIODIC_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct trc_periodic_thread {
    bool is_running;
    pid_t process; /* that the thread is in: a forked child has none */
    pthread_t thread;
    atomic_int number; /* of the thread, on Linux; 0 before it runs */
    pthread_mutex_t mutex;
    pthread_cond_t ending;
    bool is_ending; /* needs the mutex */
    int64_t interval;
    void (*call)(void *context);
    void *context;
} trc_periodic_thread;

/* Calls call(context) each `interval` nanoseconds from now on. It must not move meanwhile. Where the system gives
 * no thread, it is not called. */
void trc_periodic_thread_start(trc_periodic_thread *periodic, int64_t interval, void (*call)(void *context),
                               void *context);

/* Returns when it is called no more, and the process no longer has the thread: before a fork the interpreter counts
 * threads, and warns. Nothing happens where none was started. */
void trc_periodic_thread_stop(trc_periodic_thread *periodic);

#endif
