/* Suspended activations: see suspensions.h. */
#include "core/tree/suspensions.h"

#define FIRST_SLOTS 64

void trc_suspensions_init(trc_suspensions *table, const trc_allocator *allocator)
{
    memset(table, 0, sizeof *table);
    table->allocator = allocator;
}

void trc_suspensions_free(trc_suspensions *table)
{
    trc_free(table->allocator, table->slots);
    trc_suspensions_init(table, table->allocator);
}

static uint32_t home_of(const trc_suspensions *table, trc_activation id)
{
    return trc_hash(id) & (table->slot_count - 1);
}

/* The slot that holds the id, or the empty one where it belongs. */
static trc_suspension *find_slot(const trc_suspensions *table, trc_activation id)
{
    uint32_t slot = home_of(table, id);
    while (table->slots[slot].id != 0 && table->slots[slot].id != id) {
        slot = (slot + 1) & (table->slot_count - 1);
    }
    return &table->slots[slot];
}

/* Makes room for one more entry. The table is at most half full. Returns false when memory is out. */
static bool reserve(trc_suspensions *table)
{
    if (table->count < table->slot_count / 2) {
        return true;
    }
    trc_suspension *old = table->slots;
    uint32_t old_count = table->slot_count;
    uint32_t new_count = old_count == 0 ? FIRST_SLOTS : old_count * 2;
    trc_suspension *slots = trc_alloc(table->allocator, new_count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    table->slots = slots;
    table->slot_count = new_count;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i].id != 0) {
            *find_slot(table, old[i].id) = old[i];
        }
    }
    trc_free(table->allocator, old);
    return true;
}

/* Empties a slot, and moves up the entries that a probe would no longer reach. */
static void empty(trc_suspensions *table, uint32_t hole)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t slot = hole;
    for (;;) {
        slot = (slot + 1) & mask;
        if (table->slots[slot].id == 0) {
            break;
        }
        uint32_t home = home_of(table, table->slots[slot].id);
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            table->slots[hole] = table->slots[slot];
            hole = slot;
        }
    }
    table->slots[hole].id = 0;
    table->count--;
}

static const trc_suspension *take_slot(trc_suspensions *table, trc_activation id)
{
    if (table->count == 0) {
        return NULL;
    }
    const trc_suspension *slot = find_slot(table, id);
    if (slot->id == 0) {
        return NULL;
    }
    table->found = *slot;
    empty(table, (uint32_t)(slot - table->slots));
    return &table->found;
}

const trc_suspension *trc_suspensions_take(trc_suspensions *table, trc_activation id)
{
    trc_suspension *front = trc_suspensions_front(table, id);
    if (front->id != id) {
        return take_slot(table, id);
    }
    front->id = 0;
    return front;
}

trc_suspension *trc_suspensions_place(trc_suspensions *table, trc_activation id)
{
    trc_suspension *front = trc_suspensions_front(table, id);
    if (!trc_suspensions_is_free(table, front, id)) {
        take_slot(table, id); /* the earlier one */
        if (front->id != 0 && reserve(table)) {
            *find_slot(table, front->id) = *front;
            table->count++;
        }
    }
    return front;
}
