/* frame_chain.[ch], code_notes.[ch], code_table.[ch], location_table.[ch]: frames and their code, read from memory that may
 * hold anything; and the lines of instructions. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "frames.h"
#include "suites.h"
#include "support.h"

#include <core/samples/code_notes.h>
#include <core/samples/code_table.h>
#include <core/samples/location_table.h>

/* -- Lines of instructions -- */

/* The line of each unit of a table, up to the first behind it. */
static void expect_lines(const uint8_t *table, size_t size, const int32_t *lines, uint32_t count)
{
    for (uint32_t unit = 0; unit < count; unit++) {
        ck_assert_int_eq(trc_location_line(table, size, 10, unit), lines[unit]);
    }
}

START_TEST(each_kind_of_entry_tells_the_line)
{
    /* Two units without columns, one line further; one short entry; one and two lines further; none; a long one, 5 back. */
    const uint8_t table[] = {0x80 | 13 << 3 | 1,
                             2,
                             0x80 | 4 << 3 | 0,
                             0x12,
                             0x80 | 11 << 3 | 0,
                             1,
                             2,
                             0x80 | 12 << 3 | 2,
                             3,
                             4,
                             0x80 | 15 << 3 | 0,
                             0x80 | 14 << 3 | 0,
                             11,
                             0,
                             1,
                             1};
    expect_lines(table, sizeof table, (int32_t[]){11, 11, 11, 12, 14, 14, 14, TRC_NO_LINE, 9, TRC_NO_LINE}, 10);
}
END_TEST

START_TEST(a_large_difference_takes_several_bytes)
{
    const uint8_t table[] = {0x80 | 13 << 3 | 0, 0x40 | (2000 << 1 & 0x3f), 0x40 | (2000 << 1 >> 6 & 0x3f),
                             2000 << 1 >> 12};
    expect_lines(table, sizeof table, (int32_t[]){2010, TRC_NO_LINE}, 2);
}
END_TEST

START_TEST(a_damaged_table_ends)
{
    const uint8_t table[] = {0x80 | 14 << 3 | 0, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f};
    for (size_t size = 0; size <= sizeof table; size++) {
        ck_assert_int_eq(trc_location_line(table, size, 10, 1), TRC_NO_LINE);
    }
}
END_TEST

#if TRC_SAMPLES
#include <sys/mman.h>
#include <unistd.h>

/* -- Chains -- */

static trc_frame_chain read_chain(fake_program *of, uint32_t room)
{
    static trc_chain_scratch scratch;
    trc_frame_chain chain = {.frames = of->seen};
    trc_frame_chain_read(&chain, &fake_layout, &scratch, getpid(), (uint64_t)(uintptr_t)&of->state, room);
    return chain;
}

START_TEST(a_chain_has_the_innermost_frame_first)
{
    fake_program run;
    for (int depth = 1; depth <= FAKE_DEPTH; depth++) {
        fake_program_init(&run, depth);
        trc_frame_chain chain = read_chain(&run, FAKE_DEPTH);
        ck_assert_int_eq(chain.end, TRC_CHAIN_WHOLE);
        ck_assert_uint_eq(chain.count, (uint32_t)depth);
        for (int i = 0; i < depth; i++) {
            int place = depth - 1 - i;
            ck_assert(chain.frames[i].code == (uint64_t)(uintptr_t)&run.codes[place % 2]);
            ck_assert_uint_eq(chain.frames[i].offset, 2u * (uint32_t)(place % 30));
            ck_assert((chain.frames[i].stamp == chain.frames[0].stamp) == (i % 2 == 0));
        }
    }
}
END_TEST

START_TEST(a_stop_for_a_line_is_seen_where_the_innermost_frame_is_at_one)
{
    fake_program run;
    fake_program_init(&run, 3); /* the innermost is at the third instruction of the first function */
    run.codes[1].instructions[2] = FAKE_STOP;
    run.codes[0].instructions[2] = FAKE_STOP;
    ck_assert(!read_chain(&run, FAKE_DEPTH).is_at_stop);
    run.codes[0].instructions[4] = FAKE_STOP;
    ck_assert(read_chain(&run, FAKE_DEPTH).is_at_stop);
    run.state.in_event = 1;
    ck_assert(!read_chain(&run, FAKE_DEPTH).is_at_stop);
    run.state.in_event = 0;
    run.innermost = NULL;
    ck_assert(!read_chain(&run, FAKE_DEPTH).is_at_stop);
}
END_TEST

START_TEST(a_chain_is_cut_where_there_is_no_room)
{
    fake_program run;
    fake_program_init(&run, 50);
    trc_frame_chain chain = read_chain(&run, 20);
    ck_assert_int_eq(chain.end, TRC_CHAIN_CUT);
    ck_assert_uint_eq(chain.count, 20);
    ck_assert(chain.frames[19].code == (uint64_t)(uintptr_t)run.frames[30].code);
    ck_assert_int_eq(read_chain(&run, 50).end, TRC_CHAIN_WHOLE);
}
END_TEST

START_TEST(a_thread_without_frames_has_an_empty_chain)
{
    fake_program run;
    fake_program_init(&run, 1);
    run.innermost = NULL;
    run.state.in_event = 1;
    trc_frame_chain chain = read_chain(&run, FAKE_DEPTH);
    ck_assert_int_eq(chain.end, TRC_CHAIN_WHOLE);
    ck_assert_uint_eq(chain.count, 0);
    ck_assert(chain.is_in_event);
}
END_TEST

START_TEST(what_is_no_frame_of_a_function_is_left_out)
{
    fake_program run;
    fake_program_init(&run, 40);
    run.frames[7].owner = 7; /* where C code called */
    run.frames[7].code = NULL;
    fake_code shim = run.codes[0]; /* the interpreter's own, around a class */
    shim.qualname = shim.file;
    run.frames[20].code = &shim;
    trc_frame_chain chain = read_chain(&run, FAKE_DEPTH);
    ck_assert_int_eq(chain.end, TRC_CHAIN_WHOLE);
    ck_assert_uint_eq(chain.count, 38);
}
END_TEST

START_TEST(the_lowest_bits_of_a_pointer_to_code_say_something_else)
{
    fake_program run;
    fake_program_init(&run, 2);
    run.frames[1].code = (const char *)run.frames[1].code + 3;
    trc_frame_chain chain = read_chain(&run, FAKE_DEPTH);
    ck_assert_uint_eq(chain.count, 2);
    ck_assert(chain.frames[0].code == (uint64_t)(uintptr_t)&run.codes[1]);
}
END_TEST

/* Whatever a pointer says, nothing faults, and the chain is broken. */
START_TEST(a_chain_that_leads_to_what_is_no_frame_is_broken)
{
    void *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const void *const wrong[] = {(void *)8, (void *)1, (void *)(UINTPTR_MAX - 7), (char *)gone + 8,
                                 (void *)(UINTPTR_MAX / 2)};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fake_program run;
        fake_program_init(&run, 40);
        run.frames[20].previous = wrong[i];
        ck_assert_int_eq(read_chain(&run, FAKE_DEPTH).end, TRC_CHAIN_BROKEN);
        fake_program_init(&run, 40);
        run.frames[20].code = wrong[i];
        ck_assert_int_eq(read_chain(&run, FAKE_DEPTH).end, TRC_CHAIN_BROKEN);
        fake_program_init(&run, 40);
        run.state.link = wrong[i];
        ck_assert_int_eq(read_chain(&run, FAKE_DEPTH).end, TRC_CHAIN_BROKEN);
    }
    fake_program run;
    fake_program_init(&run, 40);
    run.frames[20].code = &run; /* no code object */
    ck_assert_int_eq(read_chain(&run, FAKE_DEPTH).end, TRC_CHAIN_BROKEN);
    fake_program_init(&run, 40);
    run.frames[20].previous = &run.frames[30]; /* round and round */
    ck_assert_int_eq(read_chain(&run, FAKE_DEPTH).end, TRC_CHAIN_CUT);
    fake_program_init(&run, 40);
    run.frames[20].owner = run.frames[21].owner = 7; /* the same of frames that are no function's, and take no room */
    run.frames[20].previous = &run.frames[21];
    ck_assert_int_eq(read_chain(&run, FAKE_DEPTH).end, TRC_CHAIN_BROKEN);
    munmap(gone, 4096);
}
END_TEST

/* -- Descriptions -- */

typedef union description {
    trc_code_description head;
    uint8_t bytes[4096];
} description;

static uint32_t describe(const fake_code *code, description *to, uint32_t room)
{
    return trc_code_describe(&fake_layout, getpid(), (uint64_t)(uintptr_t)code, to->bytes, room);
}

START_TEST(a_description_has_names_and_lines)
{
    fake_program run;
    description made;
    fake_program_init(&run, 1);
    run.lines = (fake_bytes){3, {0x80 | 11 << 3 | 3, 0, 0}};
    uint32_t size = describe(&run.codes[1], &made, sizeof made);
    trc_code_parts parts = trc_code_parts_of(&made.head);
    ck_assert_uint_eq(size, sizeof made.head + 4 + 4 + 8 + 4);
    ck_assert_uint_eq(made.head.size, size);
    ck_assert_int_eq(made.head.first_line, 11);
    ck_assert_uint_eq(made.head.name.length, 4);
    ck_assert_uint_eq(made.head.file.length, 7);
    ck_assert_mem_eq(parts.name, "pack", 4);
    ck_assert_mem_eq(parts.qualname, "pack", 4);
    ck_assert_mem_eq(parts.file, "shop.py", 7);
    ck_assert_int_eq(trc_code_line(&made.head, 6), 12);
    ck_assert_int_eq(trc_code_line(&made.head, 8), 11); /* beyond the table: the function's own */
    for (uint32_t room = 0; room < size; room += 4) {
        ck_assert_uint_eq(describe(&run.codes[1], &made, room), 0);
    }
}
END_TEST

START_TEST(a_name_of_wide_characters_is_kept)
{
    fake_program run;
    description made;
    fake_program_init(&run, 1);
    run.names[0] = (fake_text){.flags = 4 << 2 | 2, .length = 2, .wide = {0x1F40D, 'x'}};
    ck_assert_uint_gt(describe(&run.codes[0], &made, sizeof made), 0);
    ck_assert_uint_eq(made.head.name.kind, 4);
    ck_assert_uint_eq(made.head.name.length, 2);
    ck_assert_mem_eq(trc_code_parts_of(&made.head).name, run.names[0].wide, 8);
    run.names[0].flags = 3 << 2 | 2; /* no such kind */
    ck_assert_uint_eq(describe(&run.codes[0], &made, sizeof made), 0);
    run.names[0].flags = 4 << 2; /* the characters are elsewhere */
    ck_assert_uint_eq(describe(&run.codes[0], &made, sizeof made), 0);
}
END_TEST

START_TEST(what_is_gone_is_not_described)
{
    fake_program run;
    description made;
    fake_program_init(&run, 1);
    run.codes[0].lines = (const fake_bytes *)8;
    ck_assert_uint_eq(describe(&run.codes[0], &made, sizeof made), 0);
    run.codes[1].type = NULL;
    ck_assert_uint_eq(describe(&run.codes[1], &made, sizeof made), 0);
    ck_assert_uint_eq(describe((const fake_code *)8, &made, sizeof made), 0);
}
END_TEST

/* -- Numbers of code -- */

static trc_code_note notes[TRC_CODE_NOTES];

START_TEST(code_has_a_number_until_another_is_at_its_address)
{
    trc_code_notes table = {notes, 0};
    trc_code_notes_clear(&table);
    trc_seen_frame frame = {4096, 7, 0}, other = {4096, 8, 0};
    ck_assert_uint_eq(trc_code_notes_at(&table, &frame)->number, 0);
    ck_assert_uint_eq(trc_code_notes_add(&table, trc_code_notes_at(&table, &frame), &frame), 1);
    ck_assert_uint_eq(trc_code_notes_at(&table, &frame)->number, 1);
    ck_assert_uint_eq(trc_code_notes_at(&table, &other)->number, 0);
    ck_assert_uint_eq(trc_code_notes_add(&table, trc_code_notes_at(&table, &other), &other), 2);
    ck_assert_uint_eq(trc_code_notes_at(&table, &other)->number, 2);
}
END_TEST

START_TEST(when_there_is_no_room_all_are_forgotten)
{
    trc_code_notes table = {notes, 0};
    trc_code_notes_clear(&table);
    for (uint32_t i = 0; i < TRC_CODE_NOTES_MOST; i++) {
        trc_seen_frame frame = {4096 + 64 * (uint64_t)i, 7, 0};
        trc_code_notes_make_room(&table, 1);
        ck_assert_uint_eq(trc_code_notes_add(&table, trc_code_notes_at(&table, &frame), &frame), i + 1);
    }
    trc_seen_frame first = {4096, 7, 0};
    trc_code_notes_make_room(&table, 0);
    ck_assert_uint_eq(trc_code_notes_at(&table, &first)->number, 1);
    trc_code_notes_make_room(&table, 1);
    ck_assert_uint_eq(trc_code_notes_at(&table, &first)->number, 0);
    ck_assert_uint_eq(table.count, 0);
}
END_TEST

/* -- The table -- */

START_TEST(equal_code_is_one_wherever_it_was)
{
    fake_program run, again;
    description one, other;
    trc_code_table table;
    fake_program_init(&run, 1);
    fake_program_init(&again, 1);
    trc_code_table_init(&table, &trc_system_allocator);
    for (int i = 0; i < 2; i++) {
        describe(&run.codes[i], &one, sizeof one);
        describe(&again.codes[i], &other, sizeof other);
        other.head.number = 99;
        ck_assert_uint_eq(trc_code_table_add(&table, &one.head), (uint32_t)i);
        ck_assert_uint_eq(trc_code_table_add(&table, &other.head), (uint32_t)i);
    }
    again.codes[1].first_line++;
    describe(&again.codes[1], &other, sizeof other);
    ck_assert_uint_eq(trc_code_table_add(&table, &other.head), 2);
    trc_code_table_free(&table);
}
END_TEST

static trc_code_role role_in(const char *file, const char *own_folder)
{
    fake_program run;
    description made;
    trc_code_table table;
    fake_program_init(&run, 1);
    run.file = fake_ascii(file);
    trc_code_table_init(&table, &trc_system_allocator);
    table.own_folder = (trc_characters){own_folder, own_folder == NULL ? 0 : (uint32_t)strlen(own_folder), 1};
    describe(&run.codes[0], &made, sizeof made);
    uint32_t number = trc_code_table_add(&table, &made.head);
    trc_code_role role = table.codes[number].role;
    trc_code_table_free(&table);
    return role;
}

START_TEST(code_is_tracers_by_its_file)
{
    ck_assert_int_eq(role_in("/x/tracer/launch/run.py", "/x/tracer/"), TRC_CODE_OF_COMMAND);
    ck_assert_int_eq(role_in("/x/tracer/api/stats.py", "/x/tracer/"), TRC_CODE_OF_TRACER);
    ck_assert_int_eq(role_in("/x/tracer2/launch/a.py", "/x/tracer/"), TRC_CODE_OF_PROGRAM);
    ck_assert_int_eq(role_in("/x/tra", "/x/tracer/"), TRC_CODE_OF_PROGRAM);
    ck_assert_int_eq(role_in("/x/tracer/launch/run.py", NULL), TRC_CODE_OF_PROGRAM);
}
END_TEST

START_TEST(when_memory_is_out_code_has_no_number)
{
    for (long first = 1; first < 40; first++) {
        heap memory;
        trc_code_table table;
        heap_init(&memory);
        memory.first_failure = memory.last_failure = first;
        trc_code_table_init(&table, &memory.allocator);
        for (int32_t i = 0; i < 20; i++) {
            fake_program run;
            description made;
            fake_program_init(&run, 1);
            run.codes[0].first_line = i;
            describe(&run.codes[0], &made, sizeof made);
            uint32_t number = trc_code_table_add(&table, &made.head);
            ck_assert(number == TRC_NOWHERE || table.codes[number].description->first_line == i);
        }
        ck_assert_uint_ge(table.count, 19);
        trc_code_table_free(&table);
        ck_assert_int_eq(memory.blocks, 0);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, a_chain_has_the_innermost_frame_first);
    tcase_add_test(tests, a_stop_for_a_line_is_seen_where_the_innermost_frame_is_at_one);
    tcase_add_test(tests, a_chain_is_cut_where_there_is_no_room);
    tcase_add_test(tests, a_thread_without_frames_has_an_empty_chain);
    tcase_add_test(tests, what_is_no_frame_of_a_function_is_left_out);
    tcase_add_test(tests, the_lowest_bits_of_a_pointer_to_code_say_something_else);
    tcase_add_test(tests, a_chain_that_leads_to_what_is_no_frame_is_broken);
    tcase_add_test(tests, a_description_has_names_and_lines);
    tcase_add_test(tests, a_name_of_wide_characters_is_kept);
    tcase_add_test(tests, what_is_gone_is_not_described);
    tcase_add_test(tests, code_has_a_number_until_another_is_at_its_address);
    tcase_add_test(tests, when_there_is_no_room_all_are_forgotten);
    tcase_add_test(tests, equal_code_is_one_wherever_it_was);
    tcase_add_test(tests, code_is_tracers_by_its_file);
    tcase_add_test(tests, when_memory_is_out_code_has_no_number);
}
#else
static void add_tests(TCase *tests)
{
    (void)tests;
}
#endif

Suite *frames_suite(void)
{
    Suite *suite = suite_create("frames");
    TCase *tests = tcase_create("frames");
    tcase_add_test(tests, each_kind_of_entry_tells_the_line);
    tcase_add_test(tests, a_large_difference_takes_several_bytes);
    tcase_add_test(tests, a_damaged_table_ends);
    add_tests(tests);
    suite_add_tcase(suite, tests);
    return suite;
}
