"""What holds for all tests: the back end they run with is named at the head of a run and in its
closing line; no collection of garbage calls a function of the tools that test; a test ends its
threads. Then the fixtures of several files; what else they share is in the helper modules beside
this (see ../README.md).
"""

import _thread
import functools
import gc
import os
import subprocess
import sys
import time
from fnmatch import fnmatch
from typing import NamedTuple

import pytest

try:
    import tracer
    from allocations import KEPT
    from asking import port_of
    from foreign import ForeignThread, compiled
    from hooks import BACKENDS, held
    from rows import Clock
except ImportError as error:  # told at the head, and by each test that imports it
    tracer, BACKENDS, BROKEN = None, [], error

pytest_plugins = ["once_more", "workers"]

# What is made of a profile depends neither on the interpreter nor on the back end of its calls.
OF_RESULTS = ["test_page*.py", "test_export*.py", "test_serve*.py", "test_listening.py"]
OF_RESULTS += ["test_colors.py", "test_tree.py", "test_tree_choice.py", "test_wait_tables.py"]
OF_RESULTS += ["test_wait_findings.py", "test_suggestions.py", "test_short_names.py"]
OF_RESULTS += ["test_first_screen.py", "test_hotlines.py", "test_stats_threads.py"]
OF_RESULTS += ["test_folding.py", "test_own_callers.py", "test_call_lists.py"]
OF_RESULTS += ["test_timeline_header.py", "test_phases.py", "test_steps.py", "test_step_timings.py"]
OF_RESULTS += ["test_compat_*_files.py", "test_compat_*_tables.py", "test_compat_*_schedule*.py"]
OF_RESULTS += ["test_comparing.py", "test_merge.py", "test_listings.py", "test_modules.py"]
OF_RESULTS += ["test_listing_rows.py", "test_schedule.py", "test_summary*.py"]
OF_RESULTS += ["test_estimates.py", "test_callsites.py", "test_sourcetexts.py", "test_mutants.py"]
OF_RESULTS += ["test_command_diff*.py", "test_command_export*.py", "test_command_show*.py"]
OF_RESULTS += ["test_command_summary.py"]
OF_RESULTS += ["test_command_live*.py", "test_command_view*.py"]
OF_RESULTS += ["test_records.py", "test_function_names.py", "test_memory_plot.py"]
# Nor does what the project has beside the package: its texts, benchmarks and tools.
OF_PROJECT = ["test_layers.py", "test_regrtest.py", "test_build_refusals.py", "test_coverage.py"]
OF_PROJECT += ["test_docs*.py", "test_manual.py", "test_benchmarks*.py", "test_first_profile.py"]
OF_PROJECT += ["test_once_more.py", "test_version_branches.py", "test_instructions.py"]
OF_RESULTS += OF_PROJECT
# Lines have sources of their own, the same with every back end of calls.
OF_LINES = ["test_decorating.py", "test_kernprof.py", "test_line*.py", "test_lprof.py"]
OF_LINES += ["test_magics*.py", "test_sources.py", "test_statements*.py", "test_command_lines*.py"]
# The command, and programs of others, enter the extension as the tests of the API do.
OF_PROGRAMS = ["test_command_*.py", "test_kernprof.py", "test_magics*.py", "test_lprof.py"]
OF_PROGRAMS += ["test_line_conformance.py", "test_line_profiler*.py", "test_defects.py"]
OF_PROGRAMS += ["test_code_mutants.py", "test_truth.py", "test_statements*.py"]
OF_PROGRAMS += ["test_instructions.py", "test_memory_conformance.py", "test_compat_mprof.py"]
OF_PROGRAMS += ["test_compat_memory_command.py"]


class Part(NamedTuple):
    """Of all files of tests, as patterns: those among which a run chooses, and those of them that
    the run leaves out."""

    of: list[str]
    without: list[str]

    def has(self, file):
        """Whether the run has this file; None for what is no file of tests."""
        if not fnmatch(file, "test_*.py"):
            return None
        return matches(file, self.of) and not matches(file, self.without)


def matches(file, patterns):
    return any(fnmatch(file, pattern) for pattern in patterns)


EVERY = ["test_*.py"]
# What a run with --only= has.
PARTS = {
    "package": Part(EVERY, OF_PROJECT),
    "interpreter": Part(EVERY, OF_RESULTS),
    "backend": Part(EVERY, [*OF_RESULTS, *OF_LINES]),
    "extension": Part(EVERY, [*OF_RESULTS, *OF_PROGRAMS]),
    "programs": Part(OF_PROGRAMS, OF_RESULTS),
}
ONCE_IS_ENOUGH = os.environ.get("TRACER_BACKEND") in BACKENDS[1:]


def pytest_addoption(parser):
    parser.addoption(
        "--only",
        choices=sorted(PARTS),
        action="append",
        default=["backend"] if ONCE_IS_ENOUGH else [],
        help="run the tests alone that another version of the interpreter can change, or another "
        "of its back ends; or those that enter the extension in a way of their own; or, of what an "
        "interpreter can change, the others",
    )


def pytest_ignore_collect(collection_path, config):
    parts = [PARTS[only] for only in config.getoption("only")]
    return True if any(part.has(collection_path.name) is False for part in parts) else None


def pytest_report_header(config):
    if tracer is None:
        return f"tracer: cannot be imported: {BROKEN}"
    backend = tracer.Profile().backend
    only = config.getoption("only")
    rest = f"; tests that the {' and the '.join(only)} can change" if only else ""
    return f"tracer: back end {backend}, {backend.reason}{rest}"


def pytest_runtest_setup(item):
    """Takes away the function that hypothesis has called at each collection: it would be a row. And
    collects a profile that a cycle of an earlier test keeps: it holds what this test asks for."""
    gc.callbacks.clear()
    if held():
        gc.collect()


@pytest.fixture(autouse=True)
def nothing_runs_on():
    """Waits for the threads of a test: they would be in the profiles of the next."""
    before = _thread._count()
    yield
    end = time.monotonic() + 300
    while _thread._count() > before:
        assert time.monotonic() < end, "a thread that this test started runs on"
        time.sleep(0.001)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    counts, _ = reporter.build_summary_stats_line()
    counted = ", ".join(text for text, _ in counts)
    backend = tracer.Profile().backend if tracer is not None else "unknown"
    reporter.write_sep("=", f"back end {backend}: {counted}")
    return result


# -- Fixtures of several files ---------------------------------------------------------------------


@pytest.fixture
def clock():
    """A clock that stands still until the test moves it."""
    return Clock()


@pytest.fixture(params=BACKENDS)
def backend(request):
    """Each back end that the interpreter has, in turn."""
    return request.param


@pytest.fixture
def unasked(monkeypatch):
    """Nothing in the environment asks for a back end."""
    monkeypatch.delenv("TRACER_BACKEND", raising=False)


@pytest.fixture
def no_collections():
    """Garbage is collected before, and not meanwhile: a collection would free blocks at any
    moment."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def nothing_is_kept(no_collections):
    """Before the test and after, there is no block that allocations.py keeps."""
    KEPT[:] = [None] * len(KEPT)
    yield
    KEPT[:] = [None] * len(KEPT)


@pytest.fixture
def port(server):
    """The port of the `server` that a file of tests has."""
    return port_of(server)


@pytest.fixture
def home(server):
    """The path of the page of that server."""
    return f"/{server.token}/"


@pytest.fixture
def take():
    """take(id ...): other tools hold these tool ids, and want an event each."""
    taken = []

    def hold(*tools):
        for tool in tools:
            sys.monitoring.use_tool_id(tool, f"other {tool}")
            taken.append(tool)
            sys.monitoring.set_events(tool, sys.monitoring.events.RAISE)

    yield hold
    for tool in dict.fromkeys(taken):
        assert sys.monitoring.get_tool(tool) == f"other {tool}"
        assert sys.monitoring.get_events(tool) == sys.monitoring.events.RAISE
        sys.monitoring.set_events(tool, 0)
        sys.monitoring.free_tool_id(tool)


@pytest.fixture(scope="session")
def foreign(tmp_path_factory):
    """foreign(function, times): a thread of C that calls a Python function, to be joined."""
    return functools.partial(ForeignThread, compiled(tmp_path_factory.mktemp("foreign")))


@pytest.fixture
def full_disk(tmp_path):
    """A folder with room for a few files' names, but not for a profile."""
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("a full disk is made by mounting a tmpfs, which takes root on Linux")
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=4k", "none", disk]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"cannot mount a tmpfs here: {done.stderr.strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)
