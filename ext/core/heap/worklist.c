/* The objects that a walk over references has found: see worklist.h. */
#include "core/heap/worklist.h"

#define CHUNK (1 << TRC_WORKLIST_CHUNK_BITS)

void trc_worklist_init(trc_worklist *worklist, const trc_pages *pages, bool has_parents)
{
    *worklist = (trc_worklist){.pages = pages, .has_parents = has_parents};
}

void trc_worklist_free(trc_worklist *worklist)
{
    for (int i = 0; worklist->objects != NULL && i < TRC_WORKLIST_CHUNKS && worklist->objects[i] != NULL; i++) {
        trc_unmap(worklist->pages, worklist->objects[i], CHUNK * sizeof **worklist->objects);
    }
    for (int i = 0; worklist->parents != NULL && i < TRC_WORKLIST_CHUNKS && worklist->parents[i] != NULL; i++) {
        trc_unmap(worklist->pages, worklist->parents[i], CHUNK * sizeof **worklist->parents);
    }
    trc_unmap(worklist->pages, worklist->objects, TRC_WORKLIST_CHUNKS * sizeof *worklist->objects);
    trc_unmap(worklist->pages, worklist->parents, TRC_WORKLIST_CHUNKS * sizeof *worklist->parents);
    trc_worklist_init(worklist, worklist->pages, worklist->has_parents);
}

bool trc_worklist_reserve(trc_worklist *worklist)
{
    uint64_t chunk = worklist->count >> TRC_WORKLIST_CHUNK_BITS;
    if (chunk >= TRC_WORKLIST_CHUNKS - 1) { /* the last number stands for nobody */
        return false;
    }
    if (worklist->objects == NULL) {
        worklist->objects = trc_map(worklist->pages, TRC_WORKLIST_CHUNKS * sizeof *worklist->objects);
    }
    if (worklist->has_parents && worklist->parents == NULL) {
        worklist->parents = trc_map(worklist->pages, TRC_WORKLIST_CHUNKS * sizeof *worklist->parents);
    }
    if (worklist->objects == NULL || (worklist->has_parents && worklist->parents == NULL)) {
        return false;
    }
    if (worklist->objects[chunk] == NULL) {
        worklist->objects[chunk] = trc_map(worklist->pages, CHUNK * sizeof **worklist->objects);
    }
    if (worklist->has_parents && worklist->parents[chunk] == NULL) {
        worklist->parents[chunk] = trc_map(worklist->pages, CHUNK * sizeof **worklist->parents);
    }
    return worklist->objects[chunk] != NULL && (!worklist->has_parents || worklist->parents[chunk] != NULL);
}
