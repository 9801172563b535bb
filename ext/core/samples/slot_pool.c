/* Slots of threads that are sampled, between one sampling and the next: see slot_pool.h. */
#define _GNU_SOURCE /* MADV_DONTNEED */
#include "core/samples/slot_pool.h"

#include "core/base/contract.h"
#include "core/base/pages.h"

/* The memory of a slot: a page that holds it, its ring, the handler's notes of code, and what the handler works with. */
#define SLOT_SIZE 4096
#define NOTES_AT (SLOT_SIZE + TRC_RING_SIZE)
#define SCRATCH_AT (NOTES_AT + TRC_CODE_NOTES * sizeof(trc_code_note))
#define SLOT_PAGES (SCRATCH_AT + sizeof(trc_chain_scratch))

void trc_slot_pool_init(trc_slot_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pool->first = NULL;
    pool->process = 0;
    pool->has_threads = pool->is_unsure = false;
}

#if TRC_SAMPLES

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- Forks -- */

/* Whether a thread that was not forked with this process may hold the lock of the loader. The pool is locked. */
static bool is_unsure(trc_slot_pool *pool)
{
    assert(trc_is_locked(&pool->lock));
    return pool->process == 0 || pool->process == getpid() ? pool->is_unsure : pool->has_threads;
}

bool trc_slot_pool_is_unsure(trc_slot_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    bool unsure = is_unsure(pool);
    pthread_mutex_unlock(&pool->lock);
    return unsure;
}

uint64_t trc_count_threads(void)
{
    struct stat status;
    return stat("/proc/self/task", &status) == 0 ? (uint64_t)status.st_nlink - 2 : 0;
}

void trc_slot_pool_note_threads(trc_slot_pool *pool)
{
    uint64_t threads = trc_count_threads();
    pthread_mutex_lock(&pool->lock);
    pool->is_unsure = is_unsure(pool);
    pool->has_threads = pool->is_unsure || threads > 1;
    pool->process = getpid();
    pthread_mutex_unlock(&pool->lock);
}

/* -- Slots -- */

_Static_assert(sizeof(trc_slot) <= SLOT_SIZE, "a slot is within a page");

trc_slot *trc_slot_pool_take(trc_slot_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    trc_slot *slot = pool->first;
    pool->first = slot == NULL ? NULL : slot->next;
    pthread_mutex_unlock(&pool->lock);
    uint8_t *pages = slot == NULL ? trc_map(&trc_system_pages, SLOT_PAGES) : NULL;
    if (pages != NULL) {
        slot = (trc_slot *)(void *)pages;
        trc_ring_init(&slot->sampled.ring, pages + SLOT_SIZE, TRC_RING_SIZE);
        slot->sampled.frames.codes.notes = (trc_code_note *)(void *)(pages + NOTES_AT);
        slot->sampled.frames.scratch = (trc_chain_scratch *)(void *)(pages + SCRATCH_AT);
    }
    return slot;
}

void trc_slot_pool_give(trc_slot_pool *pool, trc_slot *slot)
{
    madvise(slot->sampled.ring.bytes, TRC_RING_SIZE, MADV_DONTNEED);
    pthread_mutex_lock(&pool->lock);
    slot->next = pool->first;
    pool->first = slot;
    pthread_mutex_unlock(&pool->lock);
}

#endif
