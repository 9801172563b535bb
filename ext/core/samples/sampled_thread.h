/* A thread of which is noted where it is each time it has used so much CPU again: its timer, and the signal handler, which
 * writes into a ring. What is noted is its native stack, its Python frames, or both. Nothing but copies is made in the
 * handler: native stacks are unwound, and frames are counted, elsewhere.
 *
 * The signal. A real-time signal that has no handler is taken, not SIGPROF: programs have handlers of their own for
 * that one, and its timer survives exec(), where the handler does not. The handler stays for good: a signal may be on
 * its way when its timer is deleted.
 *
 * The timer. It counts the CPU time of the thread, and sends its signal to that thread. So a thread that waits gets
 * none. Linux sends it on the way back to the program (CONFIG_POSIX_CPU_TIMERS_TASK_WORK), so no system call is cut
 * short by it. A timer runs out at the kernel's ticks alone, 250 a second as a rule: a signal says how many periods
 * have passed, and that is the weight of its sample. Events of perf go beyond the ticks, but cannot stand in: a signal of
 * theirs names a file, not a record, unless it is SIGTRAP (`sigtrap`), which leaves out the time in the kernel, and before
 * Linux 5.19 kills a thread that blocks it. */
#ifndef TRC_SAMPLED_THREAD_H
#define TRC_SAMPLED_THREAD_H

#include "core/samples/noted_sample.h"
#include "core/samples/ring.h"
#include "core/samples/support.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/* Bytes of a stack that are copied, and of a thread where that was too little: OpenBLAS has 70 KiB in a frame. */
#define TRC_STACK_USUAL (64u << 10)
#define TRC_STACK_MOST (128u << 10)
#define TRC_RING_SIZE (512u << 10) /* of each thread */

/* What a thread's node is while nothing of the thread is recorded: no sample is noted. */
#define TRC_NODE_NONE UINT32_MAX

typedef struct trc_sampled_thread {
    trc_ring ring;
    atomic_bool is_on;     /* whether samples are wanted */
    atomic_uint inside;    /* how many handlers use the record */
    _Atomic(pid_t) thread; /* 0: none */
    /* Safe in a signal handler: where the thread is, by what it is called with. */
    uint32_t (*node_of)(const void *context);
    _Atomic(const void *) context; /* NULL: at node 0 */
    /* The same: on which line it is, or NULL; called where `lines` is not NULL. */
    trc_cpu_split *(*line_of)(const void *lines);
    _Atomic(const void *) lines;
    bool notes_stack;
    trc_frame_reader frames; /* the handler's */
    /* Safe in a signal handler: the interpreter's state of the calling thread, or NULL. */
    const void *(*state_here)(void);
    _Atomic(const void *) state;      /* the same of the thread, as it was last; NULL where that is not known */
    const _Atomic(pid_t) *collecting; /* the thread that collects garbage now, or 0 */
    _Atomic uint32_t owner;           /* whose samples they are, for whoever reads them */
    _Atomic uint64_t lost;            /* the weight of samples that had no room */
    _Atomic uint64_t broken;          /* the same of those whose frames could not be read */
    _Atomic int64_t spent;            /* ns of CPU of the handler that read frames */
    _Atomic uint32_t most;            /* bytes of the stack that are copied */
    _Atomic uint32_t stride;          /* periods from a sample to the next */
    _Atomic uint32_t first;           /* those for which the first sample stands at least */
    _Atomic int64_t waits_since;      /* its CPU time when it was seen where it waits; -1: it was not */
    uint32_t waits_at;                /* that node: of whoever looks there */
    pid_t process;
    bool has_timer;
#if TRC_SAMPLES
    timer_t timer;
#endif
    uint64_t stack_low; /* the thread's own stack; both 0 where that is not known */
    uint64_t stack_high;
} trc_sampled_thread;

/* Gets the signal, and sets its handler. Returns 0 where every real-time signal has a handler of the program's. */
int trc_watch_signal(void);

/* Notes samples of a thread of this process from now on, each `stride` periods, in ns of its CPU time; they weigh as much.
 * Returns 0, or the errno of what failed. pace: from now on they come at this stride; nothing happens where none come. */
int trc_sampled_thread_begin(trc_sampled_thread *sampled, int signal, pid_t thread, int64_t period, unsigned stride);
void trc_sampled_thread_pace(trc_sampled_thread *sampled, int64_t period, unsigned stride);

/* Waits until no handler uses what the record held before. */
void trc_sampled_thread_wait_for_handler(const trc_sampled_thread *sampled);

/* Returns when no handler uses the record any more. What is in the ring stays. The record must never be freed, but may be
 * of another thread later: a signal may still be on its way. */
void trc_sampled_thread_end(trc_sampled_thread *sampled);

/* The CPU time that a thread of this process has used, in ns; -1 where there is no such thread. */
int64_t trc_thread_cpu(pid_t thread);

/* Where the calling thread's own stack is; both are 0 where that is not known. */
void trc_own_stack(uint64_t *low, uint64_t *high);

#endif
