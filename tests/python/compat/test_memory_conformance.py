"""memory_profiler's own tests, run against tracer.compat by substitution.

Nothing is copied from them: the source distribution is fetched, and its tests find the modules of
tests/memory_suite where they import memory_profiler and mprof. They are programs, most of which
only have to end well; a part of what they print is looked at here.
"""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import PurePosixPath

import pytest

from places import ROOT
from releases import archive_of

SUITE = ROOT / "tests" / "memory_suite"
RELEASE = "memory_profiler==0.61.0"
REQUIRED = "TRACER_NEEDS_MEMORY_SUITE"  # set where a skip is no success
SECONDS = 300

# How many tables each prints. With the command, python -m memory_profiler; and as it is.
BY_COMMAND = {
    "test_as": 1,
    "test_func": 1,
    "test_gen": 3,
    "test_loop": 1,
    "test_loop_decorated": 2,
    "test_mprofile": 2,
    "test_nested": 1,
    "test_precision_command_line": 2,
    "test_unicode": 1,
}
ALONE = {
    "test_async": 1,
    "test_attributes": 0,
    "test_exception": 0,
    "test_import": 1,
    "test_increment_display": 4,
    "test_memory_usage": 0,
    "test_mprof": 0,
    "test_precision_import": 2,
    "test_stream_unicode": 0,
    "test_tracemalloc": 0,
}
NOT_ABOUT_US = {
    "test_exit_code": "calls what is inside mprof; test_compat_mprof.py has the statuses",
    "test_global": "has no test in it",
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """The folder of its tests."""
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("memory_profiler's tests take gigabytes under the sanitizers")
    try:
        archive = archive_of(RELEASE, "memory_suite")
    except RuntimeError as error:
        if os.environ.get(REQUIRED):
            raise
        pytest.skip(f"memory_profiler's own tests are NOT run: {error}")
    folder = tmp_path_factory.mktemp("memory_profiler")
    with tarfile.open(archive) as file:
        tests = [m for m in file.getmembers() if m.name.split("/")[1:2] == ["test"]]
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # 3.11.4
        file.extractall(folder, tests, **safely)
    (found,) = folder.glob("*/test")
    return found


def run(suite, *words):
    environment = {**os.environ, "PYTHONPATH": str(SUITE), "PYTHON_COLORS": "0"}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=suite,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", BY_COMMAND)
def test_by_the_command(suite, name):
    text = run(suite, "-m", "memory_profiler", f"{name}.py")
    assert text.count("Filename: ") == BY_COMMAND[name]


@pytest.mark.parametrize("name", ALONE)
def test_as_it_is(suite, name):
    assert run(suite, f"{name}.py").count("Filename: ") == ALONE[name]


def test_what_one_prints_is_right(suite):
    """[1] * (10 ** 6), then [2] * (2 * 10 ** 7), which is dropped; in a loop once more, twice."""
    text = run(suite, "-m", "memory_profiler", "--precision", "1", "test_loop.py")
    rows = re.findall(r"^ *\d+ +[\d.-]+(?: MiB)? +(-?[\d.]+) MiB +(\d+) +(.*)$", text, re.MULTILINE)
    assert [(float(mib), int(times), code) for mib, times, code in rows] == [
        (7.6, 1, "a = [1] * (10 ** 6)"),
        (152.6, 1, "b = [2] * (2 * 10 ** 7)"),
        (-152.6, 1, "del b"),
        (0.0, 3, "for i in range(2):"),
        (0.0, 2, "a = [1] * (10 ** 6)"),
        (305.2, 2, "b = [2] * (2 * 10 ** 7)"),
        (-305.2, 2, "del b"),
        (0.0, 1, "return a"),
    ]


def test_no_module_of_the_suite_is_overlooked(suite):
    names = {PurePosixPath(path).stem for path in suite.glob("test_*.py")}
    assert names == {*BY_COMMAND, *ALONE, *NOT_ABOUT_US}
