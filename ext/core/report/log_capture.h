/* What the log of one thread holds, as the bytes that files hold. To capture it does not change it. Stretches that are
 * under way are in it up to now, and marked as open. docs/reference/file-format.md describes the format. */
#ifndef TRC_LOG_CAPTURE_H
#define TRC_LOG_CAPTURE_H

#include "core/tree/thread.h"

typedef struct trc_log_capture {
    uint8_t *slices; /* owned: blocks, each behind a trc_block_head */
    size_t slices_size;
    uint8_t *bins; /* owned */
    size_t bins_size;
    uint32_t *overflow; /* owned: the indexes of overflow nodes */
    uint32_t overflow_count;
    uint32_t stacks; /* how many stacks of greenlets have a number */
    trc_tick began;  /* of the first event */
    trc_tick ended;  /* of the last; while stretches are under way, of the capture */
} trc_log_capture;

/* What is asked for. running: the thread is being traced, and time goes on to `now`; else it ends with the last event.
 * waited: what the top of the stack waits since then. Moments are told from `origin` on. only_open: of the slices, only
 * what is under way. */
typedef struct trc_log_request {
    trc_tick now;
    trc_tick origin;
    trc_tick waited;
    bool running;
    bool only_open;
} trc_log_request;

/* Copies the log of a thread, which has one. Returns false when memory is out. Either way the caller must free the
 * capture, with the thread's allocator. */
bool trc_log_capture_thread(trc_log_capture *capture, const trc_thread *thread, const trc_log_request *request);
void trc_log_capture_free(trc_log_capture *capture, const trc_allocator *allocator);

#endif
