"""Each question after the interpreter's version has a test that fails when the answer is wrong: a
run of --only=extension has that test, and so each version that CI has.

Eleven were seen to fail with the branch turned round or broken. Without TRC_HAS_MONITORING the
import fails already; the other sides of trc_frame_of and trc_this_thread do not compile, nor do
on 3.11 those of a census but for TRC_FRAMES_KEEP_LOCALS; they were not tried.
"""

import ast
import re

import pytest

from conftest import HERE, marks_of
from places import ROOT

(COMPAT,) = (ROOT / "ext").rglob("compat.h")

# By the function or macro whose text asks, or which is there in some versions alone.
NOTICED_BY = {
    "trc_older_thread": "test_threads.py::test_threads_that_exist_before",
    "trc_hook_threads": "test_edges.py::"
    "test_a_profile_function_of_the_program_stays_when_threads_start",
    "trc_unhook_threads": "test_lifetime.py::test_the_profile_function_of_another_tool_stays",
    "TRC_HAS_MONITORING": "test_backends.py::test_the_best_one_is_the_default",
    "trc_frame_of": "test_lines.py::test_loops",
    "trc_this_thread": "test_threads.py::test_threads_that_exist_before",
    "trc_holds": "test_memory_survival.py::test_other_interpreters_allocate_meanwhile",
    "trc_newest_interpreter": "test_memory_survival.py::test_other_interpreters_allocate_meanwhile",
    "TRC_UNWINDS_ARE_LOCAL": "test_lines.py::test_an_exception_that_leaves_for_good",
    "TRC_ADDED_CALLS_WAKE": "test_counted_lines.py::test_lines_fall_silent_where_nothing_is_told",
    "TRC_STARTS_HIDE_LINES": "test_lines.py::test_lambdas",
    "TRC_RESUME_SIZE": "test_lines.py::test_class_bodies",
    "TRC_COUNTS_THREADS_LAST": "test_memory_survival.py::"
    "test_a_fork_finds_no_thread_that_the_program_did_not_make",
    "TRC_CODE_VERSION": "test_sampled_frames.py::test_code_that_took_the_place_of_freed_code",
    "TRC_STATE_FRAME": "test_sampled_frames.py::test_a_sample_has_the_whole_path",
    "TRC_FRAME_HEAD": "test_sampled_frames.py::test_a_sample_has_the_whole_path",
    "TRC_FREEING_CLEARS": "test_backends.py::test_nothing_is_held_but_while_it_is_enabled",
    "TRC_GOES_ON_UNSEEN": "test_asyncio.py::test_a_cancellation_that_is_caught",
    "trc_type_dict": "test_objects.py::test_it_counts_as_a_traversal_in_python_does",
    "TRC_COLLECTOR_VISITS": "test_objects_tracked.py::test_without_the_rings_there_is_the_list",
    "trc_size_before": "test_objects.py::test_it_counts_as_a_traversal_in_python_does",
    "trc_is_short_int": "test_objects.py::test_it_counts_as_a_traversal_in_python_does",
    "trc_frame_variable": "test_objects_in_frames.py::"
    "test_a_variable_of_a_running_function_holds_what_only_it_has",
}


def branches():
    """The names of what asks PY_VERSION_HEX in compat.h."""
    within = None  # the function whose body it is, between the braces in the first column
    last = None
    waiting = False  # a condition outside of functions is about what comes next
    for line in COMPAT.read_text().splitlines():
        name = re.match(r"(?:static inline .*?|#define )\b(trc_\w+|TRC_\w+)", line)
        if name and not line.startswith("#define TRC_COMPAT_H"):
            last = name[1]
            if waiting:
                yield last
            waiting = False
        if line == "{":
            within = last
        elif line == "}":
            within = None
        if line.startswith("#error"):
            waiting = False  # of a version that there is nothing for
        if "PY_VERSION_HEX" in line:
            if within or line.startswith("#define"):
                yield within or last
            else:
                waiting = True


def test_each_branch_is_noticed():
    assert set(branches()) == set(NOTICED_BY)


@pytest.mark.parametrize("branch", NOTICED_BY)
def test_what_notices_it_is_run_on_every_version(branch):
    file, _, name = NOTICED_BY[branch].partition("::")
    (path,) = HERE.rglob(file)
    functions = ast.parse(path.read_text()).body
    assert set(marks_of(path)) <= {"lines", "versions"}
    marks = [
        ast.unparse(one.value)
        for one in functions
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "pytestmark"
    ]
    by_system = {"NEEDS_SAMPLES", "[NEEDS_SAMPLES, NEEDS_COUNTS]"}  # and whether there are events
    assert set(marks) <= by_system
    assert name in [
        function.name for function in functions if isinstance(function, ast.FunctionDef)
    ]
