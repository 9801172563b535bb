/* Ticks and how long they are: see clock.h. */
#define _GNU_SOURCE /* clockid_t of another thread */
#include "core/base/clock.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static int64_t nanoseconds(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Reads a file of this folder, cut off where `text` is full; "" when it cannot be read. Not by stdio, which would
 * allocate. */
static void read_words(const char *folder, const char *name, char *text, size_t size)
{
    char path[256];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = length < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t count = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0) {
        close(file);
    }
    text[count < 0 ? 0 : count] = '\0';
}

/* Returns the next word between blanks and line ends, and ends the string there. NULL after the last. */
static const char *next_word(char **text)
{
    char *word = *text + strspn(*text, " \n");
    char *end = word + strcspn(word, " \n");
    *text = *end == '\0' ? end : end + 1;
    *end = '\0';
    return *word == '\0' ? NULL : word;
}

static bool is_of_a_guest(const char *clocksource)
{
    return strcmp(clocksource, "kvm-clock") == 0 || strcmp(clocksource, "xen") == 0 ||
           strncmp(clocksource, "hyperv_clocksource", 18) == 0;
}

bool trc_clock_tsc_is_stable(const char *folder)
{
    char text[256], *rest = text;
    read_words(folder, "current_clocksource", text, sizeof text);
    const char *current = next_word(&rest);
    if (current == NULL || strcmp(current, "tsc") == 0) {
        return true;
    }
    if (!is_of_a_guest(current)) {
        return false;
    }
    read_words(folder, "available_clocksource", text, sizeof text);
    rest = text;
    bool empty = true;
    for (const char *word; (word = next_word(&rest)) != NULL; empty = false) {
        if (strcmp(word, "tsc") == 0) {
            return true;
        }
    }
    return empty;
}

static bool counter_is_trusted(const char *clocksources)
{
    (void)clocksources;
#if defined(__x86_64__)
    /* Intel SDM vol. 3, "Invariant TSC": CPUID.80000007H:EDX[8]. It runs at one rate in every power state. */
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & (1u << 8)) &&
           trc_clock_tsc_is_stable(clocksources);
#elif defined(__aarch64__)
    return true; /* the architecture promises a constant rate */
#else
    return false;
#endif
}

trc_clock trc_clock_wall(const char *clocksources)
{
    trc_clock clock = {.kind = counter_is_trusted(clocksources) ? TRC_CLOCK_COUNTER : TRC_CLOCK_MONOTONIC};
    return clock;
}

trc_clock trc_clock_cpu(void)
{
    trc_clock clock = {.kind = TRC_CLOCK_CPU};
    return clock;
}

trc_clock trc_clock_injected(trc_tick (*read)(void *context), void *context, double seconds)
{
    trc_clock clock = {
        .kind = TRC_CLOCK_INJECTED, .read = read, .context = context, .injected_seconds = seconds, .name = "custom"};
    return clock;
}

const char *trc_clock_name(const trc_clock *clock)
{
    switch (clock->kind) {
    case TRC_CLOCK_COUNTER:
#if defined(__aarch64__)
        return "cntvct";
#else
        return "tsc";
#endif
    case TRC_CLOCK_MONOTONIC:
        return "monotonic";
    case TRC_CLOCK_CPU:
        return "cpu";
    default:
        return clock->name;
    }
}

trc_tick trc_clock_read(const trc_clock *clock)
{
    if (clock->kind == TRC_CLOCK_INJECTED) {
        return clock->read(clock->context);
    }
    return nanoseconds(clock->kind == TRC_CLOCK_CPU ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

trc_moment trc_clock_moment(const trc_clock *clock)
{
    trc_moment best = {0, 0};
    if (clock->kind != TRC_CLOCK_COUNTER) {
        return best; /* the rate of the other clocks is known */
    }
    /* Takes the try of five with the smallest gap around the system call: that one was not interrupted. */
    trc_tick smallest = INT64_MAX;
    for (int i = 0; i < 5; i++) {
        trc_tick before = trc_clock_now(clock);
        int64_t between = nanoseconds(CLOCK_MONOTONIC);
        trc_tick gap = trc_clock_now(clock) - before;
        if (gap < smallest) {
            smallest = gap;
            best.ticks = before + gap / 2;
            best.nanoseconds = between;
        }
    }
    return best;
}

int64_t trc_clock_monotonic(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

int64_t trc_clock_process_cpu(void)
{
    return nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

int64_t trc_clock_thread_cpu(void)
{
    return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

int64_t trc_clock_epoch(void)
{
    return nanoseconds(CLOCK_REALTIME);
}

trc_moment trc_moment_since(trc_moment later, trc_moment earlier)
{
    trc_moment distance = {later.ticks - earlier.ticks, later.nanoseconds - earlier.nanoseconds};
    return distance;
}

double trc_clock_seconds_per_tick(const trc_clock *clock, trc_moment measured, trc_moment fallback)
{
    if (clock->kind == TRC_CLOCK_INJECTED) {
        return clock->injected_seconds;
    }
    if (clock->kind == TRC_CLOCK_COUNTER) {
        trc_moment span = measured.nanoseconds < TRC_SHORT_SPAN ? fallback : measured;
        if (span.ticks > 0 && span.nanoseconds > 0) {
            return (double)span.nanoseconds / (double)span.ticks * 1e-9;
        }
    }
    return 1.0 / 1000000000;
}

/* Reads the CPU time of a thread of this process, in ns. Returns false when it has ended or cannot be read. */
static bool read_cpu_of(uint64_t native_id, int64_t *cpu)
{
#if defined(__linux__)
    /* The kernel's id for the CPU clock of a thread of this process, as pthread_getcpuclockid() computes it. It is safe
     * for a thread that has ended: clock_gettime() then fails. */
    clockid_t id = (clockid_t)(~(unsigned)native_id << 3 | 6);
    struct timespec now;
    if (clock_gettime(id, &now) == 0) {
        *cpu = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
        return true;
    }
#else
    (void)native_id, (void)cpu;
#endif
    return false;
}

trc_tick trc_clock_now_of(const trc_clock *clock, uint64_t native_id, trc_tick last)
{
    int64_t cpu;
    if (clock->kind != TRC_CLOCK_CPU) {
        return trc_clock_now(clock);
    }
    return read_cpu_of(native_id, &cpu) && cpu > last ? cpu : last;
}

double trc_clock_ticks_per_ns(const trc_clock *clock, trc_moment measured)
{
    if (clock->kind == TRC_CLOCK_INJECTED) {
        return 1e-9 / clock->injected_seconds;
    }
    bool is_counter = clock->kind == TRC_CLOCK_COUNTER && measured.ticks > 0 && measured.nanoseconds > 0;
    return is_counter ? (double)measured.ticks / (double)measured.nanoseconds : 1;
}

bool trc_clock_has_cpu(const trc_clock *clock)
{
    bool is_wall = clock->kind == TRC_CLOCK_COUNTER || clock->kind == TRC_CLOCK_MONOTONIC;
    return is_wall || clock->read_cpu != NULL;
}

int64_t trc_clock_read_cpu(const trc_clock *clock)
{
    return clock->kind == TRC_CLOCK_INJECTED ? clock->read_cpu(clock->context) : trc_clock_thread_cpu();
}

bool trc_clock_read_cpu_of(const trc_clock *clock, uint64_t native_id, int64_t *cpu)
{
    return clock->kind != TRC_CLOCK_INJECTED && read_cpu_of(native_id, cpu);
}

int64_t trc_nearest(double value)
{
    const double most = 9e18;
    if (value != value) {
        return 0;
    }
    double bounded = value > most ? most : value < -most ? -most : value;
    int64_t whole = (int64_t)bounded;
    double rest = bounded - (double)whole;
    if (rest > 0.5 || (rest == 0.5 && whole % 2 != 0)) {
        return whole + 1;
    }
    return rest < -0.5 || (rest == -0.5 && whole % 2 != 0) ? whole - 1 : whole;
}
