/* Calls and own time of nodes over time: see bins.h. */
#include "core/tree/bins.h"

#include <stddef.h>
#include <string.h>

#define FIRST_TOUCHED 64
#define FIRST_SCRATCH 256
#define FEWEST_PARTS 4   /* of the time that there are bins of: no fewer are left for want of room */
#define MERGES 2         /* each time that a bin ends; while room is short, more */
#define MERGE_WORK 65536 /* entries, after which no more are merged at once: a millisecond; or ... */
#define MERGE_RATIO 4    /* ... so many times those of the newest bin: else bins of many nodes outgrow their room */
#define LONGEST_ENTRY (TRC_LONGEST_VARINT + TRC_LONGEST_VARINT + 5)
#define LONGEST_HEAD (3 * TRC_LONGEST_VARINT)

/* What a node had in a bin. */
typedef struct entry {
    uint32_t node;
    uint64_t calls;
    trc_tick self;
} entry;

/* A bin that has ended. Its entries are written one behind the other, by their nodes: node - node before, calls, own
 * ticks. */
struct trc_bin {
    trc_bin *newer; /* first: see end_of_older() */
    uint64_t first; /* unit; a multiple of `width` */
    uint64_t width;
    uint32_t count; /* entries */
    uint32_t size;  /* bytes */
    uint8_t bytes[];
};

/* The widest bin that may begin with this unit. */
static uint64_t largest_part(uint64_t first, uint64_t width)
{
    uint64_t lowest = first & (0 - first);
    return first == 0 || lowest > width ? width : lowest;
}

/* The widest bin that may begin with this unit and is no longer than so many units, of which there are some. */
static uint64_t largest_within(uint64_t first, uint64_t units)
{
    return largest_part(first, UINT64_C(1) << (63 - __builtin_clzll(units)));
}

/* -- Entries -- */

static uint8_t *put_entry(uint8_t *at, uint32_t *node, const entry *each)
{
    at = trc_put_varint(at, trc_zigzag((int64_t)each->node - (int64_t)*node));
    at = trc_put_varint(at, each->calls);
    at = trc_put_varint(at, trc_zigzag(each->self));
    *node = each->node;
    return at;
}

static entry get_entry(const uint8_t **at, uint32_t *node)
{
    entry each;
    *node = each.node = (uint32_t)((int64_t)*node + trc_unzigzag(trc_get_varint(at)));
    each.calls = trc_get_varint(at);
    each.self = trc_unzigzag(trc_get_varint(at));
    return each;
}

/* What a touched node has had since. */
static entry since_touch(const trc_touched *touched)
{
    uint64_t calls = trc_node_calls(touched->node) - touched->calls;
    return (entry){touched->node->index, calls, trc_ticks_since(touched->node->self, touched->self)};
}

static bool is_empty(const entry *each)
{
    return each->calls == 0 && each->self == 0;
}

/* The scratch has room for `count` entries twice, and for their bytes. Returns false when memory is out. */
static bool reserve_scratch(trc_bins *bins, uint32_t count)
{
    if (count <= bins->scratch_count) {
        return true;
    }
    uint32_t room = FIRST_SCRATCH;
    while (room < count) {
        room *= 2;
    }
    void *scratch = trc_resize(bins->allocator, bins->scratch, room * (2 * sizeof(entry) + (size_t)LONGEST_ENTRY));
    if (scratch == NULL) {
        return false;
    }
    bins->scratch = scratch;
    bins->scratch_count = room;
    return true;
}

/* Sorts entries by their nodes, the largest of which is `largest`, eight bits at a time. Returns where they are then:
 * in `entries` or in `others`. */
static entry *sort_by_node(entry *entries, entry *others, uint32_t count, uint32_t largest)
{
    for (unsigned shift = 0; shift < 32 && largest >> shift > 0; shift += 8) {
        uint32_t places[256] = {0}, place = 0;
        for (uint32_t i = 0; i < count; i++) {
            places[entries[i].node >> shift & 255]++;
        }
        for (int digit = 0; digit < 256; digit++) {
            uint32_t of_digit = places[digit];
            places[digit] = place;
            place += of_digit;
        }
        for (uint32_t i = 0; i < count; i++) {
            others[places[entries[i].node >> shift & 255]++] = entries[i];
        }
        entry *sorted = others;
        others = entries;
        entries = sorted;
    }
    return entries;
}

/* Makes a bin of entries, which are sorted and for which there is scratch. Returns NULL when memory is out. */
static trc_bin *new_bin(const trc_bins *bins, uint64_t first, uint64_t width, const entry *entries, uint32_t count)
{
    uint8_t *bytes = (uint8_t *)((entry *)bins->scratch + (size_t)2 * bins->scratch_count), *end = bytes;
    uint32_t node = 0;
    for (uint32_t i = 0; i < count; i++) {
        end = put_entry(end, &node, &entries[i]);
    }
    size_t size = (size_t)(end - bytes);
    trc_bin *bin = trc_resize(bins->allocator, NULL, sizeof *bin + size);
    if (bin != NULL) {
        *bin = (trc_bin){NULL, first, width, count, (uint32_t)size};
        memcpy(bin->bytes, bytes, size);
    }
    return bin;
}

static long bytes_of(const trc_bin *bin)
{
    return (long)(sizeof *bin + bin->size);
}

/* -- Merging -- */

/* The entries of a bin, one after the other; past the last one, the node is NO_NODE. */
typedef struct cursor {
    const uint8_t *at;
    uint32_t left;
    uint32_t node;
    entry each;
} cursor;

#define NO_NODE UINT32_MAX

static void go_on(cursor *from)
{
    if (from->left == 0) {
        from->each.node = NO_NODE;
    }
    else {
        from->left--;
        from->each = get_entry(&from->at, &from->node);
    }
}

static cursor begin_of(const trc_bin *bin)
{
    cursor from = {.at = bin->bytes, .left = bin->count};
    go_on(&from);
    return from;
}

/* Writes the entries of both; that takes no more bytes than each alone. Returns what follows them. */
static uint8_t *put_both(uint8_t *to, const trc_bin *one, const trc_bin *other, uint32_t *count)
{
    cursor first = begin_of(one), second = begin_of(other);
    uint32_t node = 0;
    *count = 0;
    while (first.each.node != NO_NODE || second.each.node != NO_NODE) {
        entry each = first.each.node <= second.each.node ? first.each : second.each;
        if (first.each.node == second.each.node) {
            each.calls += second.each.calls;
            trc_add_ticks(&each.self, second.each.self);
        }
        if (!is_empty(&each)) {
            to = put_entry(to, &node, &each);
            ++*count;
        }
        if (first.each.node == each.node) {
            go_on(&first);
        }
        if (second.each.node == each.node) {
            go_on(&second);
        }
    }
    return to;
}

/* The unit behind the bin that is older than the next to be merged. */
static uint64_t end_of_older(const trc_bins *bins)
{
    const trc_bin *older = (const trc_bin *)(const void *)bins->merging; /* `newer` is its first field */
    return bins->merging == &bins->oldest ? 0 : older->first + older->width;
}

/* Puts a bin and the next one together, if both belong to one part of the present width that has nothing of other bins.
 * All bins are before the unit `next`. Returns false when they do not, or when memory is out. */
static bool merge(trc_bins *bins, uint64_t next)
{
    trc_bin *one = *bins->merging;
    trc_bin *other = one->newer;
    uint64_t width = one->width > other->width ? one->width : other->width;
    while (width <= bins->width && one->first / width != other->first / width) {
        width *= 2;
    }
    uint64_t first = one->first / width * width, end = other->newer == NULL ? next : other->newer->first;
    if (width > bins->width || first < end_of_older(bins) || end - first < width) {
        return false;
    }
    trc_bin *both = trc_resize(bins->allocator, NULL, sizeof *both + one->size + other->size);
    if (both == NULL) {
        return false;
    }
    *both = (trc_bin){other->newer, first, width, 0, 0};
    both->size = (uint32_t)(put_both(both->bytes, one, other, &both->count) - both->bytes);
    trc_bin *shorter = trc_resize(bins->allocator, both, sizeof *both + both->size);
    both = shorter == NULL ? both : shorter;
    atomic_fetch_add_explicit(bins->room, bytes_of(one) + bytes_of(other) - bytes_of(both), memory_order_relaxed);
    *bins->merging = both;
    bins->newest = bins->newest == other ? both : bins->newest;
    bins->count--;
    trc_free(bins->allocator, one);
    trc_free(bins->allocator, other);
    return true;
}

static bool is_room_short(const trc_bins *bins)
{
    return atomic_load_explicit(bins->room, memory_order_relaxed) < 0;
}

/* Then a merge takes what it takes: most nodes of a large tree are in few bins. */
static bool is_room_gone(const trc_bins *bins)
{
    return atomic_load_explicit(bins->room, memory_order_relaxed) < -TRC_BIN_SPARE;
}

static void merge_some(trc_bins *bins, uint64_t next)
{
    uint64_t most = bins->newest == NULL ? 0 : (uint64_t)MERGE_RATIO * bins->newest->count, work = 0;
    most = most > MERGE_WORK ? most : MERGE_WORK;
    int merges = 0;
    while (bins->merging != NULL && (work < most || is_room_gone(bins)) && (merges < MERGES || is_room_short(bins))) {
        trc_bin *bin = *bins->merging;
        if (bin == NULL || bin->newer == NULL) {
            bins->merging = NULL;
            return;
        }
        work += bin->count + bin->newer->count;
        if (merge(bins, next)) {
            merges++;
        }
        else {
            bins->merging = &bin->newer;
        }
    }
}

/* -- Bins one after the other -- */

/* The present bin begins with this unit. */
static void begin_with(trc_bins *bins, uint64_t first)
{
    bins->first = first;
    uint64_t end = first + largest_part(first, bins->width);
    uint64_t ticks = end * (uint64_t)bins->unit;
    bool is_known = end <= (uint64_t)INT64_MAX / (uint64_t)bins->unit;
    trc_tick ends = (trc_tick)((uint64_t)bins->origin + ticks);
    bins->ends = is_known && (bins->origin <= 0 || ends >= bins->origin) ? ends : INT64_MAX;
}

/* Of a moment that is as far from the origin as no bin ends, the last unit that ends. */
static uint64_t unit_of(const trc_bins *bins, trc_tick now)
{
    uint64_t since = now <= bins->origin ? 0 : (uint64_t)now - (uint64_t)bins->origin;
    return (since < INT64_MAX ? since : INT64_MAX) / (uint64_t)bins->unit;
}

trc_bins *trc_bins_new(const trc_allocator *allocator, atomic_long *room, trc_tick origin, trc_tick unit, trc_tick now)
{
    trc_bins *bins = trc_alloc(allocator, sizeof *bins);
    if (bins != NULL) {
        *bins = (trc_bins){.allocator = allocator, .room = room, .origin = origin, .unit = unit, .width = 1};
        bins->epoch = TRC_FIRST_EPOCH;
        begin_with(bins, unit_of(bins, now));
    }
    return bins;
}

void trc_bins_begin_at(trc_bins *bins, trc_tick origin)
{
    bins->origin = origin;
    begin_with(bins, 0);
}

void trc_bins_free(trc_bins *bins)
{
    if (bins == NULL) {
        return;
    }
    while (bins->oldest != NULL) {
        trc_bin *newer = bins->oldest->newer;
        atomic_fetch_add_explicit(bins->room, bytes_of(bins->oldest), memory_order_relaxed);
        trc_free(bins->allocator, bins->oldest);
        bins->oldest = newer;
    }
    trc_free(bins->allocator, bins->touched);
    trc_free(bins->allocator, bins->scratch);
    trc_free(bins->allocator, bins);
}

void trc_bins_touch_first(trc_bins *bins, trc_node *node)
{
    uint64_t calls = trc_node_calls(node);
    node->calls = bins->epoch | calls;
    if (bins->touched_count == bins->touched_room) {
        uint32_t room = bins->touched_room == 0 ? FIRST_TOUCHED : 2 * bins->touched_room;
        trc_touched *more = trc_resize(bins->allocator, bins->touched, room * sizeof *more);
        if (more == NULL) {
            bins->lost++;
            return;
        }
        bins->touched = more;
        bins->touched_room = room;
    }
    bins->touched[bins->touched_count++] = (trc_touched){node, calls, node->self};
}

static void forget_epoch(void *ignored, const trc_node *node)
{
    (void)ignored;
    ((trc_node *)(uintptr_t)node)->calls = trc_node_calls(node);
}

/* From now on no node is touched. */
static void next_epoch(trc_bins *bins, trc_calltree *tree)
{
    bins->touched_count = 0;
    bins->epoch += TRC_FIRST_EPOCH;
    if (bins->epoch == 0) {
        trc_calltree_each(tree, forget_epoch, NULL);
        bins->epoch = TRC_FIRST_EPOCH;
    }
}

/* Takes over a bin, which is newer than all others. */
static void append(trc_bins *bins, trc_bin *bin)
{
    atomic_fetch_sub_explicit(bins->room, bytes_of(bin), memory_order_relaxed);
    *(bins->oldest == NULL ? &bins->oldest : &bins->newest->newer) = bin;
    bins->newest = bin;
    bins->count++;
}

/* Keeps what the touched nodes had in the present bin. */
static void keep(trc_bins *bins)
{
    if (bins->touched_count == 0) {
        return;
    }
    trc_bin *bin = NULL;
    if (reserve_scratch(bins, bins->touched_count)) {
        entry *entries = bins->scratch;
        uint32_t count = 0, largest = 0;
        for (uint32_t i = 0; i < bins->touched_count; i++) {
            entry each = since_touch(&bins->touched[i]);
            if (!is_empty(&each)) {
                entries[count++] = each;
                largest = each.node > largest ? each.node : largest;
            }
        }
        if (count == 0) {
            return;
        }
        const entry *sorted = sort_by_node(entries, entries + bins->scratch_count, count, largest);
        bin = new_bin(bins, bins->first, largest_part(bins->first, bins->width), sorted, count);
    }
    if (bin == NULL) {
        bins->lost += bins->touched_count;
        return;
    }
    append(bins, bin);
}

/* Makes new bins wider when there are too many. */
static void widen(trc_bins *bins, uint64_t next)
{
    bool is_short =
        bins->count > 0 && (next - bins->oldest->first) / FEWEST_PARTS >= bins->width && is_room_short(bins);
    if (bins->merging == NULL && (bins->count >= TRC_BIN_LIMIT || is_short) && bins->width < UINT64_MAX / 4) {
        bins->width *= 2;
        bins->merging = &bins->oldest;
    }
}

/* The present bin is over. Returns the unit behind it. */
static uint64_t end_present(trc_bins *bins, trc_calltree *tree)
{
    keep(bins);
    next_epoch(bins, tree);
    uint64_t next = bins->first + largest_part(bins->first, bins->width);
    widen(bins, next);
    merge_some(bins, next);
    return next;
}

void trc_bins_end(trc_bins *bins, trc_calltree *tree)
{
    begin_with(bins, end_present(bins, tree));
}

/* The unit with which the bin begins that has `now`; no bin begins before `next`. */
static uint64_t begin_of_bin(const trc_bins *bins, uint64_t next, trc_tick now)
{
    uint64_t unit = unit_of(bins, now), first = unit / bins->width * bins->width;
    first = first > next ? first : next;
    while (first + largest_part(first, bins->width) <= unit) { /* bins that are narrower, up to the first wide one */
        first += largest_part(first, bins->width);
    }
    return first;
}

/* Keeps a bin in which one node had all the time. */
static void keep_one(trc_bins *bins, uint64_t first, uint64_t width, uint32_t node)
{
    const entry all = {node, 0, (trc_tick)(width * (uint64_t)bins->unit)};
    trc_bin *bin = reserve_scratch(bins, 1) ? new_bin(bins, first, width, &all, 1) : NULL;
    if (bin == NULL) {
        bins->lost++;
        return;
    }
    append(bins, bin);
    widen(bins, first + width);
    merge_some(bins, first + width);
}

trc_tick trc_bins_pass(trc_bins *bins, const trc_node *top, trc_tick now)
{
    uint64_t first = bins->first, next = begin_of_bin(bins, first, now);
    while (first < next && top->index != 0) {
        uint64_t width = largest_within(first, next - first);
        keep_one(bins, first, width, top->index);
        first += width;
    }
    begin_with(bins, next);
    return (trc_tick)((uint64_t)bins->origin + next * (uint64_t)bins->unit);
}

void trc_bins_begin(trc_bins *bins, trc_calltree *tree, trc_tick now)
{
    if (now >= bins->ends) {
        begin_with(bins, begin_of_bin(bins, end_present(bins, tree), now));
    }
}

/* -- For files -- */

#define MOST_PARTS 128 /* of a time that no event has told of yet */

size_t trc_bins_size(const trc_bins *bins)
{
    size_t size = (MOST_PARTS + 1) * (LONGEST_HEAD + LONGEST_ENTRY) + (size_t)bins->touched_count * LONGEST_ENTRY;
    for (const trc_bin *bin = bins->oldest; bin != NULL; bin = bin->newer) {
        size += LONGEST_HEAD + bin->size;
    }
    return size;
}

static uint8_t *put_head(uint8_t *at, uint64_t *end, uint64_t first, uint64_t width, uint32_t count)
{
    at = trc_put_varint(at, first - *end);
    at = trc_put_varint(at, width);
    *end = first + width;
    return trc_put_varint(at, count);
}

/* What a touched node has in the present bin, with `more` for the top of the stack. */
static entry present_entry(const trc_touched *touched, const trc_node *top, trc_tick more)
{
    entry each = since_touch(touched);
    trc_add_ticks(&each.self, touched->node == top ? more : 0);
    return each;
}

static uint8_t *put_present(uint8_t *at, uint64_t *end, const trc_bins *bins, const trc_node *top, trc_tick more)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < bins->touched_count; i++) {
        entry each = present_entry(&bins->touched[i], top, more);
        count += !is_empty(&each);
    }
    if (count == 0) {
        return at;
    }
    at = put_head(at, end, bins->first, largest_part(bins->first, bins->width), count);
    uint32_t node = 0;
    for (uint32_t i = 0; i < bins->touched_count; i++) {
        entry each = present_entry(&bins->touched[i], top, more);
        if (!is_empty(&each)) {
            at = put_entry(at, &node, &each);
        }
    }
    return at;
}

/* The bins that would have ended until now, as few as there can be, all of one node. */
static uint8_t *put_rest(uint8_t *at, uint64_t *end, const trc_bins *bins, uint32_t node, trc_tick rest)
{
    uint64_t first = bins->first + largest_part(bins->first, bins->width);
    for (int i = 0; i < MOST_PARTS && rest > 0; i++) {
        uint64_t units = ((uint64_t)rest + (uint64_t)bins->unit - 1) / (uint64_t)bins->unit;
        uint64_t width = largest_within(first, units);
        uint64_t ticks = width * (uint64_t)bins->unit;
        entry each = {node, 0, ticks < (uint64_t)rest ? (trc_tick)ticks : rest};
        uint32_t before = 0;
        at = put_head(at, end, first, width, 1);
        at = put_entry(at, &before, &each);
        first += width;
        rest -= each.self;
    }
    return at;
}

size_t trc_bins_write(const trc_bins *bins, uint8_t *to, const trc_node *top, trc_tick last, trc_tick now)
{
    uint8_t *at = to;
    uint64_t end = 0;
    for (const trc_bin *bin = bins->oldest; bin != NULL; bin = bin->newer) {
        at = put_head(at, &end, bin->first, bin->width, bin->count);
        memcpy(at, bin->bytes, bin->size);
        at += bin->size;
    }
    bool is_long = now > bins->ends;
    at = put_present(at, &end, bins, top, trc_ticks_since(is_long ? bins->ends : now, last));
    if (is_long && top->index != 0) {
        at = put_rest(at, &end, bins, top->index, trc_ticks_since(now, bins->ends));
    }
    return (size_t)(at - to);
}
