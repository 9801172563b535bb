/* What the threads of one recorder share where a timeline is recorded: the blocks of their logs, their tasks, and the room
 * for bins. */
#ifndef TRC_TIMELINE_H
#define TRC_TIMELINE_H

#include "interp/compat.h"

#include "core/tree/thread.h"
#include "interp/task_name.h"

/* The first page of the file in which the logs are written; blocks follow (core/log/store.h). tracer.data.killed reads
 * it. */
typedef struct trc_log_file {
    char magic[8];
    uint32_t version;
    uint32_t block_size;
    uint64_t block_count;
    trc_tick origin; /* from which moments are told */
} trc_log_file;

#define TRC_LOG_FILE_MAGIC "\x89TRCLOG\n"
#define TRC_LOG_FILE_VERSION 1
#define TRC_LOG_FILE_HEAD 4096

typedef struct trc_timeline {
    trc_store store;
    trc_tasks tasks; /* their names are str objects */
    trc_task_words words;
    atomic_long bin_room;
    trc_tick unit; /* ticks of the narrowest bin: about a millisecond */
    void *memory;  /* owned: of the store, behind the first page where it is a file's */
    size_t size;
    bool is_file;
} trc_timeline;

/* Makes one with `budget` bytes for the logs: in the file `file`, which has TRC_LOG_FILE_HEAD bytes more, or where this is
 * -1 in memory. Returns NULL when memory is out. */
trc_timeline *trc_timeline_new(const trc_clock *clock, size_t budget, bool is_ring, int file);

/* Moments are told from this one on. */
void trc_timeline_begin(trc_timeline *timeline, trc_tick origin);

/* Frees it, after all logs; NULL is allowed. */
void trc_timeline_free(trc_timeline *timeline);
int trc_timeline_traverse(const trc_timeline *timeline, visitproc visit, void *arg);

/* Has one more thread write a log. Returns false when memory is out. */
bool trc_timeline_add(trc_timeline *timeline, trc_thread *thread, trc_tick origin, trc_tick now);

#endif
