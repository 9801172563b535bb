/* Captures into rows and edges: see rollup.h. */
#include "core/report/rollup.h"

/* The walk's own figures of a node. */
typedef struct walk_node {
    double cost;   /* the overhead of tracing in its own time */
    trc_tick self; /* its own time, and that of left-out nodes called from it */
    trc_tick cumulative;
    trc_tick waited; /* of its own time, and of left-out nodes called from it */
    uint64_t made;   /* calls that it made */
    trc_edge *edge;  /* from its caller; NULL where there is none, or none is wanted */
    uint32_t row;
    uint32_t caller;  /* row of the nearest ancestor that is not left out */
    uint32_t path;    /* position in the rollup's paths; of a left-out node, its caller's */
    uint32_t child;   /* position of the first child; 0: none */
    uint32_t sibling; /* position of the next child of the same parent; 0: none */
} walk_node;

bool trc_rollup_init(trc_rollup *rollup, const trc_allocator *allocator, uint32_t row_count)
{
    memset(rollup, 0, sizeof *rollup);
    rollup->allocator = allocator;
    rollup->row_count = row_count;
    trc_edgetab_init(&rollup->edge_ids, allocator);
    rollup->rows = trc_alloc(allocator, row_count * sizeof *rollup->rows);
    rollup->row_active = trc_alloc(allocator, row_count * sizeof *rollup->row_active);
    rollup->extras = trc_alloc(allocator, row_count * sizeof *rollup->extras);
    rollup->present = trc_alloc(allocator, row_count);
    return rollup->rows != NULL && rollup->row_active != NULL && rollup->extras != NULL && rollup->present != NULL;
}

void trc_rollup_free(trc_rollup *rollup)
{
    trc_free(rollup->allocator, rollup->rows);
    trc_free(rollup->allocator, rollup->row_active);
    trc_free(rollup->allocator, rollup->extras);
    trc_free(rollup->allocator, rollup->present);
    trc_free(rollup->allocator, rollup->edges);
    trc_edgetab_free(&rollup->edge_ids);
}

/* Returns the record of an edge between rows; rollup->edges has its sums at the record's id. Returns NULL when memory
 * is out. */
static trc_edge *get_edge(trc_rollup *rollup, uint32_t caller, uint32_t callee)
{
    trc_edge *edge = trc_edgetab_get(&rollup->edge_ids, caller, callee);
    if (edge == NULL || edge->id < rollup->edge_count) {
        return edge;
    }
    if (rollup->edge_count == rollup->edge_room) {
        uint32_t room = rollup->edge_room == 0 ? 64 : rollup->edge_room * 2;
        trc_row_edge *edges = trc_resize(rollup->allocator, rollup->edges, room * sizeof *edges);
        if (edges == NULL) {
            return NULL;
        }
        rollup->edges = edges;
        rollup->edge_room = room;
    }
    trc_row_edge *sums = &rollup->edges[rollup->edge_count++];
    memset(sums, 0, sizeof *sums);
    sums->caller = caller;
    sums->callee = callee;
    return edge;
}

static void add(trc_figures *sums, const trc_node_record *record, const walk_node *node, bool outermost)
{
    sums->calls += record->calls;
    sums->resumes += record->resumes;
    trc_add_ticks(&sums->self, node->self);
    if (outermost) {
        sums->primitive_calls += record->calls;
        sums->primitive_resumes += record->resumes;
        trc_add_ticks(&sums->cumulative, node->cumulative);
    }
}

static bool has_row(const trc_rollup *rollup, uint32_t row)
{
    return row < rollup->row_count || row == TRC_LEFT_OUT;
}

/* Returns what an own time had of its overhead, in ticks. */
static double had(trc_rollup *rollup, trc_tick self, double cost)
{
    if (!(cost >= 0.5) || self < 0) {
        return 0;
    }
    trc_tick whole = cost < 1e18 ? (trc_tick)(cost + 0.5) : (trc_tick)1e18;
    trc_tick there = self > whole ? whole : self;
    trc_add_ticks(&rollup->taken_out, whole);
    trc_add_ticks(&rollup->kept, whole - there);
    return (double)there;
}

/* Returns an own time without its part of the overhead, which no wait has. */
static trc_tick left_of(const trc_rollup *rollup, trc_tick self, trc_tick waited)
{
    bool is_scaled = rollup->compensation != NULL && self > waited;
    return is_scaled ? waited + (trc_tick)((double)(self - waited) * rollup->part + 0.5) : self;
}

/* The overhead of a function's calls and resumes, made by this many activations of its caller, which made `made` calls
 * of all functions. */
static trc_cost cost_of(const trc_compensation *compensation, uint32_t func, uint64_t calls, uint64_t resumes,
                        uint64_t activations, uint64_t made)
{
    const trc_call_costs *costs = &compensation->calls[compensation->kind_of[func]];
    double first = (double)(calls < activations ? calls : activations);
    double again = (double)calls - first;
    if (compensation->is_mixed && made > calls) {
        again *= (double)calls / (double)made;
        first = (double)calls - again;
    }
    return (trc_cost){
        first * costs->first.callee + again * costs->again.callee + (double)resumes * compensation->resume.callee,
        first * costs->first.caller + again * costs->again.caller + (double)resumes * compensation->resume.caller,
    };
}

/* Adds the overhead of a node's calls to it and to its parent. */
static void add_costs(const trc_compensation *compensation, const trc_node_record *record,
                      const trc_node_record *parent_record, walk_node *node, walk_node *parent)
{
    uint64_t activations = parent_record->calls + parent_record->resumes;
    trc_cost cost = cost_of(compensation, record->func, record->calls, record->resumes,
                            activations == 0 ? 1 : activations, /* the one that ran before tracing began */
                            parent->made);
    node->cost += cost.callee;
    parent->cost += cost.caller;
}

/* How often a node was entered, once at least: it may have run before tracing began. */
static double entries_of(const trc_node_record *record)
{
    double entries = (double)record->calls + (double)record->resumes;
    return entries < 1 ? 1 : entries;
}

/* Adds the overhead of calls without a row. They are known by function: each of its nodes gets the part that it has in
 * the function's calls and resumes. Returns false when memory is out. */
static bool add_unseen(const trc_rollup *rollup, const trc_capture *capture, uint32_t func_count, walk_node *walk)
{
    struct sums {
        double unseen;
        double entries;
    } *of = trc_alloc(rollup->allocator, func_count * sizeof *of);
    if (of == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < capture->unseen_count; i++) {
        of[capture->unseen[i].func].unseen += (double)capture->unseen[i].calls;
    }
    for (uint32_t i = 1; i < capture->node_count; i++) {
        of[capture->nodes[i].func].entries += entries_of(&capture->nodes[i]);
    }
    for (uint32_t i = 0; i < capture->overflow_count; i++) {
        const trc_overflow_record *record = &capture->overflows[i];
        if (record->callee < func_count) {
            of[record->callee].entries += (double)record->figures.calls + (double)record->figures.resumes;
        }
    }
    for (uint32_t i = 1; i < capture->node_count; i++) {
        const struct sums *sums = &of[capture->nodes[i].func];
        double part = entries_of(&capture->nodes[i]) / sums->entries;
        walk[i].cost += rollup->compensation->unseen * sums->unseen * part;
    }
    trc_free(rollup->allocator, of);
    return true;
}

/* Returns which part of the time that the thread ran is left without the overhead of tracing, of nodes whose own waits are known. */
static double part_left(trc_rollup *rollup, const trc_capture *capture, uint32_t func_count, walk_node *walk)
{
    const trc_compensation *compensation = rollup->compensation;
    const trc_node_record *records = capture->nodes;
    double ran = 0, overhead = 0;
    for (uint32_t i = 1; i < capture->node_count; i++) {
        add_costs(compensation, &records[i], &records[records[i].parent], &walk[i], &walk[records[i].parent]);
    }
    for (uint32_t i = 1; i < capture->node_count; i++) {
        overhead += had(rollup, records[i].self, walk[i].cost);
        ran += records[i].self > walk[i].waited ? (double)(records[i].self - walk[i].waited) : 0;
    }
    for (uint32_t i = 0; i < capture->overflow_count; i++) {
        const trc_overflow_record *record = &capture->overflows[i];
        const trc_figures *figures = &record->figures;
        if (record->callee < func_count) {
            trc_cost cost = cost_of(compensation, record->callee, figures->calls, figures->resumes, figures->calls, 0);
            overhead += had(rollup, figures->self, cost.callee);
            ran += figures->self > 0 ? (double)figures->self : 0;
        }
    }
    return overhead < ran ? 1 - overhead / ran : 0;
}

/* Prepares the walk: children lists, rows, and time from the leaves up. */
static trc_rollup_result prepare(trc_rollup *rollup, const trc_capture *capture, const uint32_t *row_of,
                                 uint32_t func_count, walk_node *walk)
{
    const trc_node_record *records = capture->nodes;
    for (uint32_t i = 0; i < capture->node_count; i++) {
        bool root = i == 0;
        if (root ? records[i].func != TRC_NO_FUNCTION : records[i].parent >= i || records[i].func >= func_count) {
            return TRC_ROLLUP_DAMAGED;
        }
        walk[i].row = root ? TRC_LEFT_OUT : row_of[records[i].func];
        if (!has_row(rollup, walk[i].row)) {
            return TRC_ROLLUP_DAMAGED;
        }
        walk[i].cumulative = records[i].overflowed;
        if (!root) {
            walk[records[i].parent].made += records[i].calls;
        }
    }
    for (uint32_t i = 0; i < capture->unseen_count; i++) {
        if (capture->unseen[i].func >= func_count) {
            return TRC_ROLLUP_DAMAGED;
        }
    }
    for (uint32_t i = 0; i < capture->collection_count; i++) {
        const trc_collections_record *record = &capture->collections[i];
        if (record->node >= (record->is_overflow ? capture->overflow_count : capture->node_count)) {
            return TRC_ROLLUP_DAMAGED;
        }
    }
    bool adds_unseen = rollup->compensation != NULL && capture->unseen_count > 0;
    if (adds_unseen && !add_unseen(rollup, capture, func_count, walk)) {
        return TRC_ROLLUP_NO_MEMORY;
    }
    for (uint32_t i = 0; i < capture->wait_count; i++) {
        if (capture->waits[i].node >= capture->node_count) {
            return TRC_ROLLUP_DAMAGED;
        }
        trc_add_ticks(&walk[capture->waits[i].node].waited, capture->waits[i].ticks);
    }
    if (rollup->compensation != NULL) {
        rollup->part = part_left(rollup, capture, func_count, walk);
    }
    for (uint32_t i = 1; i < capture->node_count; i++) {
        walk[i].self = left_of(rollup, records[i].self, walk[i].waited);
        trc_add_ticks(&walk[i].cumulative, walk[i].self);
    }
    for (uint32_t i = capture->node_count; i-- > 1;) {
        walk_node *parent = &walk[records[i].parent];
        trc_add_ticks(&parent->cumulative, walk[i].cumulative);
        if (walk[i].row == TRC_LEFT_OUT) {
            trc_add_ticks(&parent->self, walk[i].self);
            trc_add_ticks(&parent->waited, walk[i].waited);
        }
        walk[i].sibling = parent->child;
        parent->child = i;
    }
    return TRC_ROLLUP_OK;
}

/* Adds a node to the paths. Returns false when memory is out. */
static bool add_path(const trc_rollup *rollup, const trc_node_record *record, walk_node *node, uint32_t parent)
{
    trc_paths *paths = rollup->paths;
    if (paths == NULL) {
        return true;
    }
    node->path = parent;
    if (node->row != TRC_LEFT_OUT) {
        node->path = trc_paths_step(paths, parent, node->row);
        if (node->path == TRC_NO_PATH) {
            return false;
        }
        trc_path *path = &paths->nodes[node->path];
        path->calls += record->calls;
        path->resumes += record->resumes;
        trc_add_ticks(&path->self, node->self);
        trc_add_ticks(&path->waited, node->waited);
    }
    if (record->overflowed == 0) {
        return true;
    }
    uint32_t unkept = trc_paths_step(paths, node->path, rollup->unkept);
    if (unkept == TRC_NO_PATH) {
        return false;
    }
    trc_add_ticks(&paths->nodes[unkept].self, record->overflowed);
    return true;
}

static bool enter(trc_rollup *rollup, const trc_capture *capture, walk_node *walk, uint32_t i)
{
    walk_node *node = &walk[i];
    const walk_node *parent = &walk[capture->nodes[i].parent];
    if (!add_path(rollup, &capture->nodes[i], node, parent->path)) {
        return false;
    }
    node->caller = parent->row != TRC_LEFT_OUT ? parent->row : parent->caller;
    if (node->row == TRC_LEFT_OUT) {
        return true;
    }
    const trc_node_record *record = &capture->nodes[i];
    rollup->present[node->row] = 1;
    add(&rollup->rows[node->row], record, node, rollup->row_active[node->row]++ == 0);
    if (node->caller == TRC_LEFT_OUT || rollup->is_without_edges) {
        return true;
    }
    node->edge = get_edge(rollup, node->caller, node->row);
    if (node->edge == NULL) {
        return false;
    }
    add(&rollup->edges[node->edge->id].figures, record, node, node->edge->active++ == 0);
    return true;
}

static void leave(trc_rollup *rollup, const walk_node *node)
{
    if (node->row != TRC_LEFT_OUT) {
        rollup->row_active[node->row]--;
        if (node->edge != NULL) {
            node->edge->active--;
        }
    }
}

/* Walks depth first, without recursion of its own: the records' `parent` leads back up. */
static bool walk_tree(trc_rollup *rollup, const trc_capture *capture, walk_node *walk)
{
    uint32_t i = 0;
    walk[0].caller = TRC_LEFT_OUT;
    if (!add_path(rollup, &capture->nodes[0], &walk[0], 0)) {
        return false;
    }
    for (;;) {
        if (walk[i].child != 0) {
            i = walk[i].child;
        }
        else {
            while (i != 0 && walk[i].sibling == 0) {
                leave(rollup, &walk[i]);
                i = capture->nodes[i].parent;
            }
            if (i == 0) {
                return true;
            }
            leave(rollup, &walk[i]);
            i = walk[i].sibling;
        }
        if (!enter(rollup, capture, walk, i)) {
            return false;
        }
    }
}

static void add_figures(trc_figures *sums, const trc_figures *more)
{
    sums->calls += more->calls;
    sums->resumes += more->resumes;
    sums->primitive_calls += more->primitive_calls;
    sums->primitive_resumes += more->primitive_resumes;
    trc_add_ticks(&sums->self, more->self);
    trc_add_ticks(&sums->cumulative, more->cumulative);
}

static trc_rollup_result add_overflows(trc_rollup *rollup, const trc_capture *capture, const uint32_t *row_of,
                                       uint32_t func_count)
{
    for (uint32_t i = 0; i < capture->overflow_count; i++) {
        const trc_overflow_record *record = &capture->overflows[i];
        trc_figures figures = record->figures;
        if (record->callee >= func_count || (record->caller >= func_count && record->caller != TRC_NO_FUNCTION)) {
            return TRC_ROLLUP_DAMAGED;
        }
        uint32_t callee = row_of[record->callee];
        uint32_t caller = record->caller == TRC_NO_FUNCTION ? TRC_LEFT_OUT : row_of[record->caller];
        if (!has_row(rollup, callee) || !has_row(rollup, caller)) {
            return TRC_ROLLUP_DAMAGED;
        }
        figures.self = left_of(rollup, figures.self, 0);
        if (callee == TRC_LEFT_OUT) {
            if (caller != TRC_LEFT_OUT) {
                trc_add_ticks(&rollup->rows[caller].self, figures.self);
            }
            continue;
        }
        rollup->present[callee] = 1;
        trc_figures *row = &rollup->rows[callee];
        row->calls += figures.calls;
        row->resumes += figures.resumes;
        trc_add_ticks(&row->self, figures.self);
        if (caller != TRC_LEFT_OUT && !rollup->is_without_edges) {
            trc_edge *edge = get_edge(rollup, caller, callee);
            if (edge == NULL) {
                return TRC_ROLLUP_NO_MEMORY;
            }
            add_figures(&rollup->edges[edge->id].figures, &figures);
        }
    }
    for (uint32_t i = 0; i < capture->outermost_count; i++) {
        const trc_outermost_record *record = &capture->outermost[i];
        if (record->func >= func_count) {
            return TRC_ROLLUP_DAMAGED;
        }
        uint32_t row = row_of[record->func];
        if (!has_row(rollup, row)) {
            return TRC_ROLLUP_DAMAGED;
        }
        if (row != TRC_LEFT_OUT) {
            rollup->rows[row].primitive_calls += record->primitive_calls;
            rollup->rows[row].primitive_resumes += record->primitive_resumes;
            trc_add_ticks(&rollup->rows[row].cumulative, record->cumulative);
        }
    }
    return TRC_ROLLUP_OK;
}

/* Returns the record of the extra that comes with the i-th record of `extra`, or NULL where none comes with it, or an
 * older file lacks it. */
static const trc_extra_record *find_with(const trc_capture *capture, trc_extra extra, uint32_t i)
{
    trc_extra with = extra + 1;
    bool comes = with < TRC_EXTRA_COUNT && trc_traits_of(with)->merge == TRC_WITH_LARGEST &&
                 i < capture->extra_counts[with] && capture->extras[with][i].func == capture->extras[extra][i].func;
    return comes ? &capture->extras[with][i] : NULL;
}

static trc_rollup_result add_extra(const trc_rollup *rollup, const trc_capture *capture, trc_extra extra,
                                   const uint32_t *row_of, uint32_t func_count)
{
    for (uint32_t i = 0; i < capture->extra_counts[extra]; i++) {
        const trc_extra_record *record = &capture->extras[extra][i];
        if (record->func >= func_count || !has_row(rollup, row_of[record->func])) {
            return TRC_ROLLUP_DAMAGED;
        }
        if (row_of[record->func] != TRC_LEFT_OUT) {
            const trc_extra_record *with = find_with(capture, extra, i);
            trc_add_extra(rollup->extras[row_of[record->func]], extra, record->ticks, with == NULL ? 0 : with->ticks);
        }
    }
    return TRC_ROLLUP_OK;
}

trc_rollup_result trc_rollup_add(trc_rollup *rollup, const trc_capture *capture, const uint32_t *row_of,
                                 uint32_t func_count)
{
    trc_rollup_result result = TRC_ROLLUP_OK;
    if (capture->node_count > 0) {
        walk_node *walk = trc_alloc(rollup->allocator, capture->node_count * sizeof *walk);
        if (walk == NULL) {
            return TRC_ROLLUP_NO_MEMORY;
        }
        result = prepare(rollup, capture, row_of, func_count, walk);
        if (result == TRC_ROLLUP_OK && !walk_tree(rollup, capture, walk)) {
            result = TRC_ROLLUP_NO_MEMORY;
        }
        trc_free(rollup->allocator, walk);
    }
    if (result == TRC_ROLLUP_OK) {
        result = add_overflows(rollup, capture, row_of, func_count);
    }
    for (trc_extra extra = 0; result == TRC_ROLLUP_OK && extra < TRC_EXTRA_COUNT; extra++) {
        result = add_extra(rollup, capture, extra, row_of, func_count);
    }
    for (uint32_t row = 0; rollup->compensation != NULL && row < rollup->row_count; row++) {
        trc_tick *waited = &rollup->extras[row][TRC_WAITED];
        if (*waited > rollup->rows[row].self) {
            *waited = rollup->rows[row].self;
        }
    }
    return result;
}
