/* Which code a Profile is to look at: what its paths include and do not exclude. A verdict is made once for each code
 * object, by the file that it comes from, and then found in a table. What becomes of events in code that is left out is
 * the bus's business. */
#ifndef TRC_FOCUS_H
#define TRC_FOCUS_H

#include "interp/live_frames.h"

#include "core/base/hash.h"

typedef struct trc_verdict {
    PyCodeObject *code; /* owned: its address stays its; NULL of an empty slot */
    bool in;
} trc_verdict;

/* An open hash table, at most half full. */
typedef struct trc_verdicts {
    trc_verdict *slots; /* owned */
    uint32_t slot_count;
    uint32_t count;
} trc_verdicts;

/* The slot of the code, or the empty one where it belongs, in a table that has slots. */
static inline trc_verdict *trc_verdict_slot(const trc_verdicts *table, const PyCodeObject *code)
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
typedef struct trc_focus {
    PyObject *paths;   /* owned: the pair (include, exclude) that it was made of, of str */
    PyObject *encoded; /* owned: all four, of bytes, as the file system has them */
    trc_verdicts verdicts;
    uint64_t number; /* of these verdicts, for who asks: 0 until it is given one, and again when they are forgotten */
} trc_focus;

/* Code that an event happens in, to ask any number of focuses about. */
typedef struct trc_place {
    PyCodeObject *code;
    PyFrameObject *frame; /* that runs it; NULL: the one that runs now */
    bool is_wanted;       /* it is in a focus that was asked, or somebody has none */
    bool is_new;          /* a focus that was asked had no verdict yet */
} trc_place;

/* All are tuples of str: resolved paths of files and folders, in which a `*` stands for any characters. NULL with an
 * exception set. */
trc_focus *trc_focus_new(PyObject *include, PyObject *exclude, PyObject *own, PyObject *own_but);
void trc_focus_free(trc_focus *focus);

/* The verdict on the code; NULL when there is none yet. */
static inline const trc_verdict *trc_focus_find(const trc_focus *focus, const PyCodeObject *code)
{
    const trc_verdicts *table = &focus->verdicts;
    if (table->slot_count == 0) {
        return NULL;
    }
    const trc_verdict *verdict = trc_verdict_slot(table, code);
    return verdict->code == NULL ? NULL : verdict;
}

/* Whether the place's code is in. Code is where the file is that it was compiled from; what was not compiled from a file
 * (its name is in angle brackets) is where the module is in whose namespace it runs when it is first seen, or nowhere.
 * Runs no Python code. */
bool trc_focus_has(trc_focus *focus, trc_place *place);

/* What a thread runs already, of that what is in; all of it without a focus. See trc_live_frames_take(). */
trc_live_frames trc_focus_take_live_frames(trc_focus *focus, PyThreadState *thread);

/* Forgets all verdicts of a focus, if there is one: lets go of the code, which may run code. */
void trc_focus_forget(trc_focus *focus);

#endif
