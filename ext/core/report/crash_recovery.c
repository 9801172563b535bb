/* What a killed process left: see crash_recovery.h. */
#include "core/report/crash_recovery.h"

/* Mends the records from `at` to `end`, and returns what follows the mended ones. */
static uint8_t *recover_block(uint8_t *to, const uint8_t *at, const uint8_t *end, trc_block_head *head,
                              size_t node_count)
{
    trc_record_place from_place = {head->base, 0}, to_place = from_place;
    bool is_kept = false; /* the stretch that remarks are about */
    trc_record record;
    head->count = 0;
    while (at < end && trc_find_record(&at, end, &from_place, &record)) {
        bool is_remark = record.node == 0 && (record.value & 3) != TRC_GAP;
        is_kept = record.took >= head->least && (is_remark ? is_kept : record.node < node_count);
        if (is_kept) {
            to = trc_put_any_record(to, &to_place, &record);
            head->count++;
        }
    }
    return to;
}

size_t trc_slices_recover(uint8_t *to, const uint8_t *data, size_t size, trc_tick least, size_t node_count)
{
    uint8_t *first = to;
    const uint8_t *at = data, *end = data + size;
    while (end - at >= TRC_BLOCK_HEAD) {
        trc_block_head head = trc_get_block_head(at);
        at += TRC_BLOCK_HEAD;
        size_t used = head.used < (size_t)(end - at) ? head.used : (size_t)(end - at);
        head.least = least;
        uint8_t *behind = recover_block(to + TRC_BLOCK_HEAD, at, at + used, &head, node_count);
        at += used;
        if (head.count > 0) {
            head.used = (uint32_t)(behind - to - TRC_BLOCK_HEAD);
            trc_put_block_head(to, &head);
            to = behind;
        }
    }
    return (size_t)(to - first);
}

/* -- What was under way -- */

/* A thread's log has its stretches in the order in which they ended, callees first; so has a block of open ones. */

static trc_tick start_of(const trc_record *record)
{
    return trc_ticks_since(record->end, record->took);
}

/* Whether a block has the end of a stretch: the same node and start, and an end that is no earlier. */
static bool block_has(const uint8_t *at, const uint8_t *end, trc_tick base, const trc_record *open)
{
    trc_record_place place = {base, 0};
    trc_record record;
    while (at < end && trc_find_record(&at, end, &place, &record)) {
        if (record.node == open->node && record.end >= open->end && start_of(&record) == start_of(open)) {
            return true;
        }
    }
    return false;
}

/* Whether it ended: then a block has it that ends no earlier than the save. */
static bool has_ended(const uint8_t *data, size_t size, const trc_record *open)
{
    const uint8_t *end = data + size;
    while (end - data >= TRC_BLOCK_HEAD) {
        trc_block_head head = trc_get_block_head(data);
        const uint8_t *records = data + TRC_BLOCK_HEAD;
        size_t used = head.used < (size_t)(end - records) ? head.used : (size_t)(end - records);
        data = records + used;
        trc_block_head next = end - data >= TRC_BLOCK_HEAD ? trc_get_block_head(data) : head;
        bool is_before = data < end && next.base < open->end; /* all of it ended before the next block begins */
        if (!is_before && block_has(records, data, head.base, open)) {
            return true;
        }
    }
    return false;
}

size_t trc_slices_go_on(uint8_t *to, const uint8_t *data, size_t size, const uint8_t *open, size_t open_size,
                        trc_tick least, trc_tick ended)
{
    if (open_size < TRC_BLOCK_HEAD) {
        return 0;
    }
    trc_block_head head = trc_get_block_head(open);
    const uint8_t *at = open + TRC_BLOCK_HEAD, *end = open + open_size;
    trc_record_place from_place = {head.base, 0}, place = from_place;
    uint8_t *first = to;
    bool is_kept = false; /* the stretch that remarks are about */
    trc_record record;
    to += TRC_BLOCK_HEAD;
    head.count = 0;
    while (at < end && trc_find_record(&at, end, &from_place, &record)) {
        bool is_gap = record.node == 0 && (record.value & 3) == TRC_GAP; /* it may have ended since */
        if (is_gap || record.took < 0 || record.end > ended) {
            is_kept = false;
        }
        else if (record.node != 0) {
            is_kept = record.took >= least && !has_ended(data, size, &record);
        }
        if (is_kept) {
            trc_add_ticks(&record.took, trc_ticks_since(ended, record.end));
            record.end = ended;
            to = trc_put_any_record(to, &place, &record);
            head.count++;
        }
    }
    head.used = (uint32_t)(to - first - TRC_BLOCK_HEAD);
    head.least = least;
    trc_put_block_head(first, &head);
    return head.count == 0 ? 0 : (size_t)(to - first);
}
