"""The driver of `make regrtest`: it sees what differs, what breaks off and what is out of date.

CPython's tests themselves are run by `make regrtest`; here it is one module of them that differs
under every profiler, and a module made for the purpose.
"""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from places import TESTS

MISSING = "CPython's own tests are missing: install them (Debian: libpython3.x-testsuite)"
pytest.importorskip("test.test_code", reason=MISSING)
FOLDER = TESTS / "regrtest"

MODULE = """
import os, signal, unittest

class Kinds(unittest.TestCase):
    def test_ok(self): pass
    def test_failure(self): self.assertEqual(1, 2)
    def test_error(self): raise KeyError("lost")
    def test_skipped(self): self.skipTest("not here")
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    def test_left_out(self): self.fail()
    def test_subtests(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertLess(number, 2)
    def test_child(self):
        if (child := os.fork()) == 0:
            raise SystemExit
        os.waitpid(child, 0)

class Later(unittest.TestCase):
    def test_signal(self): os.kill(os.getpid(), signal.SIGKILL)
    def test_z_never_reached(self): pass
"""


@pytest.fixture(scope="module")
def driver():
    sys.path.insert(0, str(FOLDER))
    try:
        import regrtest
        import runs
    finally:
        sys.path.remove(str(FOLDER))
    return SimpleNamespace(**vars(runs) | vars(regrtest))


def drive(logs, *words):
    command = [sys.executable, FOLDER / "regrtest.py", "--logs", logs / "logs", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_the_runner_tells_each_outcome_and_where_it_broke_off(driver, tmp_path):
    (tmp_path / "module_with_all.py").write_text(MODULE)
    command = [
        sys.executable,
        FOLDER / "runner.py",
        "outcomes",
        "module_with_all",
        "*.test_left_out",
    ]
    done = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, timeout=300
    )
    outcomes, current, whole = driver.read_outcomes(tmp_path / "outcomes")
    assert outcomes == {
        "module_with_all.Kinds.test_child": {"ok": ""},
        "module_with_all.Kinds.test_error": {"error": "KeyError: 'lost'"},
        "module_with_all.Kinds.test_expected": {"expected failure": ""},
        "module_with_all.Kinds.test_failure": {"failure": "AssertionError: 1 != 2"},
        "module_with_all.Kinds.test_ok": {"ok": ""},
        "module_with_all.Kinds.test_skipped": {"skipped": "not here"},
        "module_with_all.Kinds.test_subtests": {"failure": "AssertionError: 2 not less than 2"},
    }
    assert current == "module_with_all.Later.test_signal"
    assert not whole
    assert driver.describe(done.returncode, current) == f"died of SIGKILL in {current}"
    assert "KeyError: 'lost'" in done.stderr.decode()


def run_of(driver, outcomes, **changes):
    defaults = {
        "end": "ended with status 0",
        "died": False,
        "whole": True,
        "fault": "",
        "seconds": 1,
    }
    outcomes = {test: {kind: ""} for test, kind in outcomes.items()}
    return driver.Run("test_m", outcomes, **{**defaults, **changes})


def test_what_differs(driver):
    plain = run_of(driver, {"a": "ok", "b": "ok", "c": "skipped", "d": "ok"})
    same = run_of(driver, {"a": "ok", "b": "ok", "c": "skipped", "d": "ok"})
    assert driver.differences(plain, same) == {}
    other = run_of(driver, {"a": "ok", "b": "failure", "c": "ok", "e": "ok"})
    assert driver.differences(plain, other) == {
        "b": "ok; under tracer failure",
        "c": "skipped; under tracer ok",
        "d": "ok; under tracer not run",
        "e": "not run; under tracer ok",
    }
    faulty = run_of(driver, {"a": "ok", "b": "ok", "c": "skipped", "d": "ok"}, fault="it is lost")
    assert driver.differences(plain, faulty) == {"test_m": "it is lost"}
    dead = run_of(driver, {"a": "failure"}, end="died of SIGSEGV in b", died=True, whole=False)
    assert driver.differences(plain, dead) == {
        "a": "ok; under tracer failure",
        "test_m": "the process ended with status 0; under tracer it died of SIGSEGV in b",
    }


def result_of(driver, plain, traced):
    result = driver.Result("test_m", {"plain": plain, "setprofile": traced})
    result.differ["setprofile"] = driver.differences(plain, traced)
    return result


def test_what_is_confirmed_when_it_is_run_again(driver):
    good = run_of(driver, {"a": "ok"})
    bad = run_of(driver, {"a": "failure"})
    dead = run_of(driver, {"a": "ok"}, end="died of SIGSEGV", died=True, whole=False)
    slow = run_of(driver, {"a": "ok"}, end="took too long", whole=False)
    first, steady = result_of(driver, good, bad), result_of(driver, good, good)
    assert driver.is_confirmed(first, first, "setprofile", "a")
    assert not driver.is_confirmed(first, steady, "setprofile", "a")
    flaky = result_of(driver, bad, good)
    assert not driver.is_confirmed(first, flaky, "setprofile", "a")
    assert driver.is_confirmed(result_of(driver, good, dead), steady, "setprofile", "test_m")
    assert not driver.is_confirmed(result_of(driver, good, slow), steady, "setprofile", "test_m")


def test_an_entry_that_explains_nothing_is_out_of_date(driver):
    entry = driver.Entry("a*", "because", backends=["setprofile"])
    table = driver.Table(["test_m"], [], [entry])
    good, bad = run_of(driver, {"a1": "ok"}), run_of(driver, {"a1": "error"})
    skipped, elsewhere = run_of(driver, {"a1": "skipped"}), run_of(driver, {"b": "ok"})
    assert result_of(driver, good, bad).unexplained(table) == {}
    assert driver.stale(table, [result_of(driver, good, bad)]) == []
    assert driver.stale(table, [result_of(driver, good, good)]) == ["a* (setprofile)"]
    assert driver.stale(table, [result_of(driver, skipped, skipped)]) == []
    assert driver.stale(table, [result_of(driver, elsewhere, elsewhere)]) == []


def test_a_module_that_differs_under_any_profiler(tmp_path):
    explained = drive(tmp_path, "--backends", "setprofile", "test_code")
    assert explained.returncode == 0, explained.stdout + explained.stderr
    assert "0 differ, 3 more are expected to" in explained.stdout
    table = tmp_path / "table.toml"
    table.write_text(
        'modules = ""\n[left_out]\n"test_code.CoExtra.*".reason = "left out"\n'
        '"*.test_invalid_bytecode".reason = "crashes 3.15"\n'
        '[differs]\n"test_code.CodeTest.*".reason = "does not differ"\n'
    )
    found = drive(tmp_path, "--backends", "setprofile", "--table", table, "test_code")
    assert found.returncode == 1, found.stdout + found.stderr
    assert "1 DIFFER" in found.stdout
    assert "DIFFERS with setprofile: test_code.CodeWeakRefTest.test_basic" in found.stdout
    assert "does not differ any more: test_code.CodeTest.* (setprofile)" in found.stdout
    assert ": 1 differ, 0 more are expected to" in found.stdout


def test_a_module_that_is_not_there(tmp_path):
    refused = drive(tmp_path, "test_of_nothing")
    assert refused.returncode == 2
    assert refused.stderr.endswith("error: this Python has no module test.test_of_nothing\n")
