/* Tables of lines: see linetab.h. */
#include "core/lines/linetab.h"

/* The index of the line on which the statement of line `i` begins. */
static uint32_t beginning_of(const int32_t *first_lines, int32_t first, uint32_t i)
{
    int64_t index = first_lines == NULL ? i : (int64_t)first_lines[i] - first;
    return index < 0 || index > i ? i : (uint32_t)index;
}

bool trc_linemap_init(trc_linemap *map, const trc_allocator *allocator, int32_t first, uint32_t count,
                      const int32_t *first_lines)
{
    *map = (trc_linemap){.first = first, .count = count};
    map->places = trc_alloc(allocator, count * sizeof *map->places);
    map->lines = trc_alloc(allocator, count * sizeof *map->lines);
    if (count > 0 && (map->places == NULL || map->lines == NULL)) {
        trc_linemap_free(map, allocator);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t beginning = beginning_of(first_lines, first, i);
        bool continues = beginning < i;
        /* A line that continues a line which itself continues a statement belongs to that statement. */
        uint32_t row = continues ? map->places[beginning] / 2 : map->row_count;
        if (!continues) {
            map->lines[map->row_count++] = first + (int32_t)i;
        }
        map->places[i] = row * 2 + continues;
    }
    return true;
}

void trc_linemap_free(trc_linemap *map, const trc_allocator *allocator)
{
    trc_free(allocator, map->places);
    trc_free(allocator, map->lines);
    *map = (trc_linemap){0};
}

void trc_linetabs_init(trc_linetabs *tables, const trc_allocator *allocator)
{
    tables->allocator = allocator;
    tables->first = NULL;
    tables->line_count = 0;
}

void trc_linetabs_free(trc_linetabs *table)
{
    trc_linetab *next = table->first;
    if (next != NULL) {
        trc_linetab *head = next;
        HASH_CLEAR(hh, head);
    }
    table->first = NULL;
    table->line_count = 0;
    while (next != NULL) {
        trc_linetab *gone = next;
        next = gone->hh.next;
        trc_free(table->allocator, gone->lines);
        trc_free(table->allocator, gone);
    }
}

trc_linetab *trc_linetabs_find(const trc_linetabs *tables, const void *key)
{
    trc_linetab *found;
    HASH_FIND_PTR(tables->first, &key, found);
    return found;
}

trc_linetab *trc_linetabs_add(trc_linetabs *table, const void *key, const trc_linemap *map)
{
    trc_linetab *added = trc_alloc(table->allocator, sizeof *added);
    trc_line *lines = trc_alloc(table->allocator, (map->row_count + (size_t)1) * sizeof *lines);
    if (added != NULL && lines != NULL) {
        *added = (trc_linetab){.key = key, .map = map, .lines = lines};
        TRC_HASH_ADD(table->first, key, added);
        if (added != NULL) {
            for (uint32_t row = 0; row < map->row_count; row++) {
                lines[row].number = ++table->line_count;
            }
            return added;
        }
    }
    trc_free(table->allocator, lines);
    trc_free(table->allocator, added);
    return NULL;
}
