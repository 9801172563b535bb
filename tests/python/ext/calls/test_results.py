"""What a tracer.Profile gives out, finished or while it is enabled: getstats, stats, tables, files.

What tracer.Stats makes of it is in test_stats.py.
"""

import cProfile
import io
import marshal
import pstats
import time

import tracer
from rows import Clock, begun_entries, calls, record


def leaf():
    pass


def twice(function):
    function()
    function()


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def measure():
    twice(lambda: len("abc"))


def test_getstats_has_the_entries_of_cprofile():
    theirs, ours = cProfile.Profile(), tracer.Profile()
    for profile in theirs, ours:
        profile.enable()
        measure()
        profile.disable()
    expected, found = (
        next(entry for entry in profile.getstats() if entry.code is twice.__code__)
        for profile in (theirs, ours)
    )
    for entry, like in (found, expected), (found.calls[0], expected.calls[0]):
        assert entry.n_sequence_fields == like.n_sequence_fields
        assert type(entry).__match_args__ == type(like).__match_args__
    entries = {
        getattr(entry.code, "co_name", entry.code): entry
        for entry in begun_entries(ours.getstats())
    }
    assert entries.keys() == {"measure", "twice", "<lambda>", "<built-in method builtins.len>"}
    code, callcount, reccallcount, totaltime, inlinetime, subentries = entries["twice"]
    assert code is twice.__code__
    assert (callcount, reccallcount) == (1, 0)
    assert 0 <= inlinetime <= totaltime < 1
    (subentry,) = subentries
    assert subentry.code.co_name == "<lambda>"
    assert (subentry.callcount, subentry.reccallcount, subentry.resumes) == (2, 0, 0)
    assert entries["<built-in method builtins.len>"].calls is None


def test_getstats_counts_recursion():
    (entry,) = record(fib, 5).getstats()
    assert (entry.callcount, entry.reccallcount) == (15, 14)
    (subentry,) = entry.calls
    assert (subentry.callcount, subentry.reccallcount) == (14, 12)


def test_results_while_enabled():
    profile = tracer.Profile()

    def outer():
        leaf()
        seen.append([entry.code.co_name for entry in begun_entries(profile.getstats())])
        profile.snapshot_stats()
        seen.append(sorted(label[2] for label in profile.stats))
        leaf()

    seen = []
    profile.enable(builtins=False)
    outer()
    assert profile.enabled
    assert seen[0] == ["outer", "leaf"]
    assert {"leaf", "outer"} <= set(seen[1])
    label = (__file__, leaf.__code__.co_firstlineno, "leaf")
    assert tracer.Stats(profile).stats[label][1] == 2
    assert profile.enabled
    profile.disable()


def test_a_look_leaves_no_rows():
    def leaf():
        pass

    clock = Clock()
    profile = tracer.Profile(clock, 1.0)
    profile.enable()
    leaf()
    for _ in range(3):
        clock.now += 1
        stats = tracer.Stats(profile).sort_stats()
        stats.print_stats("no such row")
        profile.capture()
    leaf()
    profile.disable()
    assert calls(profile) == {"leaf": 2}


def test_time_that_is_still_running_counts():
    clock = Clock()
    profile = tracer.Profile(clock, 1.0)

    def outer():
        clock.now += 3
        inner()

    def inner():
        clock.now += 4
        seen.update({entry.code.co_name: entry for entry in profile.getstats()})

    seen = {}
    profile.enable(builtins=False)
    outer()
    profile.disable()
    assert (seen["outer"].inlinetime, seen["outer"].totaltime) == (3, 7)
    assert (seen["inner"].inlinetime, seen["inner"].totaltime) == (4, 4)


def test_create_stats_disables():
    profile = tracer.Profile()
    profile.enable()
    leaf()
    profile.create_stats()
    assert not profile.enabled
    label = (__file__, leaf.__code__.co_firstlineno, "leaf")
    primitive, ncalls, tottime, cumtime, callers = profile.stats[label]
    assert (primitive, ncalls) == (1, 1)
    assert [name for _, _, name in callers] == ["test_create_stats_disables"]
    assert tottime == cumtime > 0
    assert [name for (_, _, name), row in profile.stats.items() if row[1]] == ["leaf"]


def test_dump_stats(tmp_path):
    path = tmp_path / "profile.out"
    profile = tracer.Profile()
    profile.enable()
    twice(leaf)
    profile.dump_stats(str(path))
    assert not profile.enabled
    with open(path, "rb") as file:
        assert marshal.load(file) == profile.stats
    assert pstats.Stats(str(path)).stats == profile.stats


def test_dump_stats_adds_up_once(tmp_path, monkeypatch):
    """Adding up a large profile takes seconds, so it must not be done twice."""

    class Counting(tracer.Profile):
        def snapshot(self):
            seen.append("snapshot")
            return super().snapshot()

    def add_up(*words):
        seen.append("add_up")
        return tracer._core.add_up(*words)

    seen = []
    monkeypatch.setattr("tracer.data.section.add_up", add_up)
    profile = Counting()
    profile.runcall(twice, leaf)
    profile.dump_stats(tmp_path / "profile.out")
    assert seen == ["snapshot", "add_up"]
    with open(tmp_path / "profile.out", "rb") as file:
        assert marshal.load(file) == profile.stats != {}


def test_a_finished_profile_always_gives_the_same_figures():
    profile = tracer.Profile()
    profile.runcall(twice, leaf)
    first = tracer.Stats(profile).stats
    time.sleep(0.02)
    assert tracer.Stats(profile).stats == first


def test_print_stats(capsys):
    profile = tracer.Profile()
    profile.runcall(twice, leaf)
    profile.enable()
    profile.print_stats(("ncalls", "name"))
    assert not profile.enabled
    out = capsys.readouterr().out
    assert "3 function calls in" in out
    assert "Ordered by: call count, function name" in out
    assert out.index("(leaf)") < out.index("(twice)")
    profile.print_stats()
    assert "Ordered by: standard name" in capsys.readouterr().out


def test_pstats_takes_a_profile():
    profile = tracer.Profile()
    profile.runcall(twice, leaf)
    out = io.StringIO()
    pstats.Stats(profile, stream=out).print_stats()
    assert "3 function calls in" in out.getvalue()
    profile.enable()
    pstats.Stats(profile)
    assert not profile.enabled  # as cProfile does
