/* The threads of a recorder: a record each, with the core thread that records it and the ids that identify it. */
#ifndef TRC_THREAD_RECORD_H
#define TRC_THREAD_RECORD_H

#include "core/heap/heap.h"
#include "core/tree/object_calls.h"
#include "core/tree/thread.h"
#include "interp/identity.h"
#include "recorders/record_list.h"
#include "recorders/timeline.h"

/* Whether a thread is recorded. Each but the first lasts until the recorder is enabled again. */
typedef enum trc_thread_status {
    TRC_THREAD_RECORDED,
    TRC_THREAD_MUTED,   /* its events are ignored */
    TRC_THREAD_CUT_OFF, /* so are they, and they no longer came: somebody took away the function that makes them */
} trc_thread_status;

/* One thread. While it is paused, its stack waits. */
typedef struct trc_thread_record {
    trc_record_base base;
    /* By scope: the id of the thread's state while its events of that scope can go the short way, else 0; and the same
     * where they are written to a log, which has a short way of its own. See trc_thread_record_review(). */
    uint64_t open_to[TRC_SCOPE_COUNT];
    uint64_t logged_to[TRC_SCOPE_COUNT];
    struct trc_recorder *recorder; /* borrowed: whose record it is */
    uint32_t index; /* in the order in which the records were made; that is the order of snapshots, too */
    bool is_plain;  /* nothing about the thread is unusual */
    trc_thread thread;
    trc_heap_thread heap;     /* empty where no memory is recorded */
    trc_object_table objects; /* empty unless calls come by sys.monitoring */
    trc_tick began;           /* when the recorder began, on the thread's clock */
    trc_thread_status status;
    bool unadopted; /* recording began anew in a pause: when it goes on, its frames are adopted and its old ones end */
    bool nameless;  /* its name is not known, and still worth asking for */
    int name_tries;
    uint32_t thread_count; /* threads that have recorded here: 1 but for shared records */
    PyObject *name;        /* owned: threading's name, or NULL while it is not known */
} trc_thread_record;

typedef struct trc_thread_records {
    trc_record_list *list;         /* borrowed: the recorder's, as the rest */
    const trc_clock *clock;        /* borrowed: the recorder's */
    trc_timeline *timeline;        /* borrowed: the recorder's, or NULL */
    trc_tick origin;               /* of the timeline */
    atomic_long *node_budget;      /* borrowed: the recorder's */
    struct trc_recorder *recorder; /* borrowed: itself */
} trc_thread_records;

static inline trc_thread_record *trc_thread_records_first(const trc_record_list *list)
{
    return (trc_thread_record *)list->first;
}

static inline trc_thread_record *trc_thread_record_next(const trc_thread_record *record)
{
    return (trc_thread_record *)record->base.next;
}

/* Returns the record of a thread, and makes it when there is none; NULL when memory is out. A thread that C code made
 * gets a new state in each call into Python: it goes on in its own record, on an empty stack. */
trc_thread_record *trc_thread_records_get(trc_thread_records *records, trc_context *context, trc_tick now);

/* Finds out whether something about the thread is unusual. If not, events up to this scope need only the callee's
 * context, the clock and the stack; if the clock is the processor's counter, too, they can go the short way. */
void trc_thread_record_review(trc_thread_record *record, trc_callable_scope scope, trc_clock_kind clock);

/* Closes the logs of threads that are over: `records` is a trc_thread_records. The lock of the logs' store is held. */
void trc_thread_records_close_logs(void *records);

/* Frees all records. */
void trc_thread_records_free(trc_record_list *list);

/* New reference: the name that `threading` has for the thread now, or the name last seen, or None. Runs no code of the
 * program. */
PyObject *trc_thread_record_name(const trc_thread_record *record);

/* Tries to learn the name of the calling thread, whose record this is: `threading` forgets the name when the thread
 * ends. Runs no code of the program. */
void trc_thread_record_learn_name(trc_thread_record *record);

#endif
