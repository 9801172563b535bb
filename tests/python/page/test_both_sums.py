"""What the page's script adds up of real programs is what Python adds up: figures, trees, edges and
waits, of each thread and of all; and whose memory is. Counts are equal. Times come to the page as
whole nanoseconds: those of a function in a thread are rounded, and so are those of its paths, each
of which takes over what the one before has left."""

import io
import json
import sys
import threading
from collections import defaultdict

import pytest

import pages
import tracer
from tracer.analysis.findings.memory import held_by_own
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import NO_ROW, Paths, Row, paths_of
from tracer.analysis.tree.cumulative_waits import cumulative_waits
from tracer.data.figures import FIGURES
from tracer.results.all_findings import findings_of
from workloads import PROGRAMS

COLUMNS = ("depth", "row", "calls", "resumes", "time", "waited")
COUNTS = [name for name, figure in FIGURES.items() if not figure.is_time]
SUMMED = [name for name, figure in FIGURES.items() if figure.is_time and figure.merge is sum]
HALF = 0.5000001  # nanoseconds that a rounded time is off, and what the sums of floats are


@pytest.fixture(params=PROGRAMS)
def recorded(request, tmp_path, monkeypatch):
    """The Stats of a program that three threads run, one after the other, two by the same paths."""
    monkeypatch.setattr(sys, "argv", ["program"])
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    run = PROGRAMS[request.param](tmp_path)
    with tracer.Profile(timeline=True) as profile:
        run()
        for other in (threading.Thread(target=run), threading.Thread(target=run)):
            other.start()
            other.join()
    return tracer.Stats(profile, names="qualname")


def test_sums_are_the_same(recorded, tmp_path):
    paths, threads = paths_of(recorded), recorded.threads
    profile = in_script(recorded, tmp_path)
    assert len(threads) == 3
    assert [sums["threads"] for sums in profile["whole"]] == ["all", 0, 1, 2]
    for sums, stats in zip(profile["whole"], (recorded, *threads), strict=True):
        number = sums["threads"]
        trees = paths.trees if number == "all" else paths.trees[number : number + 1]
        these = Paths(paths.rows, trees)
        merged = these.merged()
        assert sums["tree"] == {name: list(getattr(merged, name)) for name in COLUMNS}
        check_figures(sums, paths.figures if number == "all" else trees[0].figures, trees)
        check_edges(sums, stats, these)
        waits = cumulative_waits(these)
        assert sums["waitedWithin"] == [round(1e9 * waits[row]) for row in paths.rows]


def test_the_stretch_that_is_the_whole_run_has_the_sums_of_the_run(recorded, tmp_path):
    profile = in_script(recorded, tmp_path)
    for whole, stretch in zip(profile["whole"], profile["stretch"], strict=True):
        of_whole, of_stretch = figures_of(whole), figures_of(stretch)
        assert of_whole.keys() == of_stretch.keys()
        for row, figures in of_whole.items():
            for name in ("ncalls", "primitive"):
                assert of_stretch[row][name] == figures[name]
            off = of_stretch[row]["tottime"] - figures["tottime"]
            if figures["ncalls"] > 0:  # else it ran already, and may have more before the first bin
                assert abs(off) <= HALF * len(profile["whole"])


KEEPS = """
kept = []
def keep():
    kept.append(bytes(2**21))
keep()
more = bytes(2**22)
"""


def test_who_holds_memory_is_the_same(tmp_path):
    """The code of the module keeps more than keep() does, and is none of those that are told."""
    with tracer.Profile(timeline=True, memory=True) as profile:
        exec(compile(KEEPS, str(tmp_path / "app.py"), "exec"), {})
    stats = tracer.Stats(profile, names="qualname")
    paths = paths_of(stats)
    found = dict(zip(paths.rows, in_script(stats, tmp_path)["held"], strict=True))
    # Others that ran already may be there, with nothing.
    expected = {row: size for row, size in held_by_own(Outline(paths), stats).items() if size}
    assert {row: size for row, size in found.items() if size} == expected
    assert max(expected, key=expected.get).name == "keep"
    [finding] = [it for it in findings_of(stats, paths) if it.rule == "kept_memory"]
    assert finding.function.name == "keep"


def in_script(stats, folder):
    """What the page's script adds up of a Stats: see sums.mjs."""
    file = folder / "data"
    file.write_bytes(b"".join(pages.page.data_of([pages.page.shown(stats)], "sums")))
    return json.loads(pages.run_node(pages.TESTS_IN_JS / "sums.mjs", file))


def figures_of(sums):
    """{row: {name of a figure: value}}"""
    figures = sums["figures"]
    present = [row for row, is_present in enumerate(sums["present"]) if is_present]
    return {row: {name: figures[name][row] for name in FIGURES} for row in present}


def check_figures(sums, figures, trees):
    found = figures_of(sums)
    assert found.keys() == figures.keys()
    for row, expected in figures.items():
        it = found[row]
        known = [tree.figures[row] for tree in trees if row in tree.figures]
        assert [it[name] for name in COUNTS] == [getattr(expected, name) for name in COUNTS]
        for name in SUMMED:  # of each thread they are whole nanoseconds
            assert abs(it[name] - getattr(expected, name)) <= HALF * (len(known) + 1)
        assert it["longest"] == expected.longest
        of_longest = [one.longest_at for one in known if one.longest == expected.longest]
        assert it["longest_at"] in of_longest and expected.longest_at in of_longest


def check_edges(sums, stats, paths):
    assert sums["calleesAgree"]
    expected = edges_of_stats(stats)
    numbers = {Row(*label): row for row, label in enumerate(paths.rows)}
    counted = nodes_of_edges(paths)
    found = {(edge["caller"], edge["callee"]): edge for edge in sums["callers"]}
    assert len(found) == len(sums["callers"])
    of_functions = {edge for edge in found if edge[0] != NO_ROW}
    assert of_functions == {(numbers[caller], numbers[callee]) for caller, callee in expected}
    for (caller, callee), (counts, times) in expected.items():
        edge = found[numbers[caller], numbers[callee]]
        assert (edge["calls"], edge["primitive"], edge["resumes"]) == counts
        nodes = counted[numbers[caller], numbers[callee]]
        for name, seconds, number in zip(("time", "cumtime"), times, nodes, strict=True):
            assert abs(edge[name] - 1e9 * seconds) <= 2 * HALF * number, (caller, callee, name)


def edges_of_stats(stats):
    """{(caller, callee): ((calls, primitive calls, resumes), (seconds of its own, of all))}"""
    found = {}
    for callee, (*_, callers) in stats.stats.items():
        resumes = stats.resumes[callee].callers if callee in stats.resumes else {}
        for caller, (calls, primitive, own, cumulative) in callers.items():
            again = resumes[caller].total if caller in resumes else 0
            found[caller, callee] = (calls, primitive, again), (own, cumulative)
    return found


def nodes_of_edges(paths):
    """{(caller, callee): [nodes whose own time the edge has, nodes below outermost calls]}"""
    found = defaultdict(lambda: [0, 0])
    for tree in paths.trees:
        path = []  # the edges above a node
        for depth, row in list(zip(tree.depth, tree.row, strict=True))[1:]:
            del path[depth - 1 :]
            path.append((path[-1][1] if path else NO_ROW, row))
            found[path[-1]][0] += 1
            for edge in set(path):
                found[edge][1] += 1
    return found
