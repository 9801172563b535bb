/* The threads of a recorder: a record each, with the core thread that records it and what tells it from others. */
#ifndef TRC_THREAD_RECORD_H
#define TRC_THREAD_RECORD_H

#include "core/tree/thread.h"
#include "interp/compat.h"

/* One thread; past TRC_THREAD_LIMIT, a new thread goes on where one that has ended left off. */
typedef struct trc_thread_record {
    struct trc_thread_record *next;
    trc_thread thread;
    trc_tick began; /* when the recorder did, on the clock of the thread */
    bool muted;     /* stopped until the recorder is enabled again: its events are ignored */
    bool cut_off;   /* its events no longer came when tracing ended: somebody took away what makes them */
    int paused;     /* how many times it is paused: likewise, but its stack waits */
    bool unadopted; /* recording began anew then: what it runs is looked at when it goes on, the rest ends unseen */
    bool nameless;  /* its name is not known, and still worth asking for */
    int name_tries;
    uint32_t thread_count;   /* threads that have recorded here: 1 but for shared records */
    uint64_t state_id;       /* PyThreadState_GetID(): never reused, unlike addresses and idents */
    unsigned long ident;     /* threading.get_ident() */
    unsigned long native_id; /* threading.get_native_id() */
    PyObject *name;          /* owned: threading's name, or NULL while it is not known */
} trc_thread_record;

typedef struct trc_thread_records {
    trc_thread_record *first; /* owned, the newest first */
    uint32_t count;
} trc_thread_records;

#define TRC_THREAD_LIMIT 1000

/* The record with this thread state, or NULL. */
trc_thread_record *trc_tracks_find(const trc_thread_records *records, uint64_t state_id);

/* The record of a thread, made when there is none; NULL when memory is out. A thread of C goes on in its own with each new
 * state, on an empty stack. */
trc_thread_record *trc_thread_records_get(trc_thread_records *records, const PyThreadState *thread,
                                          atomic_long *node_budget, trc_tick now);

/* The record in the slot of the calling thread, whose state has this id. NULL also where that is not the state of the record
 * any more: then it is to be got. A record that no thread records in, of all that are not traced, has none. */
static inline trc_thread_record *trc_thread_record_in_slot(Py_tss_t *slot, uint64_t state_id)
{
    trc_thread_record *record = PyThread_tss_get(slot);
    return record != NULL && record->state_id != state_id && record->thread_count > 0 ? NULL : record;
}

/* Frees the list that begins with this record. */
void trc_thread_record_free_all(trc_thread_record *record);

/* New reference: the name that `threading` has for the thread now, the name it was last seen with, or None. Runs no
 * code of the program. */
PyObject *trc_thread_record_name(const trc_thread_record *record);

/* Tries to learn the name of the calling thread, whose record this is: when it has ended, `threading` knows it no more.
 * Runs no code of the program. */
void trc_thread_record_learn_name(trc_thread_record *record);

#endif
