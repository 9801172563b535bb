/* The side lists of a timeline: what the program says of itself (ranges, marks, counters, flows), garbage collections
 * and forks. Each list has a budget of its own, and is never thinned. annotating.h says when notes are made; what is traced
 * is not in here. */
#ifndef TRC_NOTES_H
#define TRC_NOTES_H

#include "core/base/clock.h"
#include "interp/compat.h"

/* How many notes a list holds, and how many characters the texts of all lists; what comes after them is counted as
 * dropped. */
#define TRC_NOTE_LIMIT 262144
#define TRC_NOTE_TEXT (64 << 20)

typedef enum trc_note_kind {
    TRC_RANGES,      /* name, category or NULL, values or NULL */
    TRC_MARKS,       /* name, values or NULL */
    TRC_COUNTERS,    /* name, an int of 64 bits or a float */
    TRC_FLOWS,       /* name: from `start` to `end` */
    TRC_COLLECTIONS, /* (generation, collected, uncollectable) */
    TRC_FORKS,       /* "fork" or "exec", the process id */
    TRC_NOTE_LISTS,
    TRC_FLOWS_BEGUN = TRC_NOTE_LISTS, /* name: the beginnings of flows, in no snapshot */
    TRC_NOTE_KINDS,
} trc_note_kind;

#define TRC_NOTE_OBJECTS 3
#define TRC_NOT_OVER UINT32_MAX

/* One entry of any list: one cache line. */
typedef struct trc_note {
    uint64_t id;                         /* its end finds it by that: in the order of the list */
    trc_tick start, end;                 /* each on the clock of its thread */
    uint32_t thread;                     /* the index of the thread's record */
    uint32_t end_thread;                 /* TRC_NOT_OVER: the note has no end yet */
    uint32_t node;                       /* the index of the node on top of the thread's stack */
    uint32_t task;                       /* the number of the task that ran, or 0 */
    PyObject *objects[TRC_NOTE_OBJECTS]; /* owned: see trc_note_kind; text is exactly str, values are flat tuples */
} trc_note;

typedef struct trc_note_list {
    trc_note *notes; /* owned */
    uint32_t count;
    uint32_t room;
    uint64_t dropped; /* for which there was no room, or which no file could hold */
} trc_note_list;

typedef struct trc_notes {
    trc_note_list lists[TRC_NOTE_KINDS];
    size_t text;            /* characters */
    trc_moment first, last; /* ticks beside CLOCK_MONOTONIC: when recording first began, when it ended last */
    double epoch;           /* time.time() at `first`, in seconds */
} trc_notes;

/* Returns a place for one more note, zeroed, or NULL when there is none: then it counts as dropped. */
trc_note *trc_notes_add(trc_notes *notes, trc_note_kind kind);

/* Returns the note with this id, or NULL. */
trc_note *trc_notes_find(const trc_notes *notes, trc_note_kind kind, uint64_t id);

/* Forgets all notes, which may run code: the lists are empty before. */
void trc_notes_clear(trc_notes *notes);

/* The same in a forked child: see trc_recorder_clear_copy(). */
void trc_notes_clear_copy(trc_notes *notes);

/* Copies the lists of snapshots into `copy`, which is zeroed and then to be cleared. Returns false when memory is
 * out. */
bool trc_notes_copy(trc_notes *copy, const trc_notes *notes);

int trc_notes_traverse(const trc_notes *notes, visitproc visit, void *arg);

#endif
