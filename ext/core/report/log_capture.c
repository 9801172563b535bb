/* The log of a thread as bytes: see log_capture.h. */
#include "core/report/log_capture.h"

#include "core/base/contract.h"

#define LONGEST_OPEN ((size_t)3 * TRC_LONGEST_RECORD) /* a stretch, what it belongs to, and that it is open */

/* Where the bytes go, and the head of the block that is being written. */
typedef struct writer {
    uint8_t *at;
    uint8_t *head;
    trc_record_place place;
    uint32_t count;
} writer;

static void begin_block(writer *to, trc_tick base)
{
    to->head = to->at;
    to->at += TRC_BLOCK_HEAD;
    to->place = (trc_record_place){base, 0};
    to->count = 0;
}

static void end_block(const writer *to, trc_tick base, trc_tick least)
{
    uint32_t used = (uint32_t)(to->at - to->head - TRC_BLOCK_HEAD);
    trc_put_block_head(to->head, &(trc_block_head){base, used, to->count, least});
}

static void copy_block(writer *to, const trc_block *block, const uint8_t *records, trc_tick origin, trc_tick least)
{
    begin_block(to, block->base);
    if (block->least >= least) {
        memcpy(to->at, records, block->used);
        to->at += block->used;
        to->count = block->count;
    }
    else {
        trc_record_place place = {block->base, 0};
        for (uint32_t i = 0; i < block->count; i++) {
            trc_record record = trc_get_record(&records, &place);
            if (record.took >= least) {
                to->at = trc_put_any_record(to->at, &to->place, &record);
                to->count++;
            }
        }
    }
    if (to->count == 0) {
        to->at = to->head;
    }
    else {
        end_block(to, trc_ticks_since(block->base, origin), least);
    }
}

static void copy_full_block(writer *to, const trc_block *block, trc_tick origin, trc_tick least)
{
    copy_block(to, block, trc_block_records(block), origin, least);
}

/* How far the open block is written, its log knows. */
static void copy_open_block(writer *to, const trc_log *log, trc_tick origin, trc_tick least)
{
    const trc_block *block = trc_store_block(log->store, log->open);
    const uint8_t *records = trc_block_records(block);
    trc_block head = *block;
    head.used = (uint32_t)(log->at - records);
    head.count = log->count;
    copy_block(to, &head, records, origin, least);
}

static void put_open_record(writer *to, trc_tick took, trc_tick now, uint32_t node, trc_remark remark, uint64_t value)
{
    to->at = trc_put_record(to->at, &to->place, took, now, node);
    if (node == 0) {
        to->at = trc_put_varint(to->at, value << 2 | remark);
    }
    to->count++;
}

/* The gap that is under way, as trc_thread_look_at_waits() tells one that is over. */
static void copy_gap(writer *to, const trc_thread *thread, trc_tick now, trc_tick waited, trc_tick least)
{
    trc_tick gap = trc_ticks_since(now, thread->last > thread->log->since ? thread->last : thread->log->since);
    if (waited > gap / 4 && gap >= least) {
        put_open_record(to, gap, now, 0, TRC_GAP, (uint64_t)(waited < gap ? waited : gap));
    }
}

/* The stretches that are under way. */
static void copy_stack(writer *to, const trc_thread *thread, trc_tick now, trc_tick waited, trc_tick origin)
{
    const trc_log *log = thread->log;
    trc_tick least = log->store->least;
    begin_block(to, now);
    copy_gap(to, thread, now, waited, least);
    for (const trc_frame *frame = thread->stack.top; frame > thread->stack.frames; frame--) {
        trc_tick took = trc_ticks_since(now, frame->start > log->since ? frame->start : log->since);
        if (took < least) {
            continue;
        }
        put_open_record(to, took, now, frame->node->index, TRC_GAP, 0);
        uint32_t task = frame->node->is_task ? log->task : 0;
        if (task != 0) {
            put_open_record(to, took, now, 0, TRC_OF_TASK, task);
        }
        if (frame == thread->stack.frames + 1 && log->stack != 0) {
            put_open_record(to, took, now, 0, TRC_OF_STACK, log->stack);
        }
        put_open_record(to, took, now, 0, TRC_OPEN, 0);
    }
    if (to->count == 0) {
        to->at = to->head;
    }
    else {
        end_block(to, trc_ticks_since(now, origin), least);
    }
}

static size_t size_of_blocks(const trc_log *log)
{
    size_t size = 0;
    for (uint32_t block = log->full.first; block != TRC_NO_BLOCK; block = trc_store_block(log->store, block)->next) {
        size += TRC_BLOCK_HEAD + trc_store_block(log->store, block)->used;
    }
    return size;
}

static void copy_blocks(writer *to, const trc_log *log, trc_tick origin)
{
    trc_tick least = log->store->least;
    for (uint32_t block = log->full.first; block != TRC_NO_BLOCK; block = trc_store_block(log->store, block)->next) {
        copy_full_block(to, trc_store_block(log->store, block), origin, least);
    }
    if (log->open != TRC_NO_BLOCK) {
        copy_open_block(to, log, origin, least);
    }
}

/* The store's lock is held. */
static bool copy_slices(trc_log_capture *capture, const trc_thread *thread, const trc_log_request *request)
{
    const trc_log *log = thread->log;
    assert(trc_store_is_locked(log->store));
    size_t depth = (size_t)(thread->stack.top - thread->stack.frames);
    size_t size = TRC_BLOCK_HEAD + (depth + 1) * LONGEST_OPEN;
    size += request->only_open ? 0 : size_of_blocks(log) + log->store->block_size;
    capture->slices = trc_resize(thread->tree.allocator, NULL, size);
    if (capture->slices == NULL) {
        return false;
    }
    writer to = {capture->slices, NULL, {0, 0}, 0};
    if (!request->only_open) {
        copy_blocks(&to, log, request->origin);
    }
    if (request->running && !log->is_still) {
        copy_stack(&to, thread, request->now, request->waited, request->origin);
    }
    capture->slices_size = (size_t)(to.at - capture->slices);
    return true;
}

static bool copy_bins(trc_log_capture *capture, const trc_thread *thread, trc_tick now)
{
    const trc_bins *bins = thread->bins;
    capture->bins = trc_resize(thread->tree.allocator, NULL, trc_bins_size(bins));
    if (capture->bins == NULL) {
        return false;
    }
    capture->bins_size = trc_bins_write(bins, capture->bins, thread->stack.top->node, thread->last, now);
    return true;
}

static void copy_overflow_node(void *context, const trc_node *node)
{
    trc_log_capture *capture = context;
    if (node->is_overflow) {
        capture->overflow[capture->overflow_count++] = node->index;
    }
}

static bool copy_overflow(trc_log_capture *capture, const trc_calltree *tree)
{
    capture->overflow = trc_alloc(tree->allocator, (tree->overflow_count + 1) * sizeof *capture->overflow);
    if (capture->overflow != NULL && tree->overflow_count > 0) {
        trc_calltree_each(tree, copy_overflow_node, capture);
    }
    return capture->overflow != NULL;
}

bool trc_log_capture_thread(trc_log_capture *capture, const trc_thread *thread, const trc_log_request *request)
{
    trc_log *log = thread->log;
    trc_tick now = request->running ? request->now : thread->last;
    *capture = (trc_log_capture){.stacks = log->stacks};
    capture->began = trc_ticks_since(log->began, request->origin);
    bool is_open = request->running && !log->is_still && thread->stack.top > thread->stack.frames;
    capture->ended = trc_ticks_since(is_open ? now : thread->last, request->origin);
    trc_store_lock(log->store);
    bool copied = copy_slices(capture, thread, request);
    trc_store_unlock(log->store);
    return copied && copy_overflow(capture, &thread->tree) && copy_bins(capture, thread, now);
}

void trc_log_capture_free(trc_log_capture *capture, const trc_allocator *allocator)
{
    trc_free(allocator, capture->slices);
    trc_free(allocator, capture->bins);
    trc_free(allocator, capture->overflow);
    *capture = (trc_log_capture){0};
}
