/* The objects that a walk over references has found and not yet left, in the order in which they were found, and for
 * each who led there. Entries are appended and keep their number. */
#ifndef TRC_TRAIL_H
#define TRC_TRAIL_H

#include "core/base/pages.h"

#include <stdbool.h>
#include <stdint.h>

#define TRC_TRAIL_CHUNK_BITS 16 /* of a number: so many entries are mapped at once */
#define TRC_TRAIL_CHUNKS (1 << 16)
#define TRC_TRAIL_LIMIT UINT32_MAX /* no entry has this number: it stands for "nobody" */

typedef struct trc_trail {
    const trc_pages *pages;
    void ***objects;    /* owned: chunks of objects; NULL before the first entry */
    uint32_t **parents; /* owned: chunks of numbers; NULL before the first entry, and where none are kept */
    uint64_t count;
    bool has_parents;
} trc_trail;

void trc_trail_init(trc_trail *trail, const trc_pages *pages, bool has_parents);

/* Removes all entries and returns the memory. */
void trc_trail_free(trc_trail *trail);

/* Maps what the next entry needs. Returns false when memory is out or all numbers are given. */
bool trc_trail_reserve(trc_trail *trail);

/* Appends an object. `parent`: the number of the object that led there, or TRC_TRAIL_LIMIT. Returns false when memory
 * is out or all numbers are given. */
static inline bool trc_trail_add(trc_trail *trail, void *object, uint32_t parent)
{
    uint64_t place = trail->count % (1 << TRC_TRAIL_CHUNK_BITS);
    if (place == 0 && !trc_trail_reserve(trail)) {
        return false;
    }
    uint64_t chunk = trail->count >> TRC_TRAIL_CHUNK_BITS;
    trail->objects[chunk][place] = object;
    if (trail->has_parents) {
        trail->parents[chunk][place] = parent;
    }
    trail->count++;
    return true;
}

static inline void *trc_trail_object(const trc_trail *trail, uint64_t number)
{
    return trail->objects[number >> TRC_TRAIL_CHUNK_BITS][number % (1 << TRC_TRAIL_CHUNK_BITS)];
}

/* The number of the object that led to this one, of a trail that keeps them. */
static inline uint32_t trc_trail_parent(const trc_trail *trail, uint64_t number)
{
    return trail->parents[number >> TRC_TRAIL_CHUNK_BITS][number % (1 << TRC_TRAIL_CHUNK_BITS)];
}

/* Removes all entries and keeps the memory for the next ones. */
static inline void trc_trail_restart(trc_trail *trail)
{
    trail->count = 0;
}

#endif
