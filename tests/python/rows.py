"""What a profile holds, in a form that tests can spell out: rows by the bare name of a function.

Every test that uses it has functions of different names; two rows of one name are an error here.
What ran before the profile was enabled (the test itself, and what runs the tests) is left out, as a
row and as a caller: it has neither calls nor resumes.
"""

from typing import NamedTuple

import tracer


class Row(NamedTuple):
    calls: int
    primitive: int
    tottime: float
    cumtime: float
    callers: dict


def record(function, **options):
    """A finished tracer.Profile(**options) of one call."""
    profile = tracer.Profile(**options)
    profile.runcall(function)
    return profile


def stats_of(source):
    return source if isinstance(source, tracer.Stats) else tracer.Stats(source)


def calls_of(source, *functions):
    """How often each of some functions was called; None for one that is in no row."""
    codes = [function.__code__ for function in functions]
    labels = [(code.co_filename, code.co_firstlineno, code.co_name) for code in codes]
    stats = stats_of(source).stats
    return [stats[label][1] if label in stats else None for label in labels]


def by_name(source):
    """{name: Row} of a Profile, or of a Stats; callers are {name: (calls, primitive)}."""
    stats = stats_of(source)
    seen = {label for label, row in stats.stats.items() if row[1]} | set(stats.resumes)
    rows = {}
    for label, (primitive, calls, tottime, cumtime, callers) in stats.stats.items():
        if label not in seen:
            continue
        name = label[2]
        assert name not in rows, f"two rows are called {name}"
        known = [caller for caller in callers if caller in seen]
        counts = {caller[2]: callers[caller][:2] for caller in known}
        assert len(counts) == len(known)
        rows[name] = Row(calls, primitive, tottime, cumtime, counts)
    return rows


def calls(source):
    """{name: calls}."""
    return {name: row.calls for name, row in by_name(source).items()}


def resumes(source):
    """{name: (resumes, {caller: resumes})}."""
    return {
        label[2]: (found.total, {caller[2]: n.total for caller, n in found.callers.items()})
        for label, found in tracer.Stats(source).resumes.items()
    }


def resumed(source):
    """{name: (resumes, primitive, {caller: (resumes, primitive)}, suspended)}, as Stats.resumes."""
    return {
        label[2]: (total, primitive, {caller[2]: n[:] for caller, n in callers.items()}, suspended)
        for label, (total, primitive, callers, suspended) in stats_of(source).resumes.items()
    }


class Clock:
    """A timer that stands still until the test moves it. `now` is in whole units."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now
