/* The functions and calling contexts of a Profile, and to whom memory is attributed meanwhile. */
#ifndef TRC_CONTEXTS_H
#define TRC_CONTEXTS_H

#include "recorders/recorder.h"

/* Returns the recorder's record of a function, which may be new; all functions past the limit share one. NULL when memory is
 * out. */
trc_func *trc_recorder_find_function(trc_recorder *recorder, const trc_callee *callee);

/* Returns the context of a call from the top of the record's stack, which is made where it is new: add, where it is known
 * to be new. NULL when memory is out: the call counts as lost. */
trc_node *trc_recorder_find_context(trc_recorder *recorder, trc_thread_record *record, const trc_callee *callee);
trc_node *trc_recorder_add_context(trc_recorder *recorder, trc_thread_record *record, const trc_callee *callee);

/* What the calling thread, whose record this is, allocates from now on belongs to where it is. */
void trc_recorder_attribute(const trc_recorder *recorder, trc_thread_record *record);

/* What the recorder itself allocates is nobody's: from one to the other. */
trc_attribution trc_begin_own_work(const trc_recorder *recorder);
void trc_end_own_work(const trc_recorder *recorder, trc_attribution before);

#endif
