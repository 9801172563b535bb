/* What a thread waited: see waits.h. */
#include "core/tree/waits.h"

#define LONG_PAUSE 10 /* times TRC_LOOK_EVERY: from a burst that saw waits to the next look */
#define MUCH 16       /* more than one part in so many is much */
#define GRAIN 256     /* less than one part in so many of a gap, or than GRAIN_NS, is not told from nothing */
#define GRAIN_NS 1000

trc_waits *trc_waits_new(const trc_allocator *allocator, const trc_clock *clock)
{
    trc_waits *waits = trc_alloc(allocator, sizeof *waits);
    if (waits != NULL) {
        waits->allocator = allocator;
        waits->clock = clock;
        waits->ticks_per_ns = trc_clock_ticks_per_ns(clock, (trc_moment){0, 0});
    }
    return waits;
}

void trc_waits_free(trc_waits *table)
{
    if (table == NULL) {
        return;
    }
    while (table->nodes != NULL) {
        trc_node_wait *wait = table->nodes;
        HASH_DEL(table->nodes, wait);
        trc_free(table->allocator, wait);
    }
    trc_free(table->allocator, table);
}

static trc_tick ticks_of(const trc_waits *waits, int64_t nanoseconds)
{
    const double most = 4e18; /* a timer may say anything */
    double ticks = waits->ticks_per_ns * (double)nanoseconds;
    ticks = ticks > most ? most : ticks < -most ? -most : ticks;
    return (trc_tick)(ticks < 0 ? ticks - 0.5 : ticks + 0.5);
}

static trc_tick sum(trc_tick one, trc_tick other)
{
    trc_add_ticks(&one, other);
    return one;
}

/* Measures the clock's rate anew when this can be done over twice as long a time. */
static void measure_rate(trc_waits *waits, trc_tick now)
{
    if (waits->clock->kind != TRC_CLOCK_COUNTER) {
        return;
    }
    if (waits->origin.nanoseconds == 0) {
        waits->origin = trc_clock_moment(waits->clock);
    }
    else if (trc_ticks_since(now, waits->origin.ticks) > 2 * waits->measured.ticks) {
        waits->measured = trc_moment_since(trc_clock_moment(waits->clock), waits->origin);
        waits->ticks_per_ns = trc_clock_ticks_per_ns(waits->clock, waits->measured);
    }
}

int64_t trc_waits_read_cpu(trc_waits *waits)
{
    if (waits->clock->kind == TRC_CLOCK_INJECTED) {
        return trc_clock_read_cpu(waits->clock);
    }
    trc_tick before = trc_clock_now(waits->clock);
    int64_t cpu = trc_clock_read_cpu(waits->clock);
    trc_tick cost = trc_ticks_since(trc_clock_now(waits->clock), before);
    if (cost > 0 && (cost < waits->read_cost || waits->read_cost == 0)) {
        waits->read_cost = cost;
    }
    return cpu;
}

/* Ticks from one look to the next. */
static trc_tick pause_of(const trc_waits *waits)
{
    trc_tick usual = ticks_of(waits, TRC_LOOK_EVERY);
    trc_tick least = TRC_LOOK_COSTS * waits->read_cost;
    return usual > least ? usual : least;
}

trc_tick trc_waits_begin(trc_waits *waits, trc_tick now, int64_t cpu)
{
    measure_rate(waits, now);
    waits->is_begun = true;
    waits->since = now;
    waits->cpu = cpu;
    waits->carried = 0;
    waits->burst = 0;
    return sum(now, pause_of(waits));
}

/* Splits what was waited since the last reading into what belongs to the gap and the rest. Returns the former. */
static trc_tick split(const trc_waits *waits, trc_tick last, trc_tick now, int64_t cpu, trc_tick *rest)
{
    trc_tick since = last > waits->since ? last : waits->since;
    trc_tick gap = trc_ticks_since(now, since);
    trc_tick before = trc_ticks_since(since, waits->since);
    trc_tick waited = trc_ticks_since(sum(gap, before), ticks_of(waits, trc_ticks_since(cpu, waits->cpu)));
    bool is_most = before <= gap / 4;
    trc_tick own = is_most ? waited : trc_ticks_since(waited, before);
    own = own < gap / GRAIN || own < ticks_of(waits, GRAIN_NS) ? 0 : own > gap ? gap : own;
    *rest = trc_ticks_since(waited, own);
    return own;
}

trc_tick trc_waits_pending(const trc_waits *waits, trc_tick last, trc_tick now, int64_t cpu)
{
    trc_tick rest;
    return waits->is_begun ? split(waits, last, now, cpu, &rest) : 0;
}

static trc_node_wait *find(const trc_waits *waits, const trc_node *node)
{
    trc_node_wait *wait;
    HASH_FIND_PTR(waits->nodes, &node, wait);
    return wait;
}

trc_tick trc_waits_of(const trc_waits *waits, const trc_node *node)
{
    const trc_node_wait *wait = find(waits, node);
    return wait == NULL ? 0 : wait->ticks;
}

/* Adds to the node, and to its function. What finds no memory is in the function only. */
static void add(trc_waits *table, trc_node *node, trc_tick ticks)
{
    trc_node_wait *wait = find(table, node);
    if (wait == NULL) {
        wait = trc_alloc(table->allocator, sizeof *wait);
        if (wait != NULL) {
            wait->node = node;
            HASH_ADD_PTR(table->nodes, node, wait);
            if (wait->hh.tbl == NULL) {
                trc_free(table->allocator, wait);
                wait = NULL;
            }
            else {
                trc_hash_grow(&table->nodes->hh, table->allocator);
            }
        }
    }
    if (wait != NULL) {
        trc_add_ticks(&wait->ticks, ticks);
    }
    trc_add_extra(trc_node_func(node)->extras, TRC_WAITED, ticks, 0);
}

/* Returns the part of what is carried that goes to a node which waits `own` in a gap that ends at `now`. A node that
 * waits once is no proof that it waited all: it gets some times as much, and only what its own time leaves. */
static trc_tick take_carried(const trc_waits *waits, const trc_node *node, trc_tick own, trc_tick gap)
{
    trc_tick room = trc_ticks_since(sum(node->self, gap), sum(trc_waits_of(waits, node), own));
    trc_tick most = own <= INT64_MAX / MUCH ? own * MUCH : INT64_MAX;
    trc_tick taken = waits->carried < most ? waits->carried : most;
    taken = taken < room ? taken : room;
    return taken < 0 ? 0 : taken;
}

/* Returns when to look again. */
static trc_tick plan(trc_waits *waits, trc_tick now, bool begins_burst, bool has_waited)
{
    trc_tick pause = pause_of(waits);
    if (begins_burst && waits->burst == 0) {
        waits->burst = TRC_BURST;
        return now;
    }
    waits->has_waited = waits->burst > 0 && (waits->has_waited || has_waited);
    if (waits->burst > 0 && --waits->burst > 0) {
        return now;
    }
    return sum(now, waits->has_waited ? LONG_PAUSE * pause : pause);
}

trc_tick trc_waits_look(trc_waits *waits, trc_node *top, trc_tick last, trc_tick now, int64_t cpu)
{
    if (!waits->is_begun) {
        return trc_waits_begin(waits, now, cpu);
    }
    measure_rate(waits, now);
    trc_tick rest;
    trc_tick own = split(waits, last, now, cpu, &rest);
    trc_add_ticks(&waits->carried, rest);
    if (own > 0 && trc_node_func(top) != NULL) {
        trc_tick taken = waits->burst > 0 ? take_carried(waits, top, own, trc_ticks_since(now, last)) : 0;
        waits->carried -= taken;
        add(waits, top, sum(own, taken));
    }
    bool begins_burst = rest > trc_ticks_since(now, waits->since) / MUCH && rest > ticks_of(waits, GRAIN_NS);
    waits->since = now;
    waits->cpu = cpu;
    return plan(waits, now, begins_burst, own > 0);
}
