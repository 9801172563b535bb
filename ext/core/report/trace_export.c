/* The slices of a thread as the events of other tools: see trace_export.h. */
#include "core/report/trace_export.h"

#include "core/log/varint.h"

#include <string.h>

#define LONG_ENOUGH 1000 /* ns from which on a slice of Perfetto's has `others` */

static const char chrome_open[] = ",\"args\":{\"ended\":false}";
/* A DebugAnnotation (field 4): its name is "ended" (field 10), its bool_value (field 2) false. */
static const char perfetto_open[] = "\x22\x09\x52\x05"
                                    "ended\x10\x00";

int64_t trc_trace_export_ns(const trc_trace_export *export, trc_tick tick)
{
    trc_tick cut = tick < export->first ? export->first : tick > export->last ? export->last : tick;
    int64_t ns = export->ns_per_tick == 1.0 ? cut : trc_nearest((double)cut * export->ns_per_tick);
    return (int64_t)((uint64_t)ns + (uint64_t)export->shift);
}

static uint32_t row_of_node(const trc_trace_export *export, uint32_t node)
{
    uint32_t row = node < export->node_count ? export->row_of[node] : TRC_NOT_EXPORTED;
    return row < export->row_count ? row : TRC_NOT_EXPORTED;
}

uint32_t trc_trace_export_row(const trc_trace_export *export, size_t slice)
{
    if (export->node[slice] != 0) {
        return row_of_node(export, export->node[slice]);
    }
    if (!export->with_gaps) {
        return TRC_NOT_EXPORTED;
    }
    int32_t parent = export->parent[slice];
    uint32_t around =
        parent < 0 || (size_t)parent >= export->count ? TRC_NOT_EXPORTED : row_of_node(export, export->node[parent]);
    return export->row_count + (around != TRC_NOT_EXPORTED && export->in_c[around] ? 1 : 0);
}

static bool is_open(const trc_trace_export *export, size_t slice)
{
    return export->node[slice] != 0 && export->value[slice] == 1;
}

/* -- In order of time ------------------------------------------------------------------------------------------- */

bool trc_walk_init(trc_walk *walk, const trc_trace_export *export, const trc_allocator *allocator)
{
    memset(walk, 0, sizeof *walk);
    walk->export = export;
    walk->allocator = allocator;
    walk->now = INT64_MIN;
    size_t deepest = 0;
    for (size_t i = 0; i < export->count; i++) {
        deepest = export->depth[i] > deepest ? export->depth[i] : deepest;
    }
    /* What is open has ever greater depths, so there cannot be more of it; a damaged file may claim any depth. */
    size_t room = (deepest < export->count ? deepest : export->count) + 1;
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
    const trc_trace_export *export = walk->export;
    int64_t at = trc_trace_export_ns(export, begins ? export->start[slice] : export->end[slice]);
    walk->now = at > walk->now ? at : walk->now;
    walk->begins = begins;
    walk->slice = slice;
    walk->row = row;
}

bool trc_walk_next(trc_walk *walk)
{
    const trc_trace_export *export = walk->export;
    uint32_t row = TRC_NOT_EXPORTED;
    while (walk->next < export->count && (row = trc_trace_export_row(export, walk->next)) == TRC_NOT_EXPORTED) {
        walk->next++;
    }
    if (walk->depth > 0) {
        size_t top = walk->open[walk->depth - 1];
        if (walk->next == export->count || export->depth[top] >= export->depth[walk->next]) {
            walk->depth--;
            go_to(walk, top, walk->rows[walk->depth], false);
            return true;
        }
    }
    if (walk->next == export->count) {
        return false;
    }
    walk->open[walk->depth] = walk->next;
    walk->rows[walk->depth++] = row;
    go_to(walk, walk->next++, row, true);
    return true;
}

/* -- The formats ------------------------------------------------------------------------------------------------ */

static void put_piece(trc_buffered_writer *writer, const trc_piece *piece)
{
    trc_put(writer, piece->bytes, piece->length);
}

static trc_exported exported(trc_buffered_writer *writer)
{
    return trc_buffered_writer_flush(writer) ? TRC_EXPORTED : TRC_EXPORTED_NOT_TAKEN;
}

trc_exported trc_export_chrome(const trc_trace_export *export, trc_buffered_writer *writer)
{
    for (size_t i = 0; i < export->count && !writer->failed; i++) {
        uint32_t row = trc_trace_export_row(export, i);
        if (row == TRC_NOT_EXPORTED) {
            continue;
        }
        int64_t start = trc_trace_export_ns(export, export->start[i]),
                end = trc_trace_export_ns(export, export->end[i]);
        put_piece(writer, &export->pieces[row]);
        trc_put(writer, ",\"ts\":", 6);
        trc_put_thousandths(writer, start);
        trc_put(writer, ",\"dur\":", 7);
        trc_put_thousandths(writer, end > start ? trc_ticks_since(end, start) : 0);
        if (is_open(export, i)) {
            trc_put_text(writer, chrome_open);
        }
        trc_put(writer, "},\n", 3);
    }
    return exported(writer);
}

/* A field of a message, by its key and its value. Returns what follows it. */
static uint8_t *put_field(uint8_t *at, uint8_t key, uint64_t value)
{
    *at++ = key;
    return trc_put_varint(at, value);
}

/* A TracePacket of a Trace (field 1): timestamp (8), trusted_packet_sequence_id (10), track_event (11). It has no
 * sequence_flags, which would take 4 bytes a call: they are for traces of which a part was lost. */
static void put_packet(trc_buffered_writer *writer, uint64_t delta, uint32_t sequence, const char *type,
                       const trc_piece *piece, bool open)
{
    uint8_t head[3 * (1 + TRC_LONGEST_VARINT)], outer[1 + TRC_LONGEST_VARINT];
    size_t extra = open ? sizeof perfetto_open - 1 : 0, event = 2 + piece->length + extra;
    uint8_t *end = put_field(put_field(put_field(head, 0x40, delta), 0x50, sequence), 0x5a, event);
    size_t length = (size_t)(end - head);
    trc_put(writer, (const char *)outer, (size_t)(put_field(outer, 0x0a, length + event) - outer));
    trc_put(writer, (const char *)head, length);
    trc_put(writer, type, 2);
    put_piece(writer, piece);
    trc_put(writer, perfetto_open, extra);
}

trc_exported trc_export_perfetto(const trc_trace_export *export, trc_buffered_writer *writer,
                                 const trc_allocator *allocator, uint32_t sequence, int64_t base)
{
    static const trc_piece nothing = {"", 0};
    trc_walk walk;
    bool ready = trc_walk_init(&walk, export, allocator);
    walk.now = base;
    for (int64_t before = base; ready && !writer->failed && trc_walk_next(&walk); before = walk.now) {
        uint64_t delta = (uint64_t)walk.now - (uint64_t)before;
        if (!walk.begins) {
            put_packet(writer, delta, sequence, "\x48\x02", &nothing, false);
            continue;
        }
        int64_t end = trc_trace_export_ns(export, export->end[walk.slice]);
        bool is_long = end > walk.now && (uint64_t)end - (uint64_t)walk.now >= LONG_ENOUGH;
        put_packet(writer, delta, sequence, "\x48\x01", &(is_long ? export->others : export->pieces)[walk.row],
                   is_open(export, walk.slice));
    }
    trc_walk_free(&walk);
    return ready ? exported(writer) : TRC_EXPORTED_NO_MEMORY;
}

trc_exported trc_export_speedscope(const trc_trace_export *export, trc_buffered_writer *writer,
                                   const trc_allocator *allocator, int64_t *last, int64_t *busy)
{
    trc_walk walk;
    bool ready = trc_walk_init(&walk, export, allocator);
    *last = *busy = 0;
    for (bool again = false; ready && !writer->failed && trc_walk_next(&walk); again = true) {
        trc_put(writer, ",", again);
        put_piece(writer, &(walk.begins ? export->pieces : export->others)[walk.row]);
        trc_put_number(writer, walk.now);
        trc_put(writer, "}", 1);
        /* The outermost frame counts from its beginning to its end. */
        if (walk.depth == walk.begins) {
            trc_add_ticks(busy, walk.begins ? trc_ticks_since(0, walk.now) : walk.now);
        }
        *last = walk.now;
    }
    trc_walk_free(&walk);
    return ready ? exported(writer) : TRC_EXPORTED_NO_MEMORY;
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
static void put_milliseconds(trc_buffered_writer *writer, int64_t ns)
{
    trc_put_number(writer, ns);
    if (ns != 0) {
        trc_put(writer, "e-6", 3);
    }
}

static void put_sample(trc_buffered_writer *writer, trc_sample_column column, bool first, uint32_t path, int64_t delta,
                       int64_t weight)
{
    trc_put(writer, ",", !first);
    if (column == TRC_SAMPLE_DELTAS) {
        put_milliseconds(writer, delta);
    }
    else if (column == TRC_SAMPLE_WEIGHTS) {
        put_milliseconds(writer, weight);
    }
    else if (path == 0) {
        trc_put(writer, "null", 4);
    }
    else {
        trc_put_number(writer, path - 1);
    }
}

trc_exported trc_export_samples(const trc_trace_export *export, trc_buffered_writer *writer, trc_paths *paths,
                                trc_sample_column column, size_t *samples)
{
    trc_walk walk;
    context *contexts = trc_alloc(paths->allocator, export->node_count * sizeof *contexts);
    bool ready = trc_walk_init(&walk, export, paths->allocator) && contexts != NULL;
    for (uint32_t i = 0; ready && i < export->node_count; i++) {
        contexts[i].parent = TRC_NO_PATH;
    }
    int64_t since = 0, before = 0; /* of the stack that runs, and of the sample before */
    uint32_t path = 0;
    bool begun = false;
    *samples = 0;
    while (ready && !writer->failed && trc_walk_next(&walk)) {
        if (begun && walk.now > since) {
            put_sample(writer, column, *samples == 0, path, trc_ticks_since(since, before),
                       trc_ticks_since(walk.now, since));
            before = since;
            ++*samples;
        }
        since = begun && walk.now == since ? since : walk.now;
        begun = true;
        if (walk.begins) {
            uint32_t parent = walk.depth > 1 ? walk.stacks[walk.depth - 2] : 0;
            walk.stacks[walk.depth - 1] = path_of(paths, &contexts[export->node[walk.slice]], parent, walk.row);
            ready = walk.stacks[walk.depth - 1] != TRC_NO_PATH;
        }
        path = walk.depth > 0 ? walk.stacks[walk.depth - 1] : 0;
    }
    if (begun) {
        put_sample(writer, column, *samples == 0, 0, trc_ticks_since(since, before), 0);
        ++*samples;
    }
    trc_walk_free(&walk);
    trc_free(paths->allocator, contexts);
    return ready ? exported(writer) : TRC_EXPORTED_NO_MEMORY;
}

size_t trc_count_slices(const int64_t *start, const int64_t *end, size_t count, int64_t least)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += trc_ticks_since(end[i], start[i]) >= least;
    }
    return found;
}
