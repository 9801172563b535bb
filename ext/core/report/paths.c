/* Calling contexts by rows: see paths.h. */
#include "core/report/paths.h"

#define FIRST_ROOM 64

bool trc_paths_init(trc_paths *paths, const trc_allocator *allocator)
{
    memset(paths, 0, sizeof *paths);
    paths->allocator = allocator;
    trc_edgetab_init(&paths->places, allocator);
    paths->nodes = trc_alloc(allocator, FIRST_ROOM * sizeof *paths->nodes);
    if (paths->nodes == NULL) {
        return false;
    }
    paths->room = FIRST_ROOM;
    paths->count = 1;
    paths->nodes[0].row = TRC_NO_PATH;
    return true;
}

void trc_paths_free(trc_paths *paths)
{
    trc_free(paths->allocator, paths->nodes);
    trc_edgetab_free(&paths->places);
}

uint32_t trc_paths_step(trc_paths *paths, uint32_t parent, uint32_t row)
{
    /* Makes room first, so that a place never lacks its node. */
    if (paths->count == paths->room) {
        uint32_t room = paths->room * 2;
        trc_path *nodes = room == 0 ? NULL : trc_resize(paths->allocator, paths->nodes, room * sizeof *nodes);
        if (nodes == NULL) {
            return TRC_NO_PATH;
        }
        paths->nodes = nodes;
        paths->room = room;
    }
    const trc_edge *place = trc_edgetab_get(&paths->places, parent, row);
    if (place == NULL) {
        return TRC_NO_PATH;
    }
    uint32_t position = place->id + 1;
    if (position == paths->count) {
        paths->nodes[paths->count++] = (trc_path){.parent = parent, .row = row};
    }
    return position;
}

bool trc_paths_preorder(const trc_paths *paths, uint32_t *order, uint32_t *depth)
{
    /* For each node, its first child and its next sibling. 0 means none, for the root is nobody's child. */
    uint32_t *child = trc_alloc(paths->allocator, 2 * (size_t)paths->count * sizeof *child);
    if (child == NULL) {
        return false;
    }
    uint32_t *sibling = child + paths->count;
    for (uint32_t i = paths->count; i-- > 1;) {
        sibling[i] = child[paths->nodes[i].parent];
        child[paths->nodes[i].parent] = i;
    }
    uint32_t node = 0, level = 0;
    for (uint32_t k = 0; k < paths->count; k++) {
        order[k] = node;
        depth[k] = level;
        if (child[node] != 0) {
            node = child[node];
            level++;
            continue;
        }
        while (node != 0 && sibling[node] == 0) {
            node = paths->nodes[node].parent;
            level--;
        }
        node = sibling[node];
    }
    trc_free(paths->allocator, child);
    return true;
}
