/* The calls of functions written in Python, and the hits of lines, counted as far as an allowance goes: how often each function
 * began, and by whom it was called. A function, or a line, whose events are too dear is *silenced*: from then on it is not
 * told of any more, and its count is "at least". */
#ifndef TRC_STARTS_H
#define TRC_STARTS_H

#include "core/base/hash.h"
#include "core/samples/allowance.h"
#include "core/tree/functab.h"

#define TRC_NO_CALLER UINT32_MAX

/* A function. */
typedef struct trc_start_count {
    uint64_t key; /* the address of its code object, which its function keeps alive */
    const trc_func *func;
    uint64_t calls;
    uint64_t elsewhere; /* events that are not counted, of threads that are not recorded */
    uint64_t told;      /* of both, when it was decided last who is silenced */
    bool is_silent;
    struct trc_start_edge *latest; /* from the caller of the latest call */
    enum { TRC_LINES_UNKNOWN, TRC_LINES_COUNTED, TRC_LINES_SILENT, TRC_LINES_LEFT_OUT } lines;
    UT_hash_handle hh;
} trc_start_count;

/* Calls of a function by another. */
typedef struct trc_start_edge {
    uintptr_t caller_code;         /* 0: none */
    uint64_t key;                  /* ids of caller, or TRC_NO_CALLER, and callee */
    const trc_start_count *caller; /* NULL: the call came from no Python code */
    uint64_t calls;
    UT_hash_handle hh;
} trc_start_edge;

/* A line of a function. */
typedef struct trc_line_hits {
    uint64_t key; /* id of the function, and the line */
    uint64_t hits;
    uint64_t elsewhere;
    uint64_t told;
    bool is_silent;
    UT_hash_handle hh;
} trc_line_hits;

/* Where functions, callers, and lines are found at once. */
#define TRC_START_PLACES 1024

typedef struct trc_starts {
    trc_start_count *places[TRC_START_PLACES]; /* by the address of code: the one that was found there last, or NULL */
    const trc_allocator *allocator;
    trc_start_count *counts; /* uthash head */
    trc_start_edge *edges;   /* uthash head */
    trc_start_edge *edge_places[TRC_START_PLACES];
    trc_line_hits *line_places[TRC_START_PLACES];
    trc_line_hits *lines; /* uthash head */
    trc_allowance allowance;
} trc_starts;

void trc_starts_init(trc_starts *starts, const trc_allocator *allocator, double share, int64_t cpu);
void trc_starts_free(trc_starts *starts);

/* Returns the record of a function, or NULL. latest: only where it was looked for just now. */
trc_start_count *trc_starts_find(trc_starts *starts, const void *code);
static inline trc_start_count *trc_starts_latest(const trc_starts *starts, const void *code)
{
    trc_start_count *count = starts->places[(uintptr_t)code >> 4 & (TRC_START_PLACES - 1)];
    return count != NULL && count->key == (uintptr_t)code ? count : NULL;
}

/* Adds one that has none. Returns NULL when memory is out. */
trc_start_count *trc_starts_add(trc_starts *starts, const trc_func *func);

/* Counts a call, by code that is `caller`; NULL: by none. Returns false when memory is out. */
bool trc_starts_count(trc_starts *starts, trc_start_count *callee, const trc_start_count *caller);

/* Where calls of a function by the code at this address were counted last, or others. */
static inline trc_start_edge **trc_starts_edge_place(trc_starts *starts, const trc_start_count *callee,
                                                     uintptr_t caller)
{
    return &starts->edge_places[(caller >> 4 ^ callee->key >> 9) & (TRC_START_PLACES - 1)];
}

/* Counts a call by the code at this address, which has called before; 0: by none. Returns false, and counts nothing, where that
 * is not at hand. */
static inline bool trc_starts_count_again(trc_starts *starts, trc_start_count *callee, uintptr_t caller)
{
    trc_start_edge *edge = callee->latest;
    if (edge == NULL || edge->caller_code != caller) {
        edge = *trc_starts_edge_place(starts, callee, caller);
        if (edge == NULL || edge->caller_code != caller || (uint32_t)edge->key != callee->func->id) {
            return false;
        }
        callee->latest = edge;
    }
    edge->calls++;
    callee->calls++;
    return true;
}

/* A line of a function hits. Returns its record, or NULL when memory is out. latest: only where it was looked for just
 * now. */
trc_line_hits *trc_starts_line(trc_starts *starts, const trc_start_count *of, int32_t line);
static inline uint64_t trc_line_key(const trc_start_count *of, int32_t line)
{
    return (uint64_t)of->func->id << 32 | (uint32_t)line;
}

static inline trc_line_hits *trc_starts_latest_line(const trc_starts *starts, uint64_t key)
{
    trc_line_hits *hits = starts->line_places[(key ^ key >> 27) & (TRC_START_PLACES - 1)];
    return hits != NULL && hits->key == key ? hits : NULL;
}

/* Silences all lines of a function, if they are counted. */
void trc_starts_silence_lines(trc_starts *starts, uint64_t code);

/* Silences the dearest functions and lines, at this CPU time of the process. When memory is out, all of them. */
void trc_starts_silence(trc_starts *starts, int64_t cpu);

#endif
