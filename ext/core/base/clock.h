/* Ticks: what time is measured in while a program runs. A clock is the processor's own counter where that
 * can be trusted (TSC on x86-64 when invariant and stable, the generic timer on arm64), CLOCK_MONOTONIC elsewhere, the
 * CPU time of the calling thread, or a function that the caller injects.
 * Turning ticks into seconds belongs here too; what they are added up to does not. */
#ifndef TRC_CLOCK_H
#define TRC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

typedef int64_t trc_tick;

/* Distances and sums of ticks wrap instead of being undefined: a custom timer may say, and a damaged file may hold, any
 * number. */
static inline trc_tick trc_ticks_since(trc_tick later, trc_tick earlier)
{
    return (trc_tick)((uint64_t)later - (uint64_t)earlier);
}

static inline void trc_add_ticks(trc_tick *sum, trc_tick more)
{
    *sum = (trc_tick)((uint64_t)*sum + (uint64_t)more);
}

typedef enum trc_clock_kind {
    TRC_CLOCK_COUNTER,   /* the processor's counter; its rate is measured against CLOCK_MONOTONIC */
    TRC_CLOCK_MONOTONIC, /* CLOCK_MONOTONIC, in nanoseconds */
    TRC_CLOCK_CPU,       /* CPU time of the calling thread, in nanoseconds */
    TRC_CLOCK_INJECTED,  /* `read(context)`, in ticks of `injected_seconds` */
} trc_clock_kind;

typedef struct trc_clock {
    trc_clock_kind kind;
    trc_tick (*read)(void *context);
    void *context;
    double injected_seconds; /* seconds a tick of an injected clock */
} trc_clock;

/* The same moment on a clock and on CLOCK_MONOTONIC; or the distance between two such moments. */
typedef struct trc_moment {
    trc_tick ticks;
    int64_t nanoseconds;
} trc_moment;

/* Where Linux tells of the clocks it has. */
#define TRC_CLOCKSOURCES "/sys/devices/system/clocksource/clocksource0"

/* Whether the kernel goes by the TSC, as it says in this folder. One that found the TSC unstable has another clocksource and
 * `tsc` no longer among those available; kvm-clock, Hyper-V's and Xen's are made of the TSC and come first only because the
 * machine is a guest, so there the list decides. A file that is absent or empty (a container, another system) says nothing
 * against the TSC. */
bool trc_clock_tsc_is_stable(const char *folder);

/* The best wall clock of this machine: the counter where the processor and, of a TSC, the kernel vouch for it. Files are
 * read for that in `clocksources`, TRC_CLOCKSOURCES but in tests, so a process asks once: two answers may differ. */
trc_clock trc_clock_wall(const char *clocksources);

/* CPU time of the thread that reads it. */
trc_clock trc_clock_cpu(void);

/* A clock that calls read(context); a tick is `seconds` long. */
trc_clock trc_clock_injected(trc_tick (*read)(void *context), void *context, double seconds);

/* "tsc", "cntvct", "monotonic", "cpu" or "custom". */
const char *trc_clock_name(const trc_clock *clock);

/* The present moment, both clocks read within a few tens of nanoseconds of each other. */
trc_moment trc_clock_moment(const trc_clock *clock);

/* later - earlier, field by field. */
trc_moment trc_moment_since(trc_moment later, trc_moment earlier);

/* Seconds in a tick of this clock. A counter's rate is read off `measured`, the distance between two moments;
 * when that is shorter than TRC_SHORT_SPAN ns, off `fallback`, a longer distance of the same process. */
#define TRC_SHORT_SPAN 10000000
double trc_clock_seconds_per_tick(const trc_clock *clock, trc_moment measured, trc_moment fallback);

/* What the clock shows for another thread, by the system's id of that thread: the same as trc_clock_now() but
 * for CPU time, where a thread that has ended or cannot be read gives `last`. */
trc_tick trc_clock_now_of(const trc_clock *clock, uint64_t native_id, trc_tick last);

/* The clocks that are read by a function call. */
trc_tick trc_clock_read(const trc_clock *clock);

static inline trc_tick trc_clock_now(const trc_clock *clock)
{
#if defined(__x86_64__)
    /* A plain rdtsc: what an rdtscp or a fence keeps in order is less than the grain of any figure. */
    if (clock->kind == TRC_CLOCK_COUNTER) {
        return (trc_tick)__rdtsc();
    }
#elif defined(__aarch64__)
    if (clock->kind == TRC_CLOCK_COUNTER) {
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return (trc_tick)ticks;
    }
#endif
    return trc_clock_read(clock);
}

#endif
