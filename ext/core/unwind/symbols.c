/* The functions of a file: see symbols.h. */
#include "core/unwind/symbols.h"
#include "core/unwind/relocations.h"
#include "core/unwind/slots.h"
#include "core/unwind/sorting.h"

enum {
    NO_TYPE = 0, /* types of symbols */
    FUNCTION = 2,
    INDIRECT_FUNCTION = 10,
    FIRST_RESERVED_SECTION = 0xff00,
    SYMTAB = 6, /* of the dynamic section */
    HASH = 4,
    GNU_HASH = 0x6ffffef5,
    NESTING = 8, /* symbols before an address that are looked at: one may lie within another */
};

/* The rank of a symbol is the sum of what makes it a worse name, and of the length of its name, as far as that fits below:
 * of hypot and hypotf32x, which are one function, the former is the usual name. */
enum {
    LONGEST_NAME = 0xfff,
    IS_LOCAL = 0x1000,
    IS_DYNAMIC = 0x2000,
    IS_SIZELESS = 0x4000,
    IS_LABEL = 0x8000, /* of no type */
};

static const char suffix[] = "@plt";

/* Where a symbol of no size ends at the latest; 0 where it is no code. */
static uint64_t end_of(const trc_elf *elf, uint16_t number, uint64_t start)
{
    trc_elf_section section;
    uint64_t end = 0;
    if (trc_elf_section_at(elf, number, &section)) {
        bool is_in = start - section.address < section.size;
        return is_in && (section.flags & TRC_ELF_EXECUTABLE) != 0 ? section.address + section.size : 0;
    }
    return trc_elf_is_code(elf, start, &end) ? end : 0;
}

/* Adds the functions of a table of symbols. `texts` has their names, or is NULL for the dynamic symbols. */
static void add_table(trc_symbols *symbols, const trc_elf *elf, trc_span table, const trc_span *texts)
{
    while (trc_span_left(&table) >= TRC_ELF_SYMBOL_SIZE) {
        uint32_t place = trc_span_u32(&table);
        uint8_t info = trc_span_u8(&table), type = info & 15;
        trc_span_u8(&table); /* the visibility */
        uint16_t section = trc_span_u16(&table);
        uint64_t start = trc_span_u64(&table), size = trc_span_u64(&table);
        uint64_t end = section == 0 || section >= FIRST_RESERVED_SECTION ? 0 : end_of(elf, section, start);
        if ((type != FUNCTION && type != INDIRECT_FUNCTION && type != NO_TYPE) || end == 0) {
            continue;
        }
        symbols->has_chosen = symbols->has_chosen || type == INDIRECT_FUNCTION;
        const char *name;
        if (texts == NULL) {
            name = trc_dynamic_text(elf, place);
        }
        else {
            trc_span text = *texts;
            trc_span_take(&text, place);
            name = trc_span_text(&text);
        }
        if (name == NULL || *name == 0 || (type == NO_TYPE && *name == '$')) { /* $x marks code among data */
            continue;
        }
        size_t letters = strlen(name);
        unsigned rank = (info >> 4 == 0 ? IS_LOCAL : 0) | (texts == NULL ? IS_DYNAMIC : 0) |
                        (size == 0 ? IS_SIZELESS : 0) | (type == NO_TYPE ? IS_LABEL : 0) |
                        (unsigned)(letters < LONGEST_NAME ? letters : LONGEST_NAME);
        uint64_t length = size == 0 ? end - start : size;
        symbols->named[symbols->count++] =
            (trc_named){start, rank, length < UINT32_MAX ? (uint32_t)length : UINT32_MAX, name};
    }
}

/* The number of dynamic symbols, which no header tells: that of the highest that is in the hash table. */
static uint64_t count_dynamic(const trc_elf *elf)
{
    uint64_t address;
    if (trc_elf_dynamic(elf, HASH, &address)) {
        trc_span span = trc_elf_at(elf, address);
        trc_span_u32(&span); /* the number of buckets */
        return trc_span_u32(&span);
    }
    if (!trc_elf_dynamic(elf, GNU_HASH, &address)) {
        return 0;
    }
    trc_span span = trc_elf_at(elf, address);
    uint64_t bucket_count = trc_span_u32(&span), first = trc_span_u32(&span), words = trc_span_u32(&span), last = 0;
    trc_span_u32(&span); /* the shift of the filter */
    trc_span_take(&span, words * 8);
    trc_span buckets = trc_span_take(&span, bucket_count * 4);
    while (!buckets.failed && trc_span_left(&buckets) >= 4) {
        uint32_t number = trc_span_u32(&buckets);
        last = number > last ? number : last;
    }
    if (span.failed || last < first) {
        return first;
    }
    trc_span_take(&span, (last - first) * 4);
    for (last++; (trc_span_u32(&span) & 1) == 0 && !span.failed;) { /* the end of a chain has an odd hash */
        last++;
    }
    return last;
}

static trc_span dynamic_table(const trc_elf *elf)
{
    uint64_t address, count = count_dynamic(elf);
    if (!trc_elf_dynamic(elf, SYMTAB, &address)) {
        return trc_span_of(elf->bytes, 0, 0);
    }
    trc_span table = trc_elf_at(elf, address);
    if (count < trc_span_left(&table) / TRC_ELF_SYMBOL_SIZE) {
        table.end = table.at + count * TRC_ELF_SYMBOL_SIZE;
    }
    return table;
}

/* The section .symtab and its texts. */
static bool find_table(const trc_elf *elf, trc_span *table, trc_span *texts)
{
    for (unsigned i = 0; i < trc_elf_section_count(elf); i++) {
        trc_elf_section section, linked;
        if (trc_elf_section_at(elf, i, &section) && section.type == TRC_ELF_SYMTAB &&
            trc_elf_section_at(elf, section.link, &linked)) {
            *table = section.bytes;
            *texts = linked.bytes;
            return true;
        }
    }
    return false;
}

/* Sorts, drops the worse names and the labels within functions, and ends what has no size at the next. */
static void finish(trc_symbols *symbols)
{
    size_t kept = 0;
    uint64_t function_end = 0;
    trc_sort(symbols->named, symbols->count, sizeof *symbols->named);
    for (size_t i = 0; i < symbols->count; i++) {
        const trc_named named = symbols->named[i];
        trc_named *before = kept == 0 ? NULL : &symbols->named[kept - 1];
        if ((before != NULL && before->start == named.start) ||
            ((named.rank & IS_LABEL) != 0 && named.start < function_end)) {
            continue;
        }
        if (before != NULL && (before->rank & IS_SIZELESS) != 0 && named.start - before->start < before->size) {
            before->size = (uint32_t)(named.start - before->start);
        }
        if ((named.rank & (IS_LABEL | IS_SIZELESS)) == 0 && named.start + named.size > function_end) {
            function_end = named.start + named.size;
        }
        symbols->named[kept++] = named;
    }
    symbols->count = kept;
}

/* Writes the name of a slot, with its NUL, where `text` is not NULL. Returns how long that is; 0 where it has no name. */
static size_t name_slot(const trc_symbols *symbols, const trc_slot *slot, char *text)
{
    const char *name = slot->name;
    trc_symbol resolver;
    if (name == NULL && slot->resolver != 0 && trc_symbols_find(symbols, slot->resolver, &resolver)) {
        name = resolver.name;
    }
    if (name == NULL) {
        return 0;
    }
    size_t length = strlen(name);
    if (text != NULL) {
        memcpy(text, name, length);
        memcpy(text + length, suffix, sizeof suffix);
    }
    return length + sizeof suffix;
}

static bool add_slots(trc_symbols *symbols, const trc_slots *slots)
{
    size_t size = 0, count = symbols->count;
    for (size_t i = 0; i < slots->count; i++) {
        size += name_slot(symbols, &slots->slots[i], NULL);
    }
    trc_named *grown = trc_resize(symbols->allocator, symbols->named, (count + slots->count) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    symbols->named = grown;
    symbols->slot_names = trc_alloc(symbols->allocator, size);
    if (symbols->slot_names == NULL) {
        return false;
    }
    char *text = symbols->slot_names;
    for (size_t i = 0; i < slots->count; i++) {
        const trc_slot *slot = &slots->slots[i];
        size = name_slot(symbols, slot, text);
        if (size > 0) {
            grown[count++] = (trc_named){slot->start, 0, slot->size, text};
            text += size;
        }
    }
    symbols->count = count;
    finish(symbols);
    return true;
}

bool trc_symbols_read(trc_symbols *symbols, const trc_elf *elf, const trc_allocator *allocator)
{
    trc_span table = trc_span_of(elf->bytes, 0, 0), texts = table, dynamic = dynamic_table(elf);
    trc_slots slots;
    bool has_table = find_table(elf, &table, &texts);
    size_t most = (trc_span_left(&table) + trc_span_left(&dynamic)) / TRC_ELF_SYMBOL_SIZE;
    *symbols = (trc_symbols){.allocator = allocator};
    symbols->named = trc_alloc(allocator, most * sizeof *symbols->named);
    if (symbols->named == NULL) {
        return false;
    }
    if (has_table) {
        add_table(symbols, elf, table, &texts);
    }
    add_table(symbols, elf, dynamic, NULL);
    finish(symbols);
    bool is_whole = trc_slots_read(&slots, elf, allocator) && add_slots(symbols, &slots);
    trc_free(allocator, slots.slots);
    if (!is_whole) {
        trc_symbols_free(symbols);
    }
    return is_whole;
}

void trc_symbols_free(trc_symbols *symbols)
{
    trc_free(symbols->allocator, symbols->named);
    trc_free(symbols->allocator, symbols->slot_names);
    *symbols = (trc_symbols){.allocator = symbols->allocator};
}

bool trc_symbols_find(const trc_symbols *symbols, uint64_t address, trc_symbol *symbol)
{
    size_t first = 0, count = symbols->count;
    while (count > 0) { /* the first that begins past `address` is one of these, or the one behind them */
        size_t half = count / 2;
        if (symbols->named[first + half].start <= address) {
            first += half + 1;
            count -= half + 1;
        }
        else {
            count = half;
        }
    }
    for (size_t i = first; i > 0 && first - i < NESTING; i--) {
        const trc_named *named = &symbols->named[i - 1];
        if (address - named->start < named->size) {
            *symbol = (trc_symbol){named->start, named->size, named->name};
            return true;
        }
    }
    return false;
}
