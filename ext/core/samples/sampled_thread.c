/* Notes samples of a thread: see sampled_thread.h. */
#define _GNU_SOURCE /* SIGEV_THREAD_ID, process_vm_readv, pthread_getattr_np */
#include "core/samples/sampled_thread.h"

#include "core/base/clock.h"
#include "core/base/gettid.h"
#include "core/unwind/registers.h"

#if TRC_SAMPLES
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define SYSTEM_PAGE 4096

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Copies the stack of another kind than the thread's own, or of a thread whose own is not known: the kernel stops where
 * memory ends. Returns how many bytes there were. */
static size_t copy_by_kernel(const trc_sampled_thread *sampled, void *to, uint64_t from, size_t most)
{
    struct iovec pieces[TRC_STACK_MOST / SYSTEM_PAGE + 1]; /* a piece is copied as a whole, or not */
    struct iovec place = {to, most};
    size_t count = 0, size = 0;
    while (size < most) {
        size_t piece = SYSTEM_PAGE - (from + size) % SYSTEM_PAGE;
        piece = piece < most - size ? piece : most - size;
        pieces[count++] = (struct iovec){(void *)(uintptr_t)(from + size), piece};
        size += piece;
    }
    ssize_t copied = process_vm_readv(sampled->process, &place, 1, pieces, count, 0);
    return copied < 0 ? 0 : (size_t)copied;
}

/* The sanitizers would see reads of what they hold to be no variable's, and of variables that other threads write: these
 * are copied in whichever state they are. */
__attribute__((no_sanitize("address", "thread"))) static size_t copy_own(uint8_t *to, uint64_t from, size_t size)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const volatile uint8_t *bytes = (const volatile uint8_t *)(uintptr_t)from;
    for (size_t i = 0; i < size; i++) {
        to[i] = bytes[i];
    }
#else
    memcpy(to, (const void *)(uintptr_t)from, size);
#endif
    return size;
}

/* -- What is noted -- */

/* Where the stack of an interrupted thread is. */
typedef struct interrupted {
    uint64_t registers[TRC_REGISTERS];
    uint64_t pc;
    uint64_t sp;
    bool is_own; /* the thread's own stack */
    size_t room; /* bytes of it that are copied, at most */
} interrupted;

static void look_at_stack(const trc_sampled_thread *sampled, interrupted *at, const void *ucontext)
{
    const trc_arch *arch = trc_registers_of(ucontext, at->registers, &at->pc);
    at->sp = at->registers[arch->stack_pointer];
    at->is_own = sampled->stack_low <= at->sp && at->sp < sampled->stack_high;
    at->room = atomic_load_explicit(&sampled->most, memory_order_relaxed);
    if (at->is_own && sampled->stack_high - at->sp < at->room) {
        at->room = sampled->stack_high - at->sp;
    }
}

static void note_stack(const trc_sampled_thread *sampled, trc_noted_sample *sample, const interrupted *at)
{
    uint8_t *to = sample->bytes + sample->frame_count * sizeof(trc_noted_frame) + sample->described;
    const void *lines = atomic_load_explicit(&sampled->lines, memory_order_acquire);
    memcpy(sample->registers, at->registers, sizeof at->registers);
    sample->pc = at->pc;
    sample->has_stack = true;
    sample->line = lines == NULL ? NULL : sampled->line_of(lines);
    sample->stack_size =
        (uint32_t)(at->is_own ? copy_own(to, at->sp, at->room) : copy_by_kernel(sampled, to, at->sp, at->room));
}

/* Notes the frames of the calling thread behind the sample. Returns false where they cannot be read. */
static bool note_frames(trc_sampled_thread *sampled, trc_noted_sample *sample)
{
    const void *state = sampled->state_here();
    atomic_store_explicit(&sampled->state, state, memory_order_relaxed);
    return trc_note_frames(&sampled->frames, sampled->process, state, sample);
}

/* Whether the instruction in whose place a stop for a line stands may run, and not the stop. */
static bool is_past_stop(const trc_frame_layout *layout, const trc_noted_sample *sample, const void *ucontext)
{
    uint64_t registers[TRC_REGISTERS], pc;
    if (sample->is_stopping || layout->eval_size == 0) {
        return !sample->is_stopping && layout->frame.stack != 0;
    }
    trc_registers_of(ucontext, registers, &pc);
    return pc - layout->eval >= layout->eval_size;
}

static void note(trc_sampled_thread *sampled, uint32_t node, uint32_t weight, const void *ucontext)
{
    size_t room = sampled->frames.layout == NULL ? 0 : TRC_FRAMES_ROOM;
    interrupted at;
    if (sampled->notes_stack) {
        look_at_stack(sampled, &at, ucontext);
        room += at.room;
    }
    trc_noted_sample *sample = trc_ring_reserve(&sampled->ring, sizeof *sample + room);
    if (sample == NULL) {
        atomic_fetch_add_explicit(&sampled->lost, weight, memory_order_relaxed);
        return;
    }
    pid_t collecting =
        sampled->collecting == NULL ? 0 : atomic_load_explicit(sampled->collecting, memory_order_relaxed);
    *sample = (trc_noted_sample){
        .owner = atomic_load_explicit(&sampled->owner, memory_order_relaxed),
        .node = node,
        .weight = weight,
        .is_in_collection = collecting == atomic_load_explicit(&sampled->thread, memory_order_relaxed),
    };
    if (sampled->frames.layout != NULL && !note_frames(sampled, sample)) {
        atomic_fetch_add_explicit(&sampled->broken, weight, memory_order_relaxed);
        return;
    }
    if (sample->line_code != 0 && is_past_stop(sampled->frames.layout, sample, ucontext)) {
        sample->line_code = 0;
    }
    if (sampled->notes_stack) {
        note_stack(sampled, sample, &at);
    }
    trc_ring_commit(&sampled->ring, sizeof *sample + sample->frame_count * sizeof(trc_noted_frame) + sample->described +
                                        sample->stack_size);
}

static void on_signal(int signal, siginfo_t *info, void *ucontext)
{
    (void)signal;
    if (info->si_code != SI_TIMER) { /* nobody else has a reason to send this signal */
        return;
    }
    int error = errno;
    trc_sampled_thread *sampled = info->si_value.sival_ptr;
    pid_t here = trc_gettid();
    if (atomic_load(&sampled->thread) != here) { /* the signal was on its way when the timer was deleted */
        errno = error;
        return;
    }
    atomic_fetch_add(&sampled->inside, 1); /* then whoever ends the watching waits, if it has not ended already */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&sampled->is_on) && atomic_load(&sampled->thread) == here) {
        const void *context = atomic_load_explicit(&sampled->context, memory_order_acquire);
        uint32_t node = context == NULL || sampled->node_of == NULL ? 0 : sampled->node_of(context);
        int64_t began = sampled->frames.layout == NULL ? 0 : trc_clock_thread_cpu(); /* it may be preempted */
        if (node != TRC_NODE_NONE) {
            uint32_t weight =
                atomic_load_explicit(&sampled->stride, memory_order_relaxed) * (1 + (uint32_t)info->si_overrun);
            uint32_t least = atomic_exchange_explicit(&sampled->first, 0, memory_order_relaxed);
            note(sampled, node, weight < least ? least : weight, ucontext);
        }
        if (sampled->frames.layout != NULL) {
            atomic_fetch_add_explicit(&sampled->spent, trc_clock_thread_cpu() - began, memory_order_relaxed);
        }
    }
    atomic_fetch_sub(&sampled->inside, 1);
    errno = error;
}

int trc_watch_signal(void)
{
    for (int signal = SIGRTMAX; signal >= SIGRTMIN; signal--) {
        struct sigaction old;
        if (sigaction(signal, NULL, &old) != 0) {
            continue;
        }
        bool has_info = (old.sa_flags & SA_SIGINFO) != 0;
        if (has_info && old.sa_sigaction == on_signal) {
            return signal;
        }
        if (!has_info && old.sa_handler == SIG_DFL) {
            struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
            sigfillset(&action.sa_mask); /* a handler of the program's would run in the middle of this one */
            return sigaction(signal, &action, NULL) == 0 ? signal : 0;
        }
    }
    return 0;
}

/* The clock of a thread's CPU time by its number: include/linux/posix-timers.h. */
static clockid_t clock_of(pid_t thread)
{
    return (clockid_t)(~(unsigned)thread << 3 | 6);
}

int64_t trc_thread_cpu(pid_t thread)
{
    struct timespec used;
    return clock_gettime(clock_of(thread), &used) != 0 ? -1 : (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/* The kernel sees that a timer has run out at its next tick, in ns; 0 where it does not tell. */
static int64_t tick_length(void)
{
    struct timespec tick;
    return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 ? tick.tv_nsec : 0;
}

/* When the timer of a thread runs out first: with the wait for the tick that is anywhere in the period, else threads that
 * live for less than one would have no samples at all. */
static int64_t first_period(pid_t thread, int64_t period, int64_t tick)
{
    uint64_t random = (uint64_t)thread * UINT64_C(0x9E3779B97F4A7C15);
    return 1 + (period > tick ? (int64_t)(random % (uint64_t)(period - tick)) : 0);
}

/* Returns what timer_settime() does. Where there are fewer ticks than periods, the first sample stands for a whole tick: so
 * a thread has the samples that it should have, on average, though what it uses after its last tick is never seen. */
static int set_timer(trc_sampled_thread *sampled, int64_t period, unsigned stride)
{
    int64_t each = period * stride, tick = tick_length();
    int64_t first = first_period(atomic_load(&sampled->thread), each, tick);
    struct itimerspec times = {{each / 1000000000, each % 1000000000}, {first / 1000000000, first % 1000000000}};
    atomic_store(&sampled->stride, stride);
    atomic_store(&sampled->first, (uint32_t)(tick / period));
    return timer_settime(sampled->timer, 0, &times, NULL);
}

void trc_sampled_thread_pace(trc_sampled_thread *sampled, int64_t period, unsigned stride)
{
    if (sampled->has_timer) {
        set_timer(sampled, period, stride);
    }
}

int trc_sampled_thread_begin(trc_sampled_thread *sampled, int signal, pid_t thread, int64_t period, unsigned stride)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal};
    event.sigev_value.sival_ptr = sampled;
    event.sigev_notify_thread_id = thread;
    sampled->process = getpid();
    atomic_store(&sampled->most, TRC_STACK_USUAL);
    atomic_store(&sampled->thread, thread);
    sampled->has_timer = timer_create(clock_of(thread), &event, &sampled->timer) == 0;
    if (!sampled->has_timer) {
        return errno;
    }
    atomic_store(&sampled->waits_since, -1);
    atomic_store(&sampled->is_on, true);
    if (set_timer(sampled, period, stride) != 0) {
        int error = errno;
        trc_sampled_thread_end(sampled);
        return error;
    }
    return 0;
}

void trc_sampled_thread_wait_for_handler(const trc_sampled_thread *sampled)
{
    while (sampled->process == getpid() && atomic_load(&sampled->inside) > 0) {
        sched_yield();
    }
}

void trc_sampled_thread_end(trc_sampled_thread *sampled)
{
    if (sampled->has_timer && sampled->process == getpid()) { /* a forked child has no timers */
        timer_delete(sampled->timer);
    }
    sampled->has_timer = false;
    atomic_store(&sampled->is_on, false);
    atomic_store(&sampled->thread, 0);
    trc_sampled_thread_wait_for_handler(sampled);
}

/* Where the stack of the first thread was when the program began: glibc's. */
extern void *__libc_stack_end;

void trc_own_stack(uint64_t *low, uint64_t *high)
{
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    *low = *high = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
            *low = (uint64_t)(uintptr_t)lowest;
            *high = *low + size;
            uint64_t first = (uint64_t)(uintptr_t)__libc_stack_end;
            if (*low < first && first < *high) { /* the environment is behind it, and what the kernel leaves free */
                *high = first;
            }
        }
        pthread_attr_destroy(&attributes);
    }
}
#endif
