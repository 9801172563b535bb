/* How many objects of each kind each site has allocated (heap.h): what a walk over live objects counts. A kind is an
 * address that the caller chooses, such as that of a type. */
#ifndef TRC_ORIGINS_H
#define TRC_ORIGINS_H

#include "core/base/pages.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct trc_origin {
    const void *kind; /* NULL: an empty slot */
    uint32_t site;    /* 0: it is not known */
    uint64_t count;
    uint64_t bytes;
} trc_origin;

typedef struct trc_origins {
    const trc_pages *pages;
    trc_origin *slots; /* owned: open addressing by kind and site */
    size_t slot_count; /* a power of two, or 0 */
    size_t count;
    trc_origin *latest; /* that was counted last, or NULL: neighbours come from one loop */
} trc_origins;

void trc_origins_init(trc_origins *origins, const trc_pages *pages);

/* Removes all. The table can be used again. */
void trc_origins_free(trc_origins *origins);

/* Returns the entry of a kind and a site, made where there is none; NULL when memory is out. It stays where it is until
 * the next one is made. */
trc_origin *trc_origins_at(trc_origins *origins, const void *kind, uint32_t site);

/* Counts an object. Returns false when memory is out. */
static inline bool trc_origins_add(trc_origins *origins, const void *kind, uint32_t site, uint64_t bytes)
{
    trc_origin *origin = origins->latest;
    if (origin == NULL || origin->kind != kind || origin->site != site) {
        origin = trc_origins_at(origins, kind, site);
        if (origin == NULL) {
            return false;
        }
        origins->latest = origin;
    }
    origin->count++;
    origin->bytes += bytes;
    return true;
}

#endif
