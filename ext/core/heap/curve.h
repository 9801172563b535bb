/* A value over time in a bounded number of points. Each point is a stretch of time that is at least `interval` long: the
 * least, the largest and the last value in it. When all points are used, each two become one, and the interval
 * doubles. Between two points the value stays what it was last. */
#ifndef TRC_CURVE_H
#define TRC_CURVE_H

#include "core/base/clock.h"

#define TRC_CURVE_POINTS 4096

/* Bytes of memory at a time: `live`, which is counted, and `resident`, which the system tells. */
typedef struct trc_curve_point {
    trc_tick at; /* when the stretch began */
    uint64_t least;
    uint64_t most;
    uint64_t last;
    uint64_t resident; /* the most */
} trc_curve_point;

typedef struct trc_curve {
    uint32_t count;
    trc_tick interval;
    trc_curve_point points[TRC_CURVE_POINTS];
} trc_curve;

/* Empties the curve. `interval`: ticks, 1 at least. */
void trc_curve_begin(trc_curve *curve, trc_tick interval);

/* The value at `now`, which is no earlier than any before. */
void trc_curve_add(trc_curve *curve, trc_tick now, uint64_t live, uint64_t resident);

/* The value was `most` since the latest point, and is not any more. There is a point. */
void trc_curve_raise(trc_curve *curve, uint64_t most);

#endif
