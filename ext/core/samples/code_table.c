/* The code objects of which samples tell: see code_table.h. */
#include "core/samples/code_table.h"

#include "core/samples/location_table.h"

void trc_code_table_init(trc_code_table *table, const trc_allocator *allocator)
{
    *table = (trc_code_table){.numbers = {allocator, NULL}};
}

void trc_code_table_free(trc_code_table *table)
{
    const trc_allocator *allocator = table->numbers.allocator;
    for (uint32_t i = 0; i < table->count; i++) {
        trc_free(allocator, table->codes[i].description);
    }
    trc_free(allocator, table->codes);
    trc_numbers_clear(&table->numbers);
    trc_code_table_init(table, allocator);
}

static const uint8_t *behind(const uint8_t *part, uint64_t size)
{
    return part + ((size + 3) & ~UINT64_C(3));
}

trc_code_parts trc_code_parts_of(const trc_code_description *description)
{
    trc_code_parts parts;
    parts.name = (const uint8_t *)(description + 1);
    parts.qualname = behind(parts.name, (uint64_t)description->name.length * description->name.kind);
    parts.file = behind(parts.qualname, (uint64_t)description->qualname.length * description->qualname.kind);
    parts.lines = behind(parts.file, (uint64_t)description->file.length * description->file.kind);
    return parts;
}

/* What describes the code, without the number that somebody gave it. */
static const uint8_t *content_of(const trc_code_description *description)
{
    return (const uint8_t *)&description->first_line;
}

static size_t content_size(const trc_code_description *description)
{
    return description->size - offsetof(trc_code_description, first_line);
}

/* FNV-1a, over words of four bytes, of which a description is made. */
static uint64_t hash_of(const trc_code_description *description)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < content_size(description); i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, content_of(description) + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static bool is_same(const trc_code_description *one, const trc_code_description *other)
{
    return one->size == other->size && memcmp(content_of(one), content_of(other), content_size(one)) == 0;
}

static uint32_t character_at(const void *characters, uint32_t kind, size_t place)
{
    uint32_t character = 0;
    memcpy(&character, (const uint8_t *)characters + place * kind,
           kind); /* little-endian, as samples are only taken there */
    return character;
}

/* Whether a file's name goes on with this text behind so many characters. */
static bool has_at(const trc_code_description *description, uint32_t place, const trc_characters *text)
{
    const uint8_t *file = trc_code_parts_of(description).file;
    bool same = description->file.length >= place + text->length;
    for (uint32_t i = 0; same && i < text->length; i++) {
        same = character_at(file, description->file.kind, place + i) == character_at(text->at, text->kind, i);
    }
    return same;
}

static trc_code_role role_of(const trc_code_table *table, const trc_code_description *description)
{
    static const trc_characters launch = {"launch/", 7, 1};
    const trc_characters *folder = &table->own_folder;
    if (folder->at == NULL || !has_at(description, 0, folder)) {
        return TRC_CODE_OF_PROGRAM;
    }
    return has_at(description, folder->length, &launch) ? TRC_CODE_OF_COMMAND : TRC_CODE_OF_TRACER;
}

uint32_t trc_code_table_add(trc_code_table *table, const trc_code_description *description)
{
    const trc_allocator *allocator = table->numbers.allocator;
    uint64_t hash = hash_of(description);
    uint32_t first = trc_numbers_find(&table->numbers, hash), number = first;
    while (number != TRC_NOWHERE && !is_same(table->codes[number].description, description)) {
        number = table->codes[number].next;
    }
    if (number != TRC_NOWHERE) {
        return number;
    }
    trc_code_description *copy = trc_alloc(allocator, description->size);
    number = table->count;
    if (copy == NULL || number == TRC_CODE_LIMIT ||
        !trc_make_room(allocator, (void **)&table->codes, number, sizeof *table->codes) ||
        (first == TRC_NOWHERE && !trc_numbers_add(&table->numbers, hash, number))) {
        trc_free(allocator, copy);
        return TRC_NOWHERE;
    }
    memcpy(copy, description, description->size);
    table->codes[number] = (trc_known_code){copy, role_of(table, copy), TRC_NOWHERE};
    if (first != TRC_NOWHERE) { /* behind the first one of this hash */
        table->codes[number].next = table->codes[first].next;
        table->codes[first].next = number;
    }
    return table->count++;
}

int32_t trc_code_line(const trc_code_description *description, uint32_t offset)
{
    const uint8_t *lines = trc_code_parts_of(description).lines;
    int32_t line = trc_location_line(lines, description->lines_size, description->first_line, offset / 2);
    return line == TRC_NO_LINE ? description->first_line : line;
}
