/* Hands the events of calls on: see events.h. */
#include "dispatch/events.h"

#include "dispatch/greenlets.h"
#include "recorders/measured_objects.h"
#include "sources/allocators.h"
#include "sources/numpy_memory.h"

void trc_dispatch_look_for_modules(trc_dispatcher *dispatcher)
{
    bool was_suppressed = trc_allocators_suppress(true);
    dispatcher->shared.has_news = false;
    trc_greenlets_watch(dispatcher);
    if (dispatcher->remembers) {
        trc_numpy_memory_watch();
    }
    trc_allocators_suppress(was_suppressed);
}

static void look_again(trc_recorder *recorder, const void *entering)
{
    trc_recorder_look_again(recorder, *(const trc_activation *)entering);
}

/* Tries again to be told of greenlets, and catches up with unseen switches. */
static void catch_up_with_greenlets(trc_dispatcher *dispatcher, trc_activation entering)
{
    if (trc_greenlets_is_pending(dispatcher)) {
        trc_greenlets_watch(dispatcher);
        if (!trc_greenlets_is_pending(dispatcher)) {
            trc_dispatch_tell_all(dispatcher, look_again, &entering);
        }
    }
}

/* After an event that went the long way. */
static void open_gate(trc_dispatcher *dispatcher, trc_backend_kind kind)
{
    trc_recorder *recorder = dispatcher->only_active[kind];
    if (recorder != NULL && !trc_greenlets_is_pending(dispatcher)) {
        trc_thread_record *record = trc_recorder_plain_record(recorder);
        if (record != NULL) {
            atomic_store_explicit(&dispatcher->shared.gates.calls[kind], record, memory_order_relaxed);
        }
    }
}

static bool is_in(const trc_recorder *recorder, trc_code_site *site)
{
    /* Without a code, the event comes from before a recorder with a filter records. */
    bool in = recorder->base.filter == NULL || site->code == NULL || trc_filter_has(recorder->base.filter, site);
    site->is_wanted = site->is_wanted || in;
    return in;
}

/* What an event returns. A recorder that a timer or a finalizer enabled meanwhile was not asked. */
static bool is_wanted(trc_dispatcher *dispatcher, const trc_code_site *site, uint64_t serials)
{
    if (site->is_new) {
        trc_greenlets_watch(dispatcher); /* as at the first sight of a function */
    }
    return site->is_wanted || dispatcher->shared.serials != serials;
}

/* Whether the recorder of a record leaves out the code of an event. */
static bool leaves_out(trc_dispatcher *dispatcher, const trc_thread_record *record, trc_code_site *site)
{
    return !is_in(record->recorder, site) && !is_wanted(dispatcher, site, dispatcher->shared.serials);
}

bool trc_dispatch_enter(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_code_site *site,
                        const trc_callee *callee, trc_activation id, trc_entry entry)
{
    trc_thread_record *record = trc_gate_plain_record(&dispatcher->shared.gates, kind);
    if (record != NULL && callee->scope <= record->recorder->scope && !record->nameless &&
        !trc_thread_is_on_top(&record->thread, id)) {
        trc_tick now = trc_clock_now(&record->recorder->base.clock);
        return trc_dispatch_enter_unexpected(dispatcher, record, site, callee, id, entry, now);
    }
    uint64_t serials = dispatcher->shared.serials;
    catch_up_with_greenlets(dispatcher, id);
    trc_each_recording each;
    for (trc_recorder *recorder = trc_dispatch_first(&each, dispatcher, kind); recorder != NULL;
         recorder = trc_dispatch_next(&each)) {
        if (is_in(recorder, site) && callee->scope <= recorder->scope) {
            trc_recorder_enter(recorder, callee, id, entry);
        }
    }
    trc_dispatch_look_at_news(dispatcher);
    open_gate(dispatcher, kind);
    return is_wanted(dispatcher, site, serials);
}

void trc_dispatch_begin_object(trc_dispatcher *dispatcher, trc_backend_kind kind, PyObject *object, PyObject *first,
                               trc_activation id)
{
    trc_thread_record *record = trc_gate_plain_record(&dispatcher->shared.gates, kind);
    if (record != NULL) {
        trc_recorder_begin_object(record, object, first, id);
        return;
    }
    trc_each_recording each;
    for (trc_recorder *recorder = trc_dispatch_first(&each, dispatcher, kind); recorder != NULL;
         recorder = trc_dispatch_next(&each)) {
        record = TRC_BUILTINS <= recorder->scope ? trc_recorder_plain_record(recorder) : NULL;
        if (record != NULL) {
            trc_recorder_begin_object(record, object, first, id);
        }
    }
    open_gate(dispatcher, kind);
}

/* Returns whether it was a call of an object without a row that has ended. */
static bool ends_object(trc_thread_record *record, trc_activation id, trc_callable_scope scope)
{
    bool may_be = record != NULL && scope != TRC_PYTHON && record->objects.depth > 0;
    if (!may_be || trc_thread_has(&record->thread, id)) {
        return false;
    }
    trc_recorder_end_object(record, id);
    return true;
}

bool trc_dispatch_leave(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_code_site *site, trc_activation id,
                        trc_callable_scope scope)
{
    trc_thread_record *record = trc_gate_plain_record(&dispatcher->shared.gates, kind);
    if (record != NULL) {
        bool is_out = leaves_out(dispatcher, record, site);
        if (!ends_object(record, id, scope) && !is_out && trc_thread_has(&record->thread, id)) {
            trc_thread_leave(&record->thread, id, trc_clock_now(&record->recorder->base.clock));
        }
        return !is_out;
    }
    uint64_t serials = dispatcher->shared.serials;
    catch_up_with_greenlets(dispatcher, 0);
    trc_each_recording each;
    for (trc_recorder *recorder = trc_dispatch_first(&each, dispatcher, kind); recorder != NULL;
         recorder = trc_dispatch_next(&each)) {
        bool is_told = is_in(recorder, site) && scope <= recorder->scope_on_stack;
        if (!ends_object(trc_recorder_plain_record(recorder), id, scope) && is_told) {
            trc_recorder_leave(recorder, id);
        }
    }
    trc_dispatch_look_at_news(dispatcher);
    open_gate(dispatcher, kind);
    return is_wanted(dispatcher, site, serials);
}

bool trc_dispatch_suspend(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_code_site *site, trc_activation id)
{
    trc_thread_record *record = trc_gate_plain_record(&dispatcher->shared.gates, kind);
    if (record != NULL) {
        bool is_out = leaves_out(dispatcher, record, site);
        if (!is_out) {
            trc_tick now = trc_clock_now(&record->recorder->base.clock);
            trc_recorder_suspend_known(record->recorder, &record->thread, id, site->code, now);
        }
        return !is_out;
    }
    uint64_t serials = dispatcher->shared.serials;
    trc_each_recording each;
    for (trc_recorder *recorder = trc_dispatch_first(&each, dispatcher, kind); recorder != NULL;
         recorder = trc_dispatch_next(&each)) {
        if (is_in(recorder, site)) {
            trc_recorder_suspend(recorder, id, site->code);
        }
    }
    trc_dispatch_look_at_news(dispatcher);
    open_gate(dispatcher, kind);
    return is_wanted(dispatcher, site, serials);
}

void trc_dispatch_go_on(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_code_site *site, trc_activation id)
{
    trc_callee callee = {site->code, (PyObject *)site->code, TRC_PYTHON};
    trc_each_recording each;
    for (trc_recorder *recorder = trc_dispatch_first(&each, dispatcher, kind); recorder != NULL;
         recorder = trc_dispatch_next(&each)) {
        if (is_in(recorder, site)) {
            trc_recorder_go_on(recorder, &callee, id);
        }
    }
}

bool trc_dispatcher_looks_at(trc_dispatcher *dispatcher, trc_backend_kind kind, trc_code_site *site)
{
    uint64_t serials = dispatcher->shared.serials;
    trc_each_recording each;
    for (trc_recorder *recorder = trc_dispatch_first(&each, dispatcher, kind); recorder != NULL;
         recorder = trc_dispatch_next(&each)) {
        is_in(recorder, site);
    }
    return is_wanted(dispatcher, site, serials);
}
