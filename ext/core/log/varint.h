/* Numbers of variable length: seven bits a byte, the lowest first (LEB128). The log and the bins are written in them.
 * Differences of ticks wrap, so a clock that goes back costs bytes, and nothing else. */
#ifndef TRC_VARINT_H
#define TRC_VARINT_H

#include <stdbool.h>
#include <stdint.h>

#define TRC_LONGEST_VARINT 10 /* bytes */

/* Writes a number, and returns what follows it. The caller has room for TRC_LONGEST_VARINT bytes. */
static inline uint8_t *trc_put_varint(uint8_t *at, uint64_t number)
{
    while (number >= 128) {
        *at++ = (uint8_t)(number | 128);
        number >>= 7;
    }
    *at++ = (uint8_t)number;
    return at;
}

/* The same for a number that often takes one byte or two. */
static inline uint8_t *trc_put_frequent_varint(uint8_t *at, uint64_t number)
{
    if (number < 1 << 7) {
        *at = (uint8_t)number;
        return at + 1;
    }
    if (number < 1 << 14) {
        at[0] = (uint8_t)(number | 128);
        at[1] = (uint8_t)(number >> 7);
        return at + 2;
    }
    return trc_put_varint(at, number);
}

/* Reads a number that trc_put_varint() wrote. */
static inline uint64_t trc_get_varint(const uint8_t **at)
{
    const uint8_t *next = *at;
    uint64_t number = *next & 127;
    for (int shift = 7; *next++ >= 128; shift += 7) {
        number |= (uint64_t)(*next & 127) << shift;
    }
    *at = next;
    return number;
}

/* The same for bytes that may be damaged: never reads from `end` on. Returns false where no number ends before it, or
 * where it has too many bytes. */
static inline bool trc_find_varint(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    *number = 0;
    for (int shift = 0; *at < end && shift < 7 * TRC_LONGEST_VARINT; shift += 7) {
        uint8_t byte = *(*at)++;
        *number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return true;
        }
    }
    return false;
}

/* Small negative numbers become small positive ones. */
static inline uint64_t trc_zigzag(int64_t number)
{
    return ((uint64_t)number << 1) ^ (number < 0 ? UINT64_MAX : 0);
}

static inline int64_t trc_unzigzag(uint64_t number)
{
    return (int64_t)((number >> 1) ^ ((number & 1) != 0 ? UINT64_MAX : 0));
}

#endif
