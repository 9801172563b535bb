"""What a run of the tests in several processes does and says (workers.py)."""

import os
import subprocess
import sys

import pytest

from places import HELPERS, TESTS

ALONE = {**os.environ, "PYTHONPATH": str(HELPERS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
MODULES = """import sys
def test_it(): assert [name for name in sys.modules if name[:6] == "test_m"] == [__name__]
"""
LAST = """import os
def test_one(): pass
def test_two(): os._exit(3)
def test_three(): pass
"""
FILES = {
    "test_made.py": MODULES,
    "below/test_more.py": MODULES,
    "test_broken.py": "import no_such_module",
    "test_skipped.py": "import pytest; pytest.skip('not here', allow_module_level=True)",
    "test_warned.py": "import warnings\ndef test_it(): warnings.warn('told once')",
    "test_last.py": LAST,
    "test_gone.py": "import os; os._exit(4)",
}


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest imports each under its name: one process could not run both."""
    names = [path.name for path in (TESTS / "python").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


@pytest.fixture
def run(tmp_path):
    """run(word ...): pytest's exit status and output, of these of FILES, in two processes."""
    for name, text in {"conftest.py": "pytest_plugins = ['workers']", **FILES}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def run(*words):
        words = [sys.executable, "-m", "pytest", "--workers=2", "-ra", *words]
        done = subprocess.run(words, cwd=tmp_path, env=ALONE, stdout=subprocess.PIPE, text=True)
        return done.returncode, done.stdout

    return run


def test_each_file_has_a_process_that_knows_no_other(run):
    status, said = run("test_made.py", "below")
    assert (status, "2 passed" in said) == (0, True), said


def test_a_folder_and_a_test_of_it_are_run_once(run):
    status, said = run(".", "below/test_more.py::test_it", "-k", "test_it")
    assert (status, "3 passed" in said) == (1, True), said


def test_a_file_that_cannot_be_collected_is_an_error_and_the_others_are_run(run):
    status, said = run("test_broken.py", "test_made.py")
    assert (status, "1 passed, 1 error" in said) == (1, True), said
    assert "No module named 'no_such_module'" in said


def test_a_process_that_ends_while_it_collects_is_an_error(run):
    status, said = run("test_gone.py", "test_made.py")
    assert (status, "1 passed, 1 error" in said) == (1, True), said
    assert "the process that ran this ended with exit status 4" in said


def test_a_process_that_ends_in_a_test_fails_that_one_alone(run):
    status, said = run("test_last.py")
    assert (status, "1 failed, 2 passed" in said) == (1, True), said
    assert "the process that ran this ended with exit status 3" in said


def test_what_is_skipped_as_a_whole_is_told(run):
    status, said = run("test_skipped.py", "test_made.py")
    assert (status, "1 passed, 1 skipped" in said, "not here" in said) == (0, True, True), said


def test_a_warning_is_told_once(run):
    status, said = run("test_warned.py", "test_made.py", "below/test_more.py")
    assert (status, "3 passed, 1 warning" in said) == (0, True), said
    assert said.count("UserWarning: told once") == 1


@pytest.mark.parametrize("word", ["test_made.py::test_nowhere", "test_nowhere.py"])
def test_what_is_not_there_is_refused(run, word):
    assert run(word)[0] == pytest.ExitCode.USAGE_ERROR


def test_no_test_of_that_name(run):
    assert run("test_made.py", "-k", "nothing")[0] == pytest.ExitCode.NO_TESTS_COLLECTED
