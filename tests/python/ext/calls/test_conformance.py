"""CPython's own suites of cProfile and pstats, run against tracer by substitution.

Nothing is copied from them: tracer is put where they name cProfile, _lsprof and pstats.Stats. The
tests that cannot hold for tracer are listed with a reason each; each is run too, and must fail.
"""

import importlib
import pstats
import sys
import types
import unittest

import pytest

import tracer
from tracer import _core

VERSION = sys.version_info[:2]
MISSING = "CPython's own tests are missing: install them (Debian: libpython3.x-testsuite)"
pytest.importorskip("test.test_profile", reason=MISSING)
PROFILER_SUITE = importlib.import_module(
    "test.test_profiling.test_tracing_profiler" if VERSION >= (3, 15) else "test.test_cprofile"
)
PROFILE_SUITE = importlib.import_module("test.test_profile")
STATS_SUITE = importlib.import_module("test.test_pstats")

# Test -> (first version, last version, why it is no requirement of ours).
SET_ASIDE = {
    "CProfileTest.test_bad_counter_during_dealloc": (
        (3, 11),
        (3, 11),
        "wants a timer that cannot be called to be found out late; tracer.Profile(1) raises",
    ),
    "CProfileTest.test_profile_enable_disable": (
        (3, 11),
        (3, 15),
        "asks whether cProfile's own hook or tool name is installed",
    ),
    "CProfileTest.test_profile_as_context_manager": (
        (3, 11),
        (3, 15),
        "asks whether cProfile's own hook or tool name is installed",
    ),
    "CProfileTest.test_second_profiler": (
        (3, 12),
        (3, 15),
        "wants a second profiler to be refused; several tracer.Profile can be enabled at once",
    ),
    "CProfileTest.test_crash_with_not_enough_args": (
        (3, 14),
        (3, 15),
        "calls cProfile's private callbacks, which tracer does not have",
    ),
    "CProfileTest.test_throw": (
        (3, 12),
        (3, 12),
        "wants a generator's resume to be a call; tracer counts resumes apart",
    ),
    "TestCommandLine.test_sort": (
        (3, 11),
        (3, 15),
        "wants argparse's words for an unknown sort key; tracer says which keys there are",
    ),
}

# Classes of the suites that test something else than a profiler or Stats.
NOT_ABOUT_US = {
    "AddCallersTestCase": "a function of pstats, which tracer.Stats uses as it is",
    "LazyImportTest": "what importing pstats imports",
}


def names_set_aside_here():
    return [name for name, (first, last, _) in SET_ASIDE.items() if first <= VERSION <= last]


def of_tracer(run):
    """A script_helper function that runs `-m tracer` where `-m cProfile` is asked for, and sees
    what PYTHONPATH adds."""

    def run_of_tracer(*words, **environment):
        named = ["tracer" if word in ("cProfile", "profiling.tracing") else word for word in words]
        return run(*named, **{"__isolated": False, **environment})

    return run_of_tracer


@pytest.fixture(autouse=True)
def substitution(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "_lsprof", _core)
    stats_of_tracer = types.SimpleNamespace(**{**vars(pstats), "Stats": tracer.Stats})
    monkeypatch.setattr(STATS_SUITE, "pstats", stats_of_tracer)
    monkeypatch.setattr(STATS_SUITE, "cProfile", tracer)
    monkeypatch.setattr(PROFILER_SUITE, "cProfile", tracer)
    for suite in (PROFILE_SUITE, PROFILER_SUITE):
        for name in ("assert_python_ok", "assert_python_failure"):
            if hasattr(suite, name):
                monkeypatch.setattr(suite, name, of_tracer(getattr(suite, name)))


class ProfileWithRowOfDisable(tracer.Profile):
    """cProfile shows its own disable() as a row, and that row, having the longest name, sets the
    width of a column in the output that test_cprofile expects. tracer has no such row."""

    def snapshot_stats(self):
        super().snapshot_stats()
        label = ("~", 0, "<method 'disable' of '_lsprof.Profiler' objects>")
        assert label not in self.stats
        self.stats[label] = (1, 1, 0.0, 0.0, {})


class CProfileTest(PROFILER_SUITE.CProfileTest):
    profilerclass = ProfileWithRowOfDisable
    profilermodule = tracer


class TestCommandLine(PROFILER_SUITE.TestCommandLine):
    pass


class StatsTestCase(STATS_SUITE.StatsTestCase):
    pass


# The tests that are set aside are taken from pytest here; a test below runs them.
set_aside = {}
for _name in names_set_aside_here():
    _class, _, _test = _name.partition(".")
    set_aside[_name] = type(_class, (globals()[_class],), {"__test__": False})(_test)
    setattr(globals()[_class], _test, None)


@pytest.mark.parametrize("name", set_aside)
def test_what_is_set_aside_exists_and_would_fail(name):
    result = unittest.TestResult()
    set_aside[name].run(result)
    assert result.testsRun == 1
    assert not result.skipped
    assert not result.wasSuccessful(), f"{name} passes: take it off the list"


def test_no_class_of_the_suites_is_overlooked():
    names = {
        name
        for suite in (PROFILER_SUITE, STATS_SUITE)
        for name, value in vars(suite).items()
        if isinstance(value, type)
        and issubclass(value, unittest.TestCase)
        and value.__module__ == suite.__name__
    }
    ours = {"CProfileTest", "TestCommandLine", "StatsTestCase"}
    assert ours <= names <= ours | set(NOT_ABOUT_US)


def test_the_substitution_reaches_the_suites():
    assert issubclass(CProfileTest.profilerclass, tracer.Profile)
    assert importlib.import_module("_lsprof").Profiler is _core.Profiler
    STATS_SUITE.StatsTestCase.setUp(case := STATS_SUITE.StatsTestCase())
    assert type(case.stats) is tracer.Stats
