/* What a thread has recorded of the lines of one code object: a dense table with a record for each line that begins a
 * statement. The code object's map says which line has which record. It is made once, and threads share it. */
#ifndef TRC_LINETAB_H
#define TRC_LINETAB_H

#include "core/base/clock.h"
#include "core/base/cpu_split.h"
#include "core/base/hash.h"

#include <stdbool.h>

/* The lines of a code object. */
typedef struct trc_linemap {
    int32_t first;      /* its first line */
    uint32_t count;     /* how many lines there are from there on */
    uint32_t row_count; /* records of a table */
    uint32_t *places;   /* owned, one a line: its row times 2, plus 1 for a line that continues a statement */
    int32_t *lines;     /* owned, one a row: its line */
} trc_linemap;

/* Makes a map of `count` lines from `first` on. `first_lines` gives for each line the line on which its statement
 * begins. A line whose entry makes no sense is a statement of its own, and so is every line when `first_lines` is NULL. Returns
 * false when memory is out. */
bool trc_linemap_init(trc_linemap *map, const trc_allocator *allocator, int32_t first, uint32_t count,
                      const int32_t *first_lines);
void trc_linemap_free(trc_linemap *map, const trc_allocator *allocator);

typedef struct trc_line {
    uint64_t hits;
    trc_tick ticks;       /* while any activation was on it, callees included; recursion counts once */
    trc_tick c_ticks;     /* of `ticks`, while any activation was in a C callable that the line calls */
    trc_tick own;         /* of all activations, without C callables and Python callees */
    trc_tick suspended;   /* while a generator or coroutine was suspended on this line */
    trc_tick waited;      /* of `ticks`, while the thread did not run, but not in callees whose lines are timed */
    trc_tick cost;        /* the overhead of recording in `ticks` */
    trc_tick since;       /* up to when `ticks` counts, while an activation is on it */
    trc_tick c_since;     /* up to when `c_ticks` counts, while an activation is in C */
    trc_tick cost_before; /* the thread's cost at `since` */
    uint32_t active;      /* activations that are on it now */
    uint32_t c_active;    /* how many of them are in a C callable */
    uint64_t resident;    /* with memory: the most resident memory of the process when it was left, or 0 */
    trc_cpu_split cpu;    /* with native samples: of those that fell while it was the innermost line */
    uint32_t number;      /* among all lines of the thread, from 1 on */
    uint32_t reserved;
} trc_line;

typedef struct trc_linetab {
    const void *key;        /* of the code object */
    const trc_linemap *map; /* borrowed */
    trc_line *lines;        /* owned: map->row_count of them */
    UT_hash_handle hh;
} trc_linetab;

typedef struct trc_linetabs {
    const trc_allocator *allocator;
    trc_linetab *first;  /* uthash head: by key */
    uint32_t line_count; /* of all tables */
} trc_linetabs;

void trc_linetabs_init(trc_linetabs *tables, const trc_allocator *allocator);
void trc_linetabs_free(trc_linetabs *tables);

/* Returns the table of a code object, or NULL. */
trc_linetab *trc_linetabs_find(const trc_linetabs *tables, const void *key);

/* Adds an empty table for a code object that has none. The map must outlive the table. Returns NULL when memory is
 * out. */
trc_linetab *trc_linetabs_add(trc_linetabs *tables, const void *key, const trc_linemap *map);

#endif
