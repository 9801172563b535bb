"""analysis/findings/garbage.py: garbage collections, and the functions that are told without."""

import gc

import pytest

import tracer
from tracer.analysis.findings.costly import costly_functions
from tracer.analysis.findings.garbage import collections
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import Paths, paths_of
from tracer.analysis.tree.collected import Collected
from tracer.data.records import NO_ROW
from treetexts import in_ms, paths_of_text, said, with_figures

TEXT = """
<module>@main 1 10
  grow@main 2 300
    append@json 9 200
    <list.append> 9 50
  other@main 1 440
"""


@pytest.fixture
def outline(monkeypatch):
    """Makes an outline in which these collections were: (row, function of the program, number,
    milliseconds, the longest)."""

    def made(*found, text=TEXT, preemptions=0):
        paths = with_figures(paths_of_text(in_ms(text)))
        paths.preemptions = {0: preemptions}
        rows = {row.name.strip("<>"): number for number, row in enumerate(paths.rows)}
        rows[""] = NO_ROW
        collected = [
            Collected(rows[row], rows[below], number, time * 10**6, longest * 10**6)
            for row, below, number, time, longest in found
        ]
        monkeypatch.setattr(Paths, "collected", lambda self, is_wanted: collected)
        return Outline(paths)

    return made


def told(outline):
    finding = collections(outline)
    return finding and said(finding, lambda row: row.file.rpartition("/")[2])


def test_collections_wait_for_a_processor_as_all_does(outline):
    """The run waited for half of its time."""
    text = TEXT.replace("300", "800~500").replace("440", "940~500")
    found = outline(("grow", "grow", 3, 200, 90), text=text, preemptions=100)
    assert told(found) == (
        "10%: 3 garbage collections took 0.10 s, the longest 45 ms below grow, main.py"
    )


def test_what_all_took_and_below_whom(outline):
    assert told(outline(("grow", "grow", 3, 90, 40), ("append", "grow", 2, 10, 9))) == (
        "10%: 5 garbage collections took 0.10 s, the longest 40 ms below grow, main.py"
    )
    assert told(outline(("grow", "grow", 3, 90, 40), ("other", "other", 1, 10, 10))) == (
        "10%: 4 garbage collections took 0.10 s, the longest 40 ms, most below grow, main.py"
    )
    assert told(outline(("other", "other", 1, 60, 60))) == (
        "6%: a garbage collection took 60 ms below other, main.py"
    )


def test_where_no_function_of_the_program_ran(outline):
    assert told(outline(("", "", 4, 60, 20))) == (
        "6%: 4 garbage collections took 60 ms, the longest 20 ms"
    )


def test_little_is_none(outline):
    assert told(outline(("grow", "grow", 3, 49, 40))) is None
    assert told(outline(("grow", "grow", 3, 50, 40))) is not None
    assert told(outline()) is None


def test_functions_are_told_without_them(outline):
    def costs(*found):
        lines = (said(it, lambda row: "HERE") for it in costly_functions(outline(*found)))
        return [line for line in lines if "grow" in line]

    line = "{}%: grow, HERE, takes {} in 2 calls by <module>: {}"
    assert costs() == [line.format(55, "0.55 s", "0.30 s itself, 0.20 s json (append) (9 calls)")]
    own = costs(("grow", "grow", 3, 150, 40))
    assert own == [line.format(40, "0.40 s", "0.20 s json (append) (9 calls), 0.15 s itself")]
    library = costs(("append", "grow", 3, 160, 40))
    assert library == [line.format(39, "0.39 s", "0.30 s itself, 50 ms list.append (9 calls)")]
    assert costs(("list.append", "grow", 3, 400, 40)) == [
        line.format(50, "0.50 s", "0.30 s itself, 0.20 s json (append) (9 calls)")
    ]
    assert costs(("grow", "grow", 3, 290, 40)) == [
        line.format(26, "0.26 s", "0.20 s json (append) (9 calls), 50 ms list.append (9 calls)")
    ]


class Ring:
    def __init__(self):
        self.ring = self


def test_what_a_profile_recorded():
    """Collections that the program asks for, in a function of its own."""
    kept = [Ring() for _ in range(20_000)]

    def collect():
        for _ in range(5):
            gc.collect()

    was = gc.isenabled()
    gc.disable()
    try:
        with tracer.Profile(builtins=False) as profile:
            collect()
    finally:
        if was:
            gc.enable()
    outline = Outline(paths_of(tracer.Stats(profile)))
    text = said(collections(outline), lambda row: "HERE")
    assert ": 5 garbage collections took " in text and text.endswith(" below collect, HERE")
    assert kept
