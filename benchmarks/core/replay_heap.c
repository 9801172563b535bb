/* The memory of a long program, played to the core: tests/core/heapplay.h says what the program does.
 *
 *     replay_heap ALLOCATIONS STEPS      plays ALLOCATIONS, which take an hour, and then a climb of STEPS
 *
 * Prints one line of numbers: replay_heap.py says what they are, and holds them against their bars. The hour is that of
 * the program's own clock. `ns` is CPU time, with what it takes to play a step. */
#include "heapplay.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HOUR INT64_C(3600000000000) /* ns */
#define WARM 3 /* periods before the tables must have their size; the burst is in the last of them */

static int64_t cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static const char *or_nothing(const char *wrong)
{
    return wrong == NULL ? "" : wrong;
}

int main(int argc, char **argv)
{
    uint64_t periods = argc == 3 ? strtoull(argv[1], NULL, 10) / HEAPPLAY_ALLOCATIONS : 0;
    uint64_t steps = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    if (periods <= WARM || steps < 2) {
        fprintf(stderr, "replay_heap: ALLOCATIONS STEPS, of which at least %d and 2\n",
                (WARM + 1) * HEAPPLAY_ALLOCATIONS);
        return 2;
    }
    static heapplay play;
    int64_t allocations = (int64_t)(periods * HEAPPLAY_ALLOCATIONS);
    if (!heapplay_open(&play, HOUR / allocations)) {
        fprintf(stderr, "replay_heap: no memory\n");
        return 2;
    }
    long warm = 0;
    int64_t began = cpu();
    const char *wrong = NULL;
    for (uint64_t period = 1; period <= periods && wrong == NULL; period++) {
        heapplay_period(&play, period == periods / 2);
        if (period <= WARM || period == periods) {
            wrong = heapplay_wrong(&play);
        }
        warm = period == WARM ? play.paper.mapped : warm;
    }
    int64_t took = cpu() - began;
    uint64_t first = trc_heap_at(&play.heap, play.threads[0].sites[0])->allocated.blocks;
    began = cpu();
    const char *wrong_climb = heapplay_climb(steps, 1);
    int64_t climbed = cpu() - began;
    printf("{\"allocations\": %lld, \"ns\": %.3f, \"points\": %u, \"moves\": %llu, \"looks\": %llu, \"sites\": %u, "
           "\"mapped\": %ld, \"grown\": %ld, \"of_one_site\": %llu, \"peak\": %llu, \"wrong\": \"%s\", "
           "\"epochs\": %llu, \"climb_ns\": %.3f, \"climb_wrong\": \"%s\"}\n",
           (long long)allocations, (double)took / (double)allocations, play.curve.count, (unsigned long long)play.moves,
           (unsigned long long)play.looks, play.heap.site_count, play.paper.mapped, play.paper.mapped - warm,
           (unsigned long long)first, (unsigned long long)play.heap.peak.bytes, or_nothing(wrong),
           (unsigned long long)steps, (double)climbed / (double)steps, or_nothing(wrong_climb));
    heapplay_close(&play);
    return 0;
}
