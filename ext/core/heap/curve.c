/* A value over time: see curve.h. */
#include "core/heap/curve.h"

#include <stddef.h>

static uint64_t larger(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

static uint64_t smaller(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static void merge(trc_curve_point *into, const trc_curve_point *later)
{
    into->least = smaller(into->least, later->least);
    into->most = larger(into->most, later->most);
    into->last = later->last;
    into->resident = larger(into->resident, later->resident);
}

void trc_curve_begin(trc_curve *curve, trc_tick interval)
{
    curve->count = 0;
    curve->interval = interval < 1 ? 1 : interval;
}

/* Makes each two points one. */
static void halve(trc_curve *curve)
{
    for (uint32_t i = 0; i < TRC_CURVE_POINTS / 2; i++) {
        curve->points[i] = curve->points[2 * i];
        merge(&curve->points[i], &curve->points[2 * i + 1]);
    }
    curve->count = TRC_CURVE_POINTS / 2;
    trc_add_ticks(&curve->interval, curve->interval);
}

void trc_curve_add(trc_curve *curve, trc_tick now, uint64_t live, uint64_t resident)
{
    trc_curve_point point = {now, live, live, live, resident};
    trc_curve_point *last = curve->count == 0 ? NULL : &curve->points[curve->count - 1];
    if (last != NULL && trc_ticks_since(now, last->at) < curve->interval) {
        merge(last, &point);
        return;
    }
    if (curve->count == TRC_CURVE_POINTS) {
        halve(curve);
        trc_curve_add(curve, now, live, resident);
        return;
    }
    curve->points[curve->count++] = point;
}

void trc_curve_raise(trc_curve *curve, uint64_t most)
{
    trc_curve_point *last = &curve->points[curve->count - 1];
    last->most = larger(last->most, most);
}
