/* A thread whose lines are timed, for tests: see desk.h. */
#include "desk.h"

#include <check.h>

const char f = 'f', g = 'g', untimed = '-';

void desk_open(desk *desk, bool sees_calls, trc_linecosts costs)
{
    static const int32_t first_lines_of_f[] = {10, 11, 12, 12, 14};
    heap_init(&desk->memory);
    ck_assert(trc_linemap_init(&desk->map_of_f, &trc_system_allocator, 10, 5, first_lines_of_f));
    ck_assert(trc_linemap_init(&desk->map_of_g, &trc_system_allocator, 20, 3, NULL));
    trc_linethread_init(&desk->thread, &desk->memory.allocator, sees_calls, costs);
    ck_assert_ptr_nonnull(trc_linetabs_add(&desk->thread.tables, &f, &desk->map_of_f));
    ck_assert_ptr_nonnull(trc_linetabs_add(&desk->thread.tables, &g, &desk->map_of_g));
}

void desk_close(desk *desk)
{
    trc_linethread_free(&desk->thread);
    trc_linemap_free(&desk->map_of_f, &trc_system_allocator);
    trc_linemap_free(&desk->map_of_g, &trc_system_allocator);
    ck_assert_int_eq(desk->memory.blocks, 0);
}

bool line(desk *desk, trc_activation id, long number, trc_tick now)
{
    return trc_linethread_line(&desk->thread, id, number < 20 ? &f : &g, number, now);
}

const trc_line *record(const desk *desk, long number)
{
    const trc_linetab *table = trc_linetabs_find(&desk->thread.tables, number < 20 ? &f : &g);
    return &table->lines[table->map->places[number - table->map->first] / 2];
}

void expect_line(const desk *desk, long number, uint64_t hits, trc_tick ticks)
{
    ck_assert_uint_eq(record(desk, number)->hits, hits);
    ck_assert_int_eq(record(desk, number)->ticks, ticks);
}

void expect_nobody_on_a_line(const desk *desk)
{
    static const long first_lines[] = {10, 11, 12, 14, 20, 21, 22};
    for (size_t i = 0; i < sizeof first_lines / sizeof *first_lines; i++) {
        ck_assert_uint_eq(record(desk, first_lines[i])->active, 0);
        ck_assert_uint_eq(record(desk, first_lines[i])->c_active, 0);
    }
}
