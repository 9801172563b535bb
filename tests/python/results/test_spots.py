"""results/spots.py: which line of a function a finding means."""

import pytest

import tracer
from linesnapshots import snapshot
from timelines import capture_of
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import Row
from tracer.analysis.tree.program_texts import ProgramTexts
from tracer.data import line_memory
from tracer.data.line_memory import LineMemory
from tracer.data.memory import Amount
from tracer.data.types import SourceText
from tracer.results.all_findings import findings_of
from tracer.results.findings import first_findings
from tracer.results.spots import most_line, most_live_line
from treetexts import FILES, SITE, in_ms, paths_of_text, with_figures

FETCH = Row(FILES["main"], 1, "fetch")
SLEEP = Row("~", 0, "<time.sleep>")
# Line 2 waited most, line 4 was suspended most. Of line 5 it is not known what it waited.
LINES = [
    (2, 2, 300, 300, 0, 0),
    (3, 2, 250, 250, 0, 0),
    (4, 1, 9, 0, 9, 700),
    (5, 2, 400, 1, 1, 0),
]
WAITS = {0: 300, 1: 250}
TEXT = "async def fetch():\n  with LOCK:\n    time.sleep(1)\n    await LOCK.acquire()\n\n"


def capture(functions, source="", **options):
    found = capture_of("other@main 0-1")
    found.timed_lines = snapshot(functions, file=FILES["main"], tick=1e-3, **options)
    found.timeline_data = None
    found.sources = {FILES["main"]: SourceText(source.encode(), False)}
    return found


def profiles(source="", **options):
    functions = {(1, "fetch"): LINES, (1, "other"): [(9, 1, 900, 0, 900, 900)]}
    return tracer.Stats(capture(functions, source, **{"waits": WAITS, **options}))


# -- Lines that were timed -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "callee", "text", "line"),
    [
        ("waited", SLEEP, "", 2),
        ("waited", SLEEP, None, 2),
        ("waited", None, TEXT, 2),
        ("waited", SLEEP, TEXT, 3),  # which names it
        ("waited", SLEEP, TEXT.replace("sleep", "rest"), 2),
        ("waited", SLEEP, TEXT.replace("with LOCK", "with sleep"), 2),  # both do
        ("suspended", Row("/lib/locks.py", 1, "Lock.acquire"), TEXT, 4),
        ("suspended", SLEEP, TEXT, 4),  # the line that names it was not suspended
    ],
)
def test_the_line_that_has_most_of_a_figure(figure, callee, text, line):
    assert most_line(profiles(), FETCH, figure, callee, text) == line


def test_lines_are_those_that_an_editor_counts():
    """A form feed begins no line."""
    text = TEXT.replace("fetch():", "fetch():  # \f\v\x1c\x85\u2028")
    assert most_line(profiles(), FETCH, "waited", SLEEP, text) == 3


def test_lines_beyond_the_text_count_as_others_do():
    assert most_line(profiles(waits={0: 1, 1: 2}), FETCH, "waited", None, "a\nb\n") == 3


def test_of_a_function_whose_lines_did_not_wait_none_is_meant():
    assert most_line(profiles(waits={}), FETCH, "waited", SLEEP, TEXT) is None
    assert most_line(profiles(waits=None), FETCH, "waited", SLEEP, TEXT) is None
    for other in (FETCH._replace(line=2), FETCH._replace(name="load"), SLEEP):
        assert most_line(profiles(), other, "waited", SLEEP, TEXT) is None
    assert most_line(tracer.Stats(), FETCH, "waited", SLEEP, TEXT) is None


WAITS_IN_C = "fetch@main 1 0\n  <time.sleep> 2 950~950\n"


@pytest.mark.parametrize(("source", "line"), [("", 2), (TEXT, 3)])
def test_a_finding_of_a_wait_means_a_line(source, line):
    stats = profiles(source)
    paths = with_figures(paths_of_text(in_ms(WAITS_IN_C)))
    outline = Outline(paths, ProgramTexts(stats).of)
    for found in (findings_of(stats, paths), first_findings(outline, 9, stats)):
        assert {it.rule: it.line for it in found if it.rank == "time"} == {"costly_functions": line}
    assert [it.line for it in first_findings(outline, 9, None)] == [None]


def test_a_finding_of_work_means_none():
    paths = with_figures(paths_of_text(in_ms("fetch@main 1 900\n  <time.sleep> 2 10~10")))
    found = findings_of(profiles(TEXT), paths)
    assert [(it.rule, it.line) for it in found if it.rank == "time"] == [("costly_functions", None)]


# -- Lines that have memory ------------------------------------------------------------------------

NOTHING = Amount(0, 0)


def live(size):
    return LineMemory(1, 0, Amount(90, 1), Amount(size, 1), Amount(95 - size, 1), 0)


def most_live(monkeypatch, **lines):
    """The line of f() in /p/one.py. lines: {line: bytes that are live} of functions of modules."""
    places = {"own": "/p/one.py", "site": f"{SITE}/two.py"}
    found = {
        (places[which], 1, "f", "f"): {line: live(size) for line, size in sizes.items()}
        for which, sizes in lines.items()
    }
    monkeypatch.setattr(line_memory, "line_memory_of", lambda captures: found)
    return most_live_line(tracer.Stats(), Row("/p/one.py", 1, "f"))


def test_the_line_with_most_that_is_live(monkeypatch):
    assert most_live(monkeypatch, own={3: 10, 4: 20, 5: 19}) == 4
    assert most_live(monkeypatch, own={3: 0}) is None
    assert most_live(monkeypatch, own={}) is None
    assert most_live(monkeypatch) is None


def test_no_line_is_said_to_have_most_where_those_of_libraries_have_a_part_of_it(monkeypatch):
    assert most_live(monkeypatch, own={3: 10, 4: 20}, site={3: 10}) is None


def test_the_line_is_one_of_the_same_function(monkeypatch):
    found = {("/p/one.py", 1, "f", "C.f"): {4: live(20)}}
    monkeypatch.setattr(line_memory, "line_memory_of", lambda captures: found)
    assert most_live_line(tracer.Stats(), Row("/p/one.py", 1, "C.f")) == 4
    assert most_live_line(tracer.Stats(), Row("/p/one.py", 1, "f")) is None
    assert most_live_line(tracer.Stats(), Row("/p/one.py", 2, "C.f")) is None
