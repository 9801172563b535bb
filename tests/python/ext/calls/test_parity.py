"""Parity: real single-threaded programs once under cProfile and once under tracer, row by row.

Calls, primitive calls and every caller's counts are equal; with a clock that the program itself
advances every time is, too. What cProfile gets wrong or defines otherwise is set aside by the rules
in `Figures`, `of_cprofile` and `compare`, and by nothing else. What rows ought to hold where there
is no cProfile to compare with is in test_profile.py.
"""

import contextlib
import cProfile
import dataclasses
import functools
import gc
import io
import re
import sys
from collections import Counter

import pytest

import tracer
from rows import begun
from workloads import PROGRAMS


@pytest.fixture(params=PROGRAMS)
def program(request, tmp_path, monkeypatch):
    """A program, its imports and caches warm, its output going nowhere."""
    monkeypatch.setattr(sys, "argv", ["program"])
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    run = PROGRAMS[request.param](tmp_path)
    run()
    run()
    return run


# -- The clock ---------------------------------------------------------------------------------


class LineClock:
    """A clock that the program advances: by `step` at each line that it runs.

    The interpreter calls the trace function with all profiling off, so it is in no row; the timer
    has no lines.
    """

    def __init__(self, step):
        self.now = self.zero = 0 * step
        self.step = step
        self.timer = functools.partial(getattr, self, "now")

    def trace(self, frame, event, arg):
        if event == "line":
            self.now += self.step
        return self.trace

    @contextlib.contextmanager
    def running(self):
        self.now = self.zero
        before = sys.gettrace()
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(before)


# (seconds a line, timeunit). The float is one that whole nanoseconds hold exactly, as do cProfile's
# units of 2**-32 seconds.
INTEGER_TIMER = (1, 0.001)
FLOAT_TIMER = (2.0**-9, 0.0)


# -- The comparison ----------------------------------------------------------------------------


@dataclasses.dataclass
class Figures:
    """What is compared of a row, or of a caller in it."""

    calls: int = 0
    primitive: int = 0
    tottime: float = 0.0
    cumtime: float = 0.0

    def add(self, entry):
        """Add an entry or subentry of cProfile."""
        self.calls += entry.callcount
        self.primitive += entry.callcount - entry.reccallcount
        self.tottime += entry.inlinetime
        self.cumtime += entry.totaltime


def of_cprofile(profile):
    """(rows, labels that several functions share or that run already). Keys are a label, or
    (callee, caller) labels.

    Set aside: the profiler's own methods. Taken from getstats(), because in cProfile's `stats` the
    last function of a label overwrites the others.
    """

    def label(entry):
        code = entry.code
        if isinstance(code, str):
            return ("~", 0, code)
        return (code.co_filename, code.co_firstlineno, code.co_name)

    def own(entry):
        return isinstance(entry.code, str) and "_lsprof.Profiler" in entry.code

    rows = {}
    labels = Counter()
    for entry in profile.getstats():
        if own(entry):
            continue
        labels[label(entry)] += 1
        rows.setdefault(label(entry), Figures()).add(entry)
        for callee in entry.calls or ():
            if not own(callee):
                rows.setdefault((label(callee), label(entry)), Figures()).add(callee)
    return rows, {label for label, count in labels.items() if count > 1} | running()


def running():
    """The labels of the frames that called the test, to which pytest's own `runpy` may belong."""
    frame, labels = sys._getframe(), set()
    while frame is not None:
        code = frame.f_code
        labels.add((code.co_filename, code.co_firstlineno, code.co_name))
        frame = frame.f_back
    return labels


def of_tracer(profile):
    """The same of a tracer.Profile, with resumes added to the calls as cProfile has them.

    Set aside: what ran before enable(), which is in no row of cProfile's.
    """
    stats = tracer.Stats(profile)
    seen = begun(stats)
    rows = {}
    for label, (primitive, calls, tottime, cumtime, callers) in seen.items():
        rows[label] = Figures(calls, primitive, tottime, cumtime)
        for caller, of_caller in callers.items():
            rows[label, caller] = Figures(*of_caller)
    for label, resumes in stats.resumes.items():
        rows[label].calls += resumes.total
        rows[label].primitive += resumes.primitive
        for caller in resumes.callers.keys() & seen.keys():
            of_caller = resumes.callers[caller]
            rows[label, caller].calls += of_caller.total
            rows[label, caller].primitive += of_caller.primitive
    return rows


def record(profile, program, during=None, **options):
    """enable() and disable() are called in one frame, so no frame that ran before ends in between.
    The garbage collector would run finalizers at moments of its own."""
    gc.collect()
    gc.disable()
    try:
        with during or contextlib.nullcontext():
            profile.enable(**options)
            program()
            profile.disable()
    finally:
        gc.enable()
    return profile


def settle_names(theirs, ours):
    """Set aside: that cProfile names a builtin after whatever the class of its first caller has
    under that name, which may be another function, with an address. Tracer looks for the builtin
    itself. The row is the one of ours that has the name and that cProfile has not."""
    names = {}
    for label in {label for key in theirs for label in labels_of(key)}:
        odd = re.fullmatch(r"<.*?([\w]+)( of .*)? at 0x[0-9a-f]+>", label[2])
        if label[0] == "~" and odd:
            (names[label],) = [
                key
                for key in ours.keys() - theirs.keys()
                if key[0] == "~" and re.search(rf"(method '|method )({odd[1]})\b", key[2])
            ]
    return {
        names.get(key, key) if isinstance(key[0], str) else tuple(names.get(k, k) for k in key): row
        for key, row in theirs.items()
    }


def labels_of(key):
    return (key,) if isinstance(key[0], str) else key


def compare(theirs, shared, ours, times):
    """Set aside: where a label is shared by several functions, what is primitive and so cumtime.
    cProfile decides it function by function, tracer by row. The same where a call is a recursion
    for tracer only, since the outer one ran before. Calls and tottime simply add up."""
    theirs = settle_names(theirs, ours)
    assert ours.keys() == theirs.keys()
    for key, expected in theirs.items():
        row = ours[key]
        assert row.calls == expected.calls, key
        if times:
            assert row.tottime == times(expected.tottime), key
        if shared.isdisjoint(labels_of(key)):
            assert row.primitive == expected.primitive, key
            if times:
                assert row.cumtime == times(expected.cumtime), key


def exact(seconds):
    return pytest.approx(seconds, rel=1e-12, abs=0)


# -- The tests ---------------------------------------------------------------------------------


def test_counts(program):
    theirs, shared = of_cprofile(record(cProfile.Profile(), program))
    ours = of_tracer(record(tracer.Profile(), program))
    assert len(ours) > 5
    compare(theirs, shared, ours, times=None)


@pytest.mark.parametrize("step, timeunit", [INTEGER_TIMER, FLOAT_TIMER])
def test_times(program, step, timeunit):
    clock = LineClock(step)
    profiles, ends = [], []
    for profile in cProfile.Profile(clock.timer, timeunit), tracer.Profile(clock.timer, timeunit):
        profiles.append(record(profile, program, clock.running()))
        ends.append(clock.now)
    assert ends[0] == ends[1] > 100 * step
    theirs, shared = of_cprofile(profiles[0])
    compare(theirs, shared, of_tracer(profiles[1]), times=exact)


def test_without_builtins_and_without_callers(program):
    """Asked of enable(): from 3.14 on cProfile forgets what its constructor was asked."""
    options = {"subcalls": False, "builtins": False}
    theirs, shared = of_cprofile(record(cProfile.Profile(), program, **options))
    ours = of_tracer(record(tracer.Profile(), program, **options))
    compare(theirs, shared, ours, times=None)
    assert not any(label[0] == "~" or isinstance(label[0], tuple) for label in ours)
