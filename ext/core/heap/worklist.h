/* The objects that a walk over references has found and not yet left, in the order in which they were found, and for
 * each who led there. Entries are appended and keep their number. */
#ifndef TRC_WORKLIST_H
#define TRC_WORKLIST_H

#include "core/base/pages.h"

#include <stdbool.h>
#include <stdint.h>

#define TRC_WORKLIST_CHUNK_BITS 16 /* of a number: so many entries are mapped at once */
#define TRC_WORKLIST_CHUNKS (1 << 16)
#define TRC_WORKLIST_LIMIT UINT32_MAX /* no entry has this number: it stands for "nobody" */

typedef struct trc_worklist {
    const trc_pages *pages;
    void ***objects;    /* owned: chunks of objects; NULL before the first entry */
    uint32_t **parents; /* owned: chunks of numbers; NULL before the first entry, and where none are kept */
    uint64_t count;
    bool has_parents;
} trc_worklist;

void trc_worklist_init(trc_worklist *worklist, const trc_pages *pages, bool has_parents);

/* Removes all entries and returns the memory. */
void trc_worklist_free(trc_worklist *worklist);

/* Maps what the next entry needs. Returns false when memory is out or all numbers are given. */
bool trc_worklist_reserve(trc_worklist *worklist);

/* Appends an object. `parent`: the number of the object that led there, or TRC_WORKLIST_LIMIT. Returns false when memory
 * is out or all numbers are given. */
static inline bool trc_worklist_add(trc_worklist *worklist, void *object, uint32_t parent)
{
    uint64_t place = worklist->count % (1 << TRC_WORKLIST_CHUNK_BITS);
    if (place == 0 && !trc_worklist_reserve(worklist)) {
        return false;
    }
    uint64_t chunk = worklist->count >> TRC_WORKLIST_CHUNK_BITS;
    worklist->objects[chunk][place] = object;
    if (worklist->has_parents) {
        worklist->parents[chunk][place] = parent;
    }
    worklist->count++;
    return true;
}

static inline void *trc_worklist_object(const trc_worklist *worklist, uint64_t number)
{
    return worklist->objects[number >> TRC_WORKLIST_CHUNK_BITS][number % (1 << TRC_WORKLIST_CHUNK_BITS)];
}

/* The number of the object that led to this one, of a worklist that keeps them. */
static inline uint32_t trc_worklist_parent(const trc_worklist *worklist, uint64_t number)
{
    return worklist->parents[number >> TRC_WORKLIST_CHUNK_BITS][number % (1 << TRC_WORKLIST_CHUNK_BITS)];
}

/* Removes all entries and keeps the memory for the next ones. */
static inline void trc_worklist_restart(trc_worklist *worklist)
{
    worklist->count = 0;
}

#endif
