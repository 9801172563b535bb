/* Which code a Profile is to look at: what its paths include and do not exclude. A decision is made once for each code
 * object, by the file that it comes from, and then found in a table. What becomes of events in code that is left out is
 * the bus's business. */
#ifndef TRC_FILTER_H
#define TRC_FILTER_H

#include "interp/live_frames.h"

#include "core/base/hash.h"

typedef struct trc_decision {
    PyCodeObject *code; /* owned: its address stays its; NULL of an empty slot */
    bool in;
} trc_decision;

/* An open hash table, at most half full. */
typedef struct trc_decisions {
    trc_decision *slots; /* owned */
    uint32_t slot_count;
    uint32_t count;
} trc_decisions;

/* The slot of the code, or the empty one where it belongs, in a table that has slots. */
static inline trc_decision *trc_decision_slot(const trc_decisions *table, const PyCodeObject *code)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t slot = trc_hash((uintptr_t)code) & mask;
    while (table->slots[slot].code != NULL && table->slots[slot].code != code) {
        slot = (slot + 1) & mask;
    }
    return &table->slots[slot];
}

/* Tuples of paths: what is included, unless there is nothing, and what is not; then what is included but for a part of
 * it, and that part, which `include` may have again. */
typedef struct trc_filter {
    PyObject *paths;   /* owned: the pair (include, exclude) that it was made of, of str */
    PyObject *encoded; /* owned: all four, of bytes, as the file system has them */
    trc_decisions decisions;
    uint64_t number; /* of these decisions, for who asks: 0 until it is given one, and again when they are forgotten */
} trc_filter;

/* Code that an event happens in, to ask any number of filters about. */
typedef struct trc_code_site {
    PyCodeObject *code;
    PyFrameObject *frame; /* that runs it; NULL: the one that runs now */
    bool is_wanted;       /* it is in a filter that was asked, or somebody has none */
    bool is_new;          /* a filter that was asked had no decision yet */
} trc_code_site;

/* All are tuples of str: resolved paths of files and folders, in which a `*` stands for any characters. NULL with an
 * exception set. */
trc_filter *trc_filter_new(PyObject *include, PyObject *exclude, PyObject *own, PyObject *own_but);
void trc_filter_free(trc_filter *filter);

/* The decision on the code; NULL when there is none yet. */
static inline const trc_decision *trc_filter_find(const trc_filter *filter, const PyCodeObject *code)
{
    const trc_decisions *table = &filter->decisions;
    if (table->slot_count == 0) {
        return NULL;
    }
    const trc_decision *decision = trc_decision_slot(table, code);
    return decision->code == NULL ? NULL : decision;
}

/* Whether the site's code is in. Code is where the file is that it was compiled from; what was not compiled from a file
 * (its name is in angle brackets) is where the module is in whose namespace it runs when it is first seen, or nowhere.
 * Runs no Python code. */
bool trc_filter_has(trc_filter *filter, trc_code_site *site);

/* What a thread runs already, of that what is in; all of it without a filter. See trc_live_frames_take(). */
trc_live_frames trc_filter_take_live_frames(trc_filter *filter, PyThreadState *thread);

/* Forgets all decisions of a filter, if there is one: lets go of the code, which may run code. */
void trc_filter_forget(trc_filter *filter);

#endif
