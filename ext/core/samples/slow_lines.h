/* Code that is slow without an event. Where the interpreter tells of the lines of some code, it also stops at places of which it
 * never tells: where a line goes on after the body of a one-line `for`, a `yield from` or an `await`. These cannot be
 * switched off one by one, so the code stays slow, though all that is told of is silent. Samples find them: the instruction at
 * which they fall is one that stops for a line, and no callback runs. */
#ifndef TRC_SLOW_LINES_H
#define TRC_SLOW_LINES_H

#include "core/samples/noted_sample.h"

#include <stdatomic.h>

#define TRC_SLOW_CODES 16
#define TRC_SLOW_LEAST 8        /* the weight of samples before anything is decided */
#define TRC_BESIDE_CALLBACK 1.3 /* what an event that is told takes at its place, beside what its callback does */

typedef struct trc_slow_code {
    uint64_t code; /* its address */
    uint64_t weight;
} trc_slow_code;

typedef struct trc_slow_lines {
    double limit;                        /* how much of the time they may take, a part of 1 */
    uint64_t all;                        /* the weight of all samples, */
    uint64_t in_events;                  /* of those in a callback, */
    uint64_t at_lines;                   /* and of those at such places, but of code that is dealt with */
    uint64_t cost;                       /* the same with it: what they have taken up to now */
    trc_slow_code codes[TRC_SLOW_CODES]; /* the dearest, as far as is known */
    _Atomic uint64_t chosen; /* code whose lines are to be told of no more; 0: none, or whoever does that has it */
} trc_slow_lines;

void trc_slow_lines_add(trc_slow_lines *lines, const trc_noted_sample *sample);

/* Decides, and chooses the dearest code where these places take more than they may. Returns whether one waits to be dealt
 * with. */
bool trc_slow_lines_decide(trc_slow_lines *lines);

/* The weight of what such places took beside events that were told. */
uint64_t trc_slow_lines_beyond(const trc_slow_lines *lines);

#endif
