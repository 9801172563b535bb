/* The table of locations of a code object: see location_table.h. */
#include "core/samples/location_table.h"

/* The kinds of entries that tell of a line; those below ONE_LINE are of the line before. */
enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NOTHING = 15 };

/* A number of six bits a byte, the lowest first. */
static uint32_t read_number(const uint8_t *table, size_t size, size_t *at)
{
    uint32_t number = 0;
    for (unsigned shift = 0; *at < size && shift < 32; shift += 6) {
        uint8_t byte = table[(*at)++];
        number |= (uint32_t)(byte & 0x3f) << shift;
        if (!(byte & 0x40)) {
            break;
        }
    }
    return number;
}

static int32_t read_signed(const uint8_t *table, size_t size, size_t *at)
{
    uint32_t number = read_number(table, size, at);
    return number & 1 ? -(int32_t)(number >> 1) : (int32_t)(number >> 1);
}

int32_t trc_location_line(const uint8_t *table, size_t size, int32_t first_line, uint32_t unit)
{
    int32_t line = first_line;
    uint32_t end = 0;
    for (size_t at = 0; at < size;) {
        uint8_t head = table[at++];
        unsigned kind = head >> 3 & 15;
        if (kind == NO_COLUMNS || kind == LONG) {
            line += read_signed(table, size, &at);
        }
        else if (kind >= ONE_LINE && kind < NO_COLUMNS) {
            line += (int32_t)(kind - ONE_LINE);
        }
        end += (head & 7u) + 1;
        if (unit < end) {
            return kind == NOTHING ? TRC_NO_LINE : line;
        }
        while (at < size && !(table[at] & 0x80)) { /* columns: only the head of an entry has this bit */
            at++;
        }
    }
    return TRC_NO_LINE;
}
