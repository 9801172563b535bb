/* A queue of records: see ring.h. Before each record stands its size, rounded up to 8; 0 says that the next record is at
 * the beginning of the bytes. */
#include "core/samples/ring.h"

#include <string.h>

#define HEAD 8

static uint64_t rounded(uint64_t size)
{
    return (size + 7) & ~UINT64_C(7);
}

static uint8_t *at(const trc_ring *ring, uint64_t place)
{
    return ring->bytes + (place & (ring->size - 1));
}

static void put_head(const trc_ring *ring, uint64_t place, uint64_t size)
{
    memcpy(at(ring, place), &size, HEAD);
}

void trc_ring_init(trc_ring *ring, void *bytes, size_t size)
{
    ring->bytes = bytes;
    ring->size = size;
    ring->reserved = 0;
    atomic_init(&ring->written, 0);
    atomic_init(&ring->read, 0);
}

void *trc_ring_reserve(trc_ring *ring, size_t size)
{
    uint64_t place = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t free = ring->size - (place - atomic_load_explicit(&ring->read, memory_order_acquire));
    uint64_t need = HEAD + rounded(size), left = ring->size - (place & (ring->size - 1));
    if (left < need) { /* the piece up to the end stays empty */
        if (free < left + need) {
            return NULL;
        }
        put_head(ring, place, 0);
        place += left;
    }
    else if (free < need) {
        return NULL;
    }
    ring->reserved = place;
    return at(ring, place) + HEAD;
}

void trc_ring_commit(trc_ring *ring, size_t size)
{
    put_head(ring, ring->reserved, rounded(size));
    atomic_store_explicit(&ring->written, ring->reserved + HEAD + rounded(size), memory_order_release);
}

static uint64_t head_at(const trc_ring *ring, uint64_t place)
{
    uint64_t size;
    memcpy(&size, at(ring, place), HEAD);
    return size;
}

const void *trc_ring_peek(trc_ring *ring)
{
    uint64_t place = atomic_load_explicit(&ring->read, memory_order_relaxed);
    if (place == atomic_load_explicit(&ring->written, memory_order_acquire)) {
        return NULL;
    }
    if (head_at(ring, place) == 0) {
        place += ring->size - (place & (ring->size - 1));
        atomic_store_explicit(&ring->read, place, memory_order_release);
    }
    return at(ring, place) + HEAD;
}

void trc_ring_drop(trc_ring *ring)
{
    uint64_t place = atomic_load_explicit(&ring->read, memory_order_relaxed);
    atomic_store_explicit(&ring->read, place + HEAD + head_at(ring, place), memory_order_release);
}
