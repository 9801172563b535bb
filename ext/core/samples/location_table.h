/* The table of locations of a code object, CPython 3.11 and later: which line each instruction is of. Its format is in
 * CPython's Objects/locations.md (InternalDocs/code_objects.md from 3.14 on). */
#ifndef TRC_LOCATION_TABLE_H
#define TRC_LOCATION_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define TRC_NO_LINE 0 /* the instruction is of no line, or beyond the table */

/* The line of the code unit (2 bytes) with this number. first_line: of the code object. Damaged bytes end the table. */
int32_t trc_location_line(const uint8_t *table, size_t size, int32_t first_line, uint32_t unit);

#endif
