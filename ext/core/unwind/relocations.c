/* The relocations of functions: see relocations.h. */
#include "core/unwind/relocations.h"

enum {
    STRTAB = 5, /* of the dynamic section */
    SYMTAB = 6,
    RELA = 7,
    RELASZ = 8,
    STRSZ = 10,
    PLTRELSZ = 2,
    JMPREL = 23,
    X86_64_GLOB_DAT = 6, /* relocations */
    X86_64_JUMP_SLOT = 7,
    X86_64_IRELATIVE = 37,
    AARCH64_GLOB_DAT = 1025,
    AARCH64_JUMP_SLOT = 1026,
    AARCH64_IRELATIVE = 1032,
};

const char *trc_dynamic_text(const trc_elf *elf, uint32_t place)
{
    uint64_t texts, size;
    if (!trc_elf_dynamic(elf, STRTAB, &texts) || !trc_elf_dynamic(elf, STRSZ, &size) || place >= size) {
        return NULL;
    }
    trc_span span = trc_elf_at(elf, texts);
    if (size < trc_span_left(&span)) {
        span.end = span.at + size;
    }
    trc_span_take(&span, place);
    return trc_span_text(&span);
}

static const char *name_of(const trc_elf *elf, uint64_t symbols, uint64_t number)
{
    trc_span symbol = trc_elf_at(elf, symbols + number * TRC_ELF_SYMBOL_SIZE);
    const char *name = trc_dynamic_text(elf, trc_span_u32(&symbol));
    return symbol.failed || name == NULL || *name == 0 ? NULL : name;
}

static void each(const trc_elf *elf, int64_t place_tag, int64_t size_tag,
                 void (*use)(void *context, const trc_relocation *relocation), void *context)
{
    uint64_t place, size, symbols;
    if (!trc_elf_dynamic(elf, place_tag, &place) || !trc_elf_dynamic(elf, size_tag, &size) ||
        !trc_elf_dynamic(elf, SYMTAB, &symbols)) {
        return;
    }
    trc_span span = trc_elf_at(elf, place);
    if (size < trc_span_left(&span)) {
        span.end = span.at + size;
    }
    while (trc_span_left(&span) >= TRC_ELF_RELA_SIZE) {
        uint64_t word = trc_span_u64(&span);
        uint32_t kind = trc_span_u32(&span), symbol = trc_span_u32(&span);
        uint64_t addend = trc_span_u64(&span);
        bool is_named = kind == X86_64_GLOB_DAT || kind == X86_64_JUMP_SLOT || kind == AARCH64_GLOB_DAT ||
                        kind == AARCH64_JUMP_SLOT;
        bool is_chosen = kind == X86_64_IRELATIVE || kind == AARCH64_IRELATIVE;
        trc_relocation relocation = {word, is_named ? name_of(elf, symbols, symbol) : NULL, is_chosen ? addend : 0};
        if (relocation.name != NULL || relocation.resolver != 0) {
            use(context, &relocation);
        }
    }
}

void trc_relocations_each(const trc_elf *elf, void (*use)(void *context, const trc_relocation *relocation),
                          void *context)
{
    each(elf, JMPREL, PLTRELSZ, use, context);
    each(elf, RELA, RELASZ, use, context);
}
