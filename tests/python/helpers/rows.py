"""What a profile holds, in a form that tests can spell out: rows by the bare name of a function.

Every test that uses it has functions of different names; two rows of one name are an error here.
What ran before the profile was enabled (the test itself, and what runs the tests) is left out, as a
row and as a caller: it has neither calls nor resumes.
"""

import threading
from typing import NamedTuple

import tracer
from tracer._core import unrecorded


class Row(NamedTuple):
    calls: int
    primitive: int
    tottime: float
    cumtime: float
    callers: dict


def limited(*args, **options):
    """tracer.Profile(*args, **options), of which _node_limit and _function_limit are limits that a
    test can reach."""
    limits = {name: options.pop(name) for name in list(options) if name.endswith("_limit")}
    kind = type("Profile", (tracer.Profile,), {"_limits": limits})
    return kind(*args, **options)


def record(function, *args, **options):
    """A finished limited(**options) of one call, and of nothing that ran before it."""
    profile = limited(threads=False, **options)
    profile.record_call(function, *args)
    profile.disable()
    return profile


def stats_of(source):
    return source if isinstance(source, tracer.Stats) else tracer.Stats(source)


def calls_of(source, *functions):
    """How often each of some functions was called; None for one that is in no row."""
    codes = [function.__code__ for function in functions]
    labels = [(code.co_filename, code.co_firstlineno, code.co_name) for code in codes]
    stats = stats_of(source).stats
    return [stats[label][1] if label in stats else None for label in labels]


def begun(source):
    """The `stats` of a Profile, or of a Stats, without what ran before it was enabled."""
    stats = stats_of(source)
    seen = {label for label, row in stats.stats.items() if row[1]} | set(stats.resumes)
    return {
        label: (*row[:4], {caller: row[4][caller] for caller in row[4] if caller in seen})
        for label, row in stats.stats.items()
        if label in seen
    }


def begun_entries(entries):
    """What getstats() gave, without what ran before."""
    return [entry for entry in entries if entry.callcount or entry.resumes]


def by_name(source):
    """{name: Row} of a Profile, or of a Stats; callers are {name: (calls, primitive)}."""
    rows = {}
    with unrecorded:  # the profile may be enabled
        for (_, _, name), (primitive, calls, tottime, cumtime, callers) in begun(source).items():
            assert name not in rows, f"two rows are called {name}"
            counts = {caller[2]: figures[:2] for caller, figures in callers.items()}
            assert len(counts) == len(callers)
            rows[name] = Row(calls, primitive, tottime, cumtime, counts)
    return rows


def calls(source):
    """{name: calls}."""
    return {name: row.calls for name, row in by_name(source).items()}


def figures(source, *functions):
    """{name: (calls, tottime, cumtime, {caller: (calls, tottime, cumtime)})} of some functions, and
    of callers among them. A str is the name of a builtin."""
    stats = stats_of(source)
    names = {}
    for function in functions:
        if isinstance(function, str):
            names["~", 0, function] = function
        else:
            code = function.__code__
            names[code.co_filename, code.co_firstlineno, code.co_name] = code.co_name
    rows = {}
    for label, name in names.items():
        _, calls, tottime, cumtime, callers = stats.stats[label]
        known = {names[caller]: callers[caller] for caller in callers if caller in names}
        rows[name] = (calls, tottime, cumtime, {k: (v[0], *v[2:]) for k, v in known.items()})
    return rows


def resumes(source):
    """{name: (resumes, {caller: resumes})}"""
    stats = stats_of(source)
    seen = begun(stats)
    return {
        label[2]: (
            found.total,
            {caller[2]: n.total for caller, n in found.callers.items() if caller in seen},
        )
        for label, found in stats.resumes.items()
    }


def resumed(source):
    """{name: (resumes, primitive, {caller: (resumes, primitive)}, suspended)}, as Stats.resumes."""
    return {
        label[2]: (total, primitive, {caller[2]: n[:] for caller, n in callers.items()}, suspended)
        for label, (total, primitive, callers, suspended) in stats_of(source).resumes.items()
    }


def row_of(source, name):
    """A row as in Stats.stats, where other names may stand for several functions."""
    [row] = [row for label, row in stats_of(source).stats.items() if label[2] == name]
    return row


def times(source, name):
    """Self and cumulative time of a row."""
    return row_of(source, name)[2:4]


def rows_of_file(source, *files):
    """{name: (calls, tottime, cumtime, callers of those files)}, even of functions never called."""
    found = {}
    for label, (_, calls, tottime, cumtime, callers) in stats_of(source).stats.items():
        if label[0] in files:
            assert label[2] not in found, f"two rows are called {label[2]}"
            names = {caller[2] for caller in callers if caller[0] in files}
            found[label[2]] = (calls, tottime, cumtime, names)
    return found


def total_time(source):
    """The self times of all rows. Of a Profile only the calling thread's: other tests may have left
    threads that wait."""
    stats = stats_of(source)
    if not hasattr(stats, "thread"):
        stats = stats.threads[threading.get_ident()]
    return sum(row[2] for row in stats.stats.values())


class Clock:
    """A timer that stands still until the test moves it. `now` is in whole units, and so is
    `waited`, the part of it that is no CPU time; `with_cpu`: that is told, too."""

    def __init__(self, with_cpu=False):
        self.now = 0
        self.waited = 0
        self.with_cpu = with_cpu

    def __call__(self):
        return (self.now, self.now - self.waited) if self.with_cpu else self.now
