/* How much of its time a traced thread did not run: the wall clock less the thread's CPU clock. That clock costs 200 to
 * 330 ns a read, so it is read seldom: at the first event that comes TRC_LOOK_EVERY ns or more after the last reading.
 * Where a read costs more, as in a sandbox, it is read less often: its cost is below one part in TRC_LOOK_COSTS.
 *
 *     readings    |. . . . . . .|                         . events
 *                 since         last            now       one node, or one line, ran from `last` to `now`: the gap
 *
 * What was waited since the last reading belongs to the gap where it cannot have been before it, or where the gap is
 * most of that time. A `sleep`, a lock or the GIL give such gaps. The rest is not known to belong to anyone: it is
 * carried. Where much is carried, the thread waits in many short gaps, and the next readings come at every event, a
 * *burst*: they show who waits, and which part of a gap. What was carried goes there, until the wait has about that part of
 * all the time of the one who ran. Bursts follow soon upon each other until little is carried.
 *
 * Where recording rests and goes on again and again, as around each call of a function, a stretch of less than TRC_SHORT
 * ns has no wait that is worth a reading: it is shorter than a thread's way off a processor and back.
 *
 * A meter does not know who ran: waits.h (nodes) and linethread.h (lines) do. */
#ifndef TRC_OFF_CPU_METER_H
#define TRC_OFF_CPU_METER_H

#include "core/base/clock.h"

#define TRC_LOOK_EVERY 100000 /* ns */
#define TRC_LOOK_COSTS 256
#define TRC_SHORT 10000 /* ns, or TRC_SHORT_COSTS times what a read costs, if that is more */
#define TRC_SHORT_COSTS 16
#define TRC_BURST 32 /* events */
#define TRC_NEVER INT64_MAX

typedef struct trc_off_cpu_meter {
    const trc_clock *clock; /* has CPU time; borrowed; NULL: nothing is measured */
    trc_tick due;           /* from when on an event must look; TRC_NEVER: none */
    trc_moment origin;      /* where the measure of the clock's rate began */
    trc_moment measured;    /* the longest measure of it so far */
    double ticks_per_ns;
    trc_tick read_cost; /* ticks that a read of the CPU clock takes: the least seen; 0: not known */
    bool is_begun;      /* `since` and `cpu` are known */
    bool rests;         /* recording does, from `rested` on */
    trc_tick rested;
    trc_tick since;
    int64_t cpu;      /* of the thread at `since`, in ns */
    trc_tick carried; /* waited, or less than nothing by the grain of the clocks, by nobody so far */
    int burst;        /* events still to be looked at */
    bool has_waited;  /* one of the burst's events showed a wait */
} trc_off_cpu_meter;

/* Initializes a meter whose first look begins. With `clock` NULL it measures nothing. */
void trc_off_cpu_meter_init(trc_off_cpu_meter *meter, const trc_clock *clock);

/* The CPU time of the calling thread, in ns, or TRC_NO_CPU. */
int64_t trc_off_cpu_meter_read_cpu(trc_off_cpu_meter *meter);

/* Begins at `now`, when the thread's CPU time is `cpu` ns: what was before is in no figure. Where that time is not known
 * (TRC_NO_CPU), here or at a look, nothing is measured until the next begin. */
void trc_off_cpu_meter_begin(trc_off_cpu_meter *meter, trc_tick now, int64_t cpu);

/* The next look begins. */
void trc_off_cpu_meter_forget(trc_off_cpu_meter *meter);

/* Recording rests from `now` on. The next event asks whether it goes on without a reading; if not, its look begins. */
void trc_off_cpu_meter_rest(trc_off_cpu_meter *meter, trc_tick now);
bool trc_off_cpu_meter_goes_on(trc_off_cpu_meter *meter, trc_tick now);

/* Whether a reading at `now` could show a wait. */
bool trc_off_cpu_meter_is_worth_it(const trc_off_cpu_meter *meter, trc_tick now);

/* The time of a node or line, up to and with the gap, and how much of that it is known to have waited. */
typedef struct trc_share {
    trc_tick time;
    trc_tick waited;
} trc_share;

/* Looks at a gap. Returns what who ran in it has waited, with what was carried and goes there. `of`: the one who ran; all
 * zero for nobody. */
trc_tick trc_off_cpu_meter_look(trc_off_cpu_meter *meter, trc_tick last, trc_tick now, int64_t cpu, trc_share of);

/* Returns what was waited in that gap by the one who ran in it, and changes nothing. */
trc_tick trc_off_cpu_meter_pending(const trc_off_cpu_meter *meter, trc_tick last, trc_tick now, int64_t cpu);

#endif
