/* A walk over all live objects, which meets each once: those that the garbage collector tracks, what the frames that run
 * hold, and all that these refer to, such as ints and strings. It runs no code of the program, makes no object that is
 * tracked, and takes its memory from the system. */
#ifndef TRC_HEAP_WALK_H
#define TRC_HEAP_WALK_H

#include "core/heap/address_bitmap.h"
#include "core/heap/origins.h"
#include "core/heap/worklist.h"
#include "heapwalk/type_table.h"

#define TRC_SIZE_CLASSES 64

typedef struct trc_size_class {
    uint64_t count;
    uint64_t bytes;
} trc_size_class;

/* Returns the site that allocated a live block of memory, or 0 where that is not known. */
typedef uint32_t (*trc_site_of_block)(const void *block);

typedef struct trc_heap_walk {
    trc_type_table types;
    trc_size_class sizes[TRC_SIZE_CLASSES]; /* [n]: the objects of more than 2^(n-1) and at most 2^n bytes */
    trc_bitmap bitmap;
    trc_worklist waiting;      /* objects whose references are still to be followed */
    PyTypeObject *left_out;    /* objects of this type, and of its subtypes, are passed over; or NULL */
    trc_type_choice choose;    /* of the types to be found or counted, or NULL: all are counted */
    void *context;             /* of `choose` */
    trc_site_of_block site_of; /* or NULL: origins are not counted */
    trc_origins origins;       /* of what is counted; a kind is a type */
    PyObject **found;          /* not owned: room for `limit` objects of the types chosen; NULL: these are counted */
    size_t limit;
    size_t found_count;
    bool
        is_sample; /* `found` becomes a sample of all such objects: each is as likely to be in it. Else they are the first */
    uint64_t met;    /* of a sample: such objects so far */
    uint64_t chance; /* of a sample: the latest random number */
    bool is_out_of_memory;
} trc_heap_walk;

/* Readies a walk that counts: the types that `choose` is true for, or all types. With `site_of` it also counts how many
 * objects of each type each site has allocated. `left_out`: borrowed, or NULL. */
void trc_heap_walk_init(trc_heap_walk *walk, const trc_pages *pages, PyTypeObject *left_out, trc_type_choice choose,
                        void *context, trc_site_of_block site_of);

/* Readies a walk that finds up to `limit` objects of the types that `choose` is true for. `found` has room for these,
 * and stays the caller's. */
void trc_heap_walk_init_finding(trc_heap_walk *walk, const trc_pages *pages, PyTypeObject *left_out,
                                trc_type_choice choose, void *context, PyObject **found, size_t limit);

/* Walks. The objects that are found get no reference: nothing may run before the caller has taken those. 0, or -1 with an
 * exception set. The caller holds off the garbage collector, and frees the walk in either case. */
int trc_heap_walk_take(trc_heap_walk *walk);

void trc_heap_walk_free(trc_heap_walk *walk);

#endif
