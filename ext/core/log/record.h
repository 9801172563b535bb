/* One record of the log: a stretch of a call, from its call or resume to the moment when it left the stack; and how
 * records are written, each relative to the one before:
 *
 *     end - end before | end - start | node - node before | value, if the node is 0
 *
 * Records come in the order in which the stretches ended: a callee before its caller. The root, node 0, has no
 * stretches. Its records say something else, by the lowest two bits of the value: see trc_remark. */
#ifndef TRC_RECORD_H
#define TRC_RECORD_H

#include "core/base/clock.h"
#include "core/log/varint.h"

/* What a record of node 0 says, and what the other bits of its value are. All but the gap belong to the record before,
 * and are as long: whatever leaves out short records keeps both or none. */
typedef enum trc_remark {
    TRC_GAP,      /* ticks for which the thread had no CPU, between start and end */
    TRC_OF_TASK,  /* the number of the task */
    TRC_OF_STACK, /* the number of the stack, of a greenlet, at whose bottom the call is */
    TRC_OPEN,     /* 0: the stretch had not ended */
} trc_remark;

typedef struct trc_record {
    trc_tick end;
    trc_tick took;
    uint32_t node;
    uint64_t value; /* of node 0 */
} trc_record;

/* Where the next record goes, or comes from, and the record before. */
typedef struct trc_record_place {
    trc_tick end;
    uint32_t node;
} trc_record_place;

#define TRC_LONGEST_RECORD (3 * TRC_LONGEST_VARINT + 5)

/* Writes a record, and returns what follows it. The caller has room for TRC_LONGEST_RECORD bytes. */
static inline uint8_t *trc_put_record(uint8_t *at, trc_record_place *place, trc_tick took, trc_tick end, uint32_t node)
{
    at = trc_put_frequent_varint(at, (uint64_t)trc_ticks_since(end, place->end));
    at = trc_put_frequent_varint(at, (uint64_t)took);
    at = trc_put_frequent_varint(at, trc_zigzag((int64_t)node - (int64_t)place->node));
    place->end = end;
    place->node = node;
    return at;
}

static inline uint8_t *trc_put_any_record(uint8_t *at, trc_record_place *place, const trc_record *record)
{
    at = trc_put_record(at, place, record->took, record->end, record->node);
    return record->node == 0 ? trc_put_varint(at, record->value) : at;
}

/* Reads the record at `at`, which trc_put_record() wrote. */
static inline trc_record trc_get_record(const uint8_t **at, trc_record_place *place)
{
    trc_record record = {0, 0, 0, 0};
    trc_add_ticks(&place->end, (trc_tick)trc_get_varint(at));
    record.took = (trc_tick)trc_get_varint(at);
    place->node = (uint32_t)((int64_t)place->node + trc_unzigzag(trc_get_varint(at)));
    record.end = place->end;
    record.node = place->node;
    record.value = record.node == 0 ? trc_get_varint(at) : 0;
    return record;
}

/* The same for bytes that may be damaged. Returns false where they are. */
static inline bool trc_find_record(const uint8_t **at, const uint8_t *end, trc_record_place *place, trc_record *record)
{
    uint64_t passed, took, step, value = 0;
    if (!trc_find_varint(at, end, &passed) || !trc_find_varint(at, end, &took) || !trc_find_varint(at, end, &step)) {
        return false;
    }
    trc_add_ticks(&place->end, (trc_tick)passed);
    int64_t node = (int64_t)((uint64_t)place->node + (uint64_t)trc_unzigzag(step));
    if (node < 0 || node > UINT32_MAX || (node == 0 && !trc_find_varint(at, end, &value))) {
        return false;
    }
    place->node = (uint32_t)node;
    *record = (trc_record){place->end, (trc_tick)took, place->node, value};
    return true;
}

/* What stands before the records of a block in a file, little-endian. */
typedef struct trc_block_head {
    trc_tick base;  /* the end before the first record, of node 0 */
    uint32_t used;  /* bytes of the records */
    uint32_t count; /* records */
    trc_tick least; /* stretches that took less are not in it */
} trc_block_head;

#define TRC_BLOCK_HEAD 24 /* bytes */

static inline void trc_put_block_head(uint8_t *to, const trc_block_head *head)
{
    const uint64_t words[] = {(uint64_t)head->base, head->used | (uint64_t)head->count << 32, (uint64_t)head->least};
    for (int i = 0; i < TRC_BLOCK_HEAD; i++) {
        to[i] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
    }
}

static inline trc_block_head trc_get_block_head(const uint8_t *from)
{
    uint64_t words[] = {0, 0, 0};
    for (int i = 0; i < TRC_BLOCK_HEAD; i++) {
        words[i / 8] |= (uint64_t)from[i] << 8 * (i % 8);
    }
    return (trc_block_head){(trc_tick)words[0], (uint32_t)words[1], (uint32_t)(words[1] >> 32), (trc_tick)words[2]};
}

#endif
