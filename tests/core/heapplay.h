/* A program that allocates for as long as one likes, played to a heap and its curve with a clock of its own. The suites
 * play a part of a minute; benchmarks/core/replay_heap.c plays what takes an hour.
 *
 * The program goes round in *periods*. In each, the live blocks grow in number to a top and fall to none again, so what a
 * site allocates and frees in k periods is k times what the first period has. Five threads take part. The last one
 * allocates only the *burst*: one block of 1 TiB at the top of a period, which is the peak. */
#ifndef TEST_HEAPPLAY_H
#define TEST_HEAPPLAY_H

#include "paper.h"

#include <core/heap/curve.h>
#include <core/heap/heap.h>

#define HEAPPLAY_ALLOCATIONS 100000 /* of a period */
#define HEAPPLAY_THREADS 4
#define HEAPPLAY_NODES 400
#define HEAPPLAY_LINES 4
#define HEAPPLAY_PLACES (HEAPPLAY_THREADS * HEAPPLAY_NODES * HEAPPLAY_LINES)
#define HEAPPLAY_BURST (UINT64_C(1) << 40)

/* What a period does at one place. */
typedef struct heapplay_figures {
    trc_amount allocated;
    trc_amount temporary;
    trc_amount live; /* while the program is composed */
    trc_amount at_top;
    uint64_t freed_here;
} heapplay_figures;

typedef struct heapplay_step {
    uint32_t action : 8;
    uint32_t thread : 8;
    uint32_t line : 16;
    uint32_t node;
    uint32_t block; /* a number: its address follows from that */
    uint32_t size;
} heapplay_step;

typedef struct heapplay {
    paper paper;
    trc_heap heap;
    trc_heap_thread threads[HEAPPLAY_THREADS + 1];
    trc_curve curve;
    int64_t now; /* ns */
    int64_t gap; /* ns between two allocations */
    int64_t next_look;
    uint64_t looks;
    uint64_t moves; /* calls of the heap's `moved` */
    heapplay_step *steps;
    uint32_t step_count;
    uint32_t top; /* the step before which the most blocks are live */
    trc_amount at_top;
    trc_amount most;                           /* live in a period without burst */
    heapplay_figures figures[HEAPPLAY_PLACES]; /* by thread, then by node, then by line */
    uint64_t periods;                          /* played */
    uint64_t bursts;
    uint64_t aged; /* what heapplay_age() added to each figure */
} heapplay;

/* Composes the program. `gap`: ns between two allocations. Returns false when memory is out; heapplay_close() is called
 * either way. */
bool heapplay_open(heapplay *play, int64_t gap);
void heapplay_close(heapplay *play);

/* Plays one period. */
void heapplay_period(heapplay *play, bool with_burst);

/* Lets the figures of all sites but those of what is live be `by` larger, as after a longer run. */
void heapplay_age(heapplay *play, uint64_t by);

/* The first thing that is not as it must be after so many periods, or NULL. All sites exist afterwards. */
const char *heapplay_wrong(heapplay *play);

/* Another program: each of `count` allocations is a byte larger than the one before, which is freed then. So each makes a
 * new peak and a new epoch. Played to a heap that is fresh but for the number of its epoch. Returns what is wrong, or
 * NULL. */
const char *heapplay_climb(uint64_t count, uint64_t first_epoch);

#endif
