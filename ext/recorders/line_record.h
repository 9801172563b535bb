/* What a LineRecorder has of one thread. */
#ifndef TRC_LINE_RECORD_H
#define TRC_LINE_RECORD_H

#include "core/lines/linethread.h"
#include "recorders/record_list.h"

typedef struct trc_line_thread_record {
    trc_record_base base;
    uint64_t open_to; /* the id of the thread's state while its events can go the short way, else 0 */
    trc_linethread thread;
    trc_tick paused_at; /* on the recorder's clock */
    trc_tick skipped;   /* ticks of pauses, which the thread's own time leaves out */
} trc_line_thread_record;

static inline trc_line_thread_record *trc_line_record_next(const trc_line_thread_record *record)
{
    return (trc_line_thread_record *)record->base.next;
}

#endif
