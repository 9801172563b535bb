/* The threads of a recorder: a record each, with the core thread that records it and the ids that identify it. */
#ifndef TRC_THREAD_RECORD_H
#define TRC_THREAD_RECORD_H

#include "core/heap/heap.h"
#include "core/tree/thread.h"
#include "interp/identity.h"
#include "recorders/timeline.h"

/* Whether a thread is recorded. Each but the first lasts until the recorder is enabled again. */
typedef enum trc_thread_status {
    TRC_THREAD_RECORDED,
    TRC_THREAD_MUTED,   /* its events are ignored */
    TRC_THREAD_CUT_OFF, /* so are they, and they no longer came: somebody took away the function that makes them */
} trc_thread_status;

/* One thread; past TRC_THREAD_LIMIT, a new thread goes on where one that has ended left off. */
typedef struct trc_thread_record {
    /* By scope: the id of the thread's state while its events of that scope can go the short way, else 0; and the same
     * where they are written to a log, which has a short way of its own. See trc_thread_record_review(). */
    uint64_t open_to[TRC_SCOPE_COUNT];
    uint64_t logged_to[TRC_SCOPE_COUNT];
    uint32_t index; /* in the order in which the records were made; that is the order of snapshots, too */
    bool is_plain;  /* nothing about the thread is unusual */
    trc_thread thread;
    trc_heap_thread heap; /* empty where no memory is recorded */
    struct trc_thread_record *next;
    trc_tick began; /* when the recorder began, on the thread's clock */
    trc_thread_status status;
    int paused;     /* how many times it is paused: its events are ignored too, but its stack waits */
    bool unadopted; /* recording began anew in a pause: when it goes on, its frames are adopted and its old ones end */
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
    const trc_clock *clock; /* borrowed: the recorder's */
    trc_timeline *timeline; /* borrowed: the recorder's, or NULL */
    trc_tick origin;        /* of the timeline */
} trc_thread_records;

#define TRC_THREAD_LIMIT 1000

/* Returns the record with this thread state, or NULL. */
trc_thread_record *trc_thread_records_find(const trc_thread_records *records, uint64_t state_id);

/* Returns the record of a thread, and makes it when there is none; NULL when memory is out. A thread that C code made
 * gets a new state in each call into Python: it goes on in its own record, on an empty stack. */
trc_thread_record *trc_thread_records_get(trc_thread_records *records, const PyThreadState *thread,
                                          atomic_long *node_budget, trc_tick now);

/* Finds out whether something about the thread is unusual. If not, events up to this scope need only the callee's
 * context, the clock and the stack; if the clock is the processor's counter, too, they can go the short way. */
void trc_thread_record_review(trc_thread_record *record, trc_callable_scope scope, trc_clock_kind clock);

/* Returns the record in the slot of the calling thread, whose state has this id. Returns NULL also when the record has
 * another state by now: then the caller must get the record anew. The record shared by all threads that are not traced
 * has no state. */
static inline trc_thread_record *trc_thread_record_in_slot(Py_tss_t *slot, uint64_t state_id)
{
    trc_thread_record *record = PyThread_tss_get(slot);
    return record != NULL && record->state_id != state_id && record->thread_count > 0 ? NULL : record;
}

/* Closes the logs of threads that are over: `records` is a trc_thread_records. The lock of the logs' store is held. */
void trc_thread_records_close_logs(void *records);

/* Frees the list that begins with this record. */
void trc_thread_record_free_all(trc_thread_record *record);

/* New reference: the name that `threading` has for the thread now, or the name last seen, or None. Runs no code of the
 * program. */
PyObject *trc_thread_record_name(const trc_thread_record *record);

/* Tries to learn the name of the calling thread, whose record this is: `threading` forgets the name when the thread
 * ends. Runs no code of the program. */
void trc_thread_record_learn_name(trc_thread_record *record);

#endif
