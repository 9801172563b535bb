/* The slices of a thread as the events of other tools: what begins when, inside what, and ends when. A slice is one
 * stretch of a call. This file knows how each tool wants its numbers; names come as pieces of text, one a row, that are
 * put beside the numbers as they are. */
#ifndef TRC_TRACE_EXPORT_H
#define TRC_TRACE_EXPORT_H

#include "core/base/clock.h"
#include "core/report/buffered_writer.h"
#include "core/report/paths.h"

#define TRC_NOT_EXPORTED UINT32_MAX

typedef struct trc_piece {
    const char *bytes; /* borrowed */
    size_t length;
} trc_piece;

/* All arrays are borrowed. The slices are in preorder, a caller before its callees. */
typedef struct trc_trace_export {
    size_t count;
    const int64_t *start; /* in ticks */
    const int64_t *end;
    const uint32_t *node;
    const uint32_t *depth;
    const int32_t *parent; /* a position, -1: none */
    const int64_t *value;  /* of a call: 1, the call had not ended */

    /* Node 0 is no call: its slices are gaps, in which the thread had no CPU. */
    uint32_t node_count;
    const uint32_t *row_of; /* of each node; TRC_NOT_EXPORTED: left out */
    uint32_t row_count;
    const uint8_t *in_c; /* of each row: whether the function is written in C */
    bool with_gaps;      /* then pieces[row_count] is of a gap in Python, the next one of a gap in C */

    /* One piece a row. What `others` are for is said where they are used. */
    const trc_piece *pieces;
    const trc_piece *others;

    double ns_per_tick;
    int64_t shift;  /* ns that all moments are moved by */
    trc_tick first; /* what is outside of first ... last is cut off */
    trc_tick last;
} trc_trace_export;

/* The moment in nanoseconds, rounded as round() does in Python. */
int64_t trc_trace_export_ns(const trc_trace_export *export, trc_tick tick);

/* The row of a slice, TRC_NOT_EXPORTED, or row_count and row_count + 1 for gaps. */
uint32_t trc_trace_export_row(const trc_trace_export *export, size_t slice);

/* The beginnings and ends of the slices, in order of time: an end never comes before what is inside, and time never
 * goes back. */
typedef struct trc_walk {
    const trc_trace_export *export;
    const trc_allocator *allocator;
    size_t next;
    size_t depth;     /* how many slices are open */
    size_t *open;     /* their positions, outermost first */
    uint32_t *rows;   /* their rows */
    uint32_t *stacks; /* their calling contexts, if the caller of trc_walk_next() notes any */
    int64_t now;      /* the moment of the last step, in ns */
    bool begins;      /* whether the last step began a slice: the top one of `open` */
    size_t slice;     /* what the last step began or ended */
    uint32_t row;
} trc_walk;

/* False when memory is out. The walk must be freed either way. */
bool trc_walk_init(trc_walk *walk, const trc_trace_export *export, const trc_allocator *allocator);
void trc_walk_free(trc_walk *walk);

/* Goes one step. False: there is none. */
bool trc_walk_next(trc_walk *walk);

typedef enum trc_exported {
    TRC_EXPORTED,
    TRC_EXPORTED_NO_MEMORY,
    TRC_EXPORTED_NOT_TAKEN, /* the writer failed */
} trc_exported;

/* Chrome's trace events: a complete event ("X") for each slice, a line each. A piece begins the object and has no
 * closing brace. */
trc_exported trc_export_chrome(const trc_trace_export *export, trc_buffered_writer *writer);

/* Perfetto's packets: one where a slice begins, one where it ends, on the sequence of this number, whose clock is
 * incremental and shows `base` ns. `pieces` are the fields of a TrackEvent that begins; `others` the same for slices of
 * a microsecond or more. */
trc_exported trc_export_perfetto(const trc_trace_export *export, trc_buffered_writer *writer,
                                 const trc_allocator *allocator, uint32_t sequence, int64_t base);

/* speedscope's events: `pieces` open a frame, `others` close it; the moment and a brace follow. Tells the moment of the
 * last event, and for how long any frame was open. */
trc_exported trc_export_speedscope(const trc_trace_export *export, trc_buffered_writer *writer,
                                   const trc_allocator *allocator, int64_t *last, int64_t *busy);

/* The Firefox Profiler's samples, one for each stretch of time in which the stack stays the same: their stacks, the time
 * from the sample before to them, or how long they last; in milliseconds. The last one is empty. Each call writes one
 * column of the table, and makes the same `paths`: a stack's number is its position there less 1. */
typedef enum trc_sample_column { TRC_SAMPLE_STACKS, TRC_SAMPLE_DELTAS, TRC_SAMPLE_WEIGHTS } trc_sample_column;
trc_exported trc_export_samples(const trc_trace_export *export, trc_buffered_writer *writer, trc_paths *paths,
                                trc_sample_column column, size_t *samples);

/* How many slices last at least so many ticks. */
size_t trc_count_slices(const int64_t *start, const int64_t *end, size_t count, int64_t least);

#endif
