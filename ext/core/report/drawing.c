/* The slices of a thread as the events of other tools: see drawing.h. */
#include "core/report/drawing.h"

#include "core/log/varint.h"

#include <string.h>

#define LONG_ENOUGH 1000 /* ns from which on a slice of Perfetto's has `others` */

static const char chrome_open[] = ",\"args\":{\"ended\":false}";
/* A DebugAnnotation (field 4): its name is "ended" (field 10), its bool_value (field 2) false. */
static const char perfetto_open[] = "\x22\x09\x52\x05"
                                    "ended\x10\x00";

int64_t trc_drawing_ns(const trc_drawing *drawing, trc_tick tick)
{
    trc_tick cut = tick < drawing->first ? drawing->first : tick > drawing->last ? drawing->last : tick;
    int64_t ns = drawing->ns_per_tick == 1.0 ? cut : trc_nearest((double)cut * drawing->ns_per_tick);
    return (int64_t)((uint64_t)ns + (uint64_t)drawing->shift);
}

static uint32_t row_of_node(const trc_drawing *drawing, uint32_t node)
{
    uint32_t row = node < drawing->node_count ? drawing->row_of[node] : TRC_NOT_DRAWN;
    return row < drawing->row_count ? row : TRC_NOT_DRAWN;
}

uint32_t trc_drawing_row(const trc_drawing *drawing, size_t slice)
{
    if (drawing->node[slice] != 0) {
        return row_of_node(drawing, drawing->node[slice]);
    }
    if (!drawing->draws_gaps) {
        return TRC_NOT_DRAWN;
    }
    int32_t parent = drawing->parent[slice];
    uint32_t around =
        parent < 0 || (size_t)parent >= drawing->count ? TRC_NOT_DRAWN : row_of_node(drawing, drawing->node[parent]);
    return drawing->row_count + (around != TRC_NOT_DRAWN && drawing->in_c[around] ? 1 : 0);
}

static bool is_open(const trc_drawing *drawing, size_t slice)
{
    return drawing->node[slice] != 0 && drawing->value[slice] == 1;
}

/* -- In order of time ------------------------------------------------------------------------------------------- */

bool trc_walk_init(trc_walk *walk, const trc_drawing *drawing, const trc_allocator *allocator)
{
    memset(walk, 0, sizeof *walk);
    walk->drawing = drawing;
    walk->allocator = allocator;
    walk->now = INT64_MIN;
    size_t deepest = 0;
    for (size_t i = 0; i < drawing->count; i++) {
        deepest = drawing->depth[i] > deepest ? drawing->depth[i] : deepest;
    }
    /* What is open has ever greater depths, so there cannot be more of it; a damaged file may claim any depth. */
    size_t room = (deepest < drawing->count ? deepest : drawing->count) + 1;
    walk->open = trc_alloc(allocator, room * sizeof *walk->open);
    walk->rows = trc_alloc(allocator, room * sizeof *walk->rows);
    walk->stacks = trc_alloc(allocator, room * sizeof *walk->stacks);
    return walk->open != NULL && walk->rows != NULL && walk->stacks != NULL;
}

void trc_walk_free(trc_walk *walk)
{
    trc_free(walk->allocator, walk->open);
    trc_free(walk->allocator, walk->rows);
    trc_free(walk->allocator, walk->stacks);
}

static void go_to(trc_walk *walk, size_t slice, uint32_t row, bool begins)
{
    const trc_drawing *drawing = walk->drawing;
    int64_t at = trc_drawing_ns(drawing, begins ? drawing->start[slice] : drawing->end[slice]);
    walk->now = at > walk->now ? at : walk->now;
    walk->begins = begins;
    walk->slice = slice;
    walk->row = row;
}

bool trc_walk_next(trc_walk *walk)
{
    const trc_drawing *drawing = walk->drawing;
    uint32_t row = TRC_NOT_DRAWN;
    while (walk->next < drawing->count && (row = trc_drawing_row(drawing, walk->next)) == TRC_NOT_DRAWN) {
        walk->next++;
    }
    if (walk->depth > 0) {
        size_t top = walk->open[walk->depth - 1];
        if (walk->next == drawing->count || drawing->depth[top] >= drawing->depth[walk->next]) {
            walk->depth--;
            go_to(walk, top, walk->rows[walk->depth], false);
            return true;
        }
    }
    if (walk->next == drawing->count) {
        return false;
    }
    walk->open[walk->depth] = walk->next;
    walk->rows[walk->depth++] = row;
    go_to(walk, walk->next++, row, true);
    return true;
}

/* -- The formats ------------------------------------------------------------------------------------------------ */

static void put_piece(trc_outlet *outlet, const trc_piece *piece)
{
    trc_put(outlet, piece->bytes, piece->length);
}

static trc_drawn drawn(trc_outlet *outlet)
{
    return trc_outlet_flush(outlet) ? TRC_DRAWN : TRC_DRAWN_NOT_TAKEN;
}

trc_drawn trc_draw_chrome(const trc_drawing *drawing, trc_outlet *outlet)
{
    for (size_t i = 0; i < drawing->count && !outlet->failed; i++) {
        uint32_t row = trc_drawing_row(drawing, i);
        if (row == TRC_NOT_DRAWN) {
            continue;
        }
        int64_t start = trc_drawing_ns(drawing, drawing->start[i]), end = trc_drawing_ns(drawing, drawing->end[i]);
        put_piece(outlet, &drawing->pieces[row]);
        trc_put(outlet, ",\"ts\":", 6);
        trc_put_thousandths(outlet, start);
        trc_put(outlet, ",\"dur\":", 7);
        trc_put_thousandths(outlet, end > start ? trc_ticks_since(end, start) : 0);
        if (is_open(drawing, i)) {
            trc_put_text(outlet, chrome_open);
        }
        trc_put(outlet, "},\n", 3);
    }
    return drawn(outlet);
}

/* A field of a message, by its key and its value. Returns what follows it. */
static uint8_t *put_field(uint8_t *at, uint8_t key, uint64_t value)
{
    *at++ = key;
    return trc_put_varint(at, value);
}

/* A TracePacket of a Trace (field 1): timestamp (8), trusted_packet_sequence_id (10), track_event (11). It has no
 * sequence_flags, which would take 4 bytes a call: they are for traces of which a part was lost. */
static void put_packet(trc_outlet *outlet, uint64_t delta, uint32_t sequence, const char *type, const trc_piece *piece,
                       bool open)
{
    uint8_t head[3 * (1 + TRC_LONGEST_VARINT)], outer[1 + TRC_LONGEST_VARINT];
    size_t extra = open ? sizeof perfetto_open - 1 : 0, event = 2 + piece->length + extra;
    uint8_t *end = put_field(put_field(put_field(head, 0x40, delta), 0x50, sequence), 0x5a, event);
    size_t length = (size_t)(end - head);
    trc_put(outlet, (const char *)outer, (size_t)(put_field(outer, 0x0a, length + event) - outer));
    trc_put(outlet, (const char *)head, length);
    trc_put(outlet, type, 2);
    put_piece(outlet, piece);
    trc_put(outlet, perfetto_open, extra);
}

trc_drawn trc_draw_perfetto(const trc_drawing *drawing, trc_outlet *outlet, const trc_allocator *allocator,
                            uint32_t sequence, int64_t base)
{
    static const trc_piece nothing = {"", 0};
    trc_walk walk;
    bool ready = trc_walk_init(&walk, drawing, allocator);
    walk.now = base;
    for (int64_t before = base; ready && !outlet->failed && trc_walk_next(&walk); before = walk.now) {
        uint64_t delta = (uint64_t)walk.now - (uint64_t)before;
        if (!walk.begins) {
            put_packet(outlet, delta, sequence, "\x48\x02", &nothing, false);
            continue;
        }
        int64_t end = trc_drawing_ns(drawing, drawing->end[walk.slice]);
        bool is_long = end > walk.now && (uint64_t)end - (uint64_t)walk.now >= LONG_ENOUGH;
        put_packet(outlet, delta, sequence, "\x48\x01", &(is_long ? drawing->others : drawing->pieces)[walk.row],
                   is_open(drawing, walk.slice));
    }
    trc_walk_free(&walk);
    return ready ? drawn(outlet) : TRC_DRAWN_NO_MEMORY;
}

trc_drawn trc_draw_speedscope(const trc_drawing *drawing, trc_outlet *outlet, const trc_allocator *allocator,
                              int64_t *last, int64_t *busy)
{
    trc_walk walk;
    bool ready = trc_walk_init(&walk, drawing, allocator);
    *last = *busy = 0;
    for (bool again = false; ready && !outlet->failed && trc_walk_next(&walk); again = true) {
        trc_put(outlet, ",", again);
        put_piece(outlet, &(walk.begins ? drawing->pieces : drawing->others)[walk.row]);
        trc_put_number(outlet, walk.now);
        trc_put(outlet, "}", 1);
        /* The outermost frame counts from its beginning to its end. */
        if (walk.depth == walk.begins) {
            trc_add_ticks(busy, walk.begins ? trc_ticks_since(0, walk.now) : walk.now);
        }
        *last = walk.now;
    }
    trc_walk_free(&walk);
    return ready ? drawn(outlet) : TRC_DRAWN_NO_MEMORY;
}

/* What a node's calling context was when the node was last met: then the table of paths need not be asked again. */
typedef struct context {
    uint32_t parent; /* TRC_NO_PATH: not met yet */
    uint32_t path;
} context;

static uint32_t path_of(trc_paths *paths, context *known, uint32_t parent, uint32_t row)
{
    if (known->parent != parent) {
        known->path = trc_paths_step(paths, parent, row);
        known->parent = parent;
    }
    return known->path;
}

/* Whole nanoseconds as milliseconds. */
static void put_milliseconds(trc_outlet *outlet, int64_t ns)
{
    trc_put_number(outlet, ns);
    if (ns != 0) {
        trc_put(outlet, "e-6", 3);
    }
}

static void put_sample(trc_outlet *outlet, trc_sample_column column, bool first, uint32_t path, int64_t delta,
                       int64_t weight)
{
    trc_put(outlet, ",", !first);
    if (column == TRC_SAMPLE_DELTAS) {
        put_milliseconds(outlet, delta);
    }
    else if (column == TRC_SAMPLE_WEIGHTS) {
        put_milliseconds(outlet, weight);
    }
    else if (path == 0) {
        trc_put(outlet, "null", 4);
    }
    else {
        trc_put_number(outlet, path - 1);
    }
}

trc_drawn trc_draw_samples(const trc_drawing *drawing, trc_outlet *outlet, trc_paths *paths, trc_sample_column column,
                           size_t *samples)
{
    trc_walk walk;
    context *contexts = trc_alloc(paths->allocator, drawing->node_count * sizeof *contexts);
    bool ready = trc_walk_init(&walk, drawing, paths->allocator) && contexts != NULL;
    for (uint32_t i = 0; ready && i < drawing->node_count; i++) {
        contexts[i].parent = TRC_NO_PATH;
    }
    int64_t since = 0, before = 0; /* of the stack that runs, and of the sample before */
    uint32_t path = 0;
    bool begun = false;
    *samples = 0;
    while (ready && !outlet->failed && trc_walk_next(&walk)) {
        if (begun && walk.now > since) {
            put_sample(outlet, column, *samples == 0, path, trc_ticks_since(since, before),
                       trc_ticks_since(walk.now, since));
            before = since;
            ++*samples;
        }
        since = begun && walk.now == since ? since : walk.now;
        begun = true;
        if (walk.begins) {
            uint32_t parent = walk.depth > 1 ? walk.stacks[walk.depth - 2] : 0;
            walk.stacks[walk.depth - 1] = path_of(paths, &contexts[drawing->node[walk.slice]], parent, walk.row);
            ready = walk.stacks[walk.depth - 1] != TRC_NO_PATH;
        }
        path = walk.depth > 0 ? walk.stacks[walk.depth - 1] : 0;
    }
    if (begun) {
        put_sample(outlet, column, *samples == 0, 0, trc_ticks_since(since, before), 0);
        ++*samples;
    }
    trc_walk_free(&walk);
    trc_free(paths->allocator, contexts);
    return ready ? drawn(outlet) : TRC_DRAWN_NO_MEMORY;
}

size_t trc_count_slices(const int64_t *start, const int64_t *end, size_t count, int64_t least)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += trc_ticks_since(end[i], start[i]) >= least;
    }
    return found;
}
