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

static void free_lines(trc_starts *table)
{
    TRC_HASH_FREE(table->lines);
}

void trc_starts_free(trc_starts *starts)
{
    free_lines(starts);
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
        return false;
    }
    callee->latest = *trc_starts_edge_place(starts, callee, edge->caller_code) = edge;
    edge->calls++;
    callee->calls++;
    return true;
}

trc_line_hits *trc_starts_line(trc_starts *table, const trc_start_count *of, int32_t line)
{
    uint64_t key = trc_line_key(of, line);
    trc_line_hits *hits = trc_starts_latest_line(table, key);
    if (hits != NULL) {
        return hits;
    }
    HASH_FIND(hh, table->lines, &key, sizeof key, hits);
    if (hits == NULL) {
        hits = trc_alloc(table->allocator, sizeof *hits);
        if (hits != NULL) {
            *hits = (trc_line_hits){.key = key};
            TRC_HASH_ADD(table->lines, key, hits);
        }
    }
    table->line_places[(key ^ key >> 27) & (TRC_START_PLACES - 1)] = hits;
    return hits;
}

void trc_starts_silence_lines(trc_starts *starts, uint64_t code)
{
    trc_start_count *of = trc_starts_find(starts, (const void *)(uintptr_t)code);
    if (of == NULL || of->lines != TRC_LINES_COUNTED) {
        return;
    }
    of->lines = TRC_LINES_SILENT;
    for (trc_line_hits *each = starts->lines; each != NULL; each = each->hh.next) {
        each->is_silent = each->is_silent || each->key >> 32 == of->func->id;
    }
}

/* Adds one to those that may be silenced, unless it is; all are, where there is no list. */
static void add_payee(trc_payee *payees, uint32_t *count, bool *is_silent, uint64_t events)
{
    if (payees == NULL) {
        *is_silent = true;
    }
    else if (!*is_silent) {
        payees[(*count)++] = (trc_payee){is_silent, events};
    }
}

void trc_starts_silence(trc_starts *starts, int64_t cpu)
{
    uint32_t count = 0;
    size_t most = HASH_CNT(hh, starts->counts) + HASH_CNT(hh, starts->lines);
    trc_payee *payees = malloc((most + 1) * sizeof *payees);
    for (trc_start_count *each = starts->counts; each != NULL; each = each->hh.next) {
        add_payee(payees, &count, &each->is_silent, each->calls + each->elsewhere - each->told);
        each->told = each->calls + each->elsewhere;
    }
    for (trc_line_hits *each = starts->lines; each != NULL; each = each->hh.next) {
        add_payee(payees, &count, &each->is_silent, each->hits + each->elsewhere - each->told);
        each->told = each->hits + each->elsewhere;
    }
    uint32_t gone = payees == NULL ? 0 : trc_allowance_choose(&starts->allowance, payees, count, cpu);
    for (uint32_t i = 0; i < gone; i++) {
        *(bool *)payees[i].who = true;
    }
    free(payees);
}
