"""Paths: the calling contexts of profiles, exact where tracer recorded them."""

import json
import math
import threading
import time
from struct import pack

import pytest

import tracer
from pathwork import Work
from tracer._core import RECORDS, call_paths, merge_paths
from tracer.analysis.tree.call_tree import NO_ROW, UNKEPT, paths_of


def shown(paths, tree=None, least=1):
    """A line a node: two blanks a level, its name, calls, resumes and own time in nanoseconds."""
    tree = paths.trees[0] if tree is None else tree
    assert tree.depth[0] == 0 and tree.row[0] == NO_ROW
    columns = zip(tree.depth, tree.row, tree.calls, tree.resumes, tree.time, strict=True)
    return [
        f"{'  ' * (depth - 1)}{paths.rows[row].name.rpartition('.')[2]} {calls}+{resumes} {time}"
        for depth, row, calls, resumes, time in list(columns)[1:]
        if calls + resumes >= least
    ]


def test_each_path_with_its_calls_and_time():
    work = Work()
    paths = paths_of(tracer.Stats(work.profile(work.twice)))
    assert shown(paths) == ["twice 1+0 0", "  once 2+0 2", "    leaf 2+0 30", "  leaf 1+0 5"]
    assert paths.rule is None
    assert paths.trees[0].edges == []
    assert repr(paths) == "<tracer Paths: 3 functions, 5 nodes, 1 threads>"


def test_recursion_goes_down():
    work = Work()
    paths = paths_of(tracer.Stats(work.profile(work.deep, 2)))
    assert shown(paths) == ["deep 1+0 1", "  deep 1+0 1", "    deep 1+0 1"]


def test_figures_are_those_of_stats():
    work = Work()
    profile = work.profile(work.twice)
    paths = paths_of(tracer.Stats(profile))
    stats = tracer.Stats(profile, names="qualname").stats
    (tree,) = paths.trees
    assert {paths.rows[row] for row in tree.figures} == set(stats)
    for row, found in tree.figures.items():
        primitive, ncalls, tottime, cumtime, _ = stats[paths.rows[row]]
        assert (found.primitive, found.ncalls) == (primitive, ncalls)
        assert (found.tottime, found.cumtime) == (round(tottime * 1e9), round(cumtime * 1e9))


def test_totals_are_sums_over_what_is_below():
    work = Work()
    paths = paths_of(tracer.Stats(work.profile(work.twice)))
    tree = paths.trees[0]
    called = [row for row in range(len(tree)) if tree.calls[row]]
    assert [tree.totals()[node] for node in called] == [37, 32, 30, 5]
    assert tree.totals()[0] == sum(tree.time)


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 50])
def test_what_overflows_is_told_and_no_time_is_lost(limit):
    work = Work()
    stats = tracer.Stats(work.profile(work.twice, _node_limit=limit))
    paths = paths_of(stats)
    (tree,) = paths.trees
    assert sum(tree.time) == 37
    unkept = [paths.rows[row].name for row in tree.row[1:]].count(UNKEPT)
    assert bool(unkept) == bool(tree.edges) == (limit < 50)


NOTHING = ((0.0, 0.0), (0.0, 0.0))
COSTS = dict.fromkeys(("init", "builtin", "method", "resume"), NOTHING)
COSTS["function"] = ((2e-9, 1e-9), (2e-9, 1e-9))  # of a call, in the callee and in the caller


@pytest.mark.parametrize(
    ("costs", "own"), [(None, {"once": 2, "leaf": 30}), (COSTS, {"once": 2, "leaf": 24})]
)
def test_where_all_overflows_the_edges_are_those_of_stats(costs, own):
    """What is left of 37: once had 2 of its costs, and leaf 4 and 2."""
    work = Work()
    profile = tracer._core.Profiler(work.clock, 1e-9, builtins=False, costs=costs, _node_limit=0)
    profile.record_call(work.twice)
    capture = tracer.Capture(profile.snapshot())
    paths = paths_of(tracer.Stats(capture))
    (tree,) = paths.trees
    found = {
        tuple(paths.rows[row].name.rpartition(".")[2] for row in (edge.caller, edge.callee)): edge
        for edge in tree.edges
        if edge.caller != NO_ROW
    }
    assert {
        pair: (edge.calls, edge.primitive, edge.time, edge.cumtime) for pair, edge in found.items()
    } == {
        ("twice", "once"): (2, 2, own["once"], 32),
        ("once", "leaf"): (2, 2, own["leaf"], 30),
        ("twice", "leaf"): (1, 1, 5 if costs is None else 4, 5),
    }
    known = {
        (caller, label): figures
        for label, (_, _, _, _, callers) in tracer.Stats(capture, names="qualname").stats.items()
        for caller, figures in callers.items()
    }
    assert len(known) == len(found)
    for edge in found.values():
        calls, primitive, time, cumtime = known[paths.rows[edge.caller], paths.rows[edge.callee]]
        assert (edge.calls, edge.primitive) == (calls, primitive)
        assert (edge.time, edge.cumtime) == (round(time * 1e9), round(cumtime * 1e9))


def test_each_thread_has_its_tree_and_all_are_merged():
    work = Work()
    profile = tracer.Profile(work.clock, 1e-9, builtins=False)
    with profile:
        work.once(1)
        thread = threading.Thread(target=work.once, args=(2,), name="worker")
        thread.start()
        thread.join()
    paths = paths_of(tracer.Stats(profile))
    assert [tree.name for tree in paths.trees] == ["MainThread", "worker"]
    leaves = [line.strip() for line in shown(paths, paths.merged()) if "leaf" in line]
    assert leaves == ["leaf 1+0 1", "leaf 1+0 2"]  # once() is called by other callers there
    assert sum(paths.merged().time) == sum(sum(tree.time) for tree in paths.trees)
    one = paths_of(tracer.Stats(profile).threads["worker"])
    assert [tree.name for tree in one.trees] == ["worker"]


def test_two_runs_are_one_where_paths_agree(tmp_path):
    work = Work()
    for name in "ab":
        work.profile(work.twice).dump_stats(tmp_path / name)
    paths = paths_of(tracer.Stats(tmp_path / "a", tmp_path / "b"))
    assert shown(paths, paths.merged()) == [
        *["twice 2+0 0", "  once 4+0 4", "    leaf 4+0 60", "  leaf 2+0 10"]
    ]


def test_generators_are_resumed():
    work = Work()

    def numbers():
        for _ in range(3):
            work.clock.now += 1
            yield

    def use():
        for _ in numbers():
            work.clock.now += 10

    paths = paths_of(tracer.Stats(work.profile(use)))
    assert shown(paths) == ["use 1+0 30", "  numbers 1+3 3"]


def test_compensated_times_are_those_of_stats():
    profile = tracer.Profile(compensate=True)
    profile.record_call(list, map(abs, range(1000)))
    for raw in False, True:
        stats = tracer.Stats(profile, raw=raw)
        tree = paths_of(stats).trees[0]
        assert sum(tree.time) == pytest.approx(stats.total_tt * 1e9, abs=10)


def test_nothing_recorded():
    paths = paths_of(tracer.Stats())
    assert paths.rows == () and len(paths.merged()) == 1


# -- What the extension takes ------------------------------------------------------------------

NODE = "=IIQQqq"
ROOT = pack(NODE, 0, NO_ROW, 0, 0, 0, 0)
MOST = 9 * 10**18  # nanoseconds that a path may have


def test_rounding_loses_nothing_of_a_function():
    """Times of a third of a nanosecond: those of each function are off by half of one at most."""
    nodes = ROOT + b"".join(pack(NODE, i, i % 3, 1, 0, 1, 0) for i in range(301))
    thread = (nodes, *(b"" for _ in RECORDS[1:]))
    columns, _ = call_paths((thread,), pack("=3I", *range(3)), 3, 1e-9 / 3)
    rows, times = (memoryview(columns[at]).cast(code).tolist() for at, code in ((1, "I"), (4, "q")))
    assert rows[:3] == [NO_ROW, 0, 1] and set(times) == {0, 1}
    sums = [
        sum(time for row, time in zip(rows, times, strict=True) if row == at) for at in range(3)
    ]
    assert sums == [34, 33, 33]  # of 101 / 3, 100 / 3, 100 / 3


@pytest.mark.parametrize(
    "tick, time",
    [(math.nan, 0), (math.inf, MOST), (-math.inf, -MOST), (1e300, MOST)],
)
def test_ticks_of_any_length_give_a_time(tick, time):
    """A time longer than MOST is MOST, and one that is no number is 0."""
    thread = (ROOT + pack(NODE, 0, 0, 1, 0, 1, 0), *(b"" for _ in RECORDS[1:]))
    columns, _ = call_paths((thread,), pack("=I", 0), 1, tick)
    assert memoryview(columns[4]).cast("q").tolist() == [0, time]


@pytest.mark.parametrize("costs", [None, COSTS])
@pytest.mark.parametrize("tick", [1e-9 / 3, 7e-10, 0.5e-9, 1.5e-9, 41.6e-9])
def test_times_of_paths_add_up_to_those_of_functions(tick, costs):
    """They do so whatever a tick is."""
    profile = tracer.Profile(time.perf_counter_ns, 1e-9)
    profile.runcall(json.dumps, [[number, {"a": [number]}] for number in range(300)], indent=1)
    capture = profile.capture()
    capture.seconds_per_tick, capture.costs = tick, costs
    stats = tracer.Stats(capture, names="qualname")
    paths = paths_of(stats)
    (tree,) = paths.trees
    sums = dict.fromkeys(tree.figures, 0)
    for row, own in zip(tree.row[1:], tree.time[1:], strict=True):
        sums[row] += own
    assert sums == {row: figures.tottime for row, figures in tree.figures.items()}
    for label, (_, _, tottime, _, _) in stats.stats.items():
        assert sums[paths.rows.index(label)] == round(tottime * 1e9)


@pytest.mark.parametrize(
    "tree",
    [
        (b"", b"", b"", b"", b"", b"1"),
        (b"1234", b"1234", b"12345678", b"12345678", b"12345678", b""),
        (pack("I", 1), bytes(4), bytes(8), bytes(8), bytes(8), bytes(8)),
        (pack("2I", 0, 2), bytes(8), bytes(16), bytes(16), bytes(16), bytes(16)),
        (pack("2I", 0, 0), bytes(8), bytes(16), bytes(16), bytes(16), bytes(16)),
    ],
)
def test_what_is_no_tree_is_refused(tree):
    with pytest.raises(ValueError, match="tree"):
        merge_paths((tree,))


@pytest.mark.parametrize("tree", [1, (1, 2), ("",) * 6, (b"",) * 5])
def test_what_is_not_even_bytes_is_refused(tree):
    with pytest.raises(TypeError):
        merge_paths((tree,))


def test_nothing_merged_is_the_root():
    assert merge_paths(())[0] == bytes(4)
