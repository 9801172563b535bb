/* Which code a Profile looks at: the code that its paths include and do not exclude. The filter decides once for each
 * file, and keeps the decision on each code object in a table. The dispatcher decides what becomes of events in code that is
 * left out. */
#ifndef TRC_FILTER_H
#define TRC_FILTER_H

#include "interp/live_frames.h"

#include "core/base/hash.h"

typedef struct trc_decision {
    PyCodeObject *code; /* owned, so that its address stays its own; NULL: an empty slot */
    bool in;
} trc_decision;

/* An open hash table, at most half full. */
typedef struct trc_decisions {
    trc_decision *slots; /* owned */
    uint32_t slot_count;
    uint32_t count;
} trc_decisions;

/* Returns the slot of the code, or the empty slot where it belongs. The table must have slots. */
static inline trc_decision *trc_decision_slot(const trc_decisions *table, const PyCodeObject *code)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t slot = trc_hash((uintptr_t)code) & mask;
    while (table->slots[slot].code != NULL && table->slots[slot].code != code) {
        slot = (slot + 1) & mask;
    }
    return &table->slots[slot];
}

/* A filter is made of four tuples of paths. Code of `include` is in, and code of `own` that is not of `own_but`; all
 * code is, when `include` and `own` are empty. Code of `exclude` is never in. */
typedef struct trc_filter {
    PyObject *paths;   /* owned: the pair (include, exclude) of tuples of str */
    PyObject *encoded; /* owned: all four tuples, of bytes, as the file system has the paths */
    PyObject *files;   /* owned: a dict of decisions, True or False, by absolute names of files */
    trc_decisions decisions;
    uint64_t number; /* names these decisions; 0 until a source gives a number, and again once they are forgotten */
} trc_filter;

/* The code in which an event happens, to ask any number of filters about. */
typedef struct trc_code_site {
    PyCodeObject *code;
    PyFrameObject *frame; /* the frame that runs it; NULL: the running frame */
    bool is_wanted;       /* it is in a filter that was asked, or a recorder has no filter */
    bool is_new;          /* a filter that was asked had no decision yet, and has one now */
} trc_code_site;

/* Makes a filter of four tuples of str: resolved paths of files and folders, in which a `*` stands for any characters.
 * Returns NULL with an exception set on failure. The caller frees the filter. */
trc_filter *trc_filter_new(PyObject *include, PyObject *exclude, PyObject *own, PyObject *own_but);
void trc_filter_free(trc_filter *filter);

/* Returns the decision on the code, or NULL when there is none yet. */
static inline const trc_decision *trc_filter_find(const trc_filter *filter, const PyCodeObject *code)
{
    const trc_decisions *table = &filter->decisions;
    if (table->slot_count == 0) {
        return NULL;
    }
    const trc_decision *decision = trc_decision_slot(table, code);
    return decision->code == NULL ? NULL : decision;
}

/* Whether the site's code is in. Code compiled from a file is where the file is. Other code (its file name is in angle
 * brackets) is where the module is whose namespace it runs in when it is first seen, or nowhere. Runs no Python
 * code. */
bool trc_filter_has(trc_filter *filter, trc_code_site *site);

/* The same of code of which only the name of its file is known: such of no file is in where nothing is included. */
bool trc_filter_has_file(const trc_filter *filter, PyObject *name);

/* Returns the frames that a thread runs already and that are in; without a filter, all of them. See
 * trc_live_frames_take(). */
trc_live_frames trc_filter_take_live_frames(trc_filter *filter, PyThreadState *thread);

/* Forgets all decisions of a filter (or NULL). That releases code objects, which may run code. */
void trc_filter_forget(trc_filter *filter);

#endif
