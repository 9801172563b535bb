/* Calling contexts folded: see folding.h. */
#include "core/report/folding.h"

#define FIRST_ROOM 64
#define ROOT 0

/* Where a node of the path went to. */
typedef struct level {
    uint32_t home;   /* position in the folded nodes */
    uint32_t state;  /* what that is: a role */
    uint32_t member; /* position in the members, of a function of a folded package that the program called */
} level;

bool trc_contexts_are_tree(const uint32_t *depth, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (k == 0 ? depth[k] != 0 : depth[k] == 0 || depth[k] > depth[k - 1] + 1) {
            return false;
        }
    }
    return true;
}

void trc_contexts_add_below(trc_tick *totals, const uint32_t *depth, uint32_t count, uint32_t *open)
{
    uint32_t level = 0;
    for (uint32_t k = 0; k < count; k++) {
        for (; k > 0 && level >= depth[k]; level--) {
            trc_add_ticks(&totals[open[level - 1]], totals[open[level]]);
        }
        level = depth[k];
        open[level] = k;
    }
    for (; level > 0; level--) {
        trc_add_ticks(&totals[open[level - 1]], totals[open[level]]);
    }
}

/* Returns items with room for one more than `count`, or NULL. */
static void *with_room(const trc_allocator *allocator, void *items, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room) {
        return items;
    }
    uint32_t more = *room == 0 ? FIRST_ROOM : *room * 2;
    void *grown = more == 0 ? NULL : trc_resize(allocator, items, more * size);
    *room = grown == NULL ? *room : more;
    return grown;
}

/* Returns the number of the folded row at a place, which is made when it is new. */
static uint32_t number_of(trc_folding *folding, uint32_t place)
{
    if (folding->numbers[place] == TRC_NO_NUMBER) {
        folding->numbers[place] = folding->next++;
    }
    return folding->numbers[place];
}

/* Returns the position of a new node, or TRC_NO_NUMBER. */
static uint32_t add_node(trc_folding *folding, uint32_t parent, uint32_t row)
{
    trc_folded_node *nodes =
        with_room(folding->allocator, folding->nodes, folding->node_count, &folding->node_room, sizeof *folding->nodes);
    if (nodes == NULL) {
        return TRC_NO_NUMBER;
    }
    folding->nodes = nodes;
    nodes[folding->node_count] = (trc_folded_node){.row = row, .parent = parent};
    return folding->node_count++;
}

/* Returns the node that a call of an open row below `above` is a recursion of, or ROOT. */
static uint32_t recursed(const trc_folding *folding, uint32_t above, uint32_t row)
{
    uint32_t role = row < folding->row_count ? folding->rows[row].role : TRC_ROLE_FOLDED;
    bool is_open = role == TRC_ROLE_OPEN || role == TRC_ROLE_OPENED || role == TRC_ROLE_GENERATED ||
                   role == TRC_ROLE_COMPREHENSION;
    while (is_open && above != ROOT && folding->nodes[above].row != row) {
        above = folding->nodes[above].parent;
    }
    return is_open ? above : ROOT;
}

/* Returns the node of `row` below `above`; where recursion is folded, the one that it is a recursion of. Makes the node
 * when it is new. Returns TRC_NO_NUMBER when memory is out. */
static uint32_t child(trc_folding *folding, uint32_t above, uint32_t row)
{
    trc_edge *found = trc_edgetab_get(&folding->children, above, row);
    if (found == NULL) {
        return TRC_NO_NUMBER;
    }
    if (found->active == 0) {
        uint32_t node = folding->recursion ? recursed(folding, above, row) : ROOT;
        found->active = node == ROOT ? add_node(folding, above, row) : node;
    }
    return found->active;
}

/* The node that a call of `row` goes to; `*state` is the state there, and `*counts` whether the call is one of that
 * node. Returns TRC_NO_NUMBER when memory is out. */
static uint32_t place_of(trc_folding *folding, uint32_t row, const level *caller, uint32_t *state, bool *counts)
{
    const trc_fold_row *of = &folding->rows[row];
    uint32_t role = of->role, inside = caller->state, above = caller->home;
    *counts = true;
    *state = TRC_ROLE_OPEN;
    if (role == TRC_ROLE_OPEN ||
        (inside == TRC_ROLE_OPEN && (role == TRC_ROLE_BUILT_IN || role == TRC_ROLE_GENERATED))) {
        return child(folding, above, row);
    }
    if (role == TRC_ROLE_COMPREHENSION && inside == TRC_ROLE_OPEN) {
        *counts = above == ROOT;
        return above == ROOT ? child(folding, above, row) : above;
    }
    if (role == TRC_ROLE_IMPORTER && (inside == TRC_ROLE_OPEN || inside == TRC_ROLE_FOLDED)) {
        *counts = false;
        *state = TRC_ROLE_IMPORTER;
        return above;
    }
    if (role == TRC_ROLE_OPENED && (inside == TRC_ROLE_OPEN || inside == TRC_ROLE_FOLDED)) {
        return child(folding, above, row);
    }
    if (role == TRC_ROLE_FOLDED && inside == TRC_ROLE_OPEN) {
        *state = TRC_ROLE_FOLDED;
        return child(folding, above, number_of(folding, of->package));
    }
    bool is_module = inside == TRC_ROLE_IMPORTER && of->is_module != 0;
    if (is_module && role == TRC_ROLE_OPENED && folding->opens_imports) {
        return child(folding, above, row);
    }
    if (is_module && (role == TRC_ROLE_FOLDED || role == TRC_ROLE_OPENED)) {
        *state = TRC_ROLE_IMPORT;
        return child(folding, above, number_of(folding, of->import));
    }
    *counts = false;
    *state = inside;
    return above;
}

/* Returns the position of a function among the members, or TRC_NO_NUMBER when memory is out. */
static uint32_t member_of(trc_folding *folding, uint32_t node, uint32_t row)
{
    trc_member *members = with_room(folding->allocator, folding->members, folding->member_count, &folding->member_room,
                                    sizeof *folding->members);
    if (members == NULL) {
        return TRC_NO_NUMBER;
    }
    folding->members = members;
    const trc_edge *known = trc_edgetab_get(&folding->known, node, row);
    if (known == NULL) {
        return TRC_NO_NUMBER;
    }
    if (known->id == folding->member_count) {
        members[folding->member_count++] = (trc_member){.node = node, .row = row};
    }
    return known->id;
}

/* Folds one context. `path` has its callers. Returns false when memory is out. */
static bool fold_one(trc_folding *folding, const trc_contexts *contexts, uint32_t k, level *path)
{
    uint32_t row = contexts->row[k];
    const level *caller = &path[contexts->depth[k] - 1];
    level *own = &path[contexts->depth[k]];
    bool counts;
    own->member = caller->member;
    own->home = place_of(folding, row, caller, &own->state, &counts);
    if (own->home == TRC_NO_NUMBER) {
        return false;
    }
    bool is_folded = own->state == TRC_ROLE_FOLDED;
    if (counts) {
        trc_folded_node *node = &folding->nodes[own->home];
        node->calls += contexts->calls[k];
        node->entries += node->parent == caller->home ? contexts->calls[k] : 0;
        node->resumes += contexts->resumes[k];
        if (is_folded) {
            own->member = member_of(folding, own->home, row);
            if (own->member == TRC_NO_NUMBER) {
                return false;
            }
            folding->members[own->member].calls += contexts->calls[k];
        }
    }
    uint32_t timed = own->home;
    if (own->state == TRC_ROLE_IMPORTER && contexts->time[k] != 0) {
        timed = child(folding, timed, number_of(folding, folding->finding));
        if (timed == TRC_NO_NUMBER) {
            return false;
        }
    }
    trc_add_ticks(&folding->nodes[timed].time, contexts->time[k]);
    trc_add_ticks(&folding->nodes[timed].waited, contexts->waited[k]);
    if (is_folded) {
        trc_add_ticks(&folding->members[own->member].time, contexts->time[k]);
    }
    return true;
}

bool trc_fold(trc_folding *folding, const trc_contexts *contexts)
{
    trc_edgetab_init(&folding->children, folding->allocator);
    trc_edgetab_init(&folding->known, folding->allocator);
    level *path = trc_alloc(folding->allocator, ((size_t)contexts->count + 1) * sizeof *path);
    bool well = path != NULL && add_node(folding, ROOT, TRC_NO_NUMBER) == ROOT;
    if (well && contexts->count > 0) {
        trc_folded_node *root = &folding->nodes[ROOT];
        root->calls = contexts->calls[0];
        root->resumes = contexts->resumes[0];
        root->time = contexts->time[0];
        root->waited = contexts->waited[0];
        path[0] = (level){ROOT, TRC_ROLE_OPEN, TRC_NO_NUMBER};
    }
    for (uint32_t k = 1; well && k < contexts->count; k++) {
        well = fold_one(folding, contexts, k, path);
    }
    trc_free(folding->allocator, path);
    return well;
}

void trc_folding_free(trc_folding *folding)
{
    trc_free(folding->allocator, folding->nodes);
    trc_free(folding->allocator, folding->members);
    trc_edgetab_free(&folding->children);
    trc_edgetab_free(&folding->known);
}
