/* What must be known of a code object before its lines are timed: its lines, and the first lines of statements. */
#ifndef TRC_CODE_LINES_H
#define TRC_CODE_LINES_H

#include "interp/compat.h"

#include <stdbool.h>
#include <stdint.h>

#define TRC_LINE_LIMIT 1000000 /* of one code object: with more it counts as having none */

/* Finds the first and last line of a code object. Returns false when it has no lines, or with an exception set. */
bool trc_find_span(PyCodeObject *code, long *first, long *last);

/* Asks `callable`, or NULL, on which line the statement of each line begins, from line `first` on. Returns an array
 * that the caller must free, or NULL when there is no answer. Raises nothing. */
int32_t *trc_ask_first_lines(PyObject *callable, PyCodeObject *code, long first, size_t count);

/* Whether the body of a code object begins on the code object's first line, as a lambda's does. From 3.15 on, a generator
 * expression has two beginnings; the first makes the generator. Raises nothing. */
bool trc_code_begins_in_a_line(PyCodeObject *code);

#endif
