/* The calls of functions written in Python, as far as an allowance goes: see starts.h. */
#include "recorders/starts.h"

#include <stdlib.h>

void trc_starts_init(trc_starts *starts, const trc_allocator *allocator, double share, int64_t cpu)
{
    *starts = (trc_starts){.allocator = allocator};
    trc_allowance_init(&starts->allowance, share, cpu);
}

static void free_edges(trc_starts *table)
{
    TRC_HASH_FREE(table->edges);
}

static void free_counts(trc_starts *table)
{
    TRC_HASH_FREE(table->counts);
}

void trc_starts_free(trc_starts *starts)
{
    free_edges(starts);
    free_counts(starts);
}

trc_start_count *trc_starts_find(trc_starts *starts, const void *code)
{
    trc_start_count *count = trc_starts_latest(starts, code);
    if (count == NULL) {
        uint64_t key = (uint64_t)(uintptr_t)code;
        HASH_FIND(hh, starts->counts, &key, sizeof key, count);
        starts->places[key >> 4 & (TRC_START_PLACES - 1)] = count;
    }
    return count;
}

trc_start_count *trc_starts_add(trc_starts *table, const trc_func *func)
{
    trc_start_count *count = trc_alloc(table->allocator, sizeof *count);
    if (count != NULL) {
        *count = (trc_start_count){.key = (uint64_t)(uintptr_t)func->key, .func = func};
        TRC_HASH_ADD(table->counts, key, count);
    }
    return count;
}

static uint32_t id_of(const trc_start_count *caller)
{
    return caller == NULL ? TRC_NO_CALLER : caller->func->id;
}

static trc_start_edge *edge_of(trc_starts *table, const trc_start_count *callee, const trc_start_count *caller)
{
    uint64_t key = (uint64_t)id_of(caller) << 32 | callee->func->id;
    trc_start_edge *edge;
    HASH_FIND(hh, table->edges, &key, sizeof key, edge);
    if (edge == NULL) {
        edge = trc_alloc(table->allocator, sizeof *edge);
        if (edge != NULL) {
            *edge = (trc_start_edge){.caller_code = caller == NULL ? 0 : caller->key, .key = key, .caller = caller};
            TRC_HASH_ADD(table->edges, key, edge);
        }
    }
    return edge;
}

bool trc_starts_count(trc_starts *starts, trc_start_count *callee, const trc_start_count *caller)
{
    trc_start_edge *edge = edge_of(starts, callee, caller);
    if (edge == NULL) {
        starts->lost++;
        return false;
    }
    callee->latest = edge;
    trc_starts_count_again(callee);
    return true;
}

void trc_starts_silence(trc_starts *starts, int64_t cpu)
{
    uint32_t count = 0;
    trc_payee *payees = malloc((HASH_CNT(hh, starts->counts) + 1) * sizeof *payees);
    for (trc_start_count *each = starts->counts; each != NULL; each = each->hh.next) {
        if (payees != NULL && !each->is_silent) {
            payees[count++] = (trc_payee){each, each->calls - each->told};
        }
        else if (!each->is_silent) {
            each->is_silent = true;
            starts->silent++;
        }
        each->told = each->calls;
    }
    uint32_t gone = payees == NULL ? 0 : trc_allowance_choose(&starts->allowance, payees, count, cpu);
    for (uint32_t i = 0; i < gone; i++) {
        ((trc_start_count *)payees[i].who)->is_silent = true;
    }
    starts->silent += gone;
    free(payees);
}
