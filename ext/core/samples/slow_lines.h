/* Code that is slow without an event. Where the interpreter tells of the lines of some code, it also stops at places of which it
 * never tells: where a line goes on after the body of a one-line `for`, a `yield from` or an `await`. These cannot be
 * switched off one by one, so the code stays slow, though all that is told of is silent. Samples find them: the instruction at
 * which they fall is one that stops for a line, and no callback runs.
 *
 * The instruction stands in the place of another, which may take long by itself: an iterator written in C, a call. That is told apart
 * by the frame, up to 3.13. From then on only the samples count that fall in the interpreter's own function, so not all of a stop is
 * seen. Where that is cut in pieces (tail calls) nothing tells it apart: then such code may be chosen, too. */
#ifndef TRC_SLOW_LINES_H
#define TRC_SLOW_LINES_H

#include "core/samples/noted_sample.h"

#include <stdatomic.h>

#define TRC_SLOW_CODES 16
#define TRC_SLOW_LEAST 8       /* samples in a code before it may be chosen */
#define TRC_STOP_OF_SEEN 1.5   /* what a stop takes, of what is seen of it */
#define TRC_STOP_OF_EVENTS 0.8 /* what is seen of the stops of events that are told, of what their callbacks take */

typedef struct trc_slow_code {
    uint64_t code; /* its address; 0: none */
    uint64_t samples;
    uint64_t weight;
} trc_slow_code;

typedef enum trc_line_answer { TRC_LINES_NOT_ANSWERED, TRC_LINES_ENDED, TRC_LINES_OF_OTHERS } trc_line_answer;

typedef struct trc_slow_lines {
    double limit;                        /* how much of the time they may take, a part of 1 */
    uint64_t all;                        /* the weight of all samples, */
    uint64_t in_events;                  /* and of those in a callback */
    bool is_sure;                        /* a sample at a stop is one in it: else nothing is told of what they cost */
    uint64_t cost;                       /* the weight of what they took in code that was dealt with */
    trc_slow_code codes[TRC_SLOW_CODES]; /* the dearest, as far as is known */
    uint64_t others[TRC_SLOW_CODES];     /* code that another tool makes slow */
    unsigned other_count;
    trc_slow_code choice;    /* the latest, */
    bool is_waiting;         /* of which it is not known yet what became of it */
    _Atomic uint64_t chosen; /* code whose lines are to be told of no more, for whoever sees to that; 0: none */
    atomic_int answer;       /* a trc_line_answer: what became of it */
} trc_slow_lines;

void trc_slow_lines_add(trc_slow_lines *lines, const trc_noted_sample *sample);

/* Decides, and chooses the dearest code where such places take more than they may. Returns whether one waits to be dealt
 * with. */
bool trc_slow_lines_decide(trc_slow_lines *lines);

/* The code that waits to be dealt with, once; or 0. Then its lines have ended, or they are another tool's. Any thread may call
 * these, one at a time. */
static inline uint64_t trc_slow_lines_take(trc_slow_lines *lines)
{
    return atomic_load(&lines->chosen) == 0 ? 0 : atomic_exchange(&lines->chosen, 0);
}

static inline void trc_slow_lines_answer(trc_slow_lines *lines, trc_line_answer answer)
{
    atomic_store(&lines->answer, answer);
}

/* The weight of what such places took, up to now, in code whose lines have ended. */
uint64_t trc_slow_lines_cost(trc_slow_lines *lines);

#endif
