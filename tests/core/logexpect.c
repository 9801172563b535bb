/* What logs and bins hold, against what was written down: see logplay.h. */
#include "logplay.h"

#include <check.h>
#include <stdlib.h>

/* -- The log, record by record -- */

static uint64_t little(const uint8_t *at, int size)
{
    uint64_t number = 0;
    for (int i = 0; i < size; i++) {
        number |= (uint64_t)at[i] << 8 * i;
    }
    return number;
}

/* The records of a log, in their order. Returns how many there are. */
static size_t read_raw(const trc_log_capture *capture, note *raw, trc_tick least, const char *which)
{
    size_t count = 0;
    const uint8_t *at = capture->slices, *end = at + capture->slices_size;
    while (at < end) {
        trc_record_place place = {(trc_tick)little(at, 8), 0};
        const uint8_t *block_end = at + TRC_BLOCK_HEAD + little(at + 8, 4);
        uint64_t records = little(at + 12, 4);
        ck_assert_msg((trc_tick)little(at + 16, 8) == least, "%s: a block tells another T", which);
        at += TRC_BLOCK_HEAD;
        for (; at < block_end; records--) {
            trc_record record;
            ck_assert_msg(trc_find_record(&at, block_end, &place, &record), "%s: a damaged record", which);
            raw[count++] = (note){record.end - record.took, record.end, record.node, record.value, 0, 0, 0};
            insist(count < 2 * MOST_NOTES, "too many records");
        }
        ck_assert_msg(records == 0, "%s: a block tells another number of records", which);
    }
    return count;
}

static bool is_same(const note *one, const note *other, trc_tick origin)
{
    return one->start == other->start - origin && one->end == other->end - origin && one->node == other->node &&
           one->value == other->value;
}

/* -- Whether the slices nest as the calls did -- */

static int by_number(const void *one, const void *other)
{
    uint32_t first = ((const note *)one)->number, second = ((const note *)other)->number;
    return (first > second) - (first < second);
}

static void count_depth(void *context, const trc_node *node)
{
    uint32_t *depths = context;
    bool is_known = node->index != 0 && !node->is_overflow;
    depths[node->index] = is_known ? depths[trc_node_parent(node)->index] + 1 : 0;
}

static void expect_nesting(const logplay *play, const actor *actor, const trc_log_capture *capture, note *expected,
                           size_t count, const char *which)
{
    const trc_calltree *tree = &actor->thread.tree;
    uint32_t *depths = calloc(tree->count, sizeof *depths);
    trc_calltree_each(tree, count_depth, depths);
    trc_slices slices;
    trc_slices_part all = {INT64_MIN, INT64_MAX, 0};
    ck_assert_int_eq(trc_slices_read(&slices, &trc_system_allocator, capture->slices, capture->slices_size, depths,
                                     tree->count, all),
                     TRC_SLICES_READ);
    size_t stretches = 0;
    for (size_t i = 0; i < count; i++) { /* what a tag says goes to the stretch before */
        if (expected[i].node != 0) {
            expected[stretches++] = expected[i];
            expected[stretches - 1].value = 0;
        }
        else if ((expected[i].value & 3) == TRC_OPEN) {
            expected[stretches - 1].value |= (uint64_t)1 << 63;
        }
        else {
            expected[stretches - 1].value = expected[i].value;
        }
    }
    qsort(expected, stretches, sizeof *expected, by_number);
    ck_assert_msg(slices.count == stretches, "%s: %zu slices, not %zu", which, slices.count, stretches);
    for (size_t i = 0; i < stretches; i++) {
        const trc_slice *slice = &slices.slices[i];
        const note *should = &expected[i];
        note is = {slice->start, slice->end, slice->node, 0, 0, 0, 0};
        note bare = *should;
        bare.value = 0;
        uint32_t parent = slice->parent == TRC_NO_PARENT ? 0 : expected[slice->parent].number;
        bool holds = is_same(&is, &bare, play->origin) && slice->depth == should->depth && parent == should->parent &&
                     slice->value == (int64_t)(should->value >> 63) && slice->tag == (uint32_t)should->value;
        ck_assert_msg(holds,
                      "%s: slice %zu is %lld to %lld of %u, depth %u, parent %u, tag %u, not %lld to %lld of %u, depth "
                      "%u, parent %u, tag %u",
                      which, i, (long long)slice->start, (long long)slice->end, slice->node, slice->depth, parent,
                      slice->tag, (long long)(should->start - play->origin), (long long)(should->end - play->origin),
                      should->node, should->depth, should->parent, (uint32_t)should->value);
    }
    trc_slices_free(&slices, &trc_system_allocator);
    free(depths);
}

/* What should be in a log of all stretches now: also those that are under way. Returns how many records. */
static size_t expected_now(const logplay *play, const actor *actor, note *expected, trc_tick now)
{
    memcpy(expected, actor->notes, actor->note_count * sizeof *expected);
    size_t count = actor->note_count;
    const act_stack *stack = &actor->stacks[actor->on];
    (void)play;
    for (int depth = actor->paused ? 0 : stack->depth; depth-- > 0;) {
        const act *act = &stack->acts[depth];
        note each = {act->since, now, act->node, 0, act->number, depth == 0 ? 0 : act[-1].number, (uint32_t)depth};
        expected[count++] = each;
        each.node = 0;
        if (act->is_task) {
            each.value = (uint64_t)act->task << 2 | TRC_OF_TASK;
            expected[count++] = each;
        }
        if (depth == 0 && stack->number != 0) {
            each.value = (uint64_t)stack->number << 2 | TRC_OF_STACK;
            expected[count++] = each;
        }
        each.value = TRC_OPEN;
        expected[count++] = each;
    }
    return count;
}

static void expect_log(const logplay *play, const actor *actor, const trc_log_capture *capture, trc_tick now,
                       bool nests, const char *which)
{
    static note raw[2 * MOST_NOTES], expected[2 * MOST_NOTES];
    trc_tick least = play->store.least;
    size_t raw_count = read_raw(capture, raw, least, which);
    size_t all = expected_now(play, actor, expected, now), count = 0;
    for (size_t i = 0; i < all; i++) {
        if (expected[i].end - expected[i].start >= least) {
            expected[count++] = expected[i];
        }
    }
    if (play->store.is_ring && play->store.lost == 0) { /* the latest */
        ck_assert_msg(raw_count <= count, "%s: records out of nowhere", which);
        size_t gone = count - raw_count;
        ck_assert_msg(gone == 0 || (play->store.has_overwritten && expected[gone - 1].end <= play->store.since),
                      "%s: a stretch is missing that ended after `since`", which);
        memmove(expected, expected + gone, raw_count * sizeof *expected);
        count = raw_count;
        for (; count > 0 && expected[0].node == 0; count--) { /* a tag without its stretch */
            ck_assert_msg(is_same(&raw[0], &expected[0], play->origin), "%s: another tag comes first", which);
            memmove(expected, expected + 1, count * sizeof *expected);
            memmove(raw, raw + 1, count * sizeof *raw);
        }
        raw_count = count;
    }
    uint64_t lost = 0;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (at < raw_count && is_same(&raw[at], &expected[i], play->origin)) {
            expected[at++] = expected[i];
        }
        else {
            lost++;
            const note *is = &raw[at < raw_count ? at : 0];
            ck_assert_msg(
                lost <= play->store.lost || (play->store.is_ring && play->store.lost > 0),
                "%s: record %zu of the thread is %lld to %lld of %u (%llu), not %lld to %lld of %u (%llu); T is %lld, %zu "
                "of %zu",
                which, i, (long long)is->start, (long long)is->end, is->node, (unsigned long long)is->value,
                (long long)(expected[i].start - play->origin), (long long)(expected[i].end - play->origin),
                expected[i].node, (unsigned long long)expected[i].value, (long long)least, raw_count, count);
        }
    }
    ck_assert_msg(at == raw_count, "%s: records out of nowhere", which);
    if (nests && lost == 0) {
        expect_nesting(play, actor, capture, expected, count, which);
    }
}

/* -- The bins -- */

typedef struct cell {
    uint64_t calls;
    trc_tick self;
} cell;

/* What the shares have from one tick to another. */
static void add_up(const actor *actor, cell *cells, trc_tick first, trc_tick last)
{
    for (size_t i = 0; i < actor->share_count; i++) {
        const share *each = &actor->shares[i];
        if (each->is_call) {
            cells[each->node].calls += each->from >= first && each->from < last;
        }
        else {
            trc_tick from = each->from > first ? each->from : first, to = each->to < last ? each->to : last;
            cells[each->node].self += to > from ? to - from : 0;
        }
    }
}

static void expect_bins(const logplay *play, const actor *actor, const trc_log_capture *capture, const char *which)
{
    size_t nodes = actor->thread.tree.count;
    cell *left = calloc(nodes, sizeof *left), *cells = calloc(nodes, sizeof *cells);
    add_up(actor, left, INT64_MIN, INT64_MAX);
    const uint8_t *at = capture->bins, *end = at + capture->bins_size;
    uint64_t unit = 0;
    while (at < end) {
        uint64_t gap = 0, width = 0, entries = 0;
        insist(trc_find_varint(&at, end, &gap) && trc_find_varint(&at, end, &width) &&
                   trc_find_varint(&at, end, &entries),
               "a damaged bin");
        unit += gap;
        ck_assert_msg((width & (width - 1)) == 0 && width > 0 && unit % width == 0, "%s: a bin out of place", which);
        memset(cells, 0, nodes * sizeof *cells);
        add_up(actor, cells, play->origin + (trc_tick)unit * play->unit,
               play->origin + (trc_tick)(unit + width) * play->unit);
        uint32_t node = 0;
        for (; entries > 0; entries--) {
            uint64_t step = 0, calls = 0, self = 0;
            insist(trc_find_varint(&at, end, &step) && trc_find_varint(&at, end, &calls) &&
                       trc_find_varint(&at, end, &self),
                   "a damaged entry");
            node = (uint32_t)((int64_t)node + trc_unzigzag(step));
            insist(node > 0 && node < nodes, "an entry of no node");
            cell *should = &cells[node];
            ck_assert_msg(should->calls == calls && should->self == trc_unzigzag(self),
                          "%s: node %u has %llu calls and %lld ticks in units %llu to %llu, not %llu and %lld", which,
                          node, (unsigned long long)calls, (long long)trc_unzigzag(self), (unsigned long long)unit,
                          (unsigned long long)(unit + width), (unsigned long long)should->calls,
                          (long long)should->self);
            ck_assert_msg(calls != 0 || self != 0, "%s: an empty entry", which);
            left[node].calls -= calls;
            left[node].self -= trc_unzigzag(self);
        }
        unit += width;
    }
    for (size_t i = 0; i < nodes; i++) {
        ck_assert_msg(left[i].calls == 0 && left[i].self == 0, "%s: node %zu has %llu calls and %lld ticks in no bin",
                      which, i, (unsigned long long)left[i].calls, (long long)left[i].self);
    }
    free(left);
    free(cells);
}

void logplay_expect(logplay *play, bool nests, const char *which)
{
    for (int i = 0; i < play->actor_count; i++) {
        actor *actor = &play->actors[i];
        bool running = actor->tracing && !actor->paused;
        trc_tick now = running ? play->now : actor->last;
        if (running) { /* up to now, for this once */
            const act_stack *stack = &actor->stacks[actor->on];
            if (stack->depth > 0 && now > actor->last) {
                uint32_t node = stack->acts[stack->depth - 1].node;
                actor->shares[actor->share_count++] = (share){actor->last, now, node, false};
            }
        }
        size_t share_count = actor->share_count;
        trc_log_capture capture;
        insist(
            trc_log_capture_thread(&capture, &actor->thread, &(trc_log_request){now, play->origin, 0, running, false}),
            "no memory");
        expect_log(play, actor, &capture, now, nests, which);
        expect_bins(play, actor, &capture, which);
        trc_log_capture_free(&capture, &play->memory.allocator);
        const act_stack *stack = &actor->stacks[actor->on];
        if (running && stack->depth > 0 && now > actor->last) {
            actor->share_count = share_count - 1;
        }
        ck_assert_uint_eq(actor->thread.bins->lost, 0);
    }
}
