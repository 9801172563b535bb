/* What the suites of native samples share: a sampling of this very process, work for its threads, and what was counted.
 * How many samples a stretch of CPU time has depends on the machine, and on what else it does. So tests use CPU until
 * there are as many as they ask for; those that ask for none use a stretch. */
#ifndef TEST_SAMPLED_H
#define TEST_SAMPLED_H

#include "suites.h"

#include <core/base/gettid.h>
#include <core/samples/sampling.h>

#if TRC_SAMPLES
#define HZ 200
#define PERIOD_NS (1000000000 / HZ)
#define STRETCH_NS 150000000 /* of CPU: thirty periods */
#define SAMPLES 15

extern trc_slot_pool pool;
extern uint32_t node;       /* where the thread is */
extern atomic_uint signals; /* that found a thread with a context */

/* The line of a thread whose lines are a pointer to it. */
trc_cpu_split *line_of(const void *lines);

/* A sampling whose threads are at the node that their context points to, as node_of() tells. */
uint32_t node_of(const void *context);
trc_sampling *new_sampling(void);

/* The calling thread is watched, as owner 0, at `node`. */
void begin_here(trc_sampling *sampling);

/* Calls what uses CPU time until so many signals have come. On a busy machine the thread that empties the ring does not
 * run for long, and a sample that has no room is lost: so there are a few at a time, and in between they are counted. */
#define PART 3
void in_parts(void (*burns)(unsigned), unsigned count);

/* Uses CPU time until so many signals have come while burn_inner() runs, by way of the others. */
void burn_inner(unsigned count);
void burn(unsigned count);
void evaluate(unsigned count);

/* Uses so much CPU time, whether or not signals come. */
void burn_for(int64_t nanoseconds);

void wait_until(const atomic_bool *happens);

/* The weight of an owner's samples; the same while sampling goes on, of all samples up to now. */
uint64_t weight_of(const trc_sampling *sampling, int kind, uint32_t owner);
uint64_t weight_now(trc_sampling *sampling, int kind, uint32_t owner);

/* The name of the outermost function of a chain. */
const char *outermost(const trc_sampling *sampling, uint32_t chain);

/* The weight of the samples of owner 0 in whose chain a function is. */
uint64_t weight_in(const trc_sampling *sampling, const char *name);
#endif

#endif
