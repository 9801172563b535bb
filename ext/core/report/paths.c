/* Calling contexts by rows: see paths.h. */
#include "core/report/paths.h"

#define FIRST_ROOM 64
#define FEW 8

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

/* Adds a node, for which there is room, as the last child of its parent. */
static uint32_t add_child(trc_paths *paths, uint32_t parent, uint32_t row)
{
    uint32_t position = paths->count++;
    trc_path *above = &paths->nodes[parent];
    uint32_t *link = above->newest == 0 ? &above->child : &paths->nodes[above->newest].sibling;
    *link = above->newest = position;
    above->children++;
    paths->nodes[position] = (trc_path){.parent = parent, .row = row};
    return position;
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
    uint32_t child = paths->nodes[parent].child;
    for (uint32_t k = 0; child != 0 && k < FEW; k++) {
        if (paths->nodes[child].row == row) {
            return child;
        }
        child = paths->nodes[child].sibling;
    }
    if (paths->nodes[parent].children < FEW) {
        return add_child(paths, parent, row);
    }
    trc_edge *place = trc_edgetab_get(&paths->places, parent, row);
    if (place == NULL) {
        return TRC_NO_PATH;
    }
    if (place->active == 0) {
        place->active = add_child(paths, parent, row);
    }
    return place->active;
}

void trc_paths_preorder(const trc_paths *paths, uint32_t *order, uint32_t *depth)
{
    const trc_path *nodes = paths->nodes;
    uint32_t node = 0, level = 0;
    for (uint32_t k = 0; k < paths->count; k++) {
        order[k] = node;
        depth[k] = level;
        if (nodes[node].child != 0) {
            node = nodes[node].child;
            level++;
            continue;
        }
        while (node != 0 && nodes[node].sibling == 0) {
            node = nodes[node].parent;
            level--;
        }
        node = nodes[node].sibling;
    }
}
