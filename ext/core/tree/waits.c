/* What the nodes of a call tree waited: see waits.h. */
#include "core/tree/waits.h"

trc_waits *trc_waits_new(const trc_allocator *allocator, const trc_clock *clock)
{
    trc_waits *waits = trc_alloc(allocator, sizeof *waits);
    if (waits != NULL) {
        waits->allocator = allocator;
        trc_off_cpu_meter_init(&waits->meter, clock);
    }
    return waits;
}

void trc_waits_free(trc_waits *table)
{
    if (table == NULL) {
        return;
    }
    TRC_HASH_FREE(table->nodes);
    trc_free(table->allocator, table);
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
            TRC_HASH_ADD(table->nodes, node, wait);
        }
    }
    if (wait != NULL) {
        trc_add_ticks(&wait->ticks, ticks);
    }
    trc_add_extra(trc_node_func(node)->extras, TRC_WAITED, ticks, 0);
}

trc_tick trc_waits_look(trc_waits *waits, trc_node *top, trc_tick last, trc_tick now, int64_t cpu)
{
    bool is_root = trc_node_func(top) == NULL;
    trc_share of = {0, 0};
    if (!is_root) {
        of = (trc_share){top->self, trc_waits_of(waits, top)};
        trc_add_ticks(&of.time, trc_ticks_since(now, last));
    }
    trc_tick ticks = trc_off_cpu_meter_look(&waits->meter, last, now, cpu, of);
    if (ticks > 0 && !is_root) {
        add(waits, top, ticks);
    }
    return is_root || ticks < 0 ? 0 : ticks;
}
