/* What is to be known of a code object before its lines are timed: which lines it has, and what `fold` says of them. */
#ifndef TRC_CODE_LINES_H
#define TRC_CODE_LINES_H

#include "interp/compat.h"

#include <stdbool.h>
#include <stdint.h>

#define TRC_LINE_LIMIT 1000000 /* of one code object: it has none past that */

/* The first and last line of a code object; false when it has none, or with an exception set. */
bool trc_find_span(PyCodeObject *code, long *first, long *last);

/* What `fold` (or NULL) says of a code object, one line after the other from `first` on: an array to be freed, or NULL
 * when that is nothing. Raises nothing. */
int32_t *trc_ask_fold(PyObject *fold, PyCodeObject *code, long first, size_t count);

#endif
