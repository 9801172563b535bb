/* The records that a recorder has of threads, whatever it records of them: what calls and lines have in common. Past a
 * limit, a new thread goes on in the record of one that is over. */
#ifndef TRC_RECORD_LIST_H
#define TRC_RECORD_LIST_H

#include "context/registry.h"

#define TRC_THREAD_LIMIT 1000
#define TRC_RECORD_PLACES 256

typedef struct trc_record_base {
    struct trc_record_base *next;
    struct trc_record_base *next_in_place;
    trc_context *context; /* owned: of the latest thread that records here; NULL: of no thread */
    uint64_t state_id;    /* the state of the thread under which its activations began */
    int paused;           /* how many times it is paused: its events are ignored */
} trc_record_base;

typedef struct trc_record_list {
    trc_record_base *first; /* owned, the newest first */
    uint32_t count;
    trc_record_base *places[TRC_RECORD_PLACES]; /* the same, by context: threads may come by the thousand */
} trc_record_list;

/* Returns the record of a thread, or NULL. */
trc_record_base *trc_records_find(const trc_record_list *records, const trc_context *context);

/* Returns a record in which a new thread is to go on; NULL where it is to have one of its own. A thread that C code made
 * may come back under another state: it finds then that the record is no longer its own. */
trc_record_base *trc_records_find_over(const trc_record_list *records);

/* Adds a new record. */
void trc_records_add(trc_record_list *records, trc_record_base *record);

/* From now on the record, which is on the list, is of this thread, under the state that this has now. */
void trc_record_set_context(trc_record_list *records, trc_record_base *record, trc_context *context);

/* The record, which is on no list any more, is of no thread. */
void trc_record_drop_context(trc_record_base *record);

/* Whether the record is of the calling thread, or of none: a contract, see core/base/contract.h. Only that thread writes
 * to it while it is recorded. */
static inline bool trc_record_is_here(const trc_record_base *record)
{
    return record->context == NULL || trc_context_is_of_this_thread(record->context);
}

/* Returns the record in the calling thread's place of a key. Returns NULL also where the record is of another state, or of
 * another thread, by now: then the caller must get the record anew. */
static inline trc_record_base *trc_record_here(const trc_context *context, trc_context_key key)
{
    trc_record_base *record = trc_context_part_of(context, key);
    bool is_its_own = record == NULL || record->context == NULL || record->state_id == context->state_id;
    return is_its_own ? record : NULL;
}

#endif
