"""What a run of the tests says of those that fail now and then (once_more.py), and that a
program started by a test dies of signals which the run itself ignores.
"""

import os
import platform
import subprocess
import sys

import pytest

from places import HELPERS

PLUGINS = ["once_more", "workers"]
ALONE = {**os.environ, "PYTHONPATH": str(HELPERS), "TRACER_BACKEND": "of which"}
ALONE["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # plugins take a second to import

ENDING = f"({platform.python_version()} of which): it failed, and passed alone"

# Some of these tests do otherwise the second time that they run.
TESTS = """
import os, signal, subprocess, sys
from pathlib import Path
import pytest

def times(name):
    with open(name, "a") as file:
        file.write("x")
    return Path(name).stat().st_size

def test_good():
    assert times("good") == 1

def test_now_and_then():
    print("what it printed")
    assert times("now and then") == 2

@pytest.fixture
def late():
    yield
    assert times("late") == 2

@pytest.mark.parametrize("word", ["a::b [c]"])
def test_end_now_and_then(late, word): pass

def test_crash_now_and_then():
    if times("crash") == 1:
        os.abort()

def test_always():
    times("always")
    assert False, "as ever"

def test_then_skipped():
    if times("skipped") == 2:
        pytest.skip("no more")
    assert False

@pytest.mark.parametrize("number", range(20))
def test_many(number): assert times(f"many {number}") == 2

def test_signals():
    for number in signal.SIGINT, signal.SIGHUP, signal.SIGQUIT:
        program = f"import os; os.kill(os.getpid(), {int(number)})"
        assert subprocess.run([sys.executable, "-c", program]).returncode != 0
        os.kill(os.getpid(), number)
"""


@pytest.fixture
def run(tmp_path):
    """run(word, option ...): pytest's exit status and output, of the tests with the word."""
    (tmp_path / "conftest.py").write_text(f"pytest_plugins = {PLUGINS}\n")
    (tmp_path / "test_all.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def run(word, *options, before=()):
        words = [*before, sys.executable, "-m", "pytest", "-k", word, *options]
        done = subprocess.run(words, cwd=tmp_path, env=ALONE, stdout=subprocess.PIPE, text=True)
        return done.returncode, done.stdout

    return run


@pytest.mark.parametrize("workers", [(), ("--workers", "2")])
def test_one_that_then_passes_is_told_and_is_no_failure(run, workers):
    status, said = run("good or now_and_then and not crash", "--once-more", *workers)
    assert status == 0
    assert said.splitlines()[-2:] == [
        f"FLAKY test_all.py::test_now_and_then {ENDING}",
        f"FLAKY test_all.py::test_end_now_and_then[a::b [c]] {ENDING}",
    ]
    assert "what it printed" in said
    assert "2 flaky" in said and "failed," not in said.splitlines()[-3]


def test_a_crash(run):
    status, said = run("crash or good", "--once-more", "--workers", "1", "-p", "no:cacheprovider")
    assert status == 0
    assert said.endswith(f"FLAKY test_all.py::test_crash_now_and_then {ENDING}\n")


@pytest.mark.parametrize("word", ["always", "skipped"])
def test_one_that_does_not_pass_then_is_a_failure(run, tmp_path, word):
    status, said = run(f"{word} or test_now", "--once-more")
    assert status == 1
    assert "1 failed, " in said and "1 flaky" in said
    assert (tmp_path / word).read_text() == "xx"


def test_many_failures_are_failures(run, tmp_path):
    status, said = run("many", "--once-more")
    assert status == 1
    assert "20 failed" in said and "FLAKY" not in said
    assert (tmp_path / "many 7").read_text() == "x"


def test_nothing_is_run_again_unasked(run, tmp_path):
    status, said = run("test_now_and_then")
    assert (status, "FLAKY" in said) == (1, False)


def test_signals_that_are_ignored(run):
    ignoring = ["sh", "-c", "trap '' INT HUP QUIT; exec \"$@\"", "sh"]
    status, said = run("signals", before=ignoring)
    assert status == 0, said
