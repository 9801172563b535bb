/* Notes samples of a thread: see sampled_thread.h. */
#define _GNU_SOURCE /* SIGEV_THREAD_ID, process_vm_readv, pthread_getattr_np */
#include "core/samples/sampled_thread.h"

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

static void note(trc_sampled_thread *sampled, uint32_t node, uint32_t weight, const void *ucontext)
{
    uint64_t registers[TRC_REGISTERS], pc;
    const trc_arch *arch = trc_registers_of(ucontext, registers, &pc);
    uint64_t sp = registers[arch->stack_pointer];
    bool is_own = sampled->stack_low <= sp && sp < sampled->stack_high;
    size_t most = atomic_load_explicit(&sampled->most, memory_order_relaxed);
    size_t room = is_own && sampled->stack_high - sp < most ? sampled->stack_high - sp : most;
    trc_native_sample *sample = trc_ring_reserve(&sampled->ring, sizeof *sample + room);
    if (sample == NULL) {
        atomic_fetch_add_explicit(&sampled->lost, weight, memory_order_relaxed);
        return;
    }
    memcpy(sample->registers, registers, sizeof registers);
    sample->pc = pc;
    sample->owner = atomic_load_explicit(&sampled->owner, memory_order_relaxed);
    sample->node = node;
    sample->weight = weight;
    const void *lines = atomic_load_explicit(&sampled->lines, memory_order_acquire);
    sample->line = lines == NULL ? NULL : sampled->line_of(lines);
    size_t size = is_own ? copy_own(sample->stack, sp, room) : copy_by_kernel(sampled, sample->stack, sp, room);
    sample->stack_size = (uint32_t)size;
    trc_ring_commit(&sampled->ring, sizeof *sample + size);
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
        uint32_t node = context == NULL ? 0 : sampled->node_of(context);
        if (node != TRC_NODE_NONE) {
            note(sampled, node, 1 + (uint32_t)info->si_overrun, ucontext);
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

/* When the timer of a thread runs out first: anywhere in the period, else threads that live for less than one would have
 * no samples at all. */
static int64_t first_period(pid_t thread, int64_t period)
{
    uint64_t random = (uint64_t)thread * UINT64_C(0x9E3779B97F4A7C15);
    return 1 + (int64_t)(random % (uint64_t)period);
}

int trc_sampled_thread_begin(trc_sampled_thread *sampled, int signal, pid_t thread, int64_t period)
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
    int64_t first = first_period(thread, period);
    struct itimerspec times = {{period / 1000000000, period % 1000000000}, {first / 1000000000, first % 1000000000}};
    atomic_store(&sampled->is_on, true);
    if (timer_settime(sampled->timer, 0, &times, NULL) != 0) {
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
