/* The suites of the core, one a module, of threads four more, and one of a long run of a heap; main.c runs them all. */
#ifndef TEST_SUITES_H
#define TEST_SUITES_H

#include <check.h>

Suite *alloc_suite(void);
Suite *clock_suite(void);
Suite *figures_suite(void);
Suite *hash_suite(void);
Suite *functab_suite(void);
Suite *edgetab_suite(void);
Suite *calltree_suite(void);
Suite *stacks_suite(void);
Suite *suspensions_suite(void);
Suite *waits_suite(void);
Suite *collecting_suite(void);
Suite *thread_suite(void);
Suite *switching_suite(void);
Suite *random_suite(void);
Suite *record_suite(void);
Suite *tasks_suite(void);
Suite *slices_suite(void);
Suite *store_suite(void);
Suite *bins_suite(void);
Suite *lograndom_suite(void);
Suite *biased_lock_suite(void);
Suite *pulse_suite(void);
Suite *resident_suite(void);
Suite *blocks_suite(void);
Suite *heap_suite(void);
Suite *heaplong_suite(void);
Suite *curve_suite(void);
Suite *marks_suite(void);
Suite *origins_suite(void);
Suite *trail_suite(void);
Suite *linetab_suite(void);
Suite *linethread_suite(void);
Suite *linesums_suite(void);
Suite *linewaits_suite(void);
Suite *linerandom_suite(void);
Suite *capture_suite(void);
Suite *rollup_suite(void);
Suite *paths_suite(void);
Suite *folding_suite(void);
Suite *reader_suite(void);
Suite *drawing_suite(void);
Suite *unwind_suite(void);
Suite *cfi_program_suite(void);
Suite *expression_suite(void);
Suite *damaged_suite(void);
Suite *ring_suite(void);
Suite *chains_suite(void);
Suite *counting_suite(void);
Suite *sampling_suite(void);
Suite *sampled_threads_suite(void);

#endif
