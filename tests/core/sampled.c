/* What the suites of native samples share: see sampled.h. */
#include "sampled.h"

#if TRC_SAMPLES
#include <poll.h>
#include <string.h>

trc_slot_pool pool;
static _Thread_local volatile uint64_t sink;
static trc_sampling *begun; /* by begin_here(), the last time */
uint32_t node;              /* where the thread is */
atomic_uint signals;        /* that found a thread with a context */

uint32_t node_of(const void *context)
{
    atomic_fetch_add(&signals, 1);
    return *(const uint32_t *)context;
}

trc_sampling *new_sampling(void)
{
    trc_slot_pool_init(&pool);
    trc_sampling *sampling = trc_sampling_new(HZ, &pool);
    ck_assert_ptr_nonnull(sampling);
    sampling->node_of = node_of;
    return sampling;
}

void begin_here(trc_sampling *sampling)
{
    ck_assert(trc_sampling_begin(sampling));
    begun = sampling;
    trc_sampling_watch(sampling, trc_gettid(), 0, &node, true);
}

/* Uses CPU time until so many signals have come while it runs. It calls nothing, so that they come in the function
 * itself; and no call of it is one that the compiler may turn into a jump. */
__attribute__((noinline)) void burn_inner(unsigned count)
{
    unsigned before = atomic_load(&signals);
    while (atomic_load(&signals) - before < count) {
        for (int i = 0; i < 1000; i++) {
            sink += (uint64_t)i * i;
        }
    }
    sink++;
}

__attribute__((noinline)) void in_parts(void (*burns)(unsigned), unsigned count)
{
    for (unsigned part; count > 0; count -= part) {
        part = count < PART ? count : PART;
        burns(part);
        trc_sampling_lock(begun);
        trc_sampling_unlock(begun);
    }
    sink++;
}

__attribute__((noinline)) void burn(unsigned count)
{
    in_parts(burn_inner, count);
    sink++;
}

/* Stands for the interpreter's function that runs Python code. */
__attribute__((noinline)) void evaluate(unsigned count)
{
    burn(count);
    sink++;
}

void burn_for(int64_t nanoseconds)
{
    int64_t until = trc_thread_cpu(trc_gettid()) + nanoseconds;
    while (trc_thread_cpu(trc_gettid()) < until) {
        for (int i = 0; i < 1000; i++) {
            sink += (uint64_t)i * i;
        }
    }
}

void wait_until(const atomic_bool *happens)
{
    while (!atomic_load(happens)) {
        poll(NULL, 0, 1);
    }
}

uint64_t weight_of(const trc_sampling *sampling, int kind, uint32_t owner)
{
    return owner < sampling->counts.sample_counts[kind].count
               ? sampling->counts.sample_counts[kind].by_owner[owner].weight
               : 0;
}

uint64_t weight_now(trc_sampling *sampling, int kind, uint32_t owner)
{
    trc_sampling_lock(sampling);
    uint64_t weight = weight_of(sampling, kind, owner);
    trc_sampling_unlock(sampling);
    return weight;
}

static const char *name_at(const trc_sampling *sampling, uint32_t chain)
{
    uint32_t symbol = sampling->counts.chains.frames[sampling->counts.chains.chains[chain - 1].frame].symbol;
    return symbol == TRC_NOWHERE ? "?" : sampling->counts.chains.symbols[symbol].name;
}

const char *outermost(const trc_sampling *sampling, uint32_t chain)
{
    while (sampling->counts.chains.chains[chain - 1].caller != 0) {
        chain = sampling->counts.chains.chains[chain - 1].caller;
    }
    return name_at(sampling, chain);
}

uint64_t weight_in(const trc_sampling *sampling, const char *name)
{
    uint64_t weight = 0;
    const trc_sample_count *sample_count = sampling->counts.sample_counts[TRC_KNOWN].by_owner[0].first;
    for (; sample_count != NULL; sample_count = sample_count->hh.next) {
        trc_sample_count_record record = trc_sample_count_as_record(sample_count);
        for (uint32_t chain = record.chain; chain != 0; chain = sampling->counts.chains.chains[chain - 1].caller) {
            if (strcmp(name_at(sampling, chain), name) == 0) {
                weight += record.weight;
                break;
            }
        }
    }
    return weight;
}

trc_cpu_split *line_of(const void *lines)
{
    return *(trc_cpu_split *const *)lines;
}
#endif
