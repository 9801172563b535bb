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

/* How the values of one extra are merged over activations, functions and threads. */
typedef enum trc_merge { TRC_SUM, TRC_LARGEST } trc_merge;

/* Constant; name of the field in getstats(); key of the records in a profile file; merge; text of the field. */
#define TRC_EXTRAS(X)                               \
    X(TRC_SUSPENDED, "suspended", "waits", TRC_SUM, \
      "how long its generators or coroutines were suspended until they went on, in seconds")

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

static inline void trc_merge_ticks(trc_tick *known, trc_tick more, trc_merge merge)
{
    if (merge == TRC_SUM) {
        trc_add_ticks(known, more);
    }
    else if (more > *known) {
        *known = more;
    }
}

/* Merges a measured value into one extra of a function or a row, by the rule in the list. */
static inline void trc_add_extra(trc_tick extras[TRC_EXTRA_COUNT], trc_extra extra, trc_tick more)
{
    trc_merge_ticks(&extras[extra], more, trc_traits_of(extra)->merge);
}

#endif
