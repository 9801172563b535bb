/* What the suites of line times share: a thread with the tables of two code objects, which is told of lines, and whose
 * records of lines are looked up. */
#ifndef TEST_DESK_H
#define TEST_DESK_H

#include "support.h"

#include <core/lines/linethread.h>

/* f has lines 10 to 14, where 12 and 13 are one statement; g has 20 to 22. Nobody has a table for `untimed`. */
extern const char f, g, untimed;

typedef struct desk {
    heap memory; /* of the thread */
    trc_linemap map_of_f;
    trc_linemap map_of_g;
    trc_linethread thread;
} desk;

/* Readies a desk. Its heap must not fail yet. */
void desk_open(desk *desk, bool sees_calls, trc_linecosts costs);

/* Asserts that nothing is left on the heap. */
void desk_close(desk *desk);

/* Tells of a line of f or g. */
bool line(desk *desk, trc_activation id, long number, trc_tick now);

/* The record of a line of f or g. */
const trc_line *record(const desk *desk, long number);

void expect_line(const desk *desk, long number, uint64_t hits, trc_tick ticks);
void expect_nobody_on_a_line(const desk *desk);

#endif
