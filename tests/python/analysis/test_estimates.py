"""Paths that are estimated, of profiles that hold callers only."""

import cProfile

import pytest

import tracer
from launch import plain, write
from pathwork import Work
from rows import Clock
from tracer.analysis.tree.call_tree import NO_ROW, UNKEPT, paths_of


def stats_of(table):
    """{name: (calls, tottime, cumtime, {caller: (calls, cumtime)})} as a profile without paths."""
    stats = tracer.Stats()
    stats.stats = {
        ("f.py", 1, name): (
            calls,
            calls,
            tottime,
            cumtime,
            {("f.py", 1, c): (n, n, 0.0, time) for c, (n, time) in callers.items()},
        )
        for name, (calls, tottime, cumtime, callers) in table.items()
    }
    stats._whole = False
    return stats


def shown(stats):
    paths = paths_of(stats)
    (tree,) = paths.trees
    assert "in proportion" in paths.rule
    return [
        f"{'  ' * (depth - 1)}{paths.rows[row].name} {calls} {time / 1e9:g}"
        for depth, row, calls, time in list(
            zip(tree.depth, tree.row, tree.calls, tree.time, strict=True)
        )[1:]
    ]


def test_what_has_one_caller_is_exact():
    table = {
        "main": (1, 1.0, 10.0, {}),
        "a": (2, 3.0, 9.0, {"main": (2, 9.0)}),
        "b": (4, 6.0, 6.0, {"a": (4, 6.0)}),
    }
    assert shown(stats_of(table)) == ["main 1 1", "  a 2 3", "    b 4 6"]


def test_what_has_two_is_shared_out():
    table = {
        "main": (1, 0.0, 8.0, {}),
        "a": (1, 0.0, 2.0, {"main": (1, 2.0)}),
        "b": (1, 0.0, 6.0, {"main": (1, 6.0)}),
        "c": (8, 4.0, 8.0, {"a": (2, 2.0), "b": (6, 6.0)}),
        "d": (8, 4.0, 4.0, {"c": (8, 4.0)}),
    }
    assert shown(stats_of(table)) == [
        *["main 1 0", "  b 1 0", "    c 6 3", "      d 6 3", "  a 1 0", "    c 2 1", "      d 2 1"]
    ]


def test_recursion_is_cut_off():
    table = {
        "f": (5, 4.0, 6.0, {"f": (4, 5.0), "main": (1, 6.0)}),
        "main": (1, 1.0, 7.0, {}),
        "g": (1, 2.0, 2.0, {"f": (1, 2.0)}),
    }
    assert shown(stats_of(table)) == ["main 1 1", "  f 1 4", "    g 1 2"]


def test_a_ring_that_nobody_calls_begins_at_the_longest():
    table = {
        "f": (1, 1.5, 1.5, {"g": (1, 1.5)}),
        "g": (1, 2.0, 3.5, {"f": (1, 3.5)}),
    }
    assert shown(stats_of(table)) == ["g 1 2", "  f 1 1.5"]


def test_a_root_that_is_entered_again_below_is_one_root():
    """exec() is such a root in every program that imports something."""
    table = {
        "exec": (2, 0.0, 10.0, {"imp": (1, 6.0)}),
        "m": (1, 4.0, 10.0, {"exec": (1, 10.0)}),
        "imp": (1, 0.0, 6.0, {"m": (1, 6.0)}),
        "lib": (1, 6.0, 6.0, {"exec": (1, 6.0)}),
    }
    assert shown(stats_of(table)) == [
        *["exec 2 0", "  m 1 4", "    imp 1 0", "      exec 1 0", "        lib 1 6"]
    ]


IMPORTING = "import argparse, fractions, json.tool, logging.config\n"


# As `python -m cProfile -o c.out main.py`, but what is waited is in no figure.
RUNNER = """
import cProfile, time
code = compile(open("main.py").read(), "main.py", "exec")
profile = cProfile.Profile(time.thread_time)
profile.runctx(code, {"__name__": "__main__"}, None)
profile.dump_stats("c.out")
"""


@pytest.mark.parametrize("text", ["import json\njson.loads('[' * 100 + ']' * 100)\n", IMPORTING])
def test_no_time_is_lost_on_a_real_profile(text, tmp_path):
    script = tmp_path / "main.py"
    script.write_text(text)
    write(tmp_path / "run.py", RUNNER)
    plain("run.py", cwd=tmp_path)
    stats = tracer.Stats(tmp_path / "c.out")
    assert not stats.is_whole
    paths = paths_of(stats)
    (tree,) = paths.trees
    assert sum(tree.time) == pytest.approx(stats.total_tt * 1e9, rel=0.01)
    nodes = [(row, time) for row, time in zip(tree.row, tree.time, strict=True) if row != NO_ROW]
    unkept = sum(time for row, time in nodes if paths.rows[row].name == UNKEPT)
    assert unkept < 0.5 * sum(tree.time)
    assert len(tree.edges) == sum(len(row[4]) for row in stats.stats.values())


def test_it_stays_small_where_paths_are_without_number():
    """Forty layers of two functions that call both of the next: 2 ** 40 paths."""
    table = {"main": (1, 0.0, 1.0, {})}
    above = ["main"]
    for layer in range(40):
        names = [f"{side}{layer}" for side in "ab"]
        for name in names:
            table[name] = (1, 0.0125, 0.5, {caller: (1, 0.5 / len(above)) for caller in above})
        above = names
    tree = paths_of(stats_of(table)).trees[0]
    assert 1000 < len(tree) < 400_100
    assert sum(tree.time) == pytest.approx(1e9, rel=0.01)


def test_a_file_of_ours_and_one_without_paths(tmp_path):
    work = Work()
    work.profile(work.twice).dump_stats(tmp_path / "ours")
    other = cProfile.Profile(Clock(), 1e-9)
    other.runcall(work.twice)
    other.dump_stats(tmp_path / "theirs")
    paths = paths_of(tracer.Stats(tmp_path / "ours", tmp_path / "theirs"))
    assert paths.rule is not None
    assert "twice" in {row.name for row in paths.rows}


INIT, OTHER, THIRD = (f"/here/app/{name}/__init__.py" for name in ("a", "b", "c"))


def modules():
    """main.py imports app.a, which imports app.b, and that app.c: each is an __init__.py."""
    main, a, b, c = ((file, 1, "<module>") for file in ("/here/main.py", INIT, OTHER, THIRD))
    times = {main: (1.0, 10.0, None), a: (2.0, 9.0, main), b: (3.0, 7.0, a), c: (4.0, 4.0, b)}
    stats = tracer.Stats()
    stats.stats = {
        label: (1, 1, own, whole, {caller: (1, 1, own, whole)} if caller else {})
        for label, (own, whole, caller) in times.items()
    }
    stats._whole = False
    return stats


def test_rows_that_strip_dirs_made_one_are_shared_out_as_several():
    once = ["main.py 1 1", "  __init__.py 1 2", "    __init__.py 1 3", "      __init__.py 1 4"]

    def shown_files(stats):
        paths = paths_of(stats)
        (tree,) = paths.trees
        columns = zip(tree.depth, tree.row, tree.calls, tree.time, strict=True)
        return [
            f"{'  ' * (depth - 1)}{paths.rows[row].file} {calls} {time / 1e9:g}"
            for depth, row, calls, time in list(columns)[1:]
        ]

    assert shown_files(modules().strip_dirs()) == once
    assert shown_files(modules().strip_dirs().strip_dirs()) == once
    assert shown_files(tracer.Stats(modules().strip_dirs())) == once
    twice = ["main.py 2 2", "  __init__.py 2 4", "    __init__.py 2 6", "      __init__.py 2 8"]
    assert shown_files(modules().add(modules()).strip_dirs()) == twice
    assert shown_files(modules().strip_dirs().add(modules().strip_dirs())) == twice


def test_siblings_that_strip_dirs_made_one_are_one():
    main = ("/here/main.py", 1, "<module>")
    stats = tracer.Stats()
    stats.stats = {
        main: (1, 1, 1.0, 6.0, {}),
        (INIT, 1, "<module>"): (1, 1, 2.0, 2.0, {main: (1, 1, 2.0, 2.0)}),
        (OTHER, 1, "<module>"): (1, 1, 3.0, 3.0, {main: (1, 1, 3.0, 3.0)}),
    }
    stats._whole = False
    assert shown(stats.strip_dirs()) == ["<module> 1 1", "  <module> 2 5"]
