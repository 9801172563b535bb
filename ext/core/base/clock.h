/* Ticks are the unit of time while a program runs. A clock is the processor's counter where tracer can trust it: the
 * TSC on x86-64 when it is invariant and stable, the generic timer on arm64. Elsewhere it is CLOCK_MONOTONIC. It can
 * also be the CPU time of the calling thread, or a function that the user of the core injects. This file also turns
 * ticks into seconds; it does not know what ticks are added up to. */
#ifndef TRC_CLOCK_H
#define TRC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

typedef int64_t trc_tick;

/* Differences and sums of ticks wrap and are never undefined: a custom timer may return any number, and a damaged file
 * may hold any. */
static inline trc_tick trc_ticks_since(trc_tick later, trc_tick earlier)
{
    return (trc_tick)((uint64_t)later - (uint64_t)earlier);
}

static inline void trc_add_ticks(trc_tick *sum, trc_tick more)
{
    *sum = (trc_tick)((uint64_t)*sum + (uint64_t)more);
}

/* Returns the nearest whole number; of two equally near, the even one, as round() does in Python. Too large a number
 * gives the largest, a NaN gives 0: infinite seconds a tick, and no ticks. */
int64_t trc_nearest(double value);

typedef enum trc_clock_kind {
    TRC_CLOCK_COUNTER,   /* the processor's counter; its rate is measured against CLOCK_MONOTONIC */
    TRC_CLOCK_MONOTONIC, /* CLOCK_MONOTONIC, in nanoseconds */
    TRC_CLOCK_CPU,       /* CPU time of the calling thread, in nanoseconds */
    TRC_CLOCK_INJECTED,  /* `read(context)`, in ticks of `injected_seconds` */
} trc_clock_kind;

#define TRC_NO_CPU INT64_MIN /* CPU time that is not known */

typedef struct trc_clock {
    trc_clock_kind kind;
    trc_tick (*read)(void *context);
    int64_t (*read_cpu)(void *context); /* of an injected clock: the CPU time beside it in ns, or TRC_NO_CPU; or NULL */
    void *context;
    double injected_seconds; /* seconds a tick of an injected clock */
    const char *name;        /* of an injected clock */
    bool is_of_thread;       /* of an injected clock: each thread has its own time, which it alone can read */
} trc_clock;

/* One moment on a clock and on CLOCK_MONOTONIC, or the distance between two such moments. */
typedef struct trc_moment {
    trc_tick ticks;
    int64_t nanoseconds;
} trc_moment;

/* Where Linux describes its clocks. */
#define TRC_CLOCKSOURCES "/sys/devices/system/clocksource/clocksource0"

/* Whether the kernel trusts the TSC, by the files in `folder`. A kernel that found the TSC unstable uses another
 * clocksource and no longer lists `tsc` as available. kvm-clock and the clocks of Hyper-V and Xen are made of the TSC
 * and come first only on a guest, so there the list decides. A file that is absent or empty (a container, another
 * system) is no evidence against the TSC. */
bool trc_clock_tsc_is_stable(const char *folder);

/* The best wall clock of this machine: the counter where the processor and, for a TSC, the kernel vouch for it.
 * `clocksources` is the folder to read, TRC_CLOCKSOURCES outside of tests. Two calls may give different clocks, so a
 * process calls this once. */
trc_clock trc_clock_wall(const char *clocksources);

/* CPU time of the thread that reads it. */
trc_clock trc_clock_cpu(void);

/* A clock that calls read(context); a tick is `seconds` long. */
trc_clock trc_clock_injected(trc_tick (*read)(void *context), void *context, double seconds);

/* "tsc", "cntvct", "monotonic", "cpu", or the name of an injected clock: "custom" unless it is changed. */
const char *trc_clock_name(const trc_clock *clock);

/* The present moment. The two clocks are read within a few tens of nanoseconds of each other. */
trc_moment trc_clock_moment(const trc_clock *clock);

/* Nanoseconds of CLOCK_MONOTONIC, and since the epoch. */
int64_t trc_clock_monotonic(void);
int64_t trc_clock_epoch(void);

/* later - earlier, field by field. */
trc_moment trc_moment_since(trc_moment later, trc_moment earlier);

/* Seconds in a tick of this clock. The rate of a counter comes from `measured`, the distance between two moments. When
 * `measured` is shorter than TRC_SHORT_SPAN ns, it comes from `fallback`, a longer distance of the same process. */
#define TRC_SHORT_SPAN 10000000
double trc_clock_seconds_per_tick(const trc_clock *clock, trc_moment measured, trc_moment fallback);

/* Ticks of this clock in a nanosecond, by that distance between two moments. */
double trc_clock_ticks_per_ns(const trc_clock *clock, trc_moment measured);

/* Whether CPU time can be had beside this clock: it shows what passes while a thread does not run. */
bool trc_clock_has_cpu(const trc_clock *clock);

/* The CPU time of the calling thread, in ns, beside a clock that has it; TRC_NO_CPU where an injected clock has none. */
int64_t trc_clock_read_cpu(const trc_clock *clock);

/* The same of the thread with this id of the system. Returns false when the thread has ended or cannot be read; an
 * injected clock cannot. */
bool trc_clock_read_cpu_of(const trc_clock *clock, uint64_t native_id, int64_t *cpu);

/* The clock's time for the thread with this id of the system: trc_clock_now() for every clock but CPU time. For the CPU
 * time of a thread that has ended or cannot be read, returns `last`. */
trc_tick trc_clock_now_of(const trc_clock *clock, uint64_t native_id, trc_tick last);

/* The CPU time of the process and of the calling thread, in ns. */
int64_t trc_clock_process_cpu(void);
int64_t trc_clock_thread_cpu(void);

/* Reads a clock that needs a function call. */
trc_tick trc_clock_read(const trc_clock *clock);

/* Reads the processor's counter; 0 where there is none. A plain rdtsc: the order that rdtscp or a fence would keep
 * matters less than the grain of any figure. */
static inline trc_tick trc_clock_counter(void)
{
#if defined(__x86_64__)
    return (trc_tick)__rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return (trc_tick)ticks;
#else
    return 0;
#endif
}

static inline trc_tick trc_clock_now(const trc_clock *clock)
{
    return clock->kind == TRC_CLOCK_COUNTER ? trc_clock_counter() : trc_clock_read(clock);
}

#endif
