/* What one Profile records, event by event. Events come from the dispatcher. Each thread has a record of its own, found through
 * its context, so that an event takes no lock. calls_lifecycle.h has the beginning and end of recording. */
#ifndef TRC_CALLS_H
#define TRC_CALLS_H

#include "recorders/attaching.h"

/* From now on, leaves up to the recorder's present scope are wanted. */
void trc_recorder_widen_scope(trc_recorder *recorder);

/* From now on the calling thread is not traced, whether the recorder is enabled now or later. Only one thread at a
 * time. */
void trc_recorder_ignore_thread(trc_recorder *recorder);

/* Mute: from now on nothing of the calling thread is recorded. Unmute: it is recorded again; with `here`, so are the
 * frames that it runs already. */
void trc_recorder_mute(trc_recorder *recorder);
void trc_recorder_unmute(trc_recorder *recorder, bool here);

/* Mutes the threads whose events no longer come: the activations on their stacks may be over when events come again. */
void trc_recorder_give_up_threads(trc_recorder *recorder);

/* Holds the logs of all threads around a fork, where a child would write into a file that it shares; lets them go on. */
void trc_recorder_hold_logs(const trc_recorder *recorder, bool is_held);

/* Pauses the calling thread, and goes on where the pause began: the time between belongs to no node. */
void trc_recorder_pause(trc_recording *recording);
void trc_recorder_resume(trc_recording *recording);

/* Reviews the record of the calling thread, and returns it if nothing about it is unusual; else NULL. */
trc_thread_record *trc_recorder_plain_record(trc_recorder *recorder);

/* Events of the calling thread. */
void trc_recorder_enter(trc_recorder *recorder, const trc_callee *callee, trc_activation id, trc_entry entry);
void trc_recorder_leave(trc_recorder *recorder, trc_activation id);
/* A generator or coroutine, whose code is `key`, goes on in a context: adds the time since its suspension to its
 * function. */
static inline void trc_recorder_end_suspension(const trc_recorder *recorder, const trc_thread *thread,
                                               const trc_node *node, const void *key, const trc_suspension *suspension,
                                               trc_tick now)
{
    /* Where a suspension was not recorded, an old one of another function may be left. And each thread has its own CPU
     * time. */
    if (suspension->key == key && (suspension->thread == thread || recorder->base.clock.kind != TRC_CLOCK_CPU)) {
        trc_add_extra(trc_node_func(node)->extras, TRC_SUSPENDED, trc_ticks_since(now, suspension->since), 0);
    }
}

/* Does so, if the suspension is found. */
void trc_recorder_find_suspension(trc_recorder *recorder, const trc_thread *thread, const trc_node *node,
                                  const void *key, trc_activation id, trc_tick now);

/* Events of a thread about which nothing is unusual: of the calling thread, whose record this is, at `now`. An enter in
 * the code of a site returns false where the filter leaves that out: nothing has changed then. */
bool trc_recorder_enter_unexpected(trc_thread_record *record, trc_code_site *site, const trc_callee *callee,
                                   trc_activation id, trc_entry entry, trc_tick now);
void trc_recorder_suspend_known(trc_recorder *recorder, trc_thread *thread, trc_activation id, const void *key,
                                trc_tick now);

/* Returns the record of the calling thread, and the time, for what is told of it now; NULL when it is not recorded. Reads
 * the clock, which may run code. */
trc_thread_record *trc_recorder_recorded_here(trc_recorder *recorder, trc_tick *now);

/* Whether the calling thread has had an event, and its events are recorded. */
bool trc_recorder_records_here(trc_recorder *recorder);

/* The function that the calling thread runs calls what has no row, so often. */
void trc_recorder_note_unseen(trc_recorder *recorder, uint64_t calls);
/* A leave of a generator or coroutine that may go on; `key` is that of its function. */
void trc_recorder_suspend(trc_recorder *recorder, trc_activation id, const void *key);
/* A generator or coroutine goes on: an enter, unless its activation, or a C function that it calls, is on top
 * already. */
void trc_recorder_go_on(trc_recorder *recorder, const trc_callee *callee, trc_activation id);
/* The calling thread has switched from one greenlet, which may be over, to another. With `look`, the frames that run
 * there already are recorded; else the thread runs something on top of them just now. */
void trc_recorder_switch_greenlet(trc_recorder *recorder, const void *from, bool is_over, const void *to, bool look);

/* The calling thread may have switched to another greenlet unseen. The activation that is being entered, if not 0, does
 * not count as one that runs already. */
void trc_recorder_look_again(trc_recorder *recorder, trc_activation entering);

#endif
