/* What a thread waited: see off_cpu_meter.h. */
#include "core/base/off_cpu_meter.h"

#include <stddef.h>

#define LONG_PAUSE \
    10 /* times TRC_LOOK_EVERY: from a burst that saw waits, and gave away what was carried, to the next look */
#define MUCH 16   /* more than one part in so many is much */
#define GRAIN 256 /* less than one part in so many of a gap, or than GRAIN_NS, is not told from nothing */
#define GRAIN_NS 1000
/* The first reading is made so often, to know what one costs: from a single one in whose middle the thread lost its
 * processor, it would follow that readings are dear, and the next look would come a second later. */
#define FIRST_READS 3

void trc_off_cpu_meter_init(trc_off_cpu_meter *meter, const trc_clock *clock)
{
    *meter = (trc_off_cpu_meter){.clock = clock};
    if (clock != NULL) {
        meter->ticks_per_ns = trc_clock_ticks_per_ns(clock, (trc_moment){0, 0});
    }
    trc_off_cpu_meter_forget(meter);
}

void trc_off_cpu_meter_forget(trc_off_cpu_meter *meter)
{
    meter->is_begun = meter->rests = false;
    meter->due = meter->clock == NULL ? TRC_NEVER : INT64_MIN;
}

static trc_tick ticks_of(const trc_off_cpu_meter *meter, int64_t nanoseconds)
{
    const double most = 4e18; /* a timer may say anything */
    if (nanoseconds == 0) {
        return 0; /* also where a nanosecond has infinitely many ticks */
    }
    double ticks = meter->ticks_per_ns * (double)nanoseconds;
    ticks = ticks > most ? most : ticks < -most ? -most : ticks;
    return (trc_tick)(ticks < 0 ? ticks - 0.5 : ticks + 0.5);
}

static trc_tick sum(trc_tick one, trc_tick other)
{
    trc_add_ticks(&one, other);
    return one;
}

/* Measures the clock's rate anew when this can be done over twice as long a time. */
static void measure_rate(trc_off_cpu_meter *meter, trc_tick now)
{
    if (meter->clock->kind != TRC_CLOCK_COUNTER) {
        return;
    }
    if (meter->origin.nanoseconds == 0) {
        meter->origin = trc_clock_moment(meter->clock);
    }
    else if (trc_ticks_since(now, meter->origin.ticks) > 2 * meter->measured.ticks) {
        meter->measured = trc_moment_since(trc_clock_moment(meter->clock), meter->origin);
        meter->ticks_per_ns = trc_clock_ticks_per_ns(meter->clock, meter->measured);
    }
}

int64_t trc_off_cpu_meter_read_cpu(trc_off_cpu_meter *meter)
{
    if (meter->clock->kind == TRC_CLOCK_INJECTED) {
        return trc_clock_read_cpu(meter->clock);
    }
    int64_t cpu = 0;
    for (int reads = meter->read_cost == 0 ? FIRST_READS : 1; reads > 0; reads--) {
        trc_tick before = trc_clock_now(meter->clock);
        cpu = trc_clock_read_cpu(meter->clock);
        trc_tick cost = trc_ticks_since(trc_clock_now(meter->clock), before);
        if (cost > 0 && (cost < meter->read_cost || meter->read_cost == 0)) {
            meter->read_cost = cost;
        }
    }
    return cpu;
}

/* Ticks from one look to the next; LONG_PAUSE times as many are a number of ticks, too. */
static trc_tick pause_of(const trc_off_cpu_meter *meter)
{
    const trc_tick most = INT64_MAX / LONG_PAUSE;
    trc_tick usual = ticks_of(meter, TRC_LOOK_EVERY);
    usual = usual < most ? usual : most;
    trc_tick least = TRC_LOOK_COSTS * meter->read_cost;
    return usual > least ? usual : least;
}

void trc_off_cpu_meter_begin(trc_off_cpu_meter *meter, trc_tick now, int64_t cpu)
{
    meter->is_begun = meter->clock != NULL && cpu != TRC_NO_CPU;
    if (!meter->is_begun) {
        meter->due = TRC_NEVER;
        return;
    }
    measure_rate(meter, now);
    meter->since = now;
    meter->cpu = cpu;
    meter->carried = 0;
    meter->burst = 0;
    meter->due = sum(now, pause_of(meter));
}

void trc_off_cpu_meter_rest(trc_off_cpu_meter *meter, trc_tick now)
{
    if (meter->is_begun) {
        meter->rests = true;
        meter->rested = now;
        meter->due = INT64_MIN;
    }
    else {
        trc_off_cpu_meter_forget(meter);
    }
}

/* Ticks of a stretch that is not worth a reading. */
static trc_tick short_of(const trc_off_cpu_meter *meter)
{
    trc_tick usual = ticks_of(meter, TRC_SHORT);
    trc_tick least = TRC_SHORT_COSTS * meter->read_cost;
    return usual > least ? usual : least;
}

bool trc_off_cpu_meter_goes_on(trc_off_cpu_meter *meter, trc_tick now)
{
    if (!meter->rests) {
        return false;
    }
    meter->rests = false;
    meter->is_begun = trc_ticks_since(now, meter->rested) < short_of(meter);
    meter->due = meter->is_begun ? sum(meter->since, pause_of(meter)) : meter->due;
    return meter->is_begun;
}

bool trc_off_cpu_meter_is_worth_it(const trc_off_cpu_meter *meter, trc_tick now)
{
    return meter->is_begun && !meter->rests && trc_ticks_since(now, meter->since) >= short_of(meter);
}

/* Splits what was waited since the last reading into what belongs to the gap and the rest. Returns the former. */
static trc_tick split(const trc_off_cpu_meter *meter, trc_tick last, trc_tick now, int64_t cpu, trc_tick *rest)
{
    trc_tick since = last > meter->since ? last : meter->since;
    trc_tick gap = trc_ticks_since(now, since);
    trc_tick before = trc_ticks_since(since, meter->since);
    trc_tick waited = trc_ticks_since(sum(gap, before), ticks_of(meter, trc_ticks_since(cpu, meter->cpu)));
    bool is_most = before <= gap / 4;
    trc_tick own = is_most ? waited : trc_ticks_since(waited, before);
    own = own < gap / GRAIN || own < ticks_of(meter, GRAIN_NS) ? 0 : own > gap ? gap : own;
    *rest = trc_ticks_since(waited, own);
    return own;
}

trc_tick trc_off_cpu_meter_pending(const trc_off_cpu_meter *meter, trc_tick last, trc_tick now, int64_t cpu)
{
    trc_tick rest;
    return meter->is_begun && cpu != TRC_NO_CPU ? split(meter, last, now, cpu, &rest) : 0;
}

/* Returns the part of what is carried that goes to the one who waits `own` in a gap. To wait once is no proof of having
 * waited all: it gets some times as much. Nor has it waited a much larger part of all its time than of this gap. */
static trc_tick take_carried(const trc_off_cpu_meter *meter, trc_tick own, trc_tick gap, const trc_share *of)
{
    double part = (double)own / (double)gap + 1.0 / MUCH;
    trc_tick room = part > 0.0 && part < 1.0 ? (trc_tick)(part * (double)of->time) : of->time;
    trc_tick left = trc_ticks_since(room, sum(of->waited, own));
    trc_tick most = own <= INT64_MAX / MUCH ? own * MUCH : INT64_MAX;
    trc_tick taken = meter->carried < most ? meter->carried : most;
    taken = taken < left ? taken : left;
    return taken < 0 ? 0 : taken;
}

/* Returns when to look again. A burst may be too short to give away all that is carried, as where a line that waits comes
 * after many that do not: then the next one comes soon. */
static trc_tick plan(trc_off_cpu_meter *meter, trc_tick now, bool begins_burst, bool has_waited)
{
    trc_tick pause = pause_of(meter);
    if (begins_burst && meter->burst == 0) {
        meter->burst = TRC_BURST;
        return now;
    }
    meter->has_waited = meter->burst > 0 && (meter->has_waited || has_waited);
    if (meter->burst > 0 && --meter->burst > 0) {
        return now;
    }
    return sum(now, meter->has_waited && meter->carried < pause ? LONG_PAUSE * pause : pause);
}

trc_tick trc_off_cpu_meter_look(trc_off_cpu_meter *meter, trc_tick last, trc_tick now, int64_t cpu, trc_share of)
{
    if (!meter->is_begun || cpu == TRC_NO_CPU) {
        trc_off_cpu_meter_begin(meter, now, cpu);
        return 0;
    }
    measure_rate(meter, now);
    trc_tick rest;
    trc_tick own = split(meter, last, now, cpu, &rest);
    trc_add_ticks(&meter->carried, rest);
    trc_tick taken = own > 0 && meter->burst > 0 ? take_carried(meter, own, trc_ticks_since(now, last), &of) : 0;
    meter->carried -= taken;
    bool begins_burst = rest > trc_ticks_since(now, meter->since) / MUCH && rest > ticks_of(meter, GRAIN_NS);
    meter->since = now;
    meter->cpu = cpu;
    meter->due = plan(meter, now, begins_burst, own > 0);
    return sum(own, taken);
}
