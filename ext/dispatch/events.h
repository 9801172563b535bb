/* Hands the events of calls to the enabled recorders: the long way, where fast_path.h goes no further. */
#ifndef TRC_EVENTS_H
#define TRC_EVENTS_H

#include "dispatch/dispatcher.h"

/* Events of the calling thread, from a back end, in the code of a site: of the function itself, or of a C function that it
 * calls. A recorder is told only of callees of its own scope, and of events in code that it looks at. They return false
 * where none looks at that code: then the event need not be reported there again until another recorder is enabled. */
bool trc_dispatch_enter(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_code_site *site,
                        const trc_callee *callee, trc_activation id, trc_entry entry);
bool trc_dispatch_leave(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_code_site *site, trc_activation id,
                        trc_callable_scope scope);
/* A leave of a generator or coroutine that may go on. */
bool trc_dispatch_suspend(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_code_site *site, trc_activation id);
/* A generator or coroutine goes on, unless that is known already. */
void trc_dispatch_go_on(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_code_site *site, trc_activation id);
/* An object is called that has no row, with this first argument or NULL. Its end is a leave. */
void trc_dispatch_begin_object(trc_dispatcher *dispatcher, trc_backend_kind kind, PyObject *object, PyObject *first,
                               trc_activation id);
/* Asks the filters only: no event to record has happened. */
bool trc_dispatcher_looks_at(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_code_site *site);

void trc_dispatch_look_for_modules(trc_dispatcher *dispatcher);

/* What recorders have not seen before may come from a module that has been imported since the dispatcher last looked: asks that
 * module to tell, too. */
static inline void trc_dispatch_look_at_news(trc_dispatcher *dispatcher)
{
    if (dispatcher->shared.has_news) {
        trc_dispatch_look_for_modules(dispatcher);
    }
}

/* An enter of a thread about which nothing is unusual: see recorders/calls.h. */
static inline bool trc_dispatch_enter_unexpected(trc_dispatcher *dispatcher, trc_thread_record *record,
                                                 trc_code_site *site, const trc_callee *callee, trc_activation id,
                                                 trc_entry entry, trc_tick now)
{
    bool is_wanted = trc_recorder_enter_unexpected(record, site, callee, id, entry, now);
    trc_dispatch_look_at_news(dispatcher);
    return is_wanted;
}

#endif
