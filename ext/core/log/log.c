/* The log of one thread: see log.h. */
#include "core/log/log.h"

trc_log *trc_log_new(trc_store *store, trc_tasks *tasks, trc_tick now)
{
    trc_log *log = trc_alloc(store->allocator, sizeof *log);
    if (log == NULL) {
        return NULL;
    }
    log->open = TRC_NO_BLOCK;
    log->store = store;
    log->tasks = tasks;
    trc_log_begin_at(log, now);
    trc_store_add(store, &log->full);
    return log;
}

void trc_log_begin_at(trc_log *log, trc_tick now)
{
    log->began = log->since = log->place.end = now;
}

void trc_log_free(trc_log *log)
{
    if (log != NULL) {
        trc_store_remove(log->store, &log->full);
        trc_free(log->store->allocator, log);
    }
}

void trc_log_note(trc_log *log)
{
    if (log->open != TRC_NO_BLOCK && log->held == NULL) {
        trc_block *block = trc_store_block(log->store, log->open);
        block->end = log->place.end;
        block->node = log->place.node;
        block->count = log->count;
        block->used = (uint32_t)(log->at - trc_block_records(block));
    }
}

void trc_log_close_held(trc_log *log)
{
    trc_log_note(log);
    if (log->open != TRC_NO_BLOCK) {
        trc_store_fill(log->store, &log->full, log->open);
    }
    log->open = TRC_NO_BLOCK;
    log->at = log->limit = NULL;
}

void trc_log_close(trc_log *log)
{
    trc_store_lock(log->store);
    trc_log_close_held(log);
    trc_store_unlock(log->store);
}

/* The lock is held. */
static bool open_held(trc_log *log)
{
    trc_store *store = log->store;
    uint32_t block = trc_store_take(store);
    log->least = store->least;
    if (block == TRC_NO_BLOCK) {
        return false;
    }
    trc_block *head = trc_store_block(store, block);
    *head = (trc_block){.base = log->place.end,
                        .end = log->place.end,
                        .least = store->least,
                        .log = log->full.number,
                        .next = TRC_NO_BLOCK,
                        .state = TRC_BLOCK_OPEN};
    log->open = block;
    log->place.node = 0;
    log->count = 0;
    log->at = trc_block_records(head);
    log->limit = log->at + trc_store_room(store);
    return true;
}

void trc_log_hold(trc_log *log)
{
    if (log->held == NULL) {
        trc_log_note(log);
        log->held = log->open == TRC_NO_BLOCK ? log->store->memory : log->at;
        log->at = log->limit = NULL;
    }
}

void trc_log_go_on(trc_log *log)
{
    if (log->held != NULL && log->open != TRC_NO_BLOCK) {
        log->at = log->held;
        log->limit = trc_block_records(trc_store_block(log->store, log->open)) + trc_store_room(log->store);
    }
    log->held = NULL;
}

bool trc_log_renew(trc_log *log, trc_tick took)
{
    trc_store_lock(log->store);
    if (log->held != NULL) {
        log->store->lost++;
        trc_store_unlock(log->store);
        return false;
    }
    trc_log_close_held(log);
    bool is_open = open_held(log);
    trc_store_unlock(log->store);
    return is_open && took >= log->least; /* which may have risen */
}

void trc_log_tell(trc_log *log, trc_remark note, uint64_t value, trc_tick start, trc_tick end)
{
    start = start > log->since ? start : log->since;
    trc_tick took = trc_ticks_since(end, start);
    if (took >= log->least && (log->at < log->limit || trc_log_renew(log, took))) {
        log->at = trc_put_record(log->at, &log->place, took, end, 0);
        log->at = trc_put_varint(log->at, value << 2 | note);
        log->count++;
    }
}
