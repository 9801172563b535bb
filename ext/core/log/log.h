/* The log of one thread: every stretch of a call on its stack, written when it ends. store.h has the blocks, and says
 * which stretches are left out when they run out; record.h has the format. */
#ifndef TRC_LOG_H
#define TRC_LOG_H

#include "core/log/store.h"
#include "core/log/tasks.h"

typedef struct trc_log {
    uint8_t *at;    /* where the next record goes; NULL: no block is open */
    uint8_t *limit; /* a record that would begin there goes into another block */
    trc_tick least; /* stretches that took less are not written */
    trc_tick began; /* when it was made */
    trc_tick since; /* what is on the stack is written from here on: before, it stood still */
    trc_record_place place;
    uint32_t count;  /* records in the open block */
    uint32_t open;   /* the open block, or TRC_NO_BLOCK */
    trc_chain full;  /* the full ones */
    bool is_still;   /* the stack stands still: it is written up to when it did */
    uint8_t *held;   /* where the next record goes when the log is no longer held; NULL: it is not */
    uint32_t stack;  /* the number of the stack that the thread is on; 0: its own */
    uint32_t task;   /* the number of the task on that stack, which has one at most; 0: none, or it is over */
    uint32_t stacks; /* the numbers given so far */
    trc_store *store;
    trc_tasks *tasks; /* of all threads; borrowed */
} trc_log;

/* Makes the log of one more thread at time `now`. Returns NULL when memory is out. */
trc_log *trc_log_new(trc_store *store, trc_tasks *tasks, trc_tick now);

/* Has an empty log begin at this time instead: on a clock that is the thread's own. */
void trc_log_begin_at(trc_log *log, trc_tick now);

/* Takes the log out of its store, and frees it. Its full blocks stay in use until the store is freed. */
void trc_log_free(trc_log *log);

/* Opens another block for a record of this length. Returns false when the record is not to be written: `least` has
 * risen above it, or there is no block, and it is lost. */
bool trc_log_renew(trc_log *log, trc_tick took);

/* Fills the open block as it is: nobody writes this log for now. close_held: while the store's lock is held. */
void trc_log_close(trc_log *log);
void trc_log_close_held(trc_log *log);

/* Holds a log: what ends meanwhile is lost, and nothing is written. go_on ends that. For a fork, after which the child
 * would write into memory that it shares. */
void trc_log_hold(trc_log *log);
void trc_log_go_on(trc_log *log);

/* Notes in the open block how far it is written, for a reader of a killed process's memory. */
void trc_log_note(trc_log *log);

static inline void trc_log_write(trc_log *log, uint32_t node, trc_tick took, trc_tick end)
{
    if (log->at < log->limit || trc_log_renew(log, took)) {
        log->at = trc_put_record(log->at, &log->place, took, end, node);
        log->count++;
    }
}

/* A stretch ends on top of the stack; `node` is the index of its node. */
static inline void trc_log_stretch(trc_log *log, uint32_t node, trc_tick start, trc_tick end)
{
    start = start > log->since ? start : log->since;
    trc_tick took = trc_ticks_since(end, start);
    if (took >= log->least) {
        trc_log_write(log, node, took, end);
    }
}

/* The same where the open block has room for it. Returns false where it has none: then nothing has changed. */
static inline bool trc_log_take(trc_log *log, uint32_t node, trc_tick start, trc_tick end)
{
    if (trc_ticks_since(end, start) < log->least) {
        return true;
    }
    if (log->at >= log->limit) {
        return false;
    }
    trc_log_stretch(log, node, start, end);
    return true;
}

/* Says something: see trc_remark. What belongs to the record before has the same start and end; it may stand in the next
 * block. */
void trc_log_tell(trc_log *log, trc_remark note, uint64_t value, trc_tick start, trc_tick end);

#endif
