/* The objects that a walk over references has found: see trail.h. */
#include "core/heap/trail.h"

#define CHUNK (1 << TRC_TRAIL_CHUNK_BITS)

void trc_trail_init(trc_trail *trail, const trc_pages *pages, bool has_parents)
{
    *trail = (trc_trail){.pages = pages, .has_parents = has_parents};
}

void trc_trail_free(trc_trail *trail)
{
    for (int i = 0; trail->objects != NULL && i < TRC_TRAIL_CHUNKS && trail->objects[i] != NULL; i++) {
        trc_unmap(trail->pages, trail->objects[i], CHUNK * sizeof **trail->objects);
    }
    for (int i = 0; trail->parents != NULL && i < TRC_TRAIL_CHUNKS && trail->parents[i] != NULL; i++) {
        trc_unmap(trail->pages, trail->parents[i], CHUNK * sizeof **trail->parents);
    }
    trc_unmap(trail->pages, trail->objects, TRC_TRAIL_CHUNKS * sizeof *trail->objects);
    trc_unmap(trail->pages, trail->parents, TRC_TRAIL_CHUNKS * sizeof *trail->parents);
    trc_trail_init(trail, trail->pages, trail->has_parents);
}

bool trc_trail_reserve(trc_trail *trail)
{
    uint64_t chunk = trail->count >> TRC_TRAIL_CHUNK_BITS;
    if (chunk >= TRC_TRAIL_CHUNKS - 1) { /* the last number stands for nobody */
        return false;
    }
    if (trail->objects == NULL) {
        trail->objects = trc_map(trail->pages, TRC_TRAIL_CHUNKS * sizeof *trail->objects);
    }
    if (trail->has_parents && trail->parents == NULL) {
        trail->parents = trc_map(trail->pages, TRC_TRAIL_CHUNKS * sizeof *trail->parents);
    }
    if (trail->objects == NULL || (trail->has_parents && trail->parents == NULL)) {
        return false;
    }
    if (trail->objects[chunk] == NULL) {
        trail->objects[chunk] = trc_map(trail->pages, CHUNK * sizeof **trail->objects);
    }
    if (trail->has_parents && trail->parents[chunk] == NULL) {
        trail->parents[chunk] = trc_map(trail->pages, CHUNK * sizeof **trail->parents);
    }
    return trail->objects[chunk] != NULL && (!trail->has_parents || trail->parents[chunk] != NULL);
}
