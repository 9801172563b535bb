"""What a profile holds, in a form that tests can spell out: rows by the bare name of a function.

Every test that uses it has functions of different names; two rows of one name are an error here.
"""

from typing import NamedTuple

import tracer


class Row(NamedTuple):
    calls: int
    primitive: int
    tottime: float
    cumtime: float
    callers: dict


def by_name(source):
    """{name: Row} of a Profile, or of a Stats; callers are {name: (calls, primitive)}."""
    stats = source if isinstance(source, tracer.Stats) else tracer.Stats(source)
    rows = {}
    for (_, _, name), (primitive, calls, tottime, cumtime, callers) in stats.stats.items():
        assert name not in rows, f"two rows are called {name}"
        counts = {caller[2]: figures[:2] for caller, figures in callers.items()}
        assert len(counts) == len(callers)
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


class Clock:
    """A timer that stands still until the test moves it. `now` is in whole units."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now
