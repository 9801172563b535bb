/* Where live objects were allocated, as Python values: find_origins() and find_origin(), and what count_objects() tells of
 * it. Told while memory is recorded. */
#ifndef TRC_TYPES_ORIGINS_H
#define TRC_TYPES_ORIGINS_H

#include "core/heap/origins.h"
#include "heapwalk/heap_walk.h"
#include "recorders/site_resolution.h"
#include "types/state.h"

/* A walk over live objects while memory is recorded, or while it is not. */
typedef struct trc_remembrance {
    const trc_recorder *recorder; /* that records memory; NULL: nobody does */
    bool was_suppressed;          /* whether its allocations were suppressed before the walk */
    const trc_line_recorder *lines;
} trc_remembrance;

/* Between these two what the calling thread allocates is nobody's. Returns whether memory is recorded. No code of the
 * program may run in between. */
bool trc_remembrance_begin(trc_remembrance *remembrance, PyObject *module);
void trc_remembrance_end(const trc_remembrance *remembrance);

/* What a walk asks for the site of a block; NULL where memory is not recorded. */
trc_site_of_block trc_remembrance_finder(const trc_remembrance *remembrance);

/* New reference: a list of what row_of(origin, place) returns, new references too, for each of these. A place is a tuple

       (file, first line of the function, its name, its qualified name, line)

   with line 0 where no lines are recorded; or None. NULL with an exception set. */
PyObject *trc_origin_rows(const trc_remembrance *remembrance, const trc_origins *origins,
                          PyObject *(*row_of)(const trc_origin *origin, PyObject *place));

extern const char trc_find_origins_doc[];
PyObject *trc_find_origins(PyObject *module, PyObject *name);

extern const char trc_find_origin_doc[];
PyObject *trc_find_origin(PyObject *module, PyObject *object);

#endif
