/* native_stacks.[ch] and sample_counts.[ch]: equal chains have one number, and samples add up under it. */
#include "suites.h"
#include "support.h"

#include <core/samples/native_stacks.h>
#include <core/samples/sample_counts.h>

static uint32_t frame(trc_native_stacks *chains, uint64_t address, bool is_call, uint64_t begin, const char *name)
{
    uint32_t number = trc_native_stacks_frame(chains, address, is_call);
    trc_code_place place = {
        .address = address, .is_call = is_call, .module = 3, .begin = begin, .start = begin - 4096, .name = name};
    return number != TRC_NOWHERE ? number : trc_native_stacks_add_frame(chains, &place);
}

START_TEST(equal_chains_have_one_number)
{
    trc_native_stacks chains;
    trc_native_stacks_init(&chains, &trc_system_allocator);
    uint32_t outer = frame(&chains, 8200, true, 8192, "outer"), inner = frame(&chains, 9000, false, 8900, "inner");
    uint32_t one = trc_native_stacks_call(&chains, 0, outer), two = trc_native_stacks_call(&chains, one, inner);
    ck_assert_uint_eq(one, 1);
    ck_assert_uint_eq(two, 2);
    ck_assert_uint_eq(trc_native_stacks_call(&chains, trc_native_stacks_call(&chains, 0, outer), inner), two);
    ck_assert_uint_eq(trc_native_stacks_call(&chains, 0, inner), 3);
    ck_assert_uint_eq(chains.chain_count, 3);
    ck_assert_uint_eq(chains.chains[1].caller, 1);
    ck_assert_uint_eq(chains.chains[1].frame, inner);
    trc_native_stacks_free(&chains);
}
END_TEST

START_TEST(a_call_and_an_instruction_of_one_address_are_two_frames_of_one_symbol)
{
    trc_native_stacks chains;
    trc_native_stacks_init(&chains, &trc_system_allocator);
    uint32_t call = frame(&chains, 8200, true, 8192, "f"), ran = frame(&chains, 8200, false, 8192, "f");
    ck_assert_uint_ne(call, ran);
    ck_assert_uint_eq(frame(&chains, 8200, true, 8192, "f"), call);
    ck_assert_uint_eq(chains.symbol_count, 1);
    ck_assert_uint_eq(chains.frames[call].symbol, chains.frames[ran].symbol);
    ck_assert_str_eq(chains.symbols[0].name, "f");
    ck_assert_uint_eq(chains.symbols[0].module, 3);
    ck_assert_uint_eq(chains.symbols[0].start, 4096);
    trc_native_stacks_free(&chains);
}
END_TEST

START_TEST(code_without_a_name_has_a_symbol_where_its_beginning_is_known)
{
    trc_native_stacks chains;
    trc_native_stacks_init(&chains, &trc_system_allocator);
    uint32_t nameless = frame(&chains, 8200, true, 8192, NULL), nowhere = frame(&chains, 70000, true, 0, NULL);
    ck_assert_str_eq(chains.symbols[chains.frames[nameless].symbol].name, "");
    ck_assert_uint_eq(chains.frames[nowhere].symbol, TRC_NOWHERE);
    trc_native_stacks_free(&chains);
}
END_TEST

START_TEST(addresses_that_are_forgotten_are_new_frames)
{
    trc_native_stacks chains;
    trc_native_stacks_init(&chains, &trc_system_allocator);
    uint32_t before = frame(&chains, 8200, true, 8192, "old");
    trc_native_stacks_forget_addresses(&chains);
    uint32_t after = frame(&chains, 8200, true, 8192, "new");
    ck_assert_uint_ne(before, after);
    ck_assert_str_eq(chains.symbols[chains.frames[before].symbol].name, "old");
    ck_assert_str_eq(chains.symbols[chains.frames[after].symbol].name, "new");
    trc_native_stacks_free(&chains);
}
END_TEST

START_TEST(many_chains_keep_their_numbers)
{
    trc_native_stacks chains;
    trc_native_stacks_init(&chains, &trc_system_allocator);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            ck_assert_uint_eq(frame(&chains, 10000 + i, true, 10000 + i / 10 * 10, "f"), i);
            ck_assert_uint_eq(trc_native_stacks_call(&chains, i, i), i + 1);
        }
    }
    ck_assert_uint_eq(chains.symbol_count, 500);
    trc_native_stacks_free(&chains);
}
END_TEST

/* At each request for memory in turn: what could not be kept is told, and the rest is whole. */
START_TEST(when_memory_is_out_a_chain_ends_early)
{
    for (long first = 1; first < 40; first++) {
        heap memory;
        trc_native_stacks chains;
        heap_init(&memory);
        memory.first_failure = memory.last_failure = first;
        trc_native_stacks_init(&chains, &memory.allocator);
        uint32_t caller = 0;
        for (uint32_t i = 0; i < 20; i++) {
            uint32_t number = frame(&chains, 10000 + i, true, 10000 + i, "f");
            caller = number == TRC_NOWHERE ? caller : trc_native_stacks_call(&chains, caller, number);
        }
        ck_assert_uint_le(caller, chains.chain_count);
        ck_assert_uint_ge(chains.chain_count, 18);
        for (uint32_t i = 0; i < chains.chain_count; i++) {
            ck_assert_uint_le(chains.chains[i].caller, i);
            ck_assert_uint_lt(chains.chains[i].frame, chains.frame_count);
        }
        trc_native_stacks_free(&chains);
        ck_assert_int_eq(memory.blocks, 0);
    }
}
END_TEST

START_TEST(samples_add_up_by_node_chain_and_kind)
{
    trc_sample_counts sample_counts;
    trc_sample_counts_init(&sample_counts, &trc_system_allocator);
    ck_assert(trc_sample_counts_add(&sample_counts, 7, 9, TRC_IN_PROGRAM, 1));
    ck_assert(trc_sample_counts_add(&sample_counts, 7, 9, TRC_IN_OVERHEAD, 2));
    ck_assert(trc_sample_counts_add(&sample_counts, (1 << 29) - 1, TRC_CHAIN_LIMIT, TRC_IN_OVERHEAD, 3));
    ck_assert(trc_sample_counts_add(&sample_counts, 7, 9, TRC_IN_PROGRAM, 4));
    ck_assert_uint_eq(sample_counts.weight, 10);
    trc_sample_count_record first = trc_sample_count_as_record(sample_counts.first);
    ck_assert(first.node == 7 && first.chain == 9 && first.kind == TRC_IN_PROGRAM && first.weight == 5);
    const trc_sample_count *last = sample_counts.first->hh.next;
    last = last->hh.next;
    trc_sample_count_record third = trc_sample_count_as_record(last);
    ck_assert(third.node == (1 << 29) - 1 && third.chain == TRC_CHAIN_LIMIT && third.kind == TRC_IN_OVERHEAD);
    ck_assert_ptr_null(last->hh.next);
    trc_sample_counts_free(&sample_counts);
}
END_TEST

Suite *native_stacks_suite(void)
{
    Suite *suite = suite_create("native_stacks");
    TCase *tests = tcase_create("native_stacks");
    tcase_add_test(tests, equal_chains_have_one_number);
    tcase_add_test(tests, a_call_and_an_instruction_of_one_address_are_two_frames_of_one_symbol);
    tcase_add_test(tests, code_without_a_name_has_a_symbol_where_its_beginning_is_known);
    tcase_add_test(tests, addresses_that_are_forgotten_are_new_frames);
    tcase_add_test(tests, many_chains_keep_their_numbers);
    tcase_add_test(tests, when_memory_is_out_a_chain_ends_early);
    tcase_add_test(tests, samples_add_up_by_node_chain_and_kind);
    suite_add_tcase(suite, tests);
    return suite;
}
