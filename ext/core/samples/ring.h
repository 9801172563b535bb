/* A queue of records of any size, from one writer, who may be a signal handler, to one reader. It takes no lock and
 * makes no system call. A record lies in one piece. */
#ifndef TRC_RING_H
#define TRC_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct trc_ring {
    uint8_t *bytes; /* borrowed; aligned to 8 */
    uint64_t size;  /* of `bytes`: a power of two */
    _Atomic uint64_t written;
    _Atomic uint64_t read;
    uint64_t reserved; /* where the record that is being written begins; the writer's */
} trc_ring;

void trc_ring_init(trc_ring *ring, void *bytes, size_t size);

/* The writer's. Returns room for a record of up to `size` bytes, or NULL where there is none. It is the reader's only
 * after trc_ring_commit(), of as many bytes as it has become. */
void *trc_ring_reserve(trc_ring *ring, size_t size);
void trc_ring_commit(trc_ring *ring, size_t size);

/* The reader's. Returns the oldest record, or NULL; it stays until trc_ring_drop(). */
const void *trc_ring_peek(trc_ring *ring);
void trc_ring_drop(trc_ring *ring);

#endif
