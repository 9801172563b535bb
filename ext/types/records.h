/* Captures as Python passes them: the packed records of threads, and the overhead of tracing. This file checks them;
 * sums.c and paths.c add them up. */
#ifndef TRC_RECORDS_H
#define TRC_RECORDS_H

#include "core/report/rollup.h"
#include "interp/compat.h"

#define TRC_KINDS 8 /* kinds of functions, at most */

/* The lists of records that a thread has, in the order of _core.RECORDS. */
enum {
    TRC_NODES,
    TRC_OVERFLOWS,
    TRC_OUTERMOST,
    TRC_FIRST_EXTRA,
    TRC_UNSEEN = TRC_FIRST_EXTRA + TRC_EXTRA_COUNT,
    TRC_NODE_WAITS,
    TRC_NODE_COLLECTIONS,
    TRC_LIST_COUNT
};

/* The keys of these lists in a profile file. */
extern const char *const trc_record_keys[TRC_LIST_COUNT];

/* New reference: the keys as a tuple, _core.RECORDS. */
PyObject *trc_record_keys_as_tuple(void);

typedef struct trc_costs {
    trc_compensation compensation; /* borrows from the objects that it was parsed from, and from `calls` */
    trc_call_costs calls[TRC_KINDS];
} trc_costs;

/* Parses costs. `given` is a compensation as for add_up(), `rows` has a uint32 a function, `scale` is the
 * seconds of a tick. 0, or -1 with an exception set. `costs` must not move afterwards. */
int trc_parse_costs(trc_costs *costs, PyObject *given, PyObject *rows, double scale);

/* Adds threads to a rollup: a tuple of threads, each a tuple of bytes in the order of _core.RECORDS. 0, or -1 with an
 * exception set. */
int trc_roll_up(trc_rollup *rollup, PyObject *threads, PyObject *rows);

#endif
