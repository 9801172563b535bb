/* The figures of functions and edges. Beyond its trc_figures, a function has ticks that edges have not: its *extras*.
 * TRC_EXTRAS lists them; the code that copies, keeps, adds up and shows extras follows that list. Where each extra is
 * measured is not in here. */
#ifndef TRC_FIGURES_H
#define TRC_FIGURES_H

#include "core/base/clock.h"

/* The figures of a function or an edge: all calls and resumes, the outermost (primitive) ones among them, and ticks. */
typedef struct trc_figures {
    uint64_t calls;
    uint64_t resumes;
    uint64_t primitive_calls;
    uint64_t primitive_resumes;
    trc_tick self;
    trc_tick cumulative; /* of the outermost activations only, so that recursion is not counted twice */
} trc_figures;

/* How the values of one extra are merged over activations, functions and threads. TRC_WITH_LARGEST: it comes with the
 * largest value of the extra before it in the list. */
typedef enum trc_merge { TRC_SUM, TRC_LARGEST, TRC_WITH_LARGEST } trc_merge;

/* Constant; name of the field in getstats(); key of the records in a profile file; merge; text of the field. */
#define TRC_EXTRAS(X)                                                                                         \
    X(TRC_SUSPENDED, "suspended", "waits", TRC_SUM,                                                           \
      "how long its generators or coroutines were suspended until they went on, in seconds")                  \
    X(TRC_WAITED, "waited", "waited", TRC_SUM, "how much of its own time its thread did not run, in seconds") \
    X(TRC_LONGEST, "longest", "longest", TRC_LARGEST,                                                         \
      "the longest stretch from a call or resume to its end, in seconds")                                     \
    X(TRC_LONGEST_AT, "longest_at", "longest_at", TRC_WITH_LARGEST,                                           \
      "when that stretch began, in seconds since recording began")

#define TRC_CONSTANT_OF_EXTRA(constant, name, key, merge, doc) constant,
typedef enum trc_extra { TRC_EXTRAS(TRC_CONSTANT_OF_EXTRA) TRC_EXTRA_COUNT } trc_extra;

typedef struct trc_extra_traits {
    const char *name;
    const char *key;
    trc_merge merge;
    const char *doc;
} trc_extra_traits;

static inline const trc_extra_traits *trc_traits_of(trc_extra extra)
{
#define TRC_TRAITS_OF_EXTRA(constant, name, key, merge, doc) {name, key, merge, doc},
    static const trc_extra_traits traits[] = {TRC_EXTRAS(TRC_TRAITS_OF_EXTRA)};
    return &traits[extra];
}

/* Merges a measured value into one extra of a function or a row, by the rule in the list. `with`: the value of the
 * extra that comes with it, if one does. Those have no turn of their own. */
static inline void trc_add_extra(trc_tick extras[TRC_EXTRA_COUNT], trc_extra extra, trc_tick more, trc_tick with)
{
    trc_merge merge = trc_traits_of(extra)->merge;
    if (merge == TRC_SUM) {
        trc_add_ticks(&extras[extra], more);
    }
    else if (merge == TRC_LARGEST && more > extras[extra]) {
        extras[extra] = more;
        if (extra + 1 < TRC_EXTRA_COUNT && trc_traits_of(extra + 1)->merge == TRC_WITH_LARGEST) {
            extras[extra + 1] = with;
        }
    }
}

#endif
