/* What a thread has recorded of the lines of one code object: a dense table, a record for each line that begins a
 * statement. Which line is which record is decided once for a code object, in its map, which threads share. */
#ifndef TRC_LINETAB_H
#define TRC_LINETAB_H

#include "core/base/clock.h"
#include "core/base/hash.h"

#include <stdbool.h>

/* The lines of a code object. */
typedef struct trc_linemap {
    int32_t first;      /* its first line */
    uint32_t count;     /* how many lines there are from there on */
    uint32_t row_count; /* records of a table */
    uint32_t *places;   /* owned, one a line: its row, times 2, plus 1 for a line that goes on with a statement */
    int32_t *lines;     /* owned, one a row: the line that it is about */
} trc_linemap;

/* A map of `count` lines from `first` on. `folds` says for each on which line its statement begins; what makes no sense
 * there is taken for a statement of its own, as all lines are when it is NULL. False when memory is out. */
bool trc_linemap_init(trc_linemap *map, const trc_allocator *allocator, int32_t first, uint32_t count,
                      const int32_t *folds);
void trc_linemap_free(trc_linemap *map, const trc_allocator *allocator);

typedef struct trc_line {
    uint64_t hits;
    trc_tick ticks;       /* while any activation was on it: with what it calls, and what recurses once */
    trc_tick c_ticks;     /* of these, while any was in a C callable that it calls */
    trc_tick own;         /* neither in those nor in Python functions that it calls; of all activations */
    trc_tick suspended;   /* while its generator or coroutine waited on this line */
    trc_tick cost;        /* what recording took of `ticks` */
    trc_tick since;       /* the end of what is in `ticks`, while somebody is on it */
    trc_tick c_since;     /* the end of what is in `c_ticks`, while somebody is in C */
    trc_tick cost_before; /* the thread's cost at `since` */
    uint32_t active;      /* activations that are on it now */
    uint32_t c_active;    /* of these, how many are in a C callable */
} trc_line;

typedef struct trc_linetab {
    const void *key;        /* of the code object */
    const trc_linemap *map; /* borrowed */
    trc_line *lines;        /* owned: map->row_count of them */
    UT_hash_handle hh;
} trc_linetab;

typedef struct trc_linetabs {
    const trc_allocator *allocator;
    trc_linetab *first; /* uthash head: by key */
} trc_linetabs;

void trc_linetabs_init(trc_linetabs *tables, const trc_allocator *allocator);
void trc_linetabs_free(trc_linetabs *tables);

/* The table of a code object, or NULL. */
trc_linetab *trc_linetabs_find(const trc_linetabs *tables, const void *key);

/* An empty table for a code object that has none yet. The map must outlive it. NULL when memory is out. */
trc_linetab *trc_linetabs_add(trc_linetabs *tables, const void *key, const trc_linemap *map);

#endif
