/* counting.[ch]: which frames a sample's chain has, whether the chain is whole, and what of it is a line's. */
#include "sampled.h"

#include <string.h>

#if TRC_SAMPLES
static volatile unsigned sink;

/* By its name, a function of the interpreter's that only hands a call on. */
__attribute__((noinline)) static void cfunction_call(unsigned count)
{
    burn(count);
    sink++;
}

/* Another one, which calls nothing: see burn_inner(). */
__attribute__((noinline)) static void cfunction_burn(unsigned count)
{
    unsigned before = atomic_load(&signals);
    while (atomic_load(&signals) - before < count) {
        for (unsigned i = 0; i < 1000; i++) {
            sink += i;
        }
    }
    sink++;
}

/* Stands for the interpreter's function that runs Python code, as evaluate() does. */
__attribute__((noinline)) static void run_code(unsigned count)
{
    cfunction_call(count);
    cfunction_burn(count);
    sink++;
}

/* The weight of the samples of owner 0 whose outermost function this is. */
static uint64_t weight_below(const trc_sampling *sampling, const char *name)
{
    uint64_t weight = 0;
    const trc_sample_count *sample_count = sampling->counts.sample_counts[TRC_KNOWN].by_owner[0].first;
    for (; sample_count != NULL; sample_count = sample_count->hh.next) {
        uint32_t chain = trc_sample_count_as_record(sample_count).chain;
        weight += chain != 0 && strcmp(outermost(sampling, chain), name) == 0 ? sample_count->weight : 0;
    }
    return weight;
}

START_TEST(a_function_that_hands_a_call_on_is_left_out_unless_it_runs_itself)
{
    trc_sampling *sampling = new_sampling();
    sampling->counts.eval = (uint64_t)(uintptr_t)run_code;
    node = 5;
    begin_here(sampling);
    in_parts(run_code, SAMPLES);
    trc_sampling_end(sampling);
    ck_assert_uint_ge(weight_below(sampling, "burn"), SAMPLES);
    ck_assert_uint_ge(weight_below(sampling, "cfunction_burn"), SAMPLES);
    trc_sampling_free(sampling);
}
END_TEST

/* A sampling that has ended, with samples of a thread whose calls are at this node. */
static trc_sampling *burned(uint32_t at)
{
    trc_sampling *sampling = new_sampling();
    node = at;
    begin_here(sampling);
    burn(SAMPLES);
    trc_sampling_end(sampling);
    return sampling;
}

START_TEST(where_functions_are_recorded_a_chain_ends_at_python_code)
{
    trc_sampling *sampling = burned(5);
    ck_assert_uint_ge(sampling->counts.cut, SAMPLES);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(elsewhere_it_ends_where_the_thread_begins)
{
    trc_sampling *sampling = burned(0);
    ck_assert_uint_le(sampling->counts.cut + SAMPLES, sampling->counts.signals);
    trc_sampling_free(sampling);
}
END_TEST

__attribute__((noinline)) static void dig(int depth, unsigned count)
{
    volatile char room[1024];
    room[0] = 1;
    if (depth == 0) {
        burn(count);
    }
    else {
        dig(depth - 1, count);
    }
    sink += (unsigned)room[0];
}

__attribute__((noinline)) static void go_deep(unsigned count)
{
    dig(80, count); /* more than is copied at first */
    sink++;
}

START_TEST(after_a_stack_that_was_longer_than_its_copy_more_is_copied)
{
    trc_sampling *sampling = new_sampling();
    node = 5;
    begin_here(sampling);
    go_deep(SAMPLES);
    weight_now(sampling, TRC_KNOWN, 0);
    go_deep(SAMPLES);
    trc_sampling_end(sampling);
    ck_assert_uint_ge(weight_in(sampling, "go_deep"), SAMPLES);
    trc_sampling_free(sampling);
}
END_TEST

START_TEST(overhead_is_no_time_of_a_line)
{
    trc_sampling *sampling = new_sampling();
    sampling->counts.own = (uint64_t)(uintptr_t)burn; /* all of this program is tracer's */
    trc_cpu_split split = {0}, *line = &split;
    sampling->line_of = line_of;
    begin_here(sampling);
    trc_sampling_set_lines(sampling, trc_gettid(), &line);
    burn(SAMPLES);
    trc_sampling_end(sampling);
    ck_assert_uint_ge(weight_of(sampling, TRC_KNOWN, 0), SAMPLES);
    ck_assert_int_eq(split.python + split.native, 0);
    trc_sampling_free(sampling);
}
END_TEST
#endif

Suite *counting_suite(void)
{
    Suite *suite = suite_create("counting");
    TCase *tcase = tcase_create("counting");
    tcase_set_tags(tcase, "places");
#if TRC_SAMPLES
    tcase_add_test(tcase, a_function_that_hands_a_call_on_is_left_out_unless_it_runs_itself);
    tcase_add_test(tcase, where_functions_are_recorded_a_chain_ends_at_python_code);
    tcase_add_test(tcase, elsewhere_it_ends_where_the_thread_begins);
    tcase_add_test(tcase, after_a_stack_that_was_longer_than_its_copy_more_is_copied);
    tcase_add_test(tcase, overhead_is_no_time_of_a_line);
#endif
    suite_add_tcase(suite, tcase);
    return suite;
}
