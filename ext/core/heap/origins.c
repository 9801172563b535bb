/* How many objects of each kind each site has allocated: see origins.h. */
#include "core/heap/origins.h"

#define FIRST_SLOTS 4096

void trc_origins_init(trc_origins *origins, const trc_pages *pages)
{
    *origins = (trc_origins){.pages = pages};
}

void trc_origins_free(trc_origins *origins)
{
    trc_unmap(origins->pages, origins->slots, origins->slot_count * sizeof *origins->slots);
    trc_origins_init(origins, origins->pages);
}

/* The slot of a kind and a site, or the empty one where it belongs. */
static trc_origin *find_slot(const trc_origins *origins, const void *kind, uint32_t site)
{
    uint64_t both = (uint64_t)(uintptr_t)kind + site * UINT64_C(0xD6E8FEB86659FD93);
    size_t slot = (size_t)(both * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (origins->slot_count - 1);
    while (origins->slots[slot].kind != NULL &&
           (origins->slots[slot].kind != kind || origins->slots[slot].site != site)) {
        slot = (slot + 1) & (origins->slot_count - 1);
    }
    return &origins->slots[slot];
}

/* Makes room for one more. Returns false when memory is out. */
static bool reserve(trc_origins *origins)
{
    if (origins->count < origins->slot_count / 2) {
        return true;
    }
    trc_origin *old = origins->slots;
    size_t old_count = origins->slot_count, new_count = old_count == 0 ? FIRST_SLOTS : 2 * old_count;
    trc_origin *slots = trc_map(origins->pages, new_count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    origins->slots = slots;
    origins->slot_count = new_count;
    origins->latest = NULL;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i].kind != NULL) {
            *find_slot(origins, old[i].kind, old[i].site) = old[i];
        }
    }
    trc_unmap(origins->pages, old, old_count * sizeof *old);
    return true;
}

trc_origin *trc_origins_at(trc_origins *origins, const void *kind, uint32_t site)
{
    trc_origin *origin = origins->slot_count == 0 ? NULL : find_slot(origins, kind, site);
    if (origin != NULL && origin->kind != NULL) {
        return origin;
    }
    if (!reserve(origins)) {
        return NULL;
    }
    origin = find_slot(origins, kind, site);
    *origin = (trc_origin){.kind = kind, .site = site};
    origins->count++;
    return origin;
}
