/* Bytes that may be damaged, read from the front. A read past the end, or of a number that never ends, gives 0 and sets
 * `failed`; so does every read after it. Whoever reads looks at `failed` once, at the end. Numbers are little-endian.
 *
 * The bytes are those of an ELF file, and a span knows at which of the file's addresses each is. */
#ifndef TRC_SPAN_H
#define TRC_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct trc_span {
    const uint8_t *at; /* borrowed */
    const uint8_t *end;
    uint64_t shift; /* what the place of a byte in our memory lacks to its address; wraps */
    bool failed;
} trc_span;

/* The `size` bytes, the first of which has this address. */
static inline trc_span trc_span_of(const void *bytes, size_t size, uint64_t address)
{
    const uint8_t *at = bytes;
    return (trc_span){at, size == 0 ? at : at + size, address - (uint64_t)(uintptr_t)at, false};
}

static inline size_t trc_span_left(const trc_span *span)
{
    return (size_t)(span->end - span->at);
}

/* The address of the next byte. */
static inline uint64_t trc_span_address(const trc_span *span)
{
    return (uint64_t)(uintptr_t)span->at + span->shift;
}

static inline void trc_span_fail(trc_span *span)
{
    span->failed = true;
    span->at = span->end;
}

/* The next `size` bytes as a span of their own. */
static inline trc_span trc_span_take(trc_span *span, uint64_t size)
{
    trc_span taken = *span;
    if (size > trc_span_left(span)) {
        trc_span_fail(span);
        return *span;
    }
    span->at += size;
    taken.end = span->at;
    return taken;
}

/* A number of `size` bytes, eight at most. */
static inline uint64_t trc_span_number(trc_span *span, size_t size)
{
    uint64_t number = 0;
    if (size > trc_span_left(span)) {
        trc_span_fail(span);
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        number |= (uint64_t)span->at[i] << 8 * i;
    }
    span->at += size;
    return number;
}

static inline uint8_t trc_span_u8(trc_span *span)
{
    return (uint8_t)trc_span_number(span, 1);
}

static inline uint16_t trc_span_u16(trc_span *span)
{
    return (uint16_t)trc_span_number(span, 2);
}

static inline uint32_t trc_span_u32(trc_span *span)
{
    return (uint32_t)trc_span_number(span, 4);
}

static inline uint64_t trc_span_u64(trc_span *span)
{
    return trc_span_number(span, 8);
}

/* Widens a number of `bits` bits, the highest of which is the sign. */
static inline int64_t trc_signed(uint64_t number, unsigned bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);
    number &= sign | (sign - 1);
    return (int64_t)((number ^ sign) - sign);
}

/* Bits past the 64th are dropped. */
static inline uint64_t trc_span_leb(trc_span *span, bool is_signed)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = trc_span_u8(span);
        if (span->failed) {
            return 0;
        }
        if (shift < 64) {
            number |= (uint64_t)(byte & 127) << shift;
        }
        if (byte < 128) {
            return is_signed && shift + 7 < 64 ? (uint64_t)trc_signed(number, shift + 7) : number;
        }
    }
}

static inline uint64_t trc_span_uleb(trc_span *span)
{
    return trc_span_leb(span, false);
}

static inline int64_t trc_span_sleb(trc_span *span)
{
    return (int64_t)trc_span_leb(span, true);
}

/* The text up to the next NUL, or NULL. */
static inline const char *trc_span_text(trc_span *span)
{
    const uint8_t *start = span->at, *nul = memchr(start, 0, trc_span_left(span));
    if (nul == NULL) {
        trc_span_fail(span);
        return NULL;
    }
    span->at = nul + 1;
    return (const char *)start;
}

#endif
