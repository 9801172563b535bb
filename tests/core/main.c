/* Runs every suite of the core. CK_RUN_SUITE and CK_FORK choose, as in any program made with Check. */
#include "suites.h"

int main(void)
{
    SRunner *runner = srunner_create(alloc_suite());
    srunner_add_suite(runner, contract_suite());
    srunner_add_suite(runner, clock_suite());
    srunner_add_suite(runner, figures_suite());
    srunner_add_suite(runner, hash_suite());
    srunner_add_suite(runner, functab_suite());
    srunner_add_suite(runner, edgetab_suite());
    srunner_add_suite(runner, object_calls_suite());
    srunner_add_suite(runner, calltree_suite());
    srunner_add_suite(runner, stacks_suite());
    srunner_add_suite(runner, suspensions_suite());
    srunner_add_suite(runner, waits_suite());
    srunner_add_suite(runner, collecting_suite());
    srunner_add_suite(runner, thread_suite());
    srunner_add_suite(runner, switching_suite());
    srunner_add_suite(runner, random_suite());
    srunner_add_suite(runner, record_suite());
    srunner_add_suite(runner, tasks_suite());
    srunner_add_suite(runner, slices_suite());
    srunner_add_suite(runner, store_suite());
    srunner_add_suite(runner, bins_suite());
    srunner_add_suite(runner, lograndom_suite());
    srunner_add_suite(runner, biased_lock_suite());
    srunner_add_suite(runner, periodic_thread_suite());
    srunner_add_suite(runner, shared_suite());
    srunner_add_suite(runner, resident_suite());
    srunner_add_suite(runner, blocks_suite());
    srunner_add_suite(runner, heap_suite());
    srunner_add_suite(runner, heaplong_suite());
    srunner_add_suite(runner, curve_suite());
    srunner_add_suite(runner, address_bitmap_suite());
    srunner_add_suite(runner, origins_suite());
    srunner_add_suite(runner, worklist_suite());
    srunner_add_suite(runner, linetab_suite());
    srunner_add_suite(runner, linethread_suite());
    srunner_add_suite(runner, linesums_suite());
    srunner_add_suite(runner, linewaits_suite());
    srunner_add_suite(runner, linerandom_suite());
    srunner_add_suite(runner, capture_suite());
    srunner_add_suite(runner, rollup_suite());
    srunner_add_suite(runner, paths_suite());
    srunner_add_suite(runner, folding_suite());
    srunner_add_suite(runner, reader_suite());
    srunner_add_suite(runner, trace_export_suite());
    srunner_add_suite(runner, unwind_suite());
    srunner_add_suite(runner, cfi_program_suite());
    srunner_add_suite(runner, expression_suite());
    srunner_add_suite(runner, damaged_suite());
    srunner_add_suite(runner, ring_suite());
    srunner_add_suite(runner, native_stacks_suite());
    srunner_add_suite(runner, frames_suite());
    srunner_add_suite(runner, frame_tree_suite());
    srunner_add_suite(runner, slow_lines_suite());
    srunner_add_suite(runner, wait_looks_suite());
    srunner_add_suite(runner, allowance_suite());
    srunner_add_suite(runner, pacing_suite());
    srunner_add_suite(runner, counting_suite());
    srunner_add_suite(runner, sampling_suite());
    srunner_add_suite(runner, sampled_threads_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
