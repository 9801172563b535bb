/* The functions and calling contexts of a Profile: see contexts.h. */
#include "recorders/contexts.h"

#include "sources/allocators.h"

static const char other_key; /* its address is the key of all functions past the limit */

/* -- Functions and contexts -- */

trc_func *trc_recorder_find_function(trc_recorder *recorder, const trc_callee *callee)
{
    trc_functab *functions = &recorder->functions;
    trc_func *func = trc_functab_find(functions, callee->key);
    if (func != NULL) {
        return func;
    }
    bool known =
        (long)functions->count < recorder->function_limit || trc_callee_is_internal(callee, &recorder->internal_types);
    const void *key = known ? callee->key : &other_key;
    func = known ? NULL : trc_functab_find(functions, key);
    if (func != NULL) {
        return func;
    }
    trc_identity *identity = known ? trc_identity_new(callee, &recorder->internal_types) : trc_identity_other();
    if (identity == NULL) {
        return NULL;
    }
    func = trc_functab_add(functions, key, identity);
    if (func == NULL) {
        trc_identity_free(identity);
        return NULL;
    }
    identity->id = func->id;
    return func;
}

/* -- Memory -- */

void trc_recorder_attribute(const trc_recorder *recorder, trc_thread_record *record)
{
    if (recorder->memory != NULL) {
        bool is_recorded = record->status == TRC_THREAD_RECORDED && record->base.paused == 0;
        trc_attributed how = is_recorded ? TRC_ATTRIBUTED_NODE : TRC_ATTRIBUTED_NOBODY;
        trc_allocators_attribute(&recorder->memory->heap, (trc_attribution){how, &record->heap, &record->thread});
    }
}

trc_attribution trc_begin_own_work(const trc_recorder *recorder)
{
    trc_attribution nobody = {TRC_ATTRIBUTED_NOBODY, NULL, NULL};
    return recorder->memory == NULL ? nobody : trc_allocators_attribute(&recorder->memory->heap, nobody);
}

void trc_end_own_work(const trc_recorder *recorder, trc_attribution before)
{
    if (recorder->memory != NULL) {
        trc_allocators_attribute(&recorder->memory->heap, before);
    }
}

/* -- Contexts -- */

/* Returns the context of a call that is not among the known ones. Returns NULL when memory is out: the call counts as
 * lost. */
static trc_node *new_context(trc_recorder *recorder, trc_thread_record *record, const trc_callee *callee)
{
    trc_functab *own = &record->thread.funcs;
    trc_func *func = trc_functab_find(own, callee->key);
    if (func == NULL) {
        const trc_func *function = trc_recorder_find_function(recorder, callee);
        if (function != NULL && function->key != callee->key) {
            trc_node *node = trc_thread_child(&record->thread, function->key);
            if (node != NULL) {
                return node;
            }
            func = trc_functab_find(own, function->key);
        }
        if (function != NULL && func == NULL) {
            func = trc_functab_add(own, function->key, function->owner);
            if (func != NULL) {
                func->is_coroutine = trc_identity_is_coroutine(function->owner);
            }
            recorder->base.shared->has_news = true;
        }
    }
    if (func == NULL) {
        record->thread.lost_calls++;
        return NULL;
    }
    trc_node *node = trc_thread_add_child(&record->thread, func);
    if (record->thread.overflowing) {
        trc_gates_close(&recorder->base.shared->gates);
    }
    return node;
}

trc_node *trc_recorder_add_context(trc_recorder *recorder, trc_thread_record *record, const trc_callee *callee)
{
    if (recorder->memory == NULL) {
        return new_context(recorder, record, callee);
    }
    trc_attribution before = trc_begin_own_work(recorder);
    trc_node *node = new_context(recorder, record, callee);
    trc_end_own_work(recorder, before);
    return node;
}

trc_node *trc_recorder_find_context(trc_recorder *recorder, trc_thread_record *record, const trc_callee *callee)
{
    trc_node *node = trc_thread_child(&record->thread, callee->key);
    return node == NULL ? trc_recorder_add_context(recorder, record, callee) : node;
}
