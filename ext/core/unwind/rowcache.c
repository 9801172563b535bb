/* Simple rows of call frame information: see rowcache.h. */
#include "core/unwind/rowcache.h"

void trc_rowcache_init(trc_rowcache *cache, trc_small_row *rows, size_t count)
{
    size_t sets = count / TRC_ROWCACHE_WAYS;
    cache->rows = rows;
    cache->set_count = sets > UINT32_MAX ? UINT32_MAX : (uint32_t)sets;
    if (count > 0) {
        memset(rows, 0, count * sizeof *rows);
    }
}

static trc_small_row *set_of(const trc_rowcache *cache, uint64_t pc)
{
    uint64_t hash = pc * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return cache->rows + (hash * cache->set_count >> 32) * TRC_ROWCACHE_WAYS;
}

const trc_small_row *trc_rowcache_find(const trc_rowcache *cache, uint64_t pc)
{
    if (cache->set_count == 0 || pc == 0) {
        return NULL;
    }
    const trc_small_row *set = set_of(cache, pc);
    for (int i = 0; i < TRC_ROWCACHE_WAYS; i++) {
        if (set[i].pc == pc) {
            return &set[i];
        }
    }
    return NULL;
}

void trc_rowcache_add(trc_rowcache *cache, const trc_small_row *row)
{
    if (cache->set_count == 0) {
        return;
    }
    trc_small_row *set = set_of(cache, row->pc);
    memmove(set + 1, set, (TRC_ROWCACHE_WAYS - 1) * sizeof *set);
    *set = *row;
}

/* An offset in words, if it is one that a small row can hold. 0 has another meaning there. */
static bool in_words(int64_t offset, int16_t *words)
{
    *words = (int16_t)(offset / 8);
    return offset % 8 == 0 && offset != 0 && offset >= INT16_MIN * 8 && offset <= INT16_MAX * 8;
}

static bool simplify_return(const trc_row *row, const trc_arch *arch, trc_small_row *small)
{
    const trc_rule *rule = &row->registers[row->return_register];
    if (rule->kind == TRC_RULE_OFFSET) {
        return in_words(rule->offset, &small->return_address);
    }
    bool is_in_register = rule->kind == TRC_RULE_SAME && arch->has_link_register;
    bool has_none = rule->kind == TRC_RULE_UNDEFINED || (rule->kind == TRC_RULE_SAME && !arch->has_link_register);
    small->flags |= is_in_register ? TRC_SMALL_RA_IN_REGISTER : TRC_SMALL_OUTERMOST;
    return has_none || is_in_register;
}

bool trc_row_simplify(const trc_row *row, const trc_arch *arch, uint64_t pc, trc_small_row *small)
{
    uint64_t done = UINT64_C(1) << row->return_register;
    *small = (trc_small_row){.pc = pc, .flags = row->is_signal ? TRC_SMALL_SIGNAL : 0};
    if (row->cfa.kind != TRC_RULE_REGISTER || row->cfa.offset != (int32_t)row->cfa.offset ||
        (arch->has_link_register && row->return_register != TRC_AARCH64_LR) || !simplify_return(row, arch, small)) {
        return false;
    }
    small->cfa_register = (uint8_t)row->cfa.number;
    small->cfa_offset = (int32_t)row->cfa.offset;
    for (int i = 0; i < arch->callee_saved_count; i++) {
        const trc_rule *rule = &row->registers[arch->callee_saved[i]];
        if (rule->kind == TRC_RULE_OFFSET && in_words(rule->offset, &small->saved[i])) {
            done |= UINT64_C(1) << arch->callee_saved[i];
        }
    }
    for (int i = 0; i < TRC_REGISTERS; i++) {
        if ((done >> i & 1) == 0 && row->registers[i].kind != TRC_RULE_SAME) {
            return false;
        }
    }
    return true;
}
