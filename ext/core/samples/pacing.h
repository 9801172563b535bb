/* What samples may cost a program that is to be slowed down by so much at most. Two costs are told apart, each with its own
 * remedy: handlers read deep stacks, so a sample is taken each second, fourth, ... period only, and weighs as much; and the
 * thread that empties rings and looks at waits costs the same while the program waits as while it runs, so it comes less
 * often. */
#ifndef TRC_PACING_H
#define TRC_PACING_H

#include <stdint.h>

#define TRC_STRIDE_MOST 16
#define TRC_INTERVAL_LEAST 20000000 /* ns between two visits to the rings, ... */
#define TRC_INTERVAL_MOST 160000000
#define TRC_ROOM_FOR_FRAMES 25  /* ... in which a ring has room for so many samples of deep stacks, ... */
#define TRC_ROOM_FOR_STACKS 5   /* ... or with copies of native ones */
#define TRC_PACE_CPU 100000000  /* ns of the program's CPU time, or ... */
#define TRC_PACE_REAL 500000000 /* ... real ones, between two decisions */
#define TRC_VISIT_COST 50000    /* ns, as a guess before the first decision */
#define TRC_SAMPLE_COST 15000

/* Moments, and what was used up to them, in ns. */
typedef struct trc_pacing_marks {
    int64_t real;
    int64_t cpu;      /* of the process */
    int64_t handlers; /* CPU that handlers used */
    int64_t visits;   /* the same of the thread that counts */
} trc_pacing_marks;

typedef struct trc_pacing {
    double handlers, visits; /* which part of the CPU time each may take; 0: any */
    int64_t filled;          /* ns in which a ring is full, at a stride of 1 */
    trc_pacing_marks decided;
    unsigned stride;  /* periods from a sample to the next */
    int64_t interval; /* ns from a visit to the next */
} trc_pacing;

/* limit: the slow-down that is allowed, as a part of 1; 0: none but that of the visits. period: ns of CPU time from a sample
 * to the next. room: samples in a ring. */
void trc_pacing_init(trc_pacing *pacing, double limit, int64_t period, int room);

/* Goes on with these marks, after a rest. */
void trc_pacing_go_on(trc_pacing *pacing, const trc_pacing_marks *now);

/* Decides, when it is time to. */
void trc_pacing_decide(trc_pacing *pacing, const trc_pacing_marks *now);

#endif
