/* The same functions where native code cannot be sampled: see sampling.h. */
#include "core/samples/sampling.h"

#if !TRC_SAMPLES

const char *trc_sampling_refusal(void)
{
#if !defined(__linux__)
    return "native code can be sampled on Linux alone";
#elif !defined(__GLIBC__)
    return "native code can be sampled with the C library glibc alone";
#else
    return "native code can be sampled on x86-64 and AArch64 alone";
#endif
}

trc_sampling *trc_sampling_new(int hz, trc_slot_pool *pool)
{
    (void)hz, (void)pool;
    return NULL;
}

void trc_sampling_free(trc_sampling *sampling)
{
    (void)sampling;
}

void trc_sampling_limit(trc_sampling *sampling, double slowdown)
{
    (void)sampling, (void)slowdown;
}

bool trc_sampling_take_signal(trc_sampling *sampling)
{
    (void)sampling;
    return false;
}

bool trc_sampling_begin(trc_sampling *sampling)
{
    (void)sampling;
    return false;
}

void trc_sampling_end(trc_sampling *sampling)
{
    (void)sampling;
}

void trc_sampling_rest(trc_sampling *sampling)
{
    (void)sampling;
}

void trc_sampling_go_on(trc_sampling *sampling)
{
    (void)sampling;
}

void trc_sampling_watch(trc_sampling *sampling, pid_t thread, uint32_t owner, const void *context, bool is_here)
{
    (void)sampling, (void)thread, (void)owner, (void)context, (void)is_here;
}

void trc_sampling_skip(trc_sampling *sampling, pid_t thread)
{
    (void)sampling, (void)thread;
}

void trc_sampling_set_lines(trc_sampling *sampling, pid_t thread, const void *lines)
{
    (void)sampling, (void)thread, (void)lines;
}

void trc_sampling_set_all_lines(trc_sampling *sampling, const void *(*lines_of)(const void *context, pid_t thread),
                                const void *context)
{
    (void)sampling, (void)lines_of, (void)context;
}

void trc_sampling_set_collecting(trc_sampling *sampling, pid_t thread)
{
    (void)sampling, (void)thread;
}

void trc_sampling_wait_for_handler(trc_sampling *sampling, pid_t thread)
{
    (void)sampling, (void)thread;
}

void trc_sampling_lock(trc_sampling *sampling)
{
    (void)sampling;
}

void trc_sampling_unlock(trc_sampling *sampling)
{
    (void)sampling;
}

trc_account trc_sampling_account(trc_sampling *sampling, int kind, uint32_t owner)
{
    (void)sampling, (void)kind, (void)owner;
    return (trc_account){.thread = 0};
}

#endif
