/* The log of a thread, read back: see slices.h. */
#include "core/report/slices.h"

#include <string.h>

#define FIRST_ROOM 1024
#define MOST_SLICES INT32_MAX

/* -- From bytes to stretches, in the order in which they ended -- */

typedef struct reader {
    const trc_allocator *allocator;
    trc_slices *slices;
    size_t room;
    trc_slices_part part;
    size_t node_count;
    trc_slice *before; /* what the record before is, if it is wanted; else NULL */
} reader;

static trc_slice *add(reader *from)
{
    trc_slices *slices = from->slices;
    if (slices->count == from->room) {
        size_t room = from->room == 0 ? FIRST_ROOM : 2 * from->room;
        trc_slice *more =
            room > MOST_SLICES ? NULL : trc_resize(from->allocator, slices->slices, room * sizeof *slices->slices);
        if (more == NULL) {
            return NULL;
        }
        slices->slices = more;
        from->room = room;
    }
    return &slices->slices[slices->count++];
}

static trc_slices_result read_record(reader *from, const trc_record *record)
{
    trc_remark remark = (trc_remark)(record->value & 3);
    trc_tick start = trc_ticks_since(record->end, record->took);
    if (record->node == 0 && remark != TRC_GAP) {
        trc_slice *of = from->before;
        if (of != NULL && of->start == start && of->end == record->end) { /* else its stretch was lost */
            of->value = remark == TRC_OPEN ? 1 : of->value;
            of->tag = remark == TRC_OPEN ? of->tag : (uint32_t)record->value;
        }
        return TRC_SLICES_READ;
    }
    from->before = NULL;
    if (record->node >= from->node_count) {
        return TRC_SLICES_DAMAGED;
    }
    if (record->took < from->part.least || record->end < from->part.first || start > from->part.last) {
        return TRC_SLICES_READ;
    }
    trc_slice *slice = add(from);
    if (slice == NULL) {
        return TRC_SLICES_NO_MEMORY;
    }
    *slice = (trc_slice){start, record->end, (int64_t)(record->value >> 2), record->node, 0, 0, TRC_NO_PARENT};
    from->before = record->node == 0 ? NULL : slice;
    return TRC_SLICES_READ;
}

static trc_slices_result read_blocks(reader *from, const uint8_t *data, size_t size)
{
    trc_slices_result result = TRC_SLICES_READ;
    const uint8_t *at = data, *end = data + size;
    while (result == TRC_SLICES_READ && at < end) {
        if (end - at < TRC_BLOCK_HEAD) {
            return TRC_SLICES_DAMAGED;
        }
        trc_block_head head = trc_get_block_head(at);
        trc_record_place place = {head.base, 0};
        at += TRC_BLOCK_HEAD;
        if (head.used > (uint64_t)(end - at)) {
            return TRC_SLICES_DAMAGED;
        }
        const uint8_t *block_end = at + head.used;
        while (result == TRC_SLICES_READ && at < block_end) {
            trc_record record;
            result = trc_find_record(&at, block_end, &place, &record) ? read_record(from, &record) : TRC_SLICES_DAMAGED;
        }
    }
    return result;
}

/* -- Which is part of which -- */

/* Whether a stretch is part of one that ended later. Those that begin in one tick are told apart by the depths of their
 * nodes, if these are known. */
static bool contains(const trc_slice *outer, const trc_slice *inner, const uint32_t *depths)
{
    uint32_t outer_depth = depths[outer->node], inner_depth = depths[inner->node];
    bool may_be = outer->node != 0 && (outer_depth == 0 || inner_depth == 0 || outer_depth < inner_depth);
    return may_be && outer->start <= inner->start && inner->end <= outer->end;
}

/* Finds the parent of each, from the last to the first: the stack of those that may contain the next is the chain of
 * parents. */
static void find_parents(const trc_slices *slices, const uint32_t *depths)
{
    int32_t top = TRC_NO_PARENT;
    for (size_t i = slices->count; i-- > 0;) {
        trc_slice *slice = &slices->slices[i];
        while (top != TRC_NO_PARENT && !contains(&slices->slices[top], slice, depths)) {
            top = slices->slices[top].parent;
        }
        slice->parent = top;
        slice->depth = top == TRC_NO_PARENT ? 0 : slices->slices[top].depth + 1;
        top = (int32_t)i;
    }
}

/* How many stretches each is made of, itself included; then, in their place, where each belongs in the order that has
 * callers before callees. */
static void find_places(const trc_slices *slices, uint32_t *places, uint32_t *ends)
{
    const trc_slice *all = slices->slices;
    for (size_t i = 0; i < slices->count; i++) {
        places[i]++;
        if (all[i].parent != TRC_NO_PARENT) {
            places[all[i].parent] += places[i];
        }
    }
    uint32_t end = (uint32_t)slices->count; /* of those without parent that are not placed yet */
    for (size_t i = slices->count; i-- > 0;) {
        uint32_t *behind = all[i].parent == TRC_NO_PARENT ? &end : &ends[all[i].parent];
        ends[i] = *behind;
        places[i] = *behind -= places[i];
    }
}

static bool put_in_order(trc_slices *slices, const trc_allocator *allocator)
{
    size_t count = slices->count;
    trc_slice *ordered = trc_resize(allocator, NULL, (count + 1) * sizeof *ordered);
    uint32_t *places = trc_alloc(allocator, (2 * count + 1) * sizeof *places);
    if (ordered == NULL || places == NULL) {
        trc_free(allocator, ordered);
        trc_free(allocator, places);
        return false;
    }
    find_places(slices, places, places + count);
    for (size_t i = 0; i < count; i++) {
        trc_slice *slice = &ordered[places[i]];
        *slice = slices->slices[i];
        slice->parent = slice->parent == TRC_NO_PARENT ? TRC_NO_PARENT : (int32_t)places[slice->parent];
    }
    trc_free(allocator, places);
    trc_free(allocator, slices->slices);
    slices->slices = ordered;
    return true;
}

trc_slices_result trc_slices_read(trc_slices *slices, const trc_allocator *allocator, const uint8_t *data, size_t size,
                                  const uint32_t *depths, size_t node_count, trc_slices_part part)
{
    *slices = (trc_slices){NULL, 0};
    reader from = {allocator, slices, 0, part, node_count, NULL};
    trc_slices_result result = node_count == 0 ? TRC_SLICES_DAMAGED : read_blocks(&from, data, size);
    if (result == TRC_SLICES_READ) {
        find_parents(slices, depths);
        result = put_in_order(slices, allocator) ? TRC_SLICES_READ : TRC_SLICES_NO_MEMORY;
    }
    return result;
}

void trc_slices_free(trc_slices *slices, const trc_allocator *allocator)
{
    trc_free(allocator, slices->slices);
    *slices = (trc_slices){NULL, 0};
}

/* -- Bins -- */

/* Which ticks of a bin are wanted: from `first` to before `last`, of `width`. */
typedef struct share {
    uint64_t first;
    uint64_t last;
    uint64_t width;
} share;

/* `value` times `part` / `whole`, which is 1 at most. */
static uint64_t part_of(uint64_t value, uint64_t part, uint64_t whole)
{
    return part == whole ? value : (uint64_t)((long double)value * (long double)part / (long double)whole);
}

/* The wanted part of a value. The parts of a bin that lie side by side add up to the value. */
static uint64_t share_of(uint64_t value, const share *wanted)
{
    return part_of(value, wanted->last, wanted->width) - part_of(value, wanted->first, wanted->width);
}

static bool add_entries(trc_bin_sum *sums, size_t node_count, const uint8_t **at, const uint8_t *end, uint64_t count,
                        const share *wanted)
{
    int64_t node = 0;
    for (; count > 0; count--) {
        uint64_t step, calls, self;
        if (!trc_find_varint(at, end, &step) || !trc_find_varint(at, end, &calls) || !trc_find_varint(at, end, &self)) {
            return false;
        }
        node = (int64_t)((uint64_t)node + (uint64_t)trc_unzigzag(step));
        if (node < 0 || (uint64_t)node >= node_count) {
            return false;
        }
        if (wanted->first < wanted->last) {
            trc_tick ticks = trc_unzigzag(self);
            uint64_t part = share_of(ticks < 0 ? 0 - (uint64_t)ticks : (uint64_t)ticks, wanted);
            sums[node].calls += share_of(calls, wanted);
            trc_add_ticks(&sums[node].self, (trc_tick)(ticks < 0 ? 0 - part : part));
        }
    }
    return true;
}

/* Ticks of so many units; of more than there can be, the most. */
static uint64_t ticks_of(uint64_t units, uint64_t unit)
{
    uint64_t ticks;
    return __builtin_mul_overflow(units, unit, &ticks) ? UINT64_MAX : ticks;
}

/* Which part of the bin that lies between these ticks is wanted. */
static share wanted_of(uint64_t begin, uint64_t end, const trc_bins_part *part)
{
    if (begin < part->began && part->began < end) {
        begin = part->began;
    }
    if (begin < part->ended && part->ended < end) {
        end = part->ended;
    }
    if (end <= part->first || begin >= part->last) {
        return (share){0, 0, 1};
    }
    if (part->whole) {
        return (share){0, 1, 1};
    }
    return (share){begin < part->first ? part->first - begin : 0, (end < part->last ? end : part->last) - begin,
                   end - begin};
}

bool trc_bins_add_up(trc_bin_sum *sums, size_t node_count, const uint8_t *data, size_t size, const trc_bins_part *part)
{
    const uint8_t *at = data, *end = data + size;
    uint64_t unit = 0;
    while (at < end) {
        uint64_t gap, width, count;
        if (!trc_find_varint(&at, end, &gap) || !trc_find_varint(&at, end, &width) ||
            !trc_find_varint(&at, end, &count)) {
            return false;
        }
        unit += gap;
        share wanted = wanted_of(ticks_of(unit, part->unit), ticks_of(unit + width, part->unit), part);
        if (!add_entries(sums, node_count, &at, end, count, &wanted)) {
            return false;
        }
        unit += width;
    }
    return true;
}
